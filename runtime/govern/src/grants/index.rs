//! From a call to the names of the grants that may cover it.
//!
//! Most grants speak of one principal, one tool, one resource. What they speak of is hashed to a key, and a call has some
//! twenty keys under which a grant that covers it can lie; so a decision among 100,000 grants looks at a few. An index is
//! only ever a hint: it is made from claims that nobody has verified, and whatever it points to is verified before it
//! counts. A grant that it misses is a grant that does not count.

use std::collections::BTreeSet;

use knotrust_core::grant::{AgentScope, Call, Claims, IdPattern, ToolPattern};

use super::table::Table;

/// Names of grants by what they speak of.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// What was known when the folder was last looked through.
    table: Table,
    /// What came since, sorted.
    added: Vec<(Key, Box<str>)>,
    /// What went since.
    removed: BTreeSet<(Key, Box<str>)>,
}

/// The hash of what a grant speaks of.
pub(super) type Key = u64;

impl Index {
    /// An index over a table.
    pub(super) const fn of(table: Table) -> Self {
        Self {
            table,
            added: Vec::new(),
            removed: BTreeSet::new(),
        }
    }

    /// Adds a grant.
    pub(super) fn insert(&mut self, key: Key, name: &str) {
        let entry = (key, name.into());
        if self.removed.remove(&entry) {
            return;
        }
        if let Err(at) = self.added.binary_search(&entry) {
            self.added.insert(at, entry);
        }
    }

    /// Takes a grant out.
    pub(super) fn remove(&mut self, key: Key, name: &str) {
        let entry = (key, name.into());
        match self.added.binary_search(&entry) {
            Ok(at) => drop(self.added.remove(at)),
            Err(_) => drop(self.removed.insert(entry)),
        }
    }

    /// How many changes there were since the folder was last looked through.
    pub(super) fn changes(&self) -> usize {
        self.added.len() + self.removed.len()
    }

    /// All entries, in no order.
    pub(super) fn entries(&self) -> impl Iterator<Item = (Key, &str)> {
        let is_there =
            |entry: &(Key, &str)| self.removed.is_empty() || !self.was_removed(entry.0, entry.1);
        let added = self.added.iter().map(|(key, name)| (*key, &**name));
        self.table.entries().filter(is_there).chain(added)
    }

    /// The names of grants that may cover the call, in order, each once.
    pub(super) fn candidates(&self, call: &Call<'_>) -> Vec<Box<str>> {
        let mut names: Vec<Box<str>> = Vec::new();
        each_key(call, |key| {
            for name in self.table.under(key) {
                if self.removed.is_empty() || !self.was_removed(key, name) {
                    names.push(name.into());
                }
            }
            let start = self.added.partition_point(|(known, _)| *known < key);
            let rest = self.added.iter().skip(start);
            let same = rest.take_while(|(known, _)| *known == key);
            names.extend(same.map(|(_, name)| name.clone()));
        });
        names.sort_unstable();
        names.dedup();
        names
    }

    fn was_removed(&self, key: Key, name: &str) -> bool {
        self.removed.contains(&(key, name.into()))
    }
}

/// The key under which a grant lies.
pub(super) fn key_of(claims: &Claims) -> Key {
    let agent = match &claims.agent {
        AgentScope::Any => None,
        AgentScope::Named(agent) => Some((agent.kind.as_str(), agent.id.as_str())),
    };
    let id = match &claims.scope.id {
        Some(IdPattern::Exact(id)) => Some(id.as_bytes()),
        Some(IdPattern::Prefix(_)) | None => None,
    };
    let principal = (claims.principal.kind.as_str(), claims.principal.id.as_str());
    let hash = Hash::of(principal, agent, id);
    match &claims.tool {
        ToolPattern::All => hash.all(),
        ToolPattern::Namespace(prefix) => hash.within(prefix.as_bytes()),
        ToolPattern::Exact(name) => hash.exactly(name.as_bytes()),
        ToolPattern::Rule(pattern) => hash.by_rule(first_segment(pattern).as_bytes()),
    }
}

/// Every key under which a grant that covers the call can lie.
fn each_key(call: &Call<'_>, mut then: impl FnMut(Key)) {
    let request = call.request;
    let principal = (request.subject.kind.as_str(), &*request.subject.id);
    let agent = &request.context.agent;
    let agent = (agent.kind.as_str(), &*agent.id);
    let id = request.resource.id.as_bytes();
    let name = request.action.name.as_bytes();
    for agent in [None, Some(agent)] {
        for id in [None, Some(id)] {
            let hash = Hash::of(principal, agent, id);
            then(hash.all());
            then(hash.exactly(name));
            then(hash.by_rule(b""));
            let dots = (1..).zip(name).filter(|(_, byte)| **byte == b'.');
            for (index, (end, _)) in dots.enumerate() {
                let space = name.get(..end).unwrap_or_default();
                then(hash.within(space));
                if index == 0 {
                    then(hash.by_rule(space));
                }
            }
        }
    }
}

