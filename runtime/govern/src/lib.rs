//! The shell round the pure crates: files and time, no protocol.
