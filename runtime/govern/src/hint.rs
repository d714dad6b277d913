//! The command that would grant a call, for a person to paste.

use knotrust_core::json::Text;

/// `knotrust grant --server … --tool …`, quoted so that a shell takes every name as it is.
///
/// What a server or a model calls a tool is theirs to choose; nothing of it is ever read by the shell it is pasted into.
#[must_use]
pub(crate) fn grant_command(action: &Text<'_>, server: &str) -> String {
    let name = action.to_string_lossy();
    let tool = name
        .strip_prefix(server)
        .and_then(|rest| rest.strip_prefix('.'))
        .unwrap_or(&name);
    format!(
        "knotrust grant --server {} --tool {}",
        quoted(server),
        quoted(tool)
    )
}

// Single quotes keep everything but themselves. Anything that is no visible ASCII becomes `?`, which matches one character
// in a pattern: such a name is critical, and no grant is suggested for what is critical.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    let visible = word.chars().map(|c| {
        if c.is_ascii_graphic() || c == ' ' {
            c
        } else {
            '?'
        }
    });
    let visible: String = visible.take(200).collect();
    format!("'{}'", visible.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_name_reaches_the_shell() {
        let command = |name: &str| grant_command(&Text::from(name.to_owned()), "notes");
        assert_eq!(
            command("notes.write"),
            "knotrust grant --server notes --tool write"
        );
        assert_eq!(
            command("notes.$(rm -rf ~)"),
            "knotrust grant --server notes --tool '$(rm -rf ~)'"
        );
        assert_eq!(
            command("notes.a'b"),
            r"knotrust grant --server notes --tool 'a'\''b'"
        );
        assert_eq!(
            command("notes.x\u{202e}y\n"),
            "knotrust grant --server notes --tool 'x?y?'"
        );
    }
}
