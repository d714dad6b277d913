//! What is knotrust's own: its home, its page, its program.
//!
//! An agent that could read the identity key, open the approval page or run `knotrust approvals approve` would be its own
//! judge. No ruleset speaks of these places and none can open them; what cannot be told does not count as touching them,
//! or every call with a variable would be denied.

/// What knotrust itself owns.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Own<'a> {
    /// Its home folder, absolute.
    pub home: Option<&'a str>,
    /// The file of the program, absolute.
    pub program: Option<&'a str>,
    /// The ports of its pages on the loopback address.
    pub ports: &'a [u16],
}

impl Own<'_> {
    /// Nothing: for what-ifs without a home.
    pub const NOTHING: Own<'static> = Own {
        home: None,
        program: None,
        ports: &[],
    };
}

/// The name of the program, as a command would spell it.
const PROGRAM: &str = "knotrust";

/// Whether a command word is the program.
pub(super) fn is_program(word: &str) -> bool {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    let name = name.strip_suffix(".exe").unwrap_or(name);
    name.eq_ignore_ascii_case(PROGRAM)
}

/// Whether a text that cannot be parsed mentions the program as a word of its own.
pub(super) fn mentions_program(text: &str) -> bool {
    let mut words = text.split(|c: char| !c.is_alphanumeric() && !"_.-".contains(c));
    words.any(is_program)
}
