//! Which signs a text holds, found in one pass.
//!
//! Most texts of a call hold none of those that could make a path, a pattern or an address of them, and are done with
//! after this.

/// The signs that a text holds.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Marks(u16);

impl Marks {
    /// A blank.
    pub(super) const BLANK: Self = Self(1);
    /// `/` or `\`.
    pub(super) const SLASH: Self = Self(1 << 1);
    /// What patterns are made of.
    pub(super) const WILD: Self = Self(1 << 2);
    /// What may stand between a path and something else.
    pub(super) const SIGN: Self = Self(1 << 3);
    /// `:`
    pub(super) const COLON: Self = Self(1 << 4);
    /// What variables begin with.
    pub(super) const VALUE: Self = Self(1 << 5);
    /// `.`
    pub(super) const DOT: Self = Self(1 << 6);
    /// `~`
    pub(super) const TILDE: Self = Self(1 << 7);
    /// A control character that is no blank.
    pub(super) const CONTROL: Self = Self(1 << 8);
    /// Anything beyond ASCII.
    pub(super) const OTHER: Self = Self(1 << 9);

    /// The signs of a text.
    pub(super) fn of(text: &str) -> Self {
        let mark = |byte: u8| TABLE.get(usize::from(byte)).copied().unwrap_or(0);
        Self(text.bytes().fold(0, |marks, byte| marks | mark(byte)))
    }

    /// All of these.
    pub(super) const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether any of these occurs.
    pub(super) const fn has(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }
}

const TABLE: [u16; 256] = table();

const fn table() -> [u16; 256] {
    let mut table = [0; 256];
    let mut rest: &mut [u16] = &mut table;
    let mut byte = 0;
    while let Some((entry, after)) = rest.split_first_mut() {
        *entry = mark(byte).0;
        byte = byte.wrapping_add(1);
        rest = after;
    }
    table
}

const fn mark(byte: u8) -> Marks {
    match byte {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => Marks::BLANK,
        b'/' | b'\\' => Marks::SLASH,
        b'*' | b'?' | b'[' | b'{' => Marks::WILD,
        b':' => Marks::COLON.and(Marks::SIGN),
        b'=' | b',' | b';' | b'@' | b'#' => Marks::SIGN,
        b'$' | b'%' => Marks::VALUE,
        b'.' => Marks::DOT,
        b'~' => Marks::TILDE,
        0..=31 | 127 => Marks::CONTROL,
        128.. => Marks::OTHER,
        _ => Marks(0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_sign_is_marked() {
        let marks = Marks::of("a b.c");
        assert!(marks.has(Marks::BLANK) && marks.has(Marks::DOT));
        assert!(
            !marks.has(
                Marks::SLASH
                    .and(Marks::WILD)
                    .and(Marks::SIGN)
                    .and(Marks::OTHER)
            )
        );
        assert!(Marks::of("a:").has(Marks::COLON) && Marks::of("a:").has(Marks::SIGN));
        assert!(Marks::of("\u{e9}").has(Marks::OTHER));
        assert!(Marks::of("\0").has(Marks::CONTROL));
    }
}
