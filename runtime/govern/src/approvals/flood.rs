//! How many calls of one agent may wait for a person.
//!
//! A person who is asked a hundred times reads none of it. Bounds are an agent's own, so that one that floods cannot bury
//! what another asks.

use std::collections::{HashMap, VecDeque};

use knotrust_core::time::Timestamp;
use thiserror::Error;

/// How many calls of one agent may wait, and come.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// How many may wait at once.
    pub waiting: usize,
    /// How many new ones may come within a minute.
    pub a_minute: usize,
}

/// A call that nobody is asked about, because there are too many.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum Flood {
    /// Too many wait.
    #[error("too many calls of this agent wait for a person already")]
    Waiting,
    /// Too many came within the last minute.
    #[error("too many calls of this agent have needed a person within a minute")]
    Rate,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            waiting: 32,
            a_minute: 60,
        }
    }
}

/// Counts.
#[derive(Debug)]
pub(super) struct Gauge {
    limits: Limits,
    agents: HashMap<String, Counts>,
}

#[derive(Debug, Default)]
struct Counts {
    waiting: usize,
    recent: VecDeque<Timestamp>,
}

impl Gauge {
    pub(super) fn new(limits: Limits) -> Self {
        Self {
            limits,
            agents: HashMap::new(),
        }
    }

    /// Counts a new call, if there is room for it.
    pub(super) fn admit(&mut self, agent: &str, now: Timestamp) -> Result<(), Flood> {
        let a_minute_ago = now.plus_millis(-60_000);
        self.agents.retain(|_, counts| {
            counts
                .recent
                .retain(|time| *time > a_minute_ago && *time <= now);
            counts.waiting > 0 || !counts.recent.is_empty()
        });
        let counts = self.agents.entry(agent.to_owned()).or_default();
        if counts.waiting >= self.limits.waiting {
            Err(Flood::Waiting)
        } else if counts.recent.len() >= self.limits.a_minute {
            Err(Flood::Rate)
        } else {
            counts.waiting += 1;
            counts.recent.push_back(now);
            Ok(())
        }
    }

    /// One that waited has ended.
    pub(super) fn release(&mut self, agent: &str) {
        if let Some(counts) = self.agents.get_mut(agent) {
            counts.waiting = counts.waiting.saturating_sub(1);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_that_floods_leaves_others_alone() {
        let at = |millis| Timestamp::from_seconds(1_800_000_000).plus_millis(millis);
        let limits = Limits {
            waiting: 2,
            a_minute: 3,
        };
        let mut gauge = Gauge::new(limits);
        assert_eq!(gauge.admit("a", at(0)), Ok(()));
        assert_eq!(gauge.admit("a", at(1)), Ok(()));
        assert_eq!(gauge.admit("a", at(2)), Err(Flood::Waiting));
        assert_eq!(gauge.admit("b", at(2)), Ok(()));
        gauge.release("a");
        assert_eq!(gauge.admit("a", at(3)), Ok(()));
        gauge.release("a");
        assert_eq!(gauge.admit("a", at(59_999)), Err(Flood::Rate));
        assert_eq!(gauge.admit("a", at(60_000)), Ok(()));
    }
}
