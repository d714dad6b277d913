//! A whole call: every domain that it touches is asked, and all must admit it.

use knotrust_core::case::Case;
use knotrust_core::classify::Classification;
use knotrust_core::evidence;
use knotrust_core::json::Value;
use knotrust_core::surroundings::Naming;
use knotrust_core::targets::place::Holder;
use knotrust_core::targets::runs_commands;
use knotrust_core::targets::target::{Access, Kind, Target};
use knotrust_core::tiering::{looks_destructive, moves};

use super::{Answer, Domain, Invocation, Question, Session, Verb, ask};
use crate::members::{Members, list};
use crate::scope::{Conformance, Purchase};

/// A call, and what the policy says of it.
#[derive(Clone, Copy, Debug)]
pub struct Call<'c> {
    /// What the policy says.
    pub case: &'c Case<'c>,
    /// What it touches.
    pub classification: &'c Classification,
    /// The tool's own name.
    pub tool: &'c str,
    /// Its arguments.
    pub arguments: &'c Value<'c>,
    /// How the file system compares names.
    pub naming: Naming,
}

/// A domain as it is at this moment, and where it lies.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The domain.
    pub domain: Domain<'a>,
    /// The manifest's folder, absolute: as it is written, and with links resolved.
    pub folders: &'a [String],
}

/// What all domains that a call touches say of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Gated {
    /// Whether plans admit the call.
    pub plan: evidence::Plan,
    /// The answers, by domain.
    pub answers: Vec<(u32, Answer)>,
    /// What a procedure forbids, where the call touches no domain.
    pub forbidden: Option<Conformance>,
}

impl Call<'_> {
    /// Asks one domain after the other; the first that refuses ends it. What a procedure denies is denied to calls that
    /// touch nothing governed, too.
    pub fn ask(&self, placed: &[(u32, Placed<'_>)], session: &mut Session) -> Gated {
        let mut gated = Gated::default();
        if placed.is_empty() {
            gated.forbidden = self.forbidden(session);
            if gated.forbidden.is_some() {
                gated.plan = evidence::Plan::Forbids;
            }
            return gated;
        }
        for (index, placed) in placed {
            let answer = ask(
                placed.domain,
                session,
                &self.question(*index, placed.folders),
            );
            let (approved, forbids) = (answer.approved, answer.prohibited().is_some());
            gated.answers.push((*index, answer));
            if !approved {
                gated.plan = if forbids {
                    evidence::Plan::Forbids
                } else {
                    evidence::Plan::None
                };
                return gated;
            }
        }
        gated.plan = evidence::Plan::Admits;
        gated
    }

    fn forbidden(&self, session: &Session) -> Option<Conformance> {
        if !session.has_followed() {
            return None;
        }
        let question = Question {
            verb: self.verb(Access::Read),
            purchase: Purchase::within(self.arguments),
            tool: self.tool.to_owned(),
            ..Question::default()
        };
        session
            .judge(&question)
            .filter(|found| found.prohibited.is_some())
    }

    /// What one domain is asked about the call.
    fn question(&self, domain: u32, folders: &[String]) -> Question {
        let mut question = Question {
            tool: self.tool.to_owned(),
            by_tool: self.case.tool_domains.contains(&domain),
            invokes: self.invokes(domain),
            purchase: Purchase::within(self.arguments),
            ..Question::default()
        };
        let holds = |target: &&Target| target.holders().contains(&Holder::Domain(domain));
        for target in self.classification.targets().iter().filter(holds) {
            question.verb = question.verb.max(self.verb(target.access()));
            match target.kind() {
                // A search that starts at the very place of a unit covers that unit; one that starts above it, no unit.
                Kind::Path | Kind::Paths => {
                    question.paths.push(self.seen_from(folders, target.text()));
                }
                Kind::Url => question.urls.push(target.text().to_owned()),
                Kind::Unknown(_) => question.indeterminate = true,
            }
        }
        question
    }

    fn invokes(&self, domain: u32) -> Option<Invocation> {
        let skill = self.case.skill.as_ref()?;
        skill.domains.contains(&domain).then(|| Invocation {
            id: skill.id.clone(),
        })
    }

    /// The path as the manifest would write it. What lies elsewhere keeps its name, which no unit has.
    fn seen_from(&self, folders: &[String], path: &str) -> String {
        let below = folders
            .iter()
            .find_map(|folder| self.naming.below(path, folder.trim_end_matches('/')));
        below.unwrap_or(path).to_owned()
    }

    /// A change is not told apart from a removal where it is seen, so that a tool which can remove is taken to do so.
    fn verb(&self, access: Access) -> Verb {
        match access {
            Access::Read => Verb::Read,
            Access::Write | Access::Unknown if self.can_remove() => Verb::Delete,
            Access::Write | Access::Unknown => Verb::Write,
        }
    }

    fn can_remove(&self) -> bool {
        looks_destructive(self.tool) || moves(self.tool) || runs_commands(self.tool)
    }
}

impl Gated {
    /// The answers as they are recorded.
    #[must_use]
    pub fn to_json(&self, name: impl Fn(u32) -> String) -> Value<'static> {
        let answers = self.answers.iter().map(|(domain, answer)| {
            Members::new()
                .text("domain", &name(*domain))
                .merge(answer.to_json())
                .done()
        });
        Members::new()
            .flag("approved", self.plan == evidence::Plan::Admits)
            .set("domains", list(answers))
            .maybe(
                "forbidden",
                self.forbidden.as_ref().map(Conformance::to_json),
            )
            .done()
    }
}
