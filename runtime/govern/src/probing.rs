//! Agents that try and try again.
//!
//! Five refusals of one tool within a minute are flagged (reference, section 8), as is a sweep through arguments; and
//! whoever goes on gets answers later and later. No answer changes.

use std::collections::{HashMap, VecDeque};
use std::time::Duration;

use knotrust_core::time::Timestamp;

/// What is remembered of refusals.
#[derive(Debug, Default)]
pub struct Probing {
    pairs: HashMap<(String, String), VecDeque<Refusal>>,
    /// The pairs in the order in which they came.
    order: VecDeque<(String, String)>,
    strikes: HashMap<String, Strikes>,
}

#[derive(Debug)]
struct Refusal {
    at: Timestamp,
    call: String,
}

#[derive(Debug)]
struct Strikes {
    count: u32,
    last: Timestamp,
}

/// What an agent is suspected of.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Suspicion {
    /// To repeat what was refused.
    Repeats,
    /// To try one argument after another.
    Sweeps,
}

impl Probing {
    /// Notes a refusal. Says what to flag, if it is one too many; counting then starts anew.
    pub fn refused(
        &mut self,
        tool: &str,
        agent: &str,
        call: &str,
        now: Timestamp,
    ) -> Option<Suspicion> {
        let pair = (tool.to_owned(), agent.to_owned());
        if !self.pairs.contains_key(&pair) {
            self.make_room(now);
            self.order.push_back(pair.clone());
        }
        let recent = self.pairs.entry(pair.clone()).or_default();
        recent.retain(|refusal| is_recent(refusal.at, now, WINDOW));
        recent.push_back(Refusal {
            at: now,
            call: call.to_owned(),
        });
        if recent.len() < TOO_MANY {
            return None;
        }
        let mut calls: Vec<&str> = recent.iter().map(|refusal| &*refusal.call).collect();
        calls.sort_unstable();
        calls.dedup();
        let suspicion = if calls.len() > TOO_MANY / 2 {
            Suspicion::Sweeps
        } else {
            Suspicion::Repeats
        };
        recent.clear();
        let strikes = self.strikes.entry(agent.to_owned()).or_insert(Strikes {
            count: 0,
            last: now,
        });
        strikes.count = if is_recent(strikes.last, now, MEMORY) {
            strikes.count + 1
        } else {
            1
        };
        strikes.last = now;
        Some(suspicion)
    }

    /// How long to wait with the next refusal to this agent.
    #[must_use]
    pub fn delay(&self, agent: &str, now: Timestamp) -> Duration {
        let strikes = self.strikes.get(agent);
        match strikes.filter(|strikes| is_recent(strikes.last, now, MEMORY)) {
            Some(strikes) => FIRST_DELAY
                .saturating_mul(1 << (strikes.count - 1).min(8))
                .min(LONGEST_DELAY),
            None => Duration::ZERO,
        }
    }

    fn make_room(&mut self, now: Timestamp) {
        while self.order.len() >= MOST_PAIRS {
            if let Some(oldest) = self.order.pop_front() {
                self.pairs.remove(&oldest);
            }
        }
        if self.strikes.len() >= MOST_PAIRS {
            self.strikes
                .retain(|_, strikes| is_recent(strikes.last, now, MEMORY));
        }
    }
}

fn is_recent(at: Timestamp, now: Timestamp, window: i64) -> bool {
    at > now.plus_millis(-window) && at <= now
}

const TOO_MANY: usize = 5;
const WINDOW: i64 = 60_000;
/// How long a suspicion slows an agent down.
const MEMORY: i64 = 600_000;
const MOST_PAIRS: usize = 4096;
const FIRST_DELAY: Duration = Duration::from_millis(100);
const LONGEST_DELAY: Duration = Duration::from_secs(5);

#[cfg(test)]
mod tests {
    use super::*;

    const NOON: Timestamp = Timestamp::from_seconds(1_800_000_000);

    #[track_caller]
    fn check(refusals: &[(&str, &str, i64)], expected: &[Option<Suspicion>]) {
        let mut probing = Probing::default();
        let seen = refusals.iter().map(|(agent, call, seconds)| {
            probing.refused("t", agent, call, NOON.plus_millis(seconds * 1000))
        });
        assert_eq!(seen.collect::<Vec<_>>(), expected);
    }

    #[test]
    fn the_fifth_within_a_minute_is_flagged_and_counting_starts_anew() {
        let repeats = Some(Suspicion::Repeats);
        check(
            &[
                ("a", "c", 0),
                ("a", "c", 1),
                ("a", "c", 2),
                ("b", "c", 2),
                ("a", "c", 3),
                ("a", "c", 59),
                ("a", "c", 59),
            ],
            &[None, None, None, None, None, repeats, None],
        );
        check(
            &[
                ("a", "c", 0),
                ("a", "c", 1),
                ("a", "c", 2),
                ("a", "c", 3),
                ("a", "c", 60),
                ("a", "c", 60),
            ],
            &[None, None, None, None, None, repeats],
        );
    }

    #[test]
    fn different_arguments_are_a_sweep() {
        let calls = ["1", "2", "3", "4", "5"].map(|call| ("a", call, 0));
        check(&calls, &[None, None, None, None, Some(Suspicion::Sweeps)]);
    }

    #[test]
    fn whoever_goes_on_waits_longer_and_is_forgiven_in_time() {
        let mut probing = Probing::default();
        let mut delays = Vec::new();
        for _ in 0..50 {
            probing.refused("t", "a", "c", NOON);
            let delay = probing.delay("a", NOON);
            if delays.last() != Some(&delay) {
                delays.push(delay);
            }
        }
        let millis: Vec<u128> = delays.iter().map(Duration::as_millis).collect();
        assert_eq!(millis, [0, 100, 200, 400, 800, 1600, 3200, 5000]);
        assert_eq!(probing.delay("b", NOON), Duration::ZERO);
        assert_eq!(probing.delay("a", NOON.plus_millis(MEMORY)), Duration::ZERO);
    }

    #[test]
    fn memory_is_bounded() {
        let mut probing = Probing::default();
        for index in 0..2 * MOST_PAIRS {
            let later = NOON.plus_millis(i64::try_from(index).unwrap() / 1000);
            probing.refused(&index.to_string(), "a", "c", later);
        }
        assert!(probing.pairs.len() <= MOST_PAIRS);
    }
}
