//! Planning over a manifest and those it refers to.
//!
//! The walk fetches nothing. It says what it wants next, one manifest at a time, depth first; whoever drives it fetches that
//! and hands it back. Every bound is here: depth, number, size, time, places already visited, and one budget for all.

mod location;
mod tree;

pub use location::Location;
pub use tree::{Node, NotFollowed, Tree};

use std::collections::BTreeSet;

use knotrust_core::json::Value;
use knotrust_core::time::Timestamp;

use crate::amount::Amount;
use crate::manifest::Manifest;
use crate::options::{Budget, Options, OptionsError, read_count};
use crate::plan::Plan;
use crate::planner::plan;
use crate::reference::ReferencePlan;
use crate::signature::{Fetched, PublicKey, Verification, verify};

/// The bounds of a walk (§14.3).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// How many references lie between the first manifest and the last.
    pub depth: usize,
    /// How many manifests there may be.
    pub nodes: usize,
    /// When the walk is over.
    pub deadline: Option<Timestamp>,
}

impl Limits {
    /// The most a walk may ask for.
    pub const MOST: Self = Self {
        depth: 5,
        nodes: 50,
        deadline: None,
    };

    /// How long a manifest from elsewhere may be.
    pub const REMOTE_BYTES: usize = 1_000_000;

    /// How many units a manifest from elsewhere may have.
    pub const REMOTE_UNITS: usize = 10_000;

    /// How long a walk may take, in milliseconds.
    pub const WALK_MILLIS: i64 = 10_000;

    /// Reads `maxDepth` and `maxNodes` beside the options of a plan. Without them nothing is followed.
    ///
    /// # Errors
    ///
    /// Members that are no whole numbers.
    pub fn from_json(options: &Value<'_>) -> Result<Self, OptionsError> {
        let count = |name: &'static str, absent: usize| match options.get(name) {
            Some(value) if !value.is_null() => read_count(value, name),
            Some(_) | None => Ok(absent),
        };
        let depth = count("maxDepth", 0)?.min(Self::MOST.depth);
        let nodes = count("maxNodes", Self::MOST.nodes)?.min(Self::MOST.nodes);
        Ok(Self {
            depth,
            nodes,
            deadline: None,
        })
    }
}

/// What a walk is made with.
#[derive(Clone, Copy, Debug)]
pub struct Terms<'a> {
    /// What the plans are for.
    pub task: &'a str,
    /// What they are made with.
    pub options: &'a Options,
    /// The bounds.
    pub limits: Limits,
    /// Keys that were trusted beforehand.
    pub trusted: &'a [PublicKey],
    /// Whether every manifest must be signed with one of them.
    pub signature_required: bool,
}

/// A manifest that is wanted next.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Wanted {
    /// The copy to take if it is there.
    pub mirror: Option<Location>,
    /// Where it is otherwise.
    pub location: Location,
}

/// A manifest that was fetched, or why it wasn't.
#[derive(Clone, Copy, Debug)]
pub struct Arrival<'a> {
    /// Where it came from in the end: a file, or the URL after all redirects.
    pub location: &'a Location,
    /// Its text.
    pub text: Result<&'a str, &'a str>,
    /// Its signature and key, as far as they had to be fetched.
    pub signature: &'a Fetched,
}

/// A walk under way.
#[derive(Debug)]
pub struct Walk<'a> {
    terms: Terms<'a>,
    nodes: Vec<Node>,
    /// From the first manifest down to the one whose references are being followed.
    path: Vec<Open>,
    /// Places of manifests that were asked for.
    visited: BTreeSet<Location>,
    asked: usize,
    spent: Amount,
    pending: Option<Pending>,
}

/// A manifest whose references are being followed.
#[derive(Debug)]
struct Open {
    node: usize,
    location: Location,
    references: std::vec::IntoIter<ReferencePlan>,
}

#[derive(Debug)]
struct Pending {
    reference: Option<ReferencePlan>,
    parent: Option<usize>,
    wanted: Option<Wanted>,
}

impl<'a> Walk<'a> {
    /// A walk that starts at a manifest.
    #[must_use]
    pub fn from(root: Location, terms: Terms<'a>) -> Self {
        let spent = terms
            .options
            .budget
            .as_ref()
            .map(Budget::spent)
            .unwrap_or_default();
        let visited = BTreeSet::from([root.clone()]);
        let wanted = Some(Wanted {
            mirror: None,
            location: root,
        });
        let pending = Some(Pending {
            reference: None,
            parent: None,
            wanted,
        });
        Self {
            terms,
            nodes: Vec::new(),
            path: Vec::new(),
            visited,
            asked: 1,
            spent,
            pending,
        }
    }

    /// The manifest that is wanted next; nothing when the walk is over.
    pub fn next(&mut self, now: Timestamp) -> Option<Wanted> {
        if let Some(pending) = &mut self.pending {
            return pending.wanted.take();
        }
        while let Some(open) = self.path.last_mut() {
            let (parent, from) = (open.node, open.location.clone());
            let Some(reference) = open.references.next() else {
                self.path.pop();
                continue;
            };
            match self.judge(&reference, &from, now) {
                Ok(wanted) => {
                    self.visited.extend(wanted.mirror.clone());
                    self.visited.insert(wanted.location.clone());
                    self.asked += 1;
                    self.pending = Some(Pending {
                        reference: Some(reference),
                        parent: Some(parent),
                        wanted: None,
                    });
                    return Some(wanted);
                }
                Err(reason) => self.leave(parent, &reference, reason),
            }
        }
        None
    }

