//! The plans of a session, and what time makes of them.

use std::collections::BTreeMap;

use knotrust_core::json::{Object, Value};
use knotrust_core::time::Timestamp;
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::drift::recheck;
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::plan::Plan;

/// The plans of a session: for each domain, the one last asked for.
#[derive(Debug, Default)]
pub struct Plans(BTreeMap<u32, Approved>);

/// A plan that was asked for.
#[derive(Clone, Debug)]
pub struct Approved {
    /// The plan.
    pub plan: Plan,
    /// When it was made.
    pub at: Timestamp,
    /// The day for which it was last found to hold.
    reviewed: IsoDate,
    /// Digest of the manifest from which it was last found to hold.
    digest: String,
}

/// A plan that is no longer the one that would be made.
#[derive(Clone, Debug)]
pub struct Moved {
    /// The domain.
    pub domain: u32,
    /// What the plan was for.
    pub task: String,
    /// What has changed.
    pub drift: Value<'static>,
    /// Units that it approved and that may be loaded no longer.
    pub lost: Vec<String>,
}

impl Plans {
    /// Keeps a plan in place of the one before it.
    pub fn keep(&mut self, domain: u32, plan: Plan, now: Timestamp) {
        let approved = Approved {
            at: now,
            reviewed: plan.options.as_of.clone(),
            digest: plan.manifest.sha256.clone(),
            plan,
        };
        self.0.insert(domain, approved);
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The domains that have one.
    #[must_use]
    pub fn domains(&self) -> Vec<u32> {
        self.0.keys().copied().collect()
    }

    /// All of them.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (u32, &Approved)> {
        self.0.iter().map(|(domain, approved)| (*domain, approved))
    }

    /// Makes the plan of a domain again, unless day and manifest are those it was last found to hold for. Without a manifest
    /// it does not hold at all.
    pub fn review(
        &mut self,
        domain: u32,
        manifest: Option<&Manifest>,
        today: &IsoDate,
        now: Timestamp,
    ) -> Option<Moved> {
        let approved = self.0.get_mut(&domain)?;
        let moved = |task: &str, drift, lost| Moved {
            domain,
            task: task.to_owned(),
            drift,
            lost,
        };
        let Some(manifest) = manifest else {
            let approved = self.0.remove(&domain)?;
            let mut drift = Object::new();
            drift.insert("drifted", Value::Bool(true));
            drift.insert(
                "summary",
                Value::string("the manifest can no longer be used"),
            );
            let plan = &approved.plan;
            return Some(moved(&plan.task, Value::Object(drift), eligible(plan)));
        };
        if approved.reviewed == *today && approved.digest == manifest.digest() {
            return None;
        }
        let drift = recheck(&approved.plan, manifest, today);
        approved.reviewed = today.clone();
        manifest.digest().clone_into(&mut approved.digest);
        if !drift.has_drifted() {
            return None;
        }
        let after = eligible(&drift.now);
        let mut lost = eligible(&approved.plan);
        lost.retain(|unit| !after.contains(unit));
        let found = moved(&approved.plan.task, drift.to_json(), lost);
        approved.plan = drift.now;
        approved.at = now;
        Some(found)
    }
}

/// The units that a plan lets be loaded.
#[must_use]
pub fn eligible(plan: &Plan) -> Vec<String> {
    let selected = plan.selected.iter();
    let eligible = selected.filter(|unit| unit.load_eligible);
    eligible.map(|unit| unit.id.clone()).collect()
}
