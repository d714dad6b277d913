//! What is known beside the policy, and how it is weighed.

use std::collections::BTreeMap;

use knotrust_core::cache::{Cache, Facts, Key};
use knotrust_core::case::Case;
use knotrust_core::decide::decide;
use knotrust_core::decision::Decision;
use knotrust_core::evidence::{Evidence, Plan};
use knotrust_core::exact;
use knotrust_core::grant::{Call, Grant};
use knotrust_core::json::Value;
use knotrust_core::precedence::Outcome;
use knotrust_core::reason::Reason;
use knotrust_core::request::DecisionRequest;
use knotrust_core::ruleset::Ruleset;
use knotrust_core::surroundings::Surroundings;
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;

use crate::approvals::{Approvals, Asked, Limits, Question, Settled};
use crate::failure::{Cause, StoreError};
use crate::grants::GrantSet;
use crate::home::Home;
use crate::inventory::{Inventory, Standing};
use crate::keys::Passing;
use crate::probing::Probing;
use crate::uses::Spend;

/// How much memory remembered decisions may take, in bytes.
const CACHE: usize = 256 << 10;

/// The stores of a home, as one enforcement point uses them.
#[derive(Debug)]
pub(super) struct Stores<'r> {
    ruleset: &'r Ruleset<'r>,
    home: Home,
    session: String,
    grants: GrantSet<'r>,
    /// Signs the grants of approvals; made for the first.
    passing: Option<Passing>,
    /// Opened for the first call that needs a person.
    approvals: Option<Approvals<'r>>,
    cache: Cache,
    pub(super) probing: Probing,
    inventories: BTreeMap<String, Inventory>,
}

/// A decision, and what it took.
#[derive(Debug)]
pub(super) struct Weighed {
    pub(super) decision: Decision,
    pub(super) is_remembered: bool,
    /// The counted grant that was used up or counted down for it.
    pub(super) spent: Option<String>,
    /// The single-use grant that an approval gave rise to.
    pub(super) minted: Option<String>,
}

impl Weighed {
    /// A decision that was made just now and used nothing up.
    pub(super) const fn afresh(decision: Decision) -> Self {
        Self {
            decision,
            is_remembered: false,
            spent: None,
            minted: None,
        }
    }
}

/// What is known of a call beside its grants.
#[derive(Clone, Copy)]
pub(super) struct Known<'k> {
    /// Whether plans admit what it touches.
    pub(super) plan: Plan,
    /// Where it happens.
    pub(super) around: &'k Surroundings<'k>,
    /// When.
    pub(super) now: Timestamp,
    /// The hash of its arguments.
    pub(super) arguments: &'k str,
}

impl<'r> Stores<'r> {
    pub(super) fn of(ruleset: &'r Ruleset<'r>, home: &Home, session: &str) -> Self {
        Self {
            ruleset,
            home: home.clone(),
            session: session.to_owned(),
            grants: GrantSet::of(home, &ruleset.approvals),
            passing: None,
            approvals: None,
            cache: Cache::new(CACHE),
            probing: Probing::default(),
            inventories: BTreeMap::new(),
        }
    }

    /// Takes note that it is not earlier than that.
    pub(super) fn not_before(&mut self, at: Timestamp) {
        self.grants.not_before(at);
    }

    /// Where what is known of a tool stands.
    pub(super) fn standing(&mut self, server: &str, tool: &str) -> Result<Standing, StoreError> {
        self.inventory(server)?.standing(tool)
    }

    pub(super) fn inventory(&mut self, server: &str) -> Result<&mut Inventory, StoreError> {
        if !self.inventories.contains_key(server) {
            let inventory = Inventory::open(&self.home, server)?;
            self.inventories.insert(server.to_owned(), inventory);
        }
        let missing = || {
            StoreError::new(
                "open",
                self.home.path(),
                std::io::Error::other("the inventory is gone"),
            )
        };
        self.inventories.get_mut(server).ok_or_else(missing)
    }

    /// Decides a case on all that is known, and writes down the use of what is counted before anybody acts on it.
    pub(super) fn weigh(
        &mut self,
        request: &DecisionRequest<'_>,
        arguments: &Value<'_>,
        case: &Case<'_>,
        known: Known<'_>,
    ) -> Result<Weighed, StoreError> {
        let now = known.now;
        let exact = exact::call_hash_with(request, known.arguments);
        // Nothing that a person could have granted changes anything for what is routine and asks for nobody: the grants
        // of the home are not even looked at.
        let asks = case.tier != Tier::Routine || case.forced || !case.approvals.is_empty();
        let grants = if asks { self.grants.version()? } else { 0 };
        let session = Some(self.session.as_str());
        let key = Key::of(
            case,
            &Facts {
                call: &exact,
                grants,
                plans: known.plan as u64,
                session,
            },
        );
        if let Some(decision) = self.cache.get(key, now) {
            let decision = decision.clone();
            return Ok(Weighed {
                is_remembered: true,
                ..Weighed::afresh(decision)
            });
        }
        let (weighed, settled) = if asks {
            self.weigh_grants(request, arguments, case, known, &exact)?
        } else {
            let evidence = Evidence {
                plan: known.plan,
                ..Evidence::none(now)
            };
            let decision = decide(case, &evidence);
            (Weighed::afresh(decision), None)
        };
        if weighed.spent.is_none() {
            let times = self.ruleset.settings.cache;
            self.cache.put(key, &weighed.decision, now, times, settled);
        }
        Ok(weighed)
    }

