//! Words that are messages: nobody opens what a commit says.

/// Whether the next word is a message.
pub(super) fn follows(base: &str, word: &str) -> bool {
    if !keeps_messages(base) {
        return false;
    }
    match word.strip_prefix("--") {
        Some(long) => matches!(
            long,
            "message"
                | "title"
                | "body"
                | "notes"
                | "subject"
                | "description"
                | "comment"
                | "trailer"
        ),
        None if base == "git-commit" => word.starts_with('-') && word.ends_with('m'),
        None => matches!(word, "-m" | "-t" | "-b" | "-n"),
    }
}

/// Whether a word holds a message behind its option.
pub(super) fn holds(base: &str, word: &str) -> bool {
    let long = ["--message=", "--title=", "--body=", "--notes="];
    keeps_messages(base)
        && (long.iter().any(|option| word.starts_with(option))
            || (word.starts_with("-m") && word.len() > 2))
}

fn keeps_messages(base: &str) -> bool {
    matches!(
        base,
        "git-commit" | "gh" | "glab" | "hub" | "hg" | "svn" | "jj"
    )
}
