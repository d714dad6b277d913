//! Text of others, on its way to a person's eyes.

use std::fmt::Write;

use knotrust_core::display::inert;

// Longer ones are cut, with a count of what is left out.
const LONGEST: usize = 1024;

/// The text made inert, with bytes that are no text shown as bytes; cut if it is long. `left_out` bytes followed it that are not here.
#[must_use]
pub(crate) fn shown(text: &[u8], left_out: usize) -> String {
    let text = text.strip_suffix(b"\n").unwrap_or(text);
    let text = text.strip_suffix(b"\r").unwrap_or(text);
    let (head, rest) = text.split_at(text.len().min(LONGEST));
    let mut shown = String::with_capacity(head.len());
    for chunk in head.utf8_chunks() {
        shown.push_str(&inert(chunk.valid()));
        for byte in chunk.invalid() {
            let _ = write!(shown, "<{byte:02X}>");
        }
    }
    match rest.len() + left_out {
        0 => shown,
        more => shown + &format!("… ({more} bytes more)"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &[u8], expected: &str) {
        assert_eq!(shown(text, 0), expected);
    }

    #[test]
    fn what_is_not_to_be_seen_is_shown() {
        check(
            "\u{1b}[32mok\u{1b}[0m\r\n".as_bytes(),
            "<U+001B>[32mok<U+001B>[0m",
        );
        check(
            "a\u{202e}gpj.exe\u{e0041}".as_bytes(),
            "a<U+202E>gpj.exe<U+E0041>",
        );
        check("safe\r  no".as_bytes(), "safe<U+000D>  no");
        check(b"caf\xe9 \xff", "caf<E9> <FF>");
        check("né 字 😀".as_bytes(), "né 字 😀");
        check(b"", "");
    }

    #[test]
    fn what_is_long_is_cut_with_a_count() {
        let long = "x".repeat(1500);
        assert_eq!(
            shown(long.as_bytes(), 0),
            format!("{}… (476 bytes more)", "x".repeat(1024))
        );
        assert_eq!(shown(b"ab", 7), "ab… (7 bytes more)");
    }
}
