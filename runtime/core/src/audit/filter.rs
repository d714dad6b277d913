//! Which events someone asks for.

use super::record::Record;
use crate::glob::Pattern;
use crate::precedence::Outcome;
use crate::tier::Tier;
use crate::time::Timestamp;

/// Events are wanted that meet every condition that is set; with none set, all.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The action matches.
    pub tool: Option<Pattern>,
    /// The decision was this.
    pub outcome: Option<Outcome>,
    /// The tier was this.
    pub tier: Option<Tier>,
    /// It happened then or later.
    pub since: Option<Timestamp>,
    /// Through this agent.
    pub agent: Option<String>,
    /// On this server. Events without one have it as the leading part of the action's name.
    pub server: Option<String>,
}

impl Filter {
    /// Whether an event is wanted.
    #[must_use]
    pub fn wants(&self, record: &Record<'_>) -> bool {
        let is = |name: &str, wanted: Option<&str>| {
            wanted.is_none_or(|wanted| record.text(name).is_some_and(|text| text == wanted))
        };
        is("outcome", self.outcome.map(Outcome::as_str))
            && is("tier", self.tier.map(Tier::as_str))
            && is("agent", self.agent.as_deref())
            && self.wants_tool(record)
            && self.wants_server(record)
            && self
                .since
                .is_none_or(|since| record.at().is_some_and(|at| at >= since))
    }

    fn wants_tool(&self, record: &Record<'_>) -> bool {
        let tool = record.text("tool").unwrap_or_default();
        self.tool
            .as_ref()
            .is_none_or(|pattern| pattern.matches(&tool))
    }

    fn wants_server(&self, record: &Record<'_>) -> bool {
        let Some(wanted) = &self.server else {
            return true;
        };
        if let Some(server) = record.text("server") {
            return server == wanted.as_str();
        }
        let tool = record.text("tool").unwrap_or_default();
        tool.strip_prefix(wanted.as_str())
            .is_some_and(|rest| rest.starts_with('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::super::chain::Head;
    use super::super::event::{Event, Kind};
    use super::super::line::Scribe;
    use super::*;
    use crate::json::Text;

    #[track_caller]
    fn check(filter: &Filter, wanted: bool) {
        let tool = Text::from("notes.read");
        let event = Event {
            agent: "claude",
            outcome: Some(Outcome::Allow),
            tier: Some(Tier::Routine),
            tool: Some(&tool),
            ..Event::of(Kind::Decision)
        };
        let mut scribe = Scribe::default();
        scribe.write(&event, &Head::GENESIS, Timestamp::from_millis(1000));
        let record = Record::parse(scribe.line().as_bytes()).unwrap();
        assert_eq!(filter.wants(&record), wanted, "{filter:?}");
    }

    fn tool(pattern: &str) -> Filter {
        Filter {
            tool: Some(Pattern::name(pattern).unwrap()),
            ..Filter::default()
        }
    }

    fn server(name: &str) -> Filter {
        Filter {
            server: Some(name.to_owned()),
            ..Filter::default()
        }
    }

    fn since(millis: i64) -> Filter {
        Filter {
            since: Some(Timestamp::from_millis(millis)),
            ..Filter::default()
        }
    }

    #[test]
    fn every_condition_must_hold() {
        check(&Filter::default(), true);
        check(&tool("notes.*"), true);
        check(&tool("note"), false);
        check(&server("notes"), true);
        check(&server("note"), false);
        check(&since(1000), true);
        check(&since(1001), false);
        check(
            &Filter {
                outcome: Some(Outcome::Deny),
                ..Filter::default()
            },
            false,
        );
        check(
            &Filter {
                tier: Some(Tier::Critical),
                ..tool("*")
            },
            false,
        );
        check(
            &Filter {
                agent: Some("claude".into()),
                ..tool("*")
            },
            true,
        );
    }
}
