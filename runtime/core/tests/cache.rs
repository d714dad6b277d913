//! Remembered decisions against decisions made anew, over random histories.

#![allow(clippy::unwrap_used, reason = "a test that cannot go on should stop")]

mod support {
    pub(crate) mod policy;
}

use knotrust_core::cache::{Cache, Facts, Key};
use knotrust_core::case::{Case, Standing};
use knotrust_core::decide::decide;
use knotrust_core::decision::Decision;
use knotrust_core::evidence::{Evidence, GrantAtHand, Plan};
use knotrust_core::exact;
use knotrust_core::json::parse;
use knotrust_core::precedence::Outcome;
use knotrust_core::request;
use knotrust_core::ruleset::{CacheTimes, Ruleset};
use knotrust_core::surroundings::Surroundings;
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;
use proptest::prelude::*;
use support::policy::{Entry, Policy};

const TIMES: CacheTimes = CacheTimes {
    routine: 300_000,
    sensitive: 60_000,
};

/// What happens between two decisions.
#[derive(Clone, Debug)]
enum Event {
    Call {
        tool: usize,
        amount: usize,
        agent: usize,
        drifted: bool,
    },
    Grant {
        cap: usize,
        starts: i64,
        lasts: i64,
        counted: bool,
    },
    Revoke,
    Plan(bool),
    Time(i64),
}

fn event() -> impl Strategy<Value = Event> {
    let call = (0..3usize, 0..3usize, 0..2usize, prop::bool::weighted(0.1)).prop_map(
        |(tool, amount, agent, drifted)| Event::Call {
            tool,
            amount,
            agent,
            drifted,
        },
    );
    let grant = (0..3usize, -50..50i64, 1..200i64, any::<bool>()).prop_map(
        |(cap, starts, lasts, counted)| Event::Grant {
            cap,
            starts,
            lasts,
            counted,
        },
    );
    prop_oneof![
        6 => call,
        1 => grant,
        1 => Just(Event::Revoke),
        1 => any::<bool>().prop_map(Event::Plan),
        2 => (-5..90i64).prop_map(Event::Time),
    ]
}

struct World {
    cache: Cache,
    now: i64,
    grants: Vec<GrantAtHand>,
    version: u64,
    plan: Plan,
    plans: u64,
    hits: u64,
}

impl World {
    fn happen(&mut self, ruleset: &Ruleset<'_>, event: &Event) -> Result<(), TestCaseError> {
        match event {
            Event::Call {
                tool,
                amount,
                agent,
                drifted,
            } => {
                self.call(ruleset, *tool, *amount, *agent, *drifted)?;
            }
            Event::Grant {
                cap,
                starts,
                lasts,
                counted,
            } => {
                let start = self.now + starts;
                self.version += 1;
                self.grants.push(GrantAtHand {
                    id: self.version.to_string(),
                    cap: Tier::ALL.into_iter().nth(*cap).unwrap(),
                    not_before: Some(start),
                    expires: start + lasts,
                    single_use: *counted,
                    for_this_call: false,
                });
            }
            Event::Revoke => {
                self.version += 1;
                self.grants.pop();
            }
            Event::Plan(admits) => {
                self.plans += 1;
                self.plan = if *admits { Plan::Admits } else { Plan::None };
            }
            Event::Time(seconds) => self.now += seconds,
        }
        Ok(())
    }

    fn call(
        &mut self,
        ruleset: &Ruleset<'_>,
        tool: usize,
        amount: usize,
        agent: usize,
        drifted: bool,
    ) -> Result<(), TestCaseError> {
        let amount = ["100", "100.00000000000000001", "9007199254740993"]
            .get(amount)
            .unwrap();
        let name = ["t.routine", "t.sensitive", "t.critical"]
            .get(tool)
            .unwrap();
        let text = format!(
            r#"{{"contractVersion":"1.0","requestId":"1","timestamp":"2027-01-15T08:00:00Z",
            "subject":{{"type":"user","id":"dev"}},"action":{{"name":"{name}"}},
            "resource":{{"type":"t","id":"r"}},
            "context":{{"agent":{{"id":"a{agent}","type":"ai_agent"}},"arguments":{{"amount":{amount}}},
              "env":{{"time":"2027-01-15T08:00:00Z","surfaceLocal":true}}}},
            "surface":{{"kind":"stdio_proxy","instanceId":"1","server":"t"}}}}"#
        );
        let value = parse(text.as_bytes()).unwrap();
        let request = request::read(&value).unwrap();
        let touched = [0];
        let standing = Standing {
            drifted,
            touched: if agent == 0 { &touched } else { &[] },
            ..Standing::default()
        };
        let case = Case::of(
            ruleset,
            &request,
            &request.arguments(),
            standing,
            &Surroundings::NOWHERE,
        );
        let facts = Facts {
            call: &exact::call_hash(&request),
            grants: self.version,
            plans: self.plans,
            session: None,
        };
        let key = Key::of(&case, &facts);
        let now = Timestamp::from_seconds(self.now);
        let anew = decide(&case, &self.evidence(now));
        let (first, remembered) = match self.cache.get(key, now) {
            Some(decision) => (false, decision.clone()),
            None => (true, anew.clone()),
        };
        prop_assert_eq!(shown(&remembered), shown(&anew));
        prop_assert!(first || anew.tier != Tier::Critical);
        if first {
            let settled = self.settled(now);
            self.cache.put(key, &anew, now, TIMES, settled);
        } else {
            self.hits += 1;
        }
        Ok(())
    }

    fn evidence(&self, now: Timestamp) -> Evidence {
        Evidence {
            grants: self.grants.clone(),
            plan: self.plan,
            ..Evidence::none(now)
        }
    }

    fn settled(&self, now: Timestamp) -> Option<Timestamp> {
        let edges = self
            .grants
            .iter()
            .flat_map(|grant| [grant.not_before, Some(grant.expires)]);
        let later = edges
            .flatten()
            .map(Timestamp::from_seconds)
            .filter(|edge| *edge > now);
        later.min()
    }
}

