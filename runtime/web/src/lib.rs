//! The approval page on the loopback address.
