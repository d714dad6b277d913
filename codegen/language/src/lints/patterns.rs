//! Patterns and ranks that are legal and hardly meant.

use std::collections::BTreeMap;

use knotrust_core::{
    glob::{Glob, Pattern, Token},
    ruleset::Source,
};

use crate::{
    located::Span,
    problem::{Code, Problem, shown},
    rank::{Overlap, Ranked, Shadowed},
    resolved::{Bound, Resolved, Rule},
};

/// So many rules are named that decide in the stead of another.
const MOST_NAMED: usize = 3;

/// Files that stand beside others of a like name: who means one means them too.
const FAMILIES: [(&str, &str); 1] = [("env", "local")];

pub(super) fn find(resolved: &Resolved, ranked: &Ranked, problems: &mut Vec<Problem>) {
    let rules = &resolved.rules;
    problems.extend(
        ranked
            .shadowed
            .iter()
            .filter_map(|found| shadowed(rules, found)),
    );
    overlaps(rules, ranked, problems);
    let bounds = own_bounds(resolved);
    problems.extend(bounds.filter_map(|bound| open_server(&bound.pattern, bound.span)));
}

/// A rule that can never decide. That a pack's rule is overruled by own ones is what own ones are for.
fn shadowed(rules: &[Rule], found: &Shadowed) -> Option<Problem> {
    let rule = rules.get(found.rule)?;
    let by: Vec<&Rule> = found.by.iter().filter_map(|by| rules.get(*by)).collect();
    if rule.source == Source::Pack && by.iter().any(|by| by.source == Source::Own) {
        return None;
    }
    let message = format!("the rule for `{}` can never decide", shown(&rule.text()));
    let problem = Problem::new(Code::Shadowed, message).at(rule.span, "this rule");
    let saying = match by.as_slice() {
        [_] => "decides whatever it matches",
        _ => "decides some of what it matches",
    };
    let labelled = by.iter().take(MOST_NAMED);
    let problem = labelled.fold(problem, |problem, by| problem.at(by.span, saying));
    Some(problem.help("remove it, or narrow what decides in its stead"))
}

fn overlaps(rules: &[Rule], ranked: &Ranked, problems: &mut Vec<Problem>) {
    let overlaps = &ranked.overlaps;
    let listed: Vec<Problem> = overlaps
        .listed
        .iter()
        .filter_map(|found| overlap(rules, found))
        .collect();
    if (overlaps.more > 0 || overlaps.uncounted) && !listed.is_empty() {
        let more = overlaps.more;
        let least = if overlaps.uncounted { "at least " } else { "" };
        let message = format!("{least}{more} more pairs of patterns overlap like these");
        problems.push(Problem::new(Code::Overlap, message));
    }
    problems.extend(listed);
}

/// Two rules of which either could decide. Those of packs are none of the author's.
fn overlap(rules: &[Rule], found: &Overlap) -> Option<Problem> {
    let (stricter, laxer) = (rules.get(found.stricter)?, rules.get(found.laxer)?);
    if stricter.source == Source::Pack {
        return None;
    }
    let example = shown(&found.example);
    let message = format!("two rules match `{example}`, and neither is the narrower");
    let help = format!(
        "if that is not what is meant, add a rule for both: `{example}`, or a pattern within the two"
    );
    let problem = Problem::new(Code::Overlap, message)
        .at(laxer.span, "does not decide what both match")
        .at(stricter.span, "decides it, being the stricter")
        .help(help);
    Some(problem)
}

/// The ruleset's own patterns over the names of actions.
fn own_bounds(resolved: &Resolved) -> impl Iterator<Item = &Bound> {
    let own = resolved
        .rules
        .iter()
        .filter(|rule| rule.source == Source::Own);
    let envelope = &resolved.envelope;
    let approvals = resolved.approvals.rules.iter().flat_map(|rule| &rule.tools);
    own.flat_map(|rule| &rule.patterns)
        .chain(&envelope.deny)
        .chain(&envelope.force_tools)
        .chain(envelope.floors.iter().map(|(bound, _)| bound))
        .chain(approvals)
        .chain(&resolved.fail_open)
}

/// `github*`, which means other servers too.
fn open_server(pattern: &Pattern, span: Span) -> Option<Problem> {
    let (start, glob) = pattern
        .globs()
        .find_map(|glob| Some((server_start(glob)?, glob)))?;
    let message = format!(
        "`{}` is broader than it looks: it also matches `{}x.y`, a tool of another server",
        shown(pattern.text()),
        shown(&start)
    );
    let rest = glob.text().strip_prefix(&start).unwrap_or_default();
    let help = format!(
        "for the tools of one server write `{}.{}`",
        shown(&start),
        shown(rest)
    );
    Some(
        Problem::new(Code::Broad, message)
            .at(span, "no dot after the server")
            .help(help),
    )
}

/// The text before the first star, if no dot follows it or stands in it.
fn server_start(glob: Glob<'_>) -> Option<String> {
    let mut start = String::new();
    let mut tokens = glob.tokens();
    for token in tokens.by_ref() {
        match token {
            Token::Char('.') => return None,
            Token::Char(c) => start.push(c),
            Token::Deep => break,
            Token::One | Token::Class(_) | Token::Star | Token::Folders | Token::Below => {
                return None;
            }
        }
    }
    let dotted = tokens.any(|token| token == Token::Char('.'));
    (!start.is_empty() && !dotted).then_some(start)
}

