//! What a session remembers: what plans have approved, and which procedure is being followed.

use std::collections::{BTreeMap, BTreeSet};

use super::{Question, Verb};
use crate::manifest::{ActionScope, Kind, Unit};
use crate::scope::{Conformance, Dimension, Enclosing, Observed, conformance, covers};

/// What a session remembers. One domain's plans say nothing of another's.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Session {
    approved: BTreeMap<String, BTreeSet<String>>,
    following: Option<Following>,
    /// Procedures that were followed before. What they deny stays denied.
    past: Vec<Following>,
}

/// The procedure that is being followed.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Following {
    skill: Option<(String, ActionScope)>,
    playbook: Option<Playbook>,
}

#[derive(Clone, Debug, Eq, PartialEq)]
struct Playbook {
    id: String,
    scope: ActionScope,
    /// The skills its steps use, and the steps.
    steps: Vec<(String, String)>,
}

impl Session {
    /// Whether a plan has approved that unit.
    #[must_use]
    pub fn is_approved(&self, domain: &str, unit: &str) -> bool {
        self.approved
            .get(domain)
            .is_some_and(|units| units.contains(unit))
    }

    /// Remembers that a plan approves a unit.
    pub fn approve(&mut self, domain: &str, unit: &str) {
        self.approved
            .entry(domain.to_owned())
            .or_default()
            .insert(unit.to_owned());
    }

    /// Forgets that a plan approved a unit.
    pub fn forget(&mut self, domain: &str, unit: &str) {
        if let Some(units) = self.approved.get_mut(domain) {
            units.remove(unit);
        }
    }

    /// What plans have approved: domains, and their units.
    pub fn approved(&self) -> impl Iterator<Item = (&str, &str)> {
        let domains = self.approved.iter();
        domains
            .flat_map(|(domain, units)| units.iter().map(|unit| (domain.as_str(), unit.as_str())))
    }

    /// Begins to follow a procedure that may be invoked. A skill that a step of the playbook being followed uses is
    /// followed within that playbook; any other takes its place.
    pub fn follow(&mut self, procedure: &Unit) {
        if let Some(before) = self.following.clone() {
            self.note_past(before);
        }
        let scope = procedure.action_scope.clone().unwrap_or_default();
        let id = procedure.id.clone();
        self.following = Some(match procedure.kind {
            Kind::Playbook => {
                let steps = procedure.steps.iter().flatten();
                let steps = steps
                    .filter_map(|step| Some((step.uses.clone()?, step.id.clone())))
                    .collect();
                Following {
                    skill: None,
                    playbook: Some(Playbook { id, scope, steps }),
                }
            }
            Kind::Skill | Kind::Undeclared | Kind::Knowledge(_) => {
                let around = self
                    .following
                    .take()
                    .and_then(|following| following.playbook);
                let playbook =
                    around.filter(|playbook| playbook.steps.iter().any(|(skill, _)| *skill == id));
                Following {
                    skill: Some((id, scope)),
                    playbook,
                }
            }
        });
    }

    /// Stops following whatever is being followed. What it denies stays denied.
    pub fn conclude(&mut self) {
        if let Some(before) = self.following.take() {
            self.note_past(before);
        }
    }

    fn note_past(&mut self, before: Following) {
        if !self.past.contains(&before) {
            self.past.push(before);
        }
    }

    /// Compares what a call does with the procedure that is being followed, and with what those before it deny.
    #[must_use]
    pub fn judge(&self, question: &Question) -> Option<Conformance> {
        let judged = |following: &Following| {
            following.judge(&question.observed(|capability| following.denies(capability)))
        };
        let now = self.following.as_ref().map(judged);
        if now.as_ref().is_some_and(|found| !found.passed) {
            return now;
        }
        let mut before = self.past.iter().map(judged);
        before
            .find(|found| found.prohibited.is_some())
            .map(|found| Conformance {
                passed: false,
                ..found
            })
            .or(now)
    }

    /// Whether anything was ever followed.
    #[must_use]
    pub fn has_followed(&self) -> bool {
        self.following.is_some() || !self.past.is_empty()
    }

    /// The procedure that is being followed.
    #[must_use]
    pub const fn following(&self) -> Option<&Following> {
        self.following.as_ref()
    }
}

impl Following {
    /// The skill, or the playbook of which no step has begun.
    #[must_use]
    pub fn id(&self) -> &str {
        let playbook = || self.playbook.as_ref().map(|playbook| playbook.id.as_str());
        self.skill
            .as_ref()
            .map(|(id, _)| id.as_str())
            .or_else(playbook)
            .unwrap_or_default()
    }

    /// Compares an action with the scope. Before a playbook's first step only its denials bind: it grants nothing itself.
    #[must_use]
    pub fn judge(&self, observed: &Observed) -> Conformance {
        let none = ActionScope::default();
        match (&self.skill, &self.playbook) {
            (Some((id, scope)), playbook) => conformance(
                observed,
                scope,
                playbook.as_ref().map(|playbook| playbook.around(id)),
            ),
            (None, playbook) => {
                let found = conformance(
                    observed,
                    &none,
                    playbook.as_ref().map(|playbook| playbook.around("")),
                );
                Conformance {
                    passed: found.prohibited.is_none(),
                    ..found
                }
            }
        }
    }

    /// Whether the skill or the playbook around it denies a capability.
    fn denies(&self, capability: &str) -> bool {
        let skill = self.skill.iter().map(|(_, scope)| scope);
        let playbook = self.playbook.iter().map(|playbook| &playbook.scope);
        skill.chain(playbook).any(|scope| {
            let deny = scope.deny.as_ref();
            deny.is_some_and(|deny| Dimension::Capabilities.denying(deny, capability).is_some())
        })
    }

    /// Whether the skill's scope names the tool.
    pub(super) fn names_tool(&self, tool: &str) -> bool {
        self.skill.as_ref().is_some_and(|(_, scope)| {
            !scope.is_malformed() && scope.tools.listed().iter().any(|listed| listed == tool)
        })
    }

    /// Whether the skill's scope names expressly what is asked: the tool, where nothing is touched; for what is touched, the
    /// path, and the tool or the capability to do that.
    pub(super) fn expressly(&self, question: &Question) -> bool {
        let Some((_, scope)) = &self.skill else {
            return false;
        };
        let mut targets = question.paths.iter().chain(&question.urls).peekable();
        if targets.peek().is_none() {
            return self.names_tool(&question.tool);
        }
        targets.all(|target| {
            let names_path = scope
                .paths
                .texts()
                .iter()
                .any(|pattern| covers(pattern, target));
            let says_so = question.verb == Verb::Read
                || question.verb.is_said_by(scope, &question.tool, target);
            names_path && says_so
        })
    }
}

impl Playbook {
    fn around(&self, skill: &str) -> Enclosing<'_> {
        let step = self
            .steps
            .iter()
            .find(|(uses, _)| uses == skill)
            .map(|(_, step)| step.as_str());
        Enclosing {
            id: &self.id,
            step,
            scope: &self.scope,
        }
    }
}
