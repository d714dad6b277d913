//! The list that was heard last, to know it when it is heard again.
//!
//! Clients ask for a server's tools again and again, and most servers say the same each time. Whoever knows the very bytes
//! need not read them.

use knotrust_core::canonical::sha256_hex;

use crate::wire::splice::at;

/// The last list of tools of one server, if it was whole and went on to the client as it came.
#[derive(Debug, Default)]
pub struct Heard(Option<String>);

impl Heard {
    /// Whether this answer says, byte for byte but for the id it answers, what the last list said.
    #[must_use]
    pub fn is_again(&self, answer: &[u8]) -> bool {
        self.0.is_some() && self.0 == digest(answer)
    }

    /// This answer was the last list.
    pub fn note(&mut self, answer: &[u8]) {
        self.0 = digest(answer);
    }

    /// The last list was none that could be known again.
    pub fn forget(&mut self) {
        self.0 = None;
    }
}

// A second `id` is among what is hashed, so that an answer that can be read in two ways never passes for one that cannot.
fn digest(answer: &[u8]) -> Option<String> {
    let id = at(answer, &["id"])?;
    let place = (id.start as u64).to_le_bytes();
    let parts = [&place[..], answer.get(..id.start)?, answer.get(id.end..)?];
    Some(sha256_hex(&parts.concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &[u8] = br#"{"jsonrpc":"2.0","id":1,"result":{"tools":[{"name":"a"}]}}"#;

    #[track_caller]
    fn check(again: &str, expected: bool) {
        let mut heard = Heard::default();
        assert!(!heard.is_again(LIST));
        heard.note(LIST);
        assert!(heard.is_again(LIST));
        assert_eq!(heard.is_again(again.as_bytes()), expected);
        heard.forget();
        assert!(!heard.is_again(LIST));
    }

    #[test]
    fn only_the_id_may_differ() {
        let of = |id: &str, rest: &str| format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{rest}}}"#);
        let tools = r#"{"tools":[{"name":"a"}]}"#;
        check(&of("2", tools), true);
        check(&of(r#""later""#, tools), true);
        check(&of("2", r#"{"tools":[{"name":"b"}]}"#), false);
        check(
            &of("2", r#"{"tools":[{"name":"a"}],"nextCursor":"c"}"#),
            false,
        );
        check(&of(r#"2,"id":3"#, tools), false);
        check(&of("2 ", tools), false);
        check(
            r#"{"jsonrpc":"2.0","result":{"tools":[{"name":"a"}]}}"#,
            false,
        );
        check("", false);
    }
}