/// `**/*.env`, which does not mean `.env.local`.
pub(crate) fn narrow_path(pattern: &Pattern, span: Span) -> Option<Problem> {
    let (ending, sibling) = pattern.globs().find_map(family)?;
    let name = format!(".{ending}.{sibling}");
    let message = format!("`{}` does not match `{name}`", shown(pattern.text()));
    let help = format!(
        "if that is meant too, add `{}`",
        shown(
            &pattern
                .text()
                .replace(&format!("*.{ending}"), &format!("*.{ending}*"))
        )
    );
    Some(
        Problem::new(Code::Narrow, message)
            .at(span, "ends there")
            .help(help),
    )
}

fn family(glob: Glob<'_>) -> Option<(&'static str, &'static str)> {
    let last = glob.text().rsplit('/').next()?;
    FAMILIES
        .into_iter()
        .find(|(ending, _)| last.strip_prefix("*.") == Some(ending))
}

/// A pattern that matches no tool of the servers it speaks of, as far as their tools are known.
#[derive(Clone, Debug)]
pub struct Unmatched<'a> {
    /// The pattern, and where it stands.
    pub bound: &'a Bound,
    /// The name of an action that is much like it.
    pub nearest: Option<String>,
}

/// Finds the ruleset's own patterns that match no tool, given the tools of some servers.
///
/// A pattern is judged if every server it can speak of is among these: one that begins with a server's name and a dot by that
/// server, any other only if the tools of all listed servers are known.
pub fn unmatched<'a>(
    resolved: &'a Resolved,
    inventory: &BTreeMap<String, Vec<String>>,
) -> Vec<Unmatched<'a>> {
    let actions: Vec<String> = inventory
        .iter()
        .flat_map(|(server, tools)| tools.iter().map(move |tool| format!("{server}.{tool}")))
        .collect();
    let all_known = resolved
        .servers
        .iter()
        .all(|server| inventory.contains_key(&server.name));
    let judged = |bound: &&Bound| {
        bound
            .pattern
            .globs()
            .all(|glob| match super::server_of(glob.tokens()) {
                Some(server) => inventory.contains_key(&server),
                None => all_known && !resolved.servers.is_empty(),
            })
    };
    let idle = own_bounds(resolved)
        .filter(judged)
        .filter(|bound| !actions.iter().any(|name| bound.pattern.matches(name)));
    idle.map(|bound| Unmatched {
        bound,
        nearest: nearest(bound.pattern.text(), &actions),
    })
    .collect()
}

/// The same, as problems.
pub(crate) fn idle(resolved: &Resolved, inventory: &BTreeMap<String, Vec<String>>) -> Vec<Problem> {
    let problem = |found: Unmatched<'_>| {
        let pattern = shown(found.bound.pattern.text());
        let message = format!("`{pattern}` matches no tool that its servers have listed");
        let help = match found.nearest {
            Some(name) => format!("did you mean `{}`?", shown(&name)),
            None => "`knotrust inventory list` shows what they list".to_owned(),
        };
        Problem::new(Code::Idle, message)
            .at(found.bound.span, "matches nothing")
            .help(help)
    };
    unmatched(resolved, inventory)
        .into_iter()
        .map(problem)
        .collect()
}

fn nearest(text: &str, actions: &[String]) -> Option<String> {
    let likeness = |name: &&String| strsim::jaro_winkler(text, name);
    let best = actions
        .iter()
        .max_by(|one, two| likeness(one).total_cmp(&likeness(two)))?;
    (strsim::jaro_winkler(text, best) > 0.8).then(|| best.clone())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::check_str;

    #[track_caller]
    fn check(inventory: &[(&str, &[&str])], expected: &[(&str, Option<&str>)]) {
        let text = "apiVersion: knotrust/v1\nkind: Ruleset\nmetadata: { name: idle, version: 1 }\n\
            servers:\n  fs: { command: [fs] }\n  git: { command: [git] }\n\
            tiers:\n  rules:\n    - { match: [fs.read_*, fs.raed_file], tier: routine }\n    \
            - { match: ['*.drop_*', git.log], tier: critical }\n";
        let (checked, _) = check_str("knotrust.yaml", text, Path::new(""));
        let checked = checked.expect("the rules compile");
        let inventory = inventory.iter().map(|(server, tools)| {
            let tools = tools.iter().map(|tool| (*tool).to_owned());
            ((*server).to_owned(), tools.collect())
        });
        let inventory = inventory.collect();
        let found = unmatched(checked.resolved(), &inventory);
        let found: Vec<_> = found
            .iter()
            .map(|found| (found.bound.pattern.text(), found.nearest.as_deref()))
            .collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn only_patterns_whose_servers_are_known_are_idle() {
        check(&[], &[]);
        let fs: (&str, &[&str]) = ("fs", &["read_file", "write_file"]);
        let mistyped = ("fs.raed_file", Some("fs.read_file"));
        check(&[fs], &[mistyped]);
        check(&[fs, ("git", &["log"])], &[mistyped, ("*.drop_*", None)]);
        check(&[fs, ("git", &["log", "drop_ref"])], &[mistyped]);
    }
}
