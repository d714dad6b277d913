//! What is legal and hardly meant.

mod fail_open;
mod packs;
pub mod patterns;

use std::collections::BTreeSet;

use knotrust_core::{
    glob::Token,
    ruleset::{Effect, Source, Unlisted},
};

use crate::{
    problem::{Code, Problem, shown},
    rank::Ranked,
    resolved::{Bound, Resolved},
};

/// Finds what an author will want to know about a ruleset without errors.
pub(crate) fn find(resolved: &Resolved, ranked: &Ranked) -> Vec<Problem> {
    let mut problems = Vec::new();
    roles(resolved, &mut problems);
    unlisted(resolved, &mut problems);
    patterns::find(resolved, ranked, &mut problems);
    packs::find(resolved, ranked, &mut problems);
    fail_open::find(resolved, ranked, &mut problems);
    problems
}

/// Roles that nobody has.
fn roles(resolved: &Resolved, problems: &mut Vec<Problem>) {
    let known: BTreeSet<&str> = resolved
        .approvals
        .reviewers
        .iter()
        .map(|reviewer| reviewer.role.as_str())
        .collect();
    for rule in &resolved.approvals.rules {
        if !known.contains(rule.required_role.as_str()) {
            let role = shown(&rule.required_role);
            problems.push(
                Problem::new(
                    Code::NoReviewer,
                    format!("no reviewer has the role `{role}`, so nobody can satisfy this rule"),
                )
                .at(rule.span, "asks for it")
                .help(format!(
                    "name one: `approvals.reviewers: [{{ name: …, role: {role} }}]`"
                )),
            );
        }
    }
    let routes = [
        (
            "gates.confidence",
            resolved
                .gates
                .confidence
                .as_ref()
                .and_then(|confidence| confidence.route.as_ref()),
        ),
        ("gates.conformance", resolved.gates.conformance.as_ref()),
    ];
    for (whose, route) in routes {
        let Some(route) = route.filter(|route| !known.contains(route.role.as_str())) else {
            continue;
        };
        let role = shown(&route.role);
        problems.push(
            Problem::new(
                Code::NoReviewer,
                format!("no reviewer has the role `{role}`, to which `{whose}` sends questions"),
            )
            .at(route.span, "asks for it")
            .help(format!(
                "name one: `approvals.reviewers: [{{ name: …, role: {role} }}]`"
            )),
        );
    }
}

/// Patterns for servers that are not listed, where only listed ones may be called.
fn unlisted(resolved: &Resolved, problems: &mut Vec<Problem>) {
    if resolved.unlisted == Unlisted::Allow {
        return;
    }
    let servers: BTreeSet<&str> = resolved
        .servers
        .iter()
        .map(|server| server.name.as_str())
        .collect();
    for bound in lenient(resolved) {
        let named: Option<Vec<String>> = bound
            .pattern
            .globs()
            .map(|glob| server_of(glob.tokens()))
            .collect();
        let Some(named) = named else { continue };
        let unknown = named.iter().find(|name| !servers.contains(name.as_str()));
        if let (Some(name), true) = (
            unknown,
            named.iter().all(|name| !servers.contains(name.as_str())),
        ) {
            problems.push(
                Problem::new(
                    Code::UnlistedServer,
                    format!(
                        "the server `{}` is not listed, and calls to such servers are denied",
                        shown(name)
                    ),
                )
                .at(bound.span, "never decides")
                .help("list it under `servers`, or write `unlistedServers: allow`"),
            );
        }
    }
}

/// The ruleset's own patterns that say something other than no.
fn lenient(resolved: &Resolved) -> impl Iterator<Item = &Bound> {
    let rules = resolved
        .rules
        .iter()
        .filter(|rule| rule.source == Source::Own && rule.effect != Effect::Deny);
    let rules = rules.flat_map(|rule| &rule.patterns);
    let approvals = resolved.approvals.rules.iter().flat_map(|rule| &rule.tools);
    let domains = resolved.domains.iter().flat_map(|domain| &domain.tools);
    rules
        .chain(approvals)
        .chain(domains)
        .chain(&resolved.fail_open)
}

/// The server that a pattern names, if it names one: what stands before the first dot.
fn server_of<'a>(tokens: impl Iterator<Item = Token<'a>>) -> Option<String> {
    let mut name = String::new();
    for token in tokens {
        match token {
            Token::Char('.') => return Some(name),
            Token::Char(char) => name.push(char),
            Token::One
            | Token::Class(_)
            | Token::Star
            | Token::Deep
            | Token::Folders
            | Token::Below => return None,
        }
    }
    None
}
