//! Ending an answer that was begun and can't be finished.

use super::Scanner;
use super::state::{Bracket, State};

/// The id that a voided answer ends with; no client ever sent it.
pub const VOID_ID: &str = "knotrust-void";

impl Scanner {
    /// What makes a message of the bytes passed on so far, one that answers nothing.
    ///
    /// The beginning of an answer has been passed on, and the rest is not to follow: the server died, or what came is over
    /// the limit, or answers something else in the end. The line is closed as JSON and its id taken back by naming another
    /// one. A reader that takes the last of two equal names, as most do, finds an answer to a request it never made; one
    /// that refuses them refuses the line. `last` are the last bytes that were passed on.
    #[must_use]
    pub fn void(&self, last: &[u8]) -> Vec<u8> {
        let mut end = self.finish_token(last);
        for bracket in self.nesting.iter().skip(1).rev() {
            end.push(match bracket {
                Bracket::Object => b'}',
                Bracket::Array => b']',
            });
        }
        end.extend_from_slice(void_after_body().as_bytes());
        end
    }

    fn finish_token(&self, last: &[u8]) -> Vec<u8> {
        let after = |name: bool| if name { "\":null" } else { "\"" };
        match self.state {
            State::Text { name } => [finish_character(last), after(name).as_bytes()].concat(),
            State::Escape { name } => [b"\\", after(name).as_bytes()].concat(),
            State::Hex { name, left } => {
                ["0".repeat(left.into()).as_bytes(), after(name).as_bytes()].concat()
            }
            State::Word { rest, .. } => rest.to_vec(),
            State::Number(numeral) if !numeral.is_whole() => b"0".to_vec(),
            State::Colon => b":null".to_vec(),
            State::Value => b"null".to_vec(),
            State::Name => b"\"\":null".to_vec(),
            State::Start
            | State::FirstName
            | State::FirstElement
            | State::AfterValue
            | State::Number(_)
            | State::Done => Vec::new(),
        }
    }
}

/// What makes such a message of an answer of which all but the end of the envelope has been passed on.
#[must_use]
pub fn void_after_body() -> String {
    format!(",\"id\":\"{VOID_ID}\"}}\n")
}

/// The bytes that a character of UTF-8 still lacks.
fn finish_character(last: &[u8]) -> &'static [u8] {
    let is_continued = |byte: &u8| *byte & 0xC0 == 0x80;
    let have = last
        .iter()
        .rev()
        .take_while(|byte| is_continued(byte))
        .count();
    let lead = last.iter().rev().nth(have).copied().unwrap_or_default();
    match (lead, have) {
        (0xC2..=0xDF, 0) | (0xE0..=0xEF, 1) | (0xF0..=0xF4, 2) => b"\x80",
        (0xE0, 0) => b"\xA0\x80",
        (0xE1..=0xEF, 0) | (0xF1..=0xF4, 1) => b"\x80\x80",
        (0xF0, 1) => b"\x80\x80",
        (0xF0, 0) => b"\x90\x80\x80",
        (0xF1..=0xF4, 0) => b"\x80\x80\x80",
        _ => b"",
    }
}

#[cfg(test)]
mod tests {
    use super::super::Progress;
    use super::*;

    const LINE: &str = r#"{"jsonrpc":"2.0","id":7,"result":{"a":"x\"\u00e9yé€😀","b":[1,-2.5e+3,true,null,{"c":{}}],"d":[[]]}}"#;

    #[test]
    fn wherever_an_answer_is_cut_it_ends_as_an_answer_to_nothing() {
        let start = LINE.find("{\"a\"").unwrap() + 1;
        for cut in start..LINE.len() - 2 {
            let head = &LINE.as_bytes()[..cut];
            let mut scanner = Scanner::default();
            assert_eq!(scanner.feed(head), Progress::More);
            let line = [head, &scanner.void(head)].concat();
            let value: serde_json::Value = serde_json::from_slice(&line).unwrap();
            assert_eq!(value["id"], VOID_ID, "{}", String::from_utf8_lossy(&line));
        }
    }
}
