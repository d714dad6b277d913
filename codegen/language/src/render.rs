//! Problems drawn: for people, for programs, for code scanning.

pub mod json;
pub mod sarif;
pub mod text;

pub use json::json;
pub use sarif::sarif;
pub use text::{Colour, text};
