//! What was refused, for the log; few a minute, so that no flood fills it.

use std::collections::VecDeque;
use std::time::Duration;

use knotrust_govern::clock::Moment;

/// When violations were recorded.
#[derive(Debug, Default)]
pub(crate) struct Violations(VecDeque<Duration>);

impl Violations {
    /// Whether one more may be recorded now.
    pub(crate) fn admit(&mut self, now: Moment) -> bool {
        let is_recent = |at: &Duration| now.steady.saturating_sub(*at) < MINUTE;
        self.0.retain(is_recent);
        let has_room = self.0.len() < MOST_A_MINUTE;
        if has_room {
            self.0.push_back(now.steady);
        }
        has_room
    }
}

const MINUTE: Duration = Duration::from_secs(60);
const MOST_A_MINUTE: usize = 10;

#[cfg(test)]
mod tests {
    use knotrust_core::time::Timestamp;

    use super::*;

    #[test]
    fn ten_a_minute_are_recorded() {
        let mut violations = Violations::default();
        let mut admit = |second| {
            violations.admit(Moment {
                wall: Timestamp::default(),
                steady: Duration::from_secs(second),
            })
        };
        assert!((0..10).all(&mut admit));
        assert!(!admit(59));
        assert!(admit(60));
        assert!(!admit(60));
        assert!(admit(61));
    }
}
