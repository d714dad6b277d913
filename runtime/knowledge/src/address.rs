//! Addresses that a fetch must refuse when a manifest asked for it.
//!
//! A manifest from elsewhere may name any host. What resolves to this machine, to its network or to any place that is not
//! the public internet is refused, also where it hides inside an address of another family.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Whether the address is no place on the public internet.
#[must_use]
pub fn is_refused(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_refused_v4(address),
        IpAddr::V6(address) => is_refused_v6(address),
    }
}

fn is_refused_v4(address: Ipv4Addr) -> bool {
    REFUSED_V4
        .iter()
        .any(|(network, bits)| shares(u32::from(address), u32::from(*network), 32 - bits))
}

fn shares(left: u32, right: u32, host_bits: u32) -> bool {
    (left ^ right).checked_shr(host_bits).unwrap_or_default() == 0
}

fn is_refused_v6(address: Ipv6Addr) -> bool {
    if let Some(inner) = embedded(address) {
        return is_refused_v4(inner);
    }
    // Only 2000::/3 is given out; within it some ranges are not.
    let bits = u128::from(address);
    bits >> 125 != 1
        || REFUSED_V6
            .iter()
            .any(|(network, length)| (bits ^ u128::from(*network)) >> (128 - length) == 0)
}

/// The address of the older family that such an address stands for.
fn embedded(address: Ipv6Addr) -> Option<Ipv4Addr> {
    let bits = u128::from(address);
    let low =
        |shift: u32| Ipv4Addr::from(u32::try_from(bits >> shift & 0xFFFF_FFFF).unwrap_or_default());
    match address.segments() {
        // Unspecified and loopback are no embedded addresses, but 0.0.0.0/8 refuses them all the same.
        [0, 0, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0, 0xFFFF, ..] | [0, 0, 0, 0, 0xFFFF, 0, ..] => {
            Some(low(0))
        }
        [0x64, 0xFF9B, 0, 0, 0, 0, ..] => Some(low(0)),
        [0x2002, ..] => Some(low(80)),
        _ => None,
    }
}

const REFUSED_V4: [(Ipv4Addr, u32); 16] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 31, 196, 0), 24),
    (Ipv4Addr::new(192, 52, 193, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    (Ipv4Addr::new(224, 0, 0, 0), 3),
];

const REFUSED_V6: [(Ipv6Addr, u32); 4] = [
    // Teredo, benchmarking, ORCHID and their neighbours.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xDB8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x2620, 0x4F, 0x8000, 0, 0, 0, 0, 0), 48),
    (Ipv6Addr::new(0x3FFF, 0, 0, 0, 0, 0, 0, 0), 20),
];