    fn weigh_grants(
        &mut self,
        request: &DecisionRequest<'_>,
        arguments: &Value<'_>,
        case: &Case<'_>,
        known: Known<'_>,
        exact: &str,
    ) -> Result<(Weighed, Option<Timestamp>), StoreError> {
        let Known {
            plan, around, now, ..
        } = known;
        let hash = request.call_hash().ok();
        let session = self.session.clone();
        let call = Call {
            request,
            arguments,
            hash: hash.as_deref(),
            exact,
            session: Some(&session),
            around,
        };
        let approved = self.approved(exact, now)?;
        let minted = approved.as_ref().map(|grant| grant.claims().id.clone());
        let covering = self.grants.covering(&call, approved.as_ref(), now)?;
        // An approval counts this once, so whatever is decided with it says nothing about the next call.
        let settled = if approved.is_some() {
            Some(now)
        } else {
            covering.settled
        };
        let mut evidence = Evidence {
            now,
            grants: covering.grants,
            approved_by_role: covering.role,
            plan,
        };
        let mut was_spent_before = false;
        loop {
            let decision = decide(case, &evidence);
            let used = used_by(&decision, approved.as_ref());
            let Some(id) = used else {
                let allowed = decision.outcome == Outcome::Allow;
                let decision = if was_spent_before && !allowed {
                    decision.refused(Reason::GrantReplayed)
                } else {
                    decision
                };
                let weighed = Weighed {
                    minted,
                    ..Weighed::afresh(decision)
                };
                return Ok((weighed, settled));
            };
            match self.grants.consume(&id, approved.as_ref(), &call, now)? {
                Spend::Spent => {
                    let counted = decision.uses_up_grant || approved.is_some();
                    let spent = counted.then_some(id);
                    let weighed = Weighed {
                        spent,
                        minted,
                        ..Weighed::afresh(decision)
                    };
                    return Ok((weighed, settled));
                }
                Spend::Refused(_) | Spend::Gone => {
                    was_spent_before = true;
                    evidence.grants.retain(|grant| grant.id != id);
                }
            }
        }
    }

    /// The single-use grant for exactly this call, if a person has just approved it.
    fn approved(&mut self, exact: &str, now: Timestamp) -> Result<Option<Grant>, StoreError> {
        let approvals = self.approvals.as_mut();
        let Some(approved) = approvals.and_then(|approvals| approvals.claim(exact, now)) else {
            return Ok(None);
        };
        // To ask again, because what was approved can not be signed, would be asking for ever.
        let unsigned = || StoreError::new("sign for", self.home.path(), Cause::Content);
        let passing = match self.passing.take() {
            Some(passing) => passing,
            None => Passing::make().map_err(|_| unsigned())?,
        };
        let trust = passing.trust(&self.ruleset.approvals);
        let grant = approved.grant(passing.key(), trust, now);
        let grant = grant.map(Some).map_err(|_| unsigned());
        self.passing = Some(passing);
        grant
    }

    /// Asks a person about a call. The tickets of those who died before are handed out too, for the log.
    pub(super) fn ask(
        &mut self,
        request: &DecisionRequest<'_>,
        case: &Case<'_>,
        reason: Reason,
        id: &str,
        now: Timestamp,
    ) -> Result<(Asked, Vec<Settled>), StoreError> {
        let orphans = self.open_approvals(now)?;
        let rules = self.ruleset.approvals.rules;
        let wanted = case
            .approvals
            .iter()
            .filter_map(|index| rules.get(*index as usize));
        let expires = wanted
            .map(|rule| rule.expires)
            .min()
            .unwrap_or(self.ruleset.approvals.expires);
        let exact = exact::call_hash(request);
        let hash = request.call_hash().ok();
        let question = Question {
            request,
            exact: &exact,
            hash: hash.as_deref(),
            tier: case.tier,
            reason,
            roles: case.roles().map(str::to_owned).collect(),
            expires,
        };
        let missing = || {
            StoreError::new(
                "open",
                self.home.path(),
                std::io::Error::other("no approvals"),
            )
        };
        let approvals = self.approvals.as_mut().ok_or_else(missing)?;
        Ok((approvals.ask(&question, id, now)?, orphans))
    }

    /// Opens the desk, and ends the tickets of owners that are gone.
    pub(super) fn open_approvals(&mut self, now: Timestamp) -> Result<Vec<Settled>, StoreError> {
        if self.approvals.is_some() {
            return Ok(Vec::new());
        }
        let rules = &self.ruleset.approvals;
        let (approvals, orphans) =
            Approvals::open(&self.home, rules, &self.session, Limits::default(), now)?;
        self.approvals = Some(approvals);
        Ok(orphans)
    }

    /// The calls that wait for a person here.
    pub(super) const fn approvals(&mut self) -> Option<&mut Approvals<'r>> {
        self.approvals.as_mut()
    }

    /// The calls that wait for a person here, to be ended.
    pub(super) const fn take_approvals(&mut self) -> Option<Approvals<'r>> {
        self.approvals.take()
    }

    /// What a person should know of files that are not used.
    pub(super) fn take_warnings(&mut self) -> Vec<String> {
        self.grants.take_warnings()
    }
}

/// The grant that an allow rests on: the one that decided, or the approval that satisfied a stronger layer.
fn used_by(decision: &Decision, approved: Option<&Grant>) -> Option<String> {
    if decision.outcome != Outcome::Allow {
        return None;
    }
    let approval = || approved.map(|grant| grant.claims().id.clone());
    decision.grant.clone().or_else(approval)
}
