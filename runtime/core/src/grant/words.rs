//! A grant in words, for whoever is about to sign it.

use super::bounds::Bounds;
use super::claims::{AgentScope, Claims, Conditions, IdPattern, Kind, Scope};
use super::tool::ToolPattern;
use crate::time::Timestamp;

/// What the grant allows, a line a fact. Names come out inert: control and invisible characters are written as escapes.
#[must_use]
pub fn in_words(claims: &Claims) -> Vec<String> {
    let mut lines = vec![
        format!("{} may call {}", who(claims), tools(&claims.tool)),
        resources(&claims.scope),
        format!("up to the tier {}", claims.cap),
    ];
    match &claims.conditions {
        Conditions::None => {}
        Conditions::Bounds(bounds) => lines.extend(bounded(bounds)),
        Conditions::Unsupported => {
            lines.push("under conditions that are not known here".to_owned())
        }
    }
    match (&claims.kind, claims.single_use) {
        (Kind::Ephemeral { .. }, _) => {
            lines.push("for exactly one call, which was approved".to_owned())
        }
        (Kind::Durable, true) => lines.push("once".to_owned()),
        (Kind::Durable, false) => {}
    }
    if let Some(start) = claims.not_before {
        lines.push(format!("from {}", moment(start)));
    }
    lines.push(format!("until {}", moment(claims.expires)));
    lines
}

fn who(claims: &Claims) -> String {
    let principal = &claims.principal;
    let agent = match &claims.agent {
        AgentScope::Any => "any agent".to_owned(),
        AgentScope::Named(agent) => format!("the agent {} ({})", quoted(&agent.id), agent.kind),
    };
    format!("{agent} of {} {}", principal.kind, quoted(&principal.id))
}

fn tools(tool: &ToolPattern) -> String {
    match tool {
        ToolPattern::All => "every tool of every server".to_owned(),
        ToolPattern::Namespace(prefix) => {
            format!("every tool whose name begins with {}", quoted(prefix))
        }
        ToolPattern::Exact(name) => quoted(name),
        ToolPattern::Rule(pattern) => format!("every tool whose name matches {}", quoted(pattern)),
    }
}

fn resources(scope: &Scope) -> String {
    let kind = match &scope.resource_type {
        Some(kind) => format!("resources of type {}", quoted(kind)),
        None => "resources of any type".to_owned(),
    };
    match &scope.id {
        None => format!("on all {kind}"),
        Some(IdPattern::Prefix(prefix)) if prefix.is_empty() => format!("on all {kind}"),
        Some(IdPattern::Prefix(prefix)) => {
            format!("on {kind} whose id begins with {}", quoted(prefix))
        }
        Some(IdPattern::Exact(id)) => format!("on {kind} with the id {}", quoted(id)),
    }
}

fn bounded(bounds: &Bounds) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(when) = &bounds.when {
        lines.push(format!("only while the arguments fit {}", when.to_text()));
    }
    match bounds.uses {
        Some(1) => lines.push("once".to_owned()),
        Some(uses) => lines.push(format!("{uses} times")),
        None => {}
    }
    for limit in &bounds.limits {
        let pointer = quoted(&limit.pointer);
        lines.push(format!(
            "while {pointer} comes to at most {} in all uses together",
            limit.most
        ));
    }
    if let Some(session) = &bounds.session {
        lines.push(format!("in the session {}", quoted(session)));
    }
    if let Some(hours) = &bounds.hours {
        lines.push(format!("only {hours}"));
    }
    lines
}

fn moment(second: u64) -> Timestamp {
    Timestamp::from_seconds(i64::try_from(second).unwrap_or(i64::MAX))
}

fn quoted(text: &str) -> String {
    format!("`{}`", text.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::super::claims::Claims;
    use super::*;
    use crate::json::parse;

    #[track_caller]
    fn check(payload: &str, expected: &[&str]) {
        let payload = parse(payload.as_bytes()).unwrap();
        assert_eq!(in_words(&Claims::read(&payload).unwrap()), expected);
    }

    #[test]
    fn a_plain_grant_is_four_lines() {
        check(
            r#"{"v":1,"jti":"01","iat":1,"exp":1800000000,"iss":"i","k":"durable","su":false,
            "p":{"type":"user","id":"dev"},"ag":"*","t":"github.*","s":{},"r":"sensitive","es":"personal"}"#,
            &[
                "any agent of user `dev` may call every tool whose name begins with `github.`",
                "on all resources of any type",
                "up to the tier sensitive",
                "until 2027-01-15T08:00:00.000Z",
            ],
        );
    }

    #[test]
    fn every_bound_is_named_and_names_are_inert() {
        check(
            r#"{"v":1,"jti":"01","iat":1,"exp":1800000000,"nbf":1799996400,"iss":"i","k":"durable","su":true,
            "p":{"type":"user","id":"d\u202ev"},"ag":{"id":"claude","type":"ai_agent"},"t":"pay.{a,b}",
            "s":{"resourceType":"charge","idPattern":"ch_*"},
            "c":{"tools":"rule","when":{"/currency":{"eq":"usd"}},"uses":3,"limit":{"/amount":99.5},
              "session":"ses_1","hours":{"from":"08:00","to":"18:00","offset":"+02:00","days":["mon","tue"]}},
            "r":"critical","es":"personal"}"#,
            &[
                r"the agent `claude` (ai_agent) of user `d\u{202e}v` may call every tool whose name matches `pay.{a,b}`",
                "on resources of type `charge` whose id begins with `ch_`",
                "up to the tier critical",
                r#"only while the arguments fit {"/currency":{"eq":"usd"}}"#,
                "3 times",
                "while `/amount` comes to at most 99.5 in all uses together",
                "in the session `ses_1`",
                "only from 08:00 to 18:00 UTC+02:00 on mon, tue",
                "once",
                "from 2027-01-15T07:00:00.000Z",
                "until 2027-01-15T08:00:00.000Z",
            ],
        );
    }
}
