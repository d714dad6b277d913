//! Where in the grammar of JSON the scanner stands.

/// What the next byte may be.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(super) enum State {
    /// The object that is the message.
    #[default]
    Start,
    /// A member's name or the end of an object that has begun.
    FirstName,
    /// A member's name.
    Name,
    /// The colon after a name.
    Colon,
    /// An element or the end of an array that has begun.
    FirstElement,
    /// A value.
    Value,
    /// A comma or a closing bracket.
    AfterValue,
    /// More of a string.
    Text { name: bool },
    /// What was escaped.
    Escape { name: bool },
    /// More digits of an escaped code unit.
    Hex { name: bool, left: u8 },
    /// More of `true`, `false` or `null`.
    Word { rest: &'static [u8], truth: bool },
    /// More of a number, or what follows it.
    Number(Numeral),
    /// Nothing but blanks.
    Done,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Bracket {
    Array,
    Object,
}

/// Where in a number.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Numeral {
    Minus,
    Zero,
    Whole,
    Point,
    Fraction,
    Exponent,
    Sign,
    Power,
}

impl Numeral {
    pub(super) const fn begin(byte: u8) -> Option<Self> {
        match byte {
            b'-' => Some(Self::Minus),
            b'0' => Some(Self::Zero),
            b'1'..=b'9' => Some(Self::Whole),
            _ => None,
        }
    }

    pub(super) const fn next(self, byte: u8) -> Option<Self> {
        Some(match (self, byte) {
            (Self::Minus, b'0') => Self::Zero,
            (Self::Minus, b'1'..=b'9') | (Self::Whole, b'0'..=b'9') => Self::Whole,
            (Self::Zero | Self::Whole, b'.') => Self::Point,
            (Self::Point | Self::Fraction, b'0'..=b'9') => Self::Fraction,
            (Self::Zero | Self::Whole | Self::Fraction, b'e' | b'E') => Self::Exponent,
            (Self::Exponent, b'+' | b'-') => Self::Sign,
            (Self::Exponent | Self::Sign | Self::Power, b'0'..=b'9') => Self::Power,
            _ => return None,
        })
    }

    /// Whether the number could end here.
    pub(super) const fn is_whole(self) -> bool {
        matches!(
            self,
            Self::Zero | Self::Whole | Self::Fraction | Self::Power
        )
    }
}
