//! The order in which a session ends: the server's input is closed, then it is asked to end, then it is made to.
//!
//! Times are those of a clock that never jumps, counted from any moment.
//!
//! The steps are those of the protocol, shorter than the two seconds that clients give us for each of them.

use std::time::Duration;

/// After its input was closed, before it is asked.
const TO_LEAVE: Duration = Duration::from_millis(1000);
/// The same, while there are answers that the client may still want.
const TO_ANSWER: Duration = Duration::from_millis(5000);
/// After it was asked, before it is made to.
const TO_CLEAN_UP: Duration = Duration::from_millis(500);
/// After it ended by itself, for what is left in its pipes, or held open by what it started.
const TO_DRAIN: Duration = Duration::from_millis(500);
/// After it was killed, for the system to notice.
const TO_VANISH: Duration = Duration::from_millis(500);

/// Why a session ends.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Cause {
    /// The client closed its end.
    ClientLeft,
    /// Somebody told us to end.
    Told,
    /// The server closed its output, and lives.
    ServerSilent,
    /// The server ended.
    ServerEnded,
}

/// What is to be done next.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Step {
    /// Wait, at most until then.
    Wait(Option<Duration>),
    /// Send the server's group the signal that asks.
    Ask,
    /// Send the server's group the signal that does not ask.
    Kill,
    /// There is nothing more to wait for.
    Over,
}

/// How far a session is on its way to the end.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shutdown {
    cause: Option<Cause>,
    stage: Stage,
}

#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
enum Stage {
    #[default]
    Running,
    Leaving {
        since: Duration,
        grace: Duration,
    },
    Asked {
        since: Duration,
    },
    Killed {
        since: Duration,
    },
}

/// What is seen of the server and its pipes.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    /// Its process has ended.
    pub ended: bool,
    /// Nobody has its output or its error output open any more.
    pub drained: bool,
    /// There are answers that somebody still waits for.
    pub awaited: bool,
}

impl Shutdown {
    /// Why the session ends, if it does.
    #[must_use]
    pub const fn cause(&self) -> Option<Cause> {
        self.cause
    }

    /// Whether the server was sent a signal.
    #[must_use]
    pub const fn has_signalled(&self) -> bool {
        matches!(self.stage, Stage::Asked { .. } | Stage::Killed { .. })
    }

    /// The session is to end. Only the first cause counts, but being told shortens the wait.
    pub fn begin(&mut self, cause: Cause, now: Duration) {
        let grace = match cause {
            Cause::ClientLeft => TO_ANSWER,
            Cause::Told | Cause::ServerSilent => TO_LEAVE,
            Cause::ServerEnded => TO_DRAIN,
        };
        match self.stage {
            Stage::Running => {
                self.cause = Some(cause);
                self.stage = Stage::Leaving { since: now, grace };
            }
            Stage::Leaving { since, .. } if cause == Cause::Told => {
                self.stage = Stage::Leaving {
                    since,
                    grace: Duration::ZERO,
                };
            }
            Stage::Leaving { .. } | Stage::Asked { .. } | Stage::Killed { .. } => {}
        }
    }

    /// What to do now.
    pub fn step(&mut self, seen: Seen, now: Duration) -> Step {
        if self.stage != Stage::Running && seen.ended && seen.drained {
            return Step::Over;
        }
        match self.stage {
            Stage::Running => Step::Wait(None),
            Stage::Leaving { since, grace } => {
                let enough = if seen.awaited {
                    grace
                } else {
                    grace.min(TO_LEAVE)
                };
                self.after(since, enough, now, Stage::Asked { since: now }, Step::Ask)
            }
            Stage::Asked { since } => self.after(
                since,
                TO_CLEAN_UP,
                now,
                Stage::Killed { since: now },
                Step::Kill,
            ),
            Stage::Killed { since } => self.after(since, TO_VANISH, now, self.stage, Step::Over),
        }
    }

    fn after(
        &mut self,
        since: Duration,
        enough: Duration,
        now: Duration,
        then: Stage,
        step: Step,
    ) -> Step {
        if now < since + enough {
            return Step::Wait(Some(since + enough));
        }
        self.stage = then;
        step
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIVES: Seen = Seen {
        ended: false,
        drained: false,
        awaited: false,
    };

    /// The steps with the milliseconds at which they fall, for a server that does nothing by itself.
    #[track_caller]
    fn check(causes: &[(u64, Cause)], seen: impl Fn(u64) -> Seen, expected: &str) {
        let start = Duration::from_secs(100);
        let mut shutdown = Shutdown::default();
        let mut log = String::new();
        for at in (0..10_000).step_by(50) {
            let now = start + Duration::from_millis(at);
            for (_, cause) in causes.iter().filter(|(when, _)| *when == at) {
                shutdown.begin(*cause, now);
            }
            let step = shutdown.step(seen(at), now);
            if !matches!(step, Step::Wait(_)) {
                log += &format!("{step:?} {at} ");
            }
            if step == Step::Over {
                break;
            }
        }
        assert_eq!(log.trim_end(), expected);
    }

    #[test]
    fn nothing_happens_without_a_cause() {
        check(
            &[],
            |_| Seen {
                ended: true,
                drained: true,
                awaited: false,
            },
            "",
        );
    }

    #[test]
    fn a_server_that_leaves_is_not_signalled() {
        let leaves = |at| Seen {
            ended: at >= 100,
            drained: at >= 150,
            awaited: false,
        };
        check(&[(0, Cause::ClientLeft)], leaves, "Over 150");
    }

    #[test]
    fn a_stubborn_server_is_asked_and_then_killed() {
        check(
            &[(0, Cause::ClientLeft)],
            |_| LIVES,
            "Ask 1000 Kill 1500 Over 2000",
        );
        check(
            &[(0, Cause::Told)],
            |_| LIVES,
            "Ask 1000 Kill 1500 Over 2000",
        );
        check(
            &[(0, Cause::ServerSilent)],
            |_| LIVES,
            "Ask 1000 Kill 1500 Over 2000",
        );
    }

    #[test]
    fn answers_on_their_way_are_waited_for() {
        let answers = |at| Seen {
            awaited: at < 3000,
            ..LIVES
        };
        check(
            &[(0, Cause::ClientLeft)],
            answers,
            "Ask 3000 Kill 3500 Over 4000",
        );
        let never = |_| Seen {
            awaited: true,
            ..LIVES
        };
        check(
            &[(0, Cause::ClientLeft)],
            never,
            "Ask 5000 Kill 5500 Over 6000",
        );
        check(&[(0, Cause::Told)], never, "Ask 1000 Kill 1500 Over 2000");
    }

    #[test]
    fn being_told_cuts_the_wait_short() {
        let causes = [(0, Cause::ClientLeft), (300, Cause::Told)];
        check(&causes, |_| LIVES, "Ask 300 Kill 800 Over 1300");
    }

    #[test]
    fn what_a_dead_server_started_is_not_left_behind() {
        let holds_pipe = |_| Seen {
            ended: true,
            drained: false,
            awaited: false,
        };
        check(
            &[(0, Cause::ServerEnded)],
            holds_pipe,
            "Ask 500 Kill 1000 Over 1500",
        );
        let gone = |_| Seen {
            ended: true,
            drained: true,
            awaited: true,
        };
        check(&[(0, Cause::ServerEnded)], gone, "Over 0");
    }
}
