//! What a grant would admit, before anybody signs it.

use std::collections::{BTreeMap, BTreeSet};

use knotrust_core::audit::filter::Filter;
use knotrust_core::audit::record::Record;
use knotrust_core::display::inert;
use knotrust_core::grant::{AgentScope, Claims};
use knotrust_core::json::{Text, write};

use crate::audit::read::Reader;
use crate::failure::StoreError;
use crate::home::Home;

/// What a grant would admit, of what is known.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Admitted {
    /// Known tools that it covers.
    pub tools: Vec<String>,
    /// How many known tools there are.
    pub of: usize,
}

/// Which of the known action names the grant would cover. Names come from inventories and from recorded calls.
#[must_use]
pub fn admitted<'n>(claims: &Claims, known: impl IntoIterator<Item = &'n str>) -> Admitted {
    let known: BTreeSet<&str> = known.into_iter().collect();
    let covered = known
        .iter()
        .filter(|name| claims.tool.matches(&Text::from(**name)));
    Admitted {
        tools: covered.map(|name| (*name).to_owned()).collect(),
        of: known.len(),
    }
}

/// Which of the latest recorded calls were of tools and by whom a grant speaks of, a line a fact, for a person. What the
/// log does not hold, such as targets, is not compared.
///
/// # Errors
///
/// The log cannot be read.
pub fn recorded(claims: &Claims, home: &Home) -> Result<Vec<String>, StoreError> {
    let entries = Reader::of(home).last(RECENT, &Filter::default())?;
    let (mut of, mut found) = (0, BTreeMap::<Seen, Calls>::new());
    for entry in &entries {
        let Some(record) = entry.record() else {
            continue;
        };
        if record.text("type").as_deref() != Some("decision") {
            continue;
        }
        of += 1;
        if let Some(seen) = Seen::of(&record, claims) {
            found.entry(seen).or_default().add(&record);
        }
    }
    let count: usize = found.values().map(|calls| calls.count).sum();
    let mut lines = vec![match count {
        0 => format!("None of the last {of} recorded calls is one that it names."),
        1 => format!("1 of the last {of} recorded calls is one that it names:"),
        _ => format!("{count} of the last {of} recorded calls are ones that it names:"),
    }];
    let more = found.len().saturating_sub(MOST_LINES);
    lines.extend(
        found
            .iter()
            .take(MOST_LINES)
            .map(|(seen, calls)| line(seen, calls)),
    );
    if more > 0 {
        lines.push(format!("and {more} kinds more"));
    }
    Ok(lines)
}

#[derive(Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Seen {
    tool: String,
    agent: String,
    outcome: String,
}

#[derive(Debug, Default)]
struct Calls {
    count: usize,
    /// The arguments of the latest, where the policy has them recorded.
    arguments: Option<String>,
}

impl Seen {
    fn of(record: &Record<'_>, claims: &Claims) -> Option<Self> {
        let text = |name| record.text(name).map(|text| text.into_owned());
        let (tool, agent) = (text("tool")?, text("agent")?);
        let is_named = match &claims.agent {
            AgentScope::Any => true,
            AgentScope::Named(party) => party.id == agent,
        };
        let of_principal = text("subject").is_some_and(|subject| subject == claims.principal.id);
        let is_covered = claims.tool.matches(&Text::from(tool.as_str()));
        (is_named && of_principal && is_covered).then(|| Self {
            tool,
            agent,
            outcome: text("outcome").unwrap_or_default(),
        })
    }
}

impl Calls {
    fn add(&mut self, record: &Record<'_>) {
        self.count += 1;
        let arguments = record.members().get("rawArgs").map(write);
        self.arguments = arguments.or(self.arguments.take());
    }
}

fn line(seen: &Seen, calls: &Calls) -> String {
    let outcome = match seen.outcome.as_str() {
        "allow" => "allowed",
        "deny" => "denied",
        "pending_approval" => "held for a person",
        other => other,
    };
    let times = if calls.count == 1 { "time" } else { "times" };
    let example = calls.arguments.as_deref().map(|arguments| {
        let beginning: String = inert(arguments).chars().take(LONGEST_EXAMPLE).collect();
        format!(", as with {beginning}")
    });
    format!(
        "`{}` by `{}`, {} {} {times}{}",
        inert(&seen.tool),
        inert(&seen.agent),
        inert(outcome),
        calls.count,
        example.unwrap_or_default()
    )
}

const RECENT: usize = 1_000;
const MOST_LINES: usize = 12;
const LONGEST_EXAMPLE: usize = 160;