/// What every name that the pattern matches begins with, up to its first dot; nothing if that is open.
fn first_segment(pattern: &str) -> &str {
    let plain = pattern
        .split(['*', '?', '[', '{', '\\'])
        .next()
        .unwrap_or_default();
    match plain.find('.') {
        Some(dot) => plain.get(..=dot).unwrap_or_default(),
        None => "",
    }
}

/// FNV-1a: short, the same in every build, and not in need of being more. Whoever could aim at collisions could write
/// grants, and a collision only costs a look at a grant that does not fit.
#[derive(Clone, Copy)]
struct Hash(u64);

impl Hash {
    fn of(principal: (&str, &str), agent: Option<(&str, &str)>, id: Option<&[u8]>) -> Self {
        let start = Self(0xcbf2_9ce4_8422_2325)
            .text(principal.0.as_bytes())
            .text(principal.1.as_bytes());
        let agent = match agent {
            Some((kind, id)) => start.byte(1).text(kind.as_bytes()).text(id.as_bytes()),
            None => start.byte(0),
        };
        match id {
            Some(id) => agent.byte(1).text(id),
            None => agent.byte(0),
        }
    }

    const fn all(self) -> Key {
        self.byte(0).0
    }

    fn exactly(self, name: &[u8]) -> Key {
        self.byte(1).text(name).0
    }

    fn within(self, prefix: &[u8]) -> Key {
        self.byte(2).text(prefix).0
    }

    fn by_rule(self, segment: &[u8]) -> Key {
        self.byte(3).text(segment).0
    }

    fn text(self, text: &[u8]) -> Self {
        // No text holds 0xFF, so the end of one is not the middle of another.
        text.iter()
            .fold(self, |hash, byte| hash.byte(*byte))
            .byte(0xFF)
    }

    const fn byte(self, byte: u8) -> Self {
        Self((self.0 ^ byte as u64).wrapping_mul(0x0100_0000_01b3))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::grants::testing::{claims, with_call};

    #[test]
    fn the_first_segment_is_what_all_matches_share() {
        for (pattern, expected) in [
            ("a.b*", "a."),
            ("a.b.c*", "a."),
            ("a*.b", ""),
            ("*.read", ""),
            ("{a,b}.c", ""),
            (r"a\.b.*", ""),
            ("a.", "a."),
        ] {
            assert_eq!(first_segment(pattern), expected, "{pattern}");
        }
    }

    fn tool() -> impl Strategy<Value = ToolPattern> {
        let names = prop_oneof!["[ab]{1,2}", "[ab]\\.[ab]", "[ab]\\.[ab]\\.[ab]"];
        let patterns = prop_oneof![
            Just("*".to_owned()),
            "[ab]\\.\\*",
            "[ab]\\.[ab]\\.\\*",
            "[ab]\\.[ab]\\*",
            "\\*\\.[ab]",
            "\\{a,b\\}\\.[ab]",
            "[ab]\\?[ab]",
        ];
        prop_oneof![names, patterns].prop_map(|text| ToolPattern::of_rule(&text).unwrap())
    }

    proptest! {
        #[test]
        fn whatever_covers_a_call_is_found(
            tool in tool(),
            agent in prop_oneof![Just(None), "[cd]".prop_map(Some)],
            id in prop_oneof![Just(None), "[ef]{1,2}".prop_map(Some), Just(Some("e*".to_owned()))],
            name in prop_oneof!["[ab]{1,2}", "[ab]\\.[ab]", "[ab]\\.[ab]\\.[ab]"],
            caller in "[cd]",
            resource in "[ef]{1,2}",
        ) {
            let claims = claims("01", tool, agent.as_deref(), id.as_deref());
            let key = key_of(&claims);
            let mut index = Index::of(Table::of(vec![(key, "01".into())]));
            index.remove(key, "01");
            prop_assert_eq!(index.entries().count(), 0);
            index.insert(key, "01");
            let (found, fits) = with_call(&name, &caller, &resource, |call| {
                let tool = claims.tool.matches(&call.request.action.name);
                let agent = agent.as_deref().is_none_or(|agent| agent == caller);
                let id = claims.scope.id.as_ref();
                let id = id.is_none_or(|id| id.matches(&call.request.resource.id));
                (index.candidates(call).len(), tool && agent && id)
            });
            prop_assert!(found == 1 || !fits);
            index.remove(key, "01");
            prop_assert_eq!(index.entries().count(), 0);
        }
    }
}
