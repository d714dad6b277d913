//! Decides, and does nothing else.
