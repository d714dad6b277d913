//! Why a text is not JSON that can be decided on.

use thiserror::Error;

/// Why a text is not JSON that can be decided on, and where.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
#[error("{kind} at byte {offset}")]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The offset of the first byte that is wrong.
    pub offset: usize,
}

/// What is wrong with a text.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum FaultKind {
    /// The text is not RFC 8259 JSON.
    #[error("not JSON")]
    Syntax,
    /// The bytes are not UTF-8.
    #[error("not UTF-8")]
    NotUtf8,
    /// Arrays and objects lie deeper in each other than [`super::MAX_DEPTH`].
    #[error("nested too deeply")]
    TooDeep,
    /// An object names a member twice: readers differ on which one counts.
    #[error("member named twice")]
    Repeated,
}
