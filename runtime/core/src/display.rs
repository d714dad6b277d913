//! Hostile text, made safe to look at.

/// The text with every character that a terminal would act on, or that an eye would miss or mistake, as its code point:
/// controls, blanks other than the plain one, marks that turn the direction, tags, joiners and fillers.
///
/// What a person approves must be what they see.
#[must_use]
pub fn inert(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for character in text.chars() {
        if is_plain(character) {
            shown.push(character);
        } else {
            shown.push_str(&format!("<U+{:04X}>", u32::from(character)));
        }
    }
    shown
}

fn is_plain(character: char) -> bool {
    if character.is_ascii() {
        return !character.is_ascii_control();
    }
    let code = u32::from(character);
    let hidden = matches!(code,
        0x80..=0x9F | 0xA0 | 0xAD | 0x34F | 0x61C | 0x115F | 0x1160 | 0x1680 | 0x17B4 | 0x17B5
        | 0x180B..=0x180F | 0x2000..=0x200F | 0x2028..=0x202F | 0x205F..=0x206F | 0x2800 | 0x3000
        | 0x3164 | 0xFE00..=0xFE0F | 0xFEFF | 0xFFA0 | 0xFFF0..=0xFFFF | 0x1BCA0..=0x1BCA3
        | 0x1D173..=0x1D17A | 0xE0000..=0xE0FFF
    );
    // Marks that sit on the letter before change what it is without taking any room.
    let combining = matches!(code,
        0x300..=0x36F | 0x483..=0x489 | 0x1AB0..=0x1AFF | 0x1DC0..=0x1DFF | 0x20D0..=0x20FF
        | 0xFE20..=0xFE2F
    );
    !hidden && !combining && !(0xE000..=0xF8FF).contains(&code) && code < 0xF0000
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_or_hides_is_shown_as_its_code_point() {
        assert_eq!(inert("a\u{202e}b"), "a<U+202E>b");
        assert_eq!(inert("\u{1b}[2K\r\n"), "<U+001B>[2K<U+000D><U+000A>");
        assert_eq!(inert("\u{e0069}"), "<U+E0069>");
        assert_eq!(inert("e\u{301}"), "e<U+0301>");
        assert_eq!(inert("naïve 中文 😀"), "naïve 中文 😀");
    }
}