fn shown(decision: &Decision) -> (Outcome, &'static str, Option<&str>, Option<u32>) {
    let reason = decision.reason.code();
    (
        decision.outcome,
        reason,
        decision.grant.as_deref(),
        decision.rule,
    )
}

fn policy() -> Policy {
    let mut policy = Policy::default();
    for (name, tier) in [
        ("t.routine", Tier::Routine),
        ("t.sensitive", Tier::Sensitive),
        ("t.critical", Tier::Critical),
    ] {
        policy.tool(&Entry {
            name,
            tier,
            own: true,
            allow: false,
            deny: false,
        });
    }
    policy
}

/// A policy that also says some of what an envelope can say.
fn strict(choice: u8) -> Policy {
    let mut policy = policy();
    let chosen = |bit: u8| choice >> bit & 1 == 1;
    if chosen(0) {
        policy.deny("t.routine");
    }
    if chosen(1) {
        policy.force("t.sensitive");
    }
    if chosen(2) {
        policy.force_tier(Tier::Critical);
    }
    if chosen(3) {
        policy.floor("t.routine", Tier::Sensitive);
    }
    if chosen(4) {
        policy.ceiling = Tier::Routine;
    }
    policy
}

fn world(bytes: usize) -> World {
    World {
        cache: Cache::new(bytes),
        now: 1_800_000_000,
        grants: Vec::new(),
        version: 0,
        plan: Plan::None,
        plans: 0,
        hits: 0,
    }
}

proptest! {
    #[test]
    fn what_is_remembered_is_what_would_be_decided(
        events in proptest::collection::vec(event(), 1..120),
        bytes in prop_oneof![Just(0_usize), Just(2_000), Just(1_000_000)],
        choice in 0..32_u8,
    ) {
        strict(choice).with(|ruleset| {
            let mut world = world(bytes);
            for event in &events {
                world.happen(ruleset, event)?;
                prop_assert!(world.cache.bytes() <= bytes);
            }
            Ok(())
        })?;
    }
}

#[test]
fn equal_calls_hit_and_others_do_not() {
    policy().with(|ruleset| {
        let mut world = world(1_000_000);
        for (amount, agent, hits) in [
            (0, 0, 0),
            (0, 0, 1),
            (1, 0, 1),
            (2, 0, 1),
            (0, 1, 1),
            (0, 0, 2),
        ] {
            world.call(ruleset, 1, amount, agent, false).unwrap();
            assert_eq!(world.hits, hits);
        }
        world.now += 59;
        world.call(ruleset, 1, 0, 0, false).unwrap();
        assert_eq!(world.hits, 3);
        world.now += 1;
        world.call(ruleset, 1, 0, 0, false).unwrap();
        assert_eq!(world.hits, 3);
        world.version += 1;
        world.call(ruleset, 1, 0, 0, false).unwrap();
        assert_eq!(world.hits, 3);
        for _ in 0..3 {
            world.call(ruleset, 2, 0, 0, false).unwrap();
        }
        assert_eq!(world.hits, 3, "critical calls are never remembered");
    });
}

#[test]
fn the_least_recently_used_make_room() {
    policy().with(|ruleset| {
        let mut world = world(5_000);
        for tool in 0..2 {
            for amount in 0..3 {
                for agent in 0..2 {
                    world.call(ruleset, tool, amount, agent, false).unwrap();
                    world.call(ruleset, 0, 0, 0, false).unwrap();
                }
            }
        }
        assert!(world.cache.bytes() <= 5_000 && world.cache.len() > 1);
        let hits = world.hits;
        world.call(ruleset, 0, 0, 0, false).unwrap();
        assert_eq!(world.hits, hits + 1, "what is used stays");
    });
}
