//! Where the inventory of a server is kept: a folder whose name no server can choose freely.

use knotrust_core::canonical::sha256_hex;

/// The name of the folder of a server. Different servers have different ones, and none leads out of its parent.
pub(super) fn name_of(server: &str) -> String {
    let mut name = String::new();
    for byte in server.bytes() {
        let plain = byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        // A dot at the start would hide the folder, or be the folder above.
        if plain || byte == b'.' && !name.is_empty() {
            name.push(char::from(byte));
        } else {
            name.push_str(&format!("%{byte:02X}"));
        }
    }
    if name.is_empty() || name.len() > LONGEST {
        let (start, _) = name.split_at(name.len().min(LONGEST / 2));
        name = format!("{start}%{}", sha256_hex(server.as_bytes()));
    }
    name
}

const LONGEST: usize = 120;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_names() {
        for (server, folder) in [
            ("github", "github"),
            ("my.server-1_x", "my.server-1_x"),
            ("..", "%2E."),
            ("../../etc", "%2E.%2F..%2Fetc"),
            ("a b", "a%20b"),
            ("é", "%C3%A9"),
        ] {
            assert_eq!(name_of(server), folder);
        }
        assert_eq!(name_of("").len(), 65);
        let (one, other) = (name_of(&"x".repeat(5000)), name_of(&"x".repeat(5001)));
        assert!(one.len() < 255 && one != other);
    }
}