    /// Whether a reference is followed.
    fn judge(
        &self,
        reference: &ReferencePlan,
        from: &Location,
        now: Timestamp,
    ) -> Result<Wanted, String> {
        let limits = self.terms.limits;
        if !reference.selected {
            return Err(reference.reason.clone());
        }
        if let Some(credential) = &reference.credential_needed {
            return Err(format!("needs {credential} before fetch"));
        }
        if self.path.len() > limits.depth {
            return Err(format!("beyond max depth {}", limits.depth));
        }
        let location = from
            .refer(&reference.url)
            .ok_or_else(|| "the url names no place".to_owned())?;
        // A copy counts only beside a manifest that is itself at hand.
        let mirror = reference
            .local_mirror
            .as_deref()
            .filter(|_| !from.is_remote());
        let mirror = mirror
            .and_then(|path| from.refer(path))
            .filter(|mirror| !mirror.is_remote());
        if self.visited.contains(&location)
            || mirror
                .as_ref()
                .is_some_and(|mirror| self.visited.contains(mirror))
        {
            return Err(ALREADY_VISITED.to_owned());
        }
        if self.asked >= limits.nodes {
            return Err(format!("beyond max nodes {} (fan-out cap)", limits.nodes));
        }
        if limits.deadline.is_some_and(|deadline| now > deadline) {
            return Err("beyond the time for the walk".to_owned());
        }
        Ok(Wanted { mirror, location })
    }

    /// Hands in the manifest that was wanted.
    pub fn arrived(&mut self, arrival: Arrival<'_>) {
        let Some(pending) = self.pending.take() else {
            return;
        };
        let was_known = !self.visited.insert(arrival.location.clone());
        if let (true, Some(parent), Some(reference)) =
            (was_known, pending.parent, &pending.reference)
            && self.is_in_tree(arrival.location)
        {
            self.leave(parent, reference, ALREADY_VISITED.to_owned());
            return;
        }
        let index = self.nodes.len();
        let mut node = Node::at(
            arrival.location,
            pending.reference.map(|reference| reference.id),
        );
        match self.examine(arrival) {
            Ok((plan, signature)) => {
                self.spent = self.spent.plus(
                    plan.budget
                        .money
                        .as_ref()
                        .map(|money| money.projected)
                        .unwrap_or_default(),
                );
                let references = plan.federation.clone().into_iter();
                node.signature = Some(signature);
                node.plan = Some(plan);
                self.path.push(Open {
                    node: index,
                    location: arrival.location.clone(),
                    references,
                });
            }
            Err((error, signature)) => {
                node.error = Some(error);
                node.signature = signature;
            }
        }
        self.nodes.push(node);
        if let Some(parent) = pending.parent.and_then(|parent| self.nodes.get_mut(parent)) {
            parent.children.push(index);
        }
    }

    /// Whether a redirect led to the place of a manifest that is in the tree already.
    fn is_in_tree(&self, location: &Location) -> bool {
        self.nodes.iter().any(|node| node.location == *location)
    }

    // An error is what the manifest died of, and its signature if that is what it was.
    fn examine(
        &self,
        arrival: Arrival<'_>,
    ) -> Result<(Plan, Verification), (String, Option<Verification>)> {
        let failed = |what: &str| (what.to_owned(), None);
        let text = arrival.text.map_err(failed)?;
        if arrival.location.is_remote() && text.len() > Limits::REMOTE_BYTES {
            return Err(failed("too large"));
        }
        let manifest = Manifest::read(text).map_err(|_| failed("parse failed"))?;
        if arrival.location.is_remote() && manifest.units().len() > Limits::REMOTE_UNITS {
            return Err(failed("too many units"));
        }
        let signature = verify(
            text,
            manifest.signing.as_ref(),
            arrival.signature,
            self.terms.trusted,
        );
        if !signature.suffices(self.terms.signature_required) {
            let what = if signature.suffices(false) {
                "signature required"
            } else {
                "signature invalid"
            };
            return Err((what.to_owned(), Some(signature)));
        }
        let manifest = manifest.from_source(arrival.location.as_str());
        Ok((plan(&manifest, self.terms.task, &self.options()), signature))
    }

    /// The options, with what the manifests so far have taken.
    fn options(&self) -> Options {
        let mut options = self.terms.options.clone();
        if let Some(budget) = &mut options.budget
            && self.spent.is_positive()
        {
            budget.spent = Some(self.spent);
        }
        options
    }

    fn leave(&mut self, parent: usize, reference: &ReferencePlan, reason: String) {
        if let Some(parent) = self.nodes.get_mut(parent) {
            parent.not_followed.push(NotFollowed {
                id: reference.id.clone(),
                url: reference.url.clone(),
                reason,
            });
        }
    }

    /// The plans made so far, as the tree they form.
    #[must_use]
    pub fn finish(self) -> Tree {
        Tree(self.nodes)
    }
}

const ALREADY_VISITED: &str = "already visited (cycle)";
