//! The life of an approval: requested, pending, and then one end for ever.
//!
//! ```text
//! requested ─▶ pending ─▶ approved | denied
//!     └───────────┴─────▶ denied | expired | cancelled
//! ```
//!
//! An [`Ending`] is an end by its type, so nothing can be "ended" back into waiting; and an approval that was never put
//! before anybody cannot be approved. Nothing here allows a call: an approved one is decided again, with the single-use
//! grant that the approval gave rise to.

use std::fmt;

use thiserror::Error;

use crate::time::Timestamp;

/// An approval at some point of its life.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Approval {
    asked: Timestamp,
    // From this moment on only `Expired` can follow.
    until: Timestamp,
    state: State,
}

/// Where an approval stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum State {
    /// Somebody has to be asked.
    Requested,
    /// Somebody is being asked.
    Pending,
    /// It is over.
    Ended(Ending),
}

/// How an approval ended.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Ending {
    /// A person said yes.
    Approved,
    /// A person said no, or nothing could come of it any more.
    Denied,
    /// Nobody answered in time.
    Expired,
    /// The caller gave up.
    Cancelled,
}

/// A step that this approval cannot take.
#[derive(Clone, Copy, Debug, Eq, Error, PartialEq)]
pub enum Impossible {
    /// It ended already.
    #[error("the approval has ended: {0}")]
    Ended(Ending),
    /// Nobody has been asked yet.
    #[error("nobody has been asked yet")]
    NobodyAsked,
    /// It was put before somebody already.
    #[error("somebody is being asked already")]
    AlreadyAsked,
}

impl Approval {
    /// A person is needed, from now on and until a moment.
    #[must_use]
    pub const fn requested(now: Timestamp, until: Timestamp) -> Self {
        Self {
            asked: now,
            until,
            state: State::Requested,
        }
    }

    /// Somebody is being asked now.
    ///
    /// # Errors
    ///
    /// Somebody was asked before, or it is over.
    pub fn put_before_somebody(&mut self, now: Timestamp) -> Result<(), Impossible> {
        match self.at(now) {
            State::Requested => {
                self.state = State::Pending;
                Ok(())
            }
            State::Pending => Err(Impossible::AlreadyAsked),
            State::Ended(ending) => Err(Impossible::Ended(ending)),
        }
    }

    /// Ends it. The first end is the only one: whoever comes later is told what it was.
    ///
    /// # Errors
    ///
    /// It is over, perhaps just now and for want of time; or it is to be approved though nobody was asked.
    pub fn end(&mut self, ending: Ending, now: Timestamp) -> Result<(), Impossible> {
        match (self.at(now), ending) {
            (State::Ended(known), _) if known != ending || self.is_over() => {
                self.state = State::Ended(known);
                Err(Impossible::Ended(known))
            }
            (State::Requested, Ending::Approved) => Err(Impossible::NobodyAsked),
            (State::Requested | State::Pending | State::Ended(_), _) => {
                self.state = State::Ended(ending);
                Ok(())
            }
        }
    }

    /// Where it stands at a moment: past its time it has expired, whether or not anybody noticed.
    #[must_use]
    pub fn at(&self, now: Timestamp) -> State {
        match self.state {
            State::Requested | State::Pending if now >= self.until => State::Ended(Ending::Expired),
            State::Requested | State::Pending | State::Ended(_) => self.state,
        }
    }

    /// When a person was first needed.
    #[must_use]
    pub const fn asked(&self) -> Timestamp {
        self.asked
    }

    /// The first moment that is too late.
    #[must_use]
    pub const fn until(&self) -> Timestamp {
        self.until
    }

    const fn is_over(&self) -> bool {
        matches!(self.state, State::Ended(_))
    }
}

impl State {
    /// The word of the reference.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Requested => "requested",
            Self::Pending => "pending",
            Self::Ended(ending) => ending.as_str(),
        }
    }
}

impl Ending {
    /// Every end.
    pub const ALL: [Self; 4] = [Self::Approved, Self::Denied, Self::Expired, Self::Cancelled];

    /// The word of the reference.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Approved => "approved",
            Self::Denied => "denied",
            Self::Expired => "expired",
            Self::Cancelled => "cancelled",
        }
    }

    /// The end of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|ending| ending.as_str() == name)
    }
}

impl fmt::Display for Ending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const NOON: Timestamp = Timestamp::from_seconds(1_800_000_000);

    fn approval() -> Approval {
        Approval::requested(NOON, NOON.plus_millis(1000))
    }

    /// `ask`, or the name of an end; then how many milliseconds after noon.
    #[track_caller]
    fn check(steps: &[(&str, i64)], expected: &str) {
        let mut approval = approval();
        let mut seen = Vec::new();
        for (step, after) in steps {
            let now = NOON.plus_millis(*after);
            let result = match Ending::from_name(step) {
                Some(ending) => approval.end(ending, now),
                None => approval.put_before_somebody(now),
            };
            seen.push(match result {
                Ok(()) => approval.at(now).as_str().to_owned(),
                Err(impossible) => impossible.to_string(),
            });
        }
        assert_eq!(seen.join("; "), expected);
    }

    #[test]
    fn the_first_end_is_the_only_one() {
        check(&[("ask", 0), ("approved", 1)], "pending; approved");
        check(
            &[
                ("ask", 0),
                ("denied", 1),
                ("approved", 1),
                ("denied", 2),
                ("ask", 2),
            ],
            "pending; denied; the approval has ended: denied; \
             the approval has ended: denied; the approval has ended: denied",
        );
        check(
            &[("cancelled", 0), ("approved", 0)],
            "cancelled; the approval has ended: cancelled",
        );
    }

    #[test]
    fn a_late_yes_does_nothing() {
        check(&[("ask", 0), ("approved", 999)], "pending; approved");
        check(
            &[("ask", 0), ("approved", 1000), ("expired", 1000)],
            "pending; the approval has ended: expired; the approval has ended: expired",
        );
        // A clock that is set back does not bring it to life again.
        check(
            &[("ask", 0), ("approved", 1000), ("approved", 1)],
            "pending; the approval has ended: expired; the approval has ended: expired",
        );
        check(&[("ask", 0), ("expired", 1000)], "pending; expired");
        check(&[("ask", 1000)], "the approval has ended: expired");
    }

    #[test]
    fn nobody_approves_what_nobody_saw() {
        check(
            &[("approved", 0), ("ask", 0), ("ask", 0), ("approved", 0)],
            "nobody has been asked yet; pending; somebody is being asked already; approved",
        );
        check(&[("denied", 0)], "denied");
    }

    proptest! {
        #[test]
        fn whatever_is_tried_an_end_stays(
            steps in proptest::collection::vec((0..5usize, 0..2000i64), 0..20),
        ) {
            let mut approval = approval();
            let mut ended = None;
            for (step, after) in steps {
                let now = NOON.plus_millis(after);
                let done = match Ending::ALL.get(step) {
                    Some(ending) => approval.end(*ending, now).is_ok(),
                    None => approval.put_before_somebody(now).is_ok(),
                };
                if let Some(ending) = ended {
                    prop_assert!(!done);
                    prop_assert_eq!(approval.at(NOON), State::Ended(ending));
                }
                if let State::Ended(ending) = approval.at(NOON) {
                    ended = Some(ending);
                }
            }
        }
    }
}
