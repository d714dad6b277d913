//! The only reader of the clocks, and the maker of ids that sort by time.
//!
//! The pure crates are told what time it is. Everything here that asks is near the surface of a process: once a call.

pub mod ulid;

use std::time::Duration;

use knotrust_core::time::Timestamp;
use rustix::time::{ClockId, Timespec, clock_gettime};

/// One look at both clocks.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Moment {
    /// What the wall clock says. A person may set it, forwards and backwards.
    pub wall: Timestamp,
    /// Time since the machine started, sleep included. It never jumps.
    pub steady: Duration,
}

/// Looks at the clocks.
#[must_use]
pub fn now() -> Moment {
    Moment {
        wall: Timestamp::from_millis(millis(clock_gettime(ClockId::Realtime))),
        steady: duration(clock_gettime(STEADY)),
    }
}

fn millis(time: Timespec) -> i64 {
    time.tv_sec
        .saturating_mul(1000)
        .saturating_add(time.tv_nsec / 1_000_000)
}

fn duration(time: Timespec) -> Duration {
    Duration::try_from(time).unwrap_or_default()
}

#[cfg(any(target_os = "android", target_os = "linux"))]
const STEADY: ClockId = ClockId::Boottime;
// Elsewhere the monotonic clock counts sleep by itself, or nothing does.
#[cfg(not(any(target_os = "android", target_os = "linux")))]
const STEADY: ClockId = ClockId::Monotonic;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_clocks_run() {
        let (before, after) = (now(), now());
        assert!(before.steady <= after.steady);
        assert!(before.wall > Timestamp::parse("2025-01-01T00:00:00Z").unwrap());
    }
}
