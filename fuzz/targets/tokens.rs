#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| knotrust_fuzz::entries::tokens(bytes));
