//! Plans, and what they let be loaded.

use std::path::Path;
use std::sync::Arc;

use knotrust_core::audit::event::Kind;
use knotrust_core::json::{Value, parse};
use knotrust_core::time::Timestamp;
use knotrust_knowledge::amount::Amount;
use knotrust_knowledge::artifact::{Kind as Artifact, artifact};
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::governing::Price;
use knotrust_knowledge::ledger::Spent;
use knotrust_knowledge::lint::{Surroundings, lint};
use knotrust_knowledge::loading::{Known, Loaded, wanted};
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::options::Options;
use knotrust_knowledge::plan::Plan;
use knotrust_knowledge::planner::plan;
use knotrust_knowledge::replay::{recorded, report};
use knotrust_knowledge::trace::trace;

use super::{Refusal, known_members, object, required, text, text_of};
use crate::budget::{Account, Purchase};
use crate::clock;
use crate::governor::Governor;
use crate::loading::content;
use crate::plans::eligible;

/// A domain that a tool was asked about.
struct Asked {
    domain: u32,
    manifest: Arc<Manifest>,
    folder: String,
    options: Options,
    now: Timestamp,
}

impl Governor<'_> {
    pub(super) fn tool_plan(&self, arguments: &Value<'_>) -> Result<Value<'static>, Refusal> {
        known_members(arguments, &PLANNING)?;
        let asked = self.asked(arguments)?;
        let plan = plan(
            &asked.manifest,
            required(arguments, "task")?,
            &asked.options,
        );
        let value = artifact(Artifact::Plan, &plan.to_json(), None);
        self.approve(&asked, plan);
        Ok(value)
    }

    pub(super) fn tool_load(&self, arguments: &Value<'_>) -> Result<Value<'static>, Refusal> {
        known_members(arguments, &[&PLANNING[..], &["known"]].concat())?;
        let asked = self.asked(arguments)?;
        let plan = plan(
            &asked.manifest,
            required(arguments, "task")?,
            &asked.options,
        );
        self.pay_for(&asked, &plan)?;
        let known = match arguments.get("known") {
            Some(given) if !given.is_null() => Known::read(given),
            Some(_) | None => {
                let session = self.session();
                session
                    .known
                    .get(&asked.domain)
                    .cloned()
                    .unwrap_or_default()
            }
        };
        let may = eligible(&plan);
        let mut loaded = Loaded::default();
        for unit in wanted(&plan, &asked.manifest) {
            match unit {
                Ok(unit) => {
                    let bytes = content(Path::new(&asked.folder), &unit.path, |real| {
                        let mut units = asked.manifest.units_at(real).peekable();
                        units.peek().is_none() || units.any(|unit| may.contains(&unit.id))
                    });
                    loaded.take(&unit, bytes.as_deref().map_err(|why| *why), &known);
                }
                Err(unavailable) => loaded.refuse(unavailable),
            }
        }
        let name = asked.manifest.source.as_deref().unwrap_or_default();
        let mut value = loaded.to_json(name);
        if let Value::Object(members) = &mut value {
            members.insert("plan", artifact(Artifact::Plan, &plan.to_json(), None));
        }
        let mut session = self.session();
        let held = session.known.entry(asked.domain).or_default();
        for unit in &loaded.units {
            held.add(&unit.id, &unit.sha256);
        }
        drop(session);
        self.approve(&asked, plan);
        Ok(value)
    }

    pub(super) fn tool_trace(&self, arguments: &Value<'_>) -> Result<Value<'static>, Refusal> {
        known_members(arguments, &PLANNING)?;
        let asked = self.asked(arguments)?;
        let trace = trace(
            &asked.manifest,
            required(arguments, "task")?,
            &asked.options,
        );
        Ok(artifact(Artifact::Trace, &trace.to_json(), None))
    }

    pub(super) fn tool_validate(&self, arguments: &Value<'_>) -> Result<Value<'static>, Refusal> {
        known_members(arguments, &["manifest"])?;
        let domain = self.domain(arguments)?;
        let now = clock::now().wall;
        let mut session = self.session();
        let manifest = session.manifest(domain).map(|held| Arc::clone(&held.text));
        let folder = session.folder(domain).unwrap_or_default().to_owned();
        drop(session);
        let exists = |path: &str| Path::new(&folder).join(path).exists();
        let today = IsoDate::day_of(now);
        let around = Surroundings {
            today: &today,
            exists: Some(&exists),
        };
        let report = lint(manifest.as_deref().unwrap_or_default(), around);
        Ok(report.to_json(self.manifest_path(domain)))
    }

    pub(super) fn tool_replay(&self, arguments: &Value<'_>) -> Result<Value<'static>, Refusal> {
        known_members(arguments, &["artifact"])?;
        let expected = "a plan, or its JSON text";
        let wrong = || Refusal::Argument {
            member: "artifact",
            expected,
        };
        let given = arguments.get("artifact").ok_or_else(wrong)?;
        let parsed = match given.as_str() {
            Some(text) => Some(parse(text.as_bytes()).map_err(|_| wrong())?),
            None => None,
        };
        let saved = parsed.as_ref().unwrap_or(given);
        let checks: Vec<_> = recorded(saved)
            .iter()
            .map(|recorded| {
                let domain = recorded.source().and_then(|source| self.domain_of(source));
                let text = domain.and_then(|domain| {
                    let mut session = self.session();
                    session.manifest(domain).map(|held| Arc::clone(&held.text))
                });
                recorded.replay(text.as_deref().filter(|text| !text.is_empty()))
            })
            .collect();
        Ok(report(&checks))
    }

    /// Remembers what a plan lets be read, in place of the plan before it. Whoever plans anew follows no procedure.
    fn approve(&self, asked: &Asked, plan: Plan) {
        let mut session = self.session();
        let name = session.name(asked.domain);
        for unit in eligible(&plan) {
            session.remembered.approve(name, &unit);
        }
        session.remembered.conclude();
        session.plans.keep(asked.domain, plan, asked.now);
    }

    fn pay_for(&self, asked: &Asked, plan: &Plan) -> Result<(), Refusal> {
        let selected = plan.selected.iter().filter(|unit| unit.load_eligible);
        let prices: Vec<Price> = selected.filter_map(Price::of).collect();
        if prices.is_empty() {
            return Ok(());
        }
        let mut session = self.session();
        let domain = session.name(asked.domain);
        let purchases: Vec<_> = prices
            .iter()
            .map(|price| Purchase { domain, price })
            .collect();
        let account = Account {
            session: &self.caller().instance,
            call: "kcp_load",
        };
        let spent = session.budget.spend(&purchases, account, asked.now)?;
        let ledger = session.budget.ledger(asked.now)?.to_json();
        drop(session);
        let bought = prices.iter().map(Price::to_json).collect();
        let detail = object([
            ("domain", text(domain)),
            ("prices", Value::Array(bought)),
            ("budget", ledger),
        ]);
        match spent {
            Spent::Accepted => Ok(self.note_found(Kind::BudgetSpend, &detail)?),
            Spent::Negative | Spent::OverCeiling => {
                self.note_found(Kind::BudgetExceeded, &detail)?;
                Err(Refusal::OverBudget)
            }
        }
    }

    /// The domain that arguments name, and what the policy plans with, less what they ask to do without.
    fn asked(&self, arguments: &Value<'_>) -> Result<Asked, Refusal> {
        let domain = self.domain(arguments)?;
        let now = clock::now().wall;
        let mut session = self.session();
        let mut options = session.options(now)?.clone();
        let manifest = session.manifest(domain).map(|held| held.manifest.clone());
        let folder = session.folder(domain).unwrap_or_default().to_owned();
        drop(session);
        let manifest = match manifest {
            Some(Ok(manifest)) => manifest,
            Some(Err(unusable)) => return Err(Refusal::Unusable(unusable.reason())),
            None => return Err(Refusal::Unusable("there is no such domain")),
        };
        narrow(&mut options, arguments)?;
        Ok(Asked {
            domain,
            manifest,
            folder,
            options,
            now,
        })
    }

    fn domain(&self, arguments: &Value<'_>) -> Result<u32, Refusal> {
        let domains = self.ruleset().domains;
        match (text_of(arguments, "manifest")?, domains) {
            (None, [_]) => Ok(0),
            (None, _) => Err(self.no_domain()),
            (Some(name), _) => self.domain_of(name).ok_or_else(|| self.no_domain()),
        }
    }

    fn no_domain(&self) -> Refusal {
        let domains = self.ruleset().domains.iter();
        let names: Vec<&str> = domains.map(|domain| domain.name).collect();
        Refusal::NoDomain(names.join(", "))
    }

    /// The domain of that name, or whose manifest is the file of that name.
    fn domain_of(&self, name: &str) -> Option<u32> {
        let plain = name.trim_start_matches("./");
        let session = self.session();
        let mut domains = (0..).zip(self.ruleset().domains);
        let found = domains.find(|(_, domain)| {
            let path = domain.manifest.path;
            let whole = session.manifests().path(domain.manifest);
            domain.name == name || path == plain || whole == Path::new(name)
        });
        found.map(|(index, _)| index)
    }

    fn manifest_path(&self, domain: u32) -> &str {
        let index = usize::try_from(domain).ok();
        let domain = index.and_then(|index| self.ruleset().domains.get(index));
        domain.map_or("", |domain| domain.manifest.path)
    }
}

/// Takes away from options what arguments ask to do without. They never add.
fn narrow(options: &mut Options, arguments: &Value<'_>) -> Result<(), Refusal> {
    let number = |member: &'static str| match arguments.get(member) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let number = value.as_number().and_then(|number| number.as_u64());
            let expected = "a whole number above 0";
            let number = number.filter(|number| *number > 0);
            number
                .map(Some)
                .ok_or(Refusal::Argument { member, expected })
        }
    };
    if let Some(units) = number("max_units")? {
        let units = usize::try_from(units).unwrap_or(usize::MAX);
        options.max_units = options.max_units.min(units);
    }
    if let Some(tokens) =
        number("context_budget")?.and_then(|tokens| Amount::read(&tokens.to_string()))
    {
        options.context_budget = Some(
            options
                .context_budget
                .map_or(tokens, |most| most.min(tokens)),
        );
    }
    match arguments.get("strict") {
        None | Some(Value::Null) => {}
        Some(value) => {
            let strict = value.as_bool().ok_or(Refusal::Argument {
                member: "strict",
                expected: "true or false",
            })?;
            options.strict |= strict;
        }
    }
    Ok(())
}

const PLANNING: [&str; 5] = ["task", "manifest", "max_units", "strict", "context_budget"];
