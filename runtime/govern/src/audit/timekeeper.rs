//! What time an event has, when the wall clock cannot be trusted to run on.
//!
//! Time in a chain never runs back, and a file is never older than the one before. So a clock that was set back, or far
//! ahead, is not followed: the log then counts on from its last event by the steady clock, and says so in an event of its
//! own, which keeps both times. A clock that is more than [`LONGEST_SILENCE`] ahead of the last event is not believed until
//! it comes back or a person says that it is right; a log that took it at its word would stand still for years.

use knotrust_core::time::Timestamp;

use crate::clock::Moment;

/// Follows the wall clock as long as it runs steadily.
#[derive(Debug, Default)]
pub(super) struct Timekeeper {
    // What has to be added to the wall clock to get the time of the log, in milliseconds.
    correction: i64,
    // Wall clock less steady clock when last seen: it changes when the wall clock is set.
    offset: Option<i64>,
}

/// The time of the next event.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Stamp {
    pub(super) at: Timestamp,
    /// Whether the wall clock has jumped since the last one, which is to be recorded.
    pub(super) jumped: bool,
}

impl Timekeeper {
    /// The time of an event that follows one at `last`.
    pub(super) fn stamp(&mut self, last: Timestamp, now: Moment) -> Stamp {
        let offset = offset(now);
        let jumped = match self.offset {
            Some(before) => before.abs_diff(offset) > JUMP.unsigned_abs(),
            None => !follows(last, now.wall),
        };
        if jumped {
            let behind = last.millis().saturating_sub(now.wall.millis());
            self.correction = if follows(last, now.wall) { 0 } else { behind };
        }
        if jumped || self.offset.is_none() {
            self.offset = Some(offset);
        }
        Stamp {
            at: now.wall.plus_millis(self.correction).max(last),
            jumped,
        }
    }

    /// Takes the wall clock at its word, since a person does.
    pub(super) fn believe(&mut self, now: Moment) {
        self.correction = 0;
        self.offset = Some(offset(now));
    }
}

// Whether a wall clock can be right, given when the last event was.
fn follows(last: Timestamp, wall: Timestamp) -> bool {
    let first = last.millis() == i64::MIN;
    let since = wall.millis().saturating_sub(last.millis());
    first || (-JUMP..=LONGEST_SILENCE).contains(&since)
}

fn offset(now: Moment) -> i64 {
    let steady = i64::try_from(now.steady.as_millis()).unwrap_or(i64::MAX);
    now.wall.millis().saturating_sub(steady)
}

const JUMP: i64 = 60_000;
const LONGEST_SILENCE: i64 = 400 * 86_400_000;

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn moment(wall: &str, steady: u64) -> Moment {
        Moment {
            wall: Timestamp::parse(wall).unwrap(),
            steady: Duration::from_secs(steady),
        }
    }

    /// Each row: wall clock, steady clock in seconds, time of the event, whether a jump is told.
    #[track_caller]
    fn check(last: Option<&str>, rows: &[(&str, u64, &str, bool)]) {
        let mut keeper = Timekeeper::default();
        let start = Timestamp::from_millis(i64::MIN);
        let mut last = last.map_or(start, |text| Timestamp::parse(text).unwrap());
        for (wall, steady, at, jumped) in rows {
            let stamp = keeper.stamp(last, moment(wall, *steady));
            let expected = Stamp {
                at: Timestamp::parse(at).unwrap(),
                jumped: *jumped,
            };
            assert_eq!(stamp, expected, "{wall}");
            last = stamp.at;
        }
    }

    #[test]
    fn the_wall_clock_is_followed_while_it_runs() {
        check(
            None,
            &[
                ("2026-11-30T10:00:00Z", 5, "2026-11-30T10:00:00Z", false),
                ("2026-11-30T10:00:01Z", 6, "2026-11-30T10:00:01Z", false),
                (
                    "2026-12-24T10:00:01Z",
                    2_073_606,
                    "2026-12-24T10:00:01Z",
                    false,
                ),
            ],
        );
    }

    #[test]
    fn a_small_step_back_stops_time_and_is_not_told() {
        check(
            None,
            &[
                ("2026-12-01T00:00:00Z", 5, "2026-12-01T00:00:00Z", false),
                ("2026-11-30T23:59:30Z", 6, "2026-12-01T00:00:00Z", false),
                ("2026-12-01T00:00:05Z", 41, "2026-12-01T00:00:05Z", false),
            ],
        );
    }

    #[test]
    fn jumps_are_told_once_and_time_runs_on() {
        check(
            None,
            &[
                ("2026-12-01T00:00:05Z", 5, "2026-12-01T00:00:05Z", false),
                ("1970-01-01T00:00:00Z", 6, "2026-12-01T00:00:05Z", true),
                ("1970-01-01T00:00:09Z", 15, "2026-12-01T00:00:14Z", false),
                ("2100-01-01T00:00:00Z", 16, "2026-12-01T00:00:14Z", true),
                ("2100-01-01T00:00:01Z", 17, "2026-12-01T00:00:15Z", false),
                ("2026-12-01T00:00:18Z", 18, "2026-12-01T00:00:18Z", true),
                ("2026-12-01T02:00:18Z", 19, "2026-12-01T02:00:18Z", true),
            ],
        );
    }

    #[test]
    fn a_start_with_a_wrong_clock_is_told() {
        let last = Some("2026-12-01T00:00:00Z");
        check(
            last,
            &[("2026-11-30T10:00:00Z", 5, "2026-12-01T00:00:00Z", true)],
        );
        check(
            last,
            &[("2100-01-01T00:00:00Z", 5, "2026-12-01T00:00:00Z", true)],
        );
        check(
            last,
            &[("2027-11-30T00:00:00Z", 5, "2027-11-30T00:00:00Z", false)],
        );
    }

    #[test]
    fn a_person_may_say_that_the_clock_is_right() {
        let mut keeper = Timekeeper::default();
        let last = Timestamp::parse("2026-12-01T00:00:00Z").unwrap();
        let now = moment("2100-01-01T00:00:00Z", 5);
        assert_eq!(keeper.stamp(last, now).at, last);
        keeper.believe(now);
        assert_eq!(keeper.stamp(last, now).at, now.wall);
    }
}
