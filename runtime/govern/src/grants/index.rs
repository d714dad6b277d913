//! From a call to the names of the grants that may cover it.
//!
//! Most grants speak of one principal, one tool, one resource. What they speak of is hashed to a key, and a call has some
//! twenty keys under which a grant that covers it can lie; so a decision among 100,000 grants looks at a few. An index is
//! only ever a hint: it is made from claims that nobody has verified, and whatever it points to is verified before it
//! counts. A grant that it misses is a grant that does not count.

use std::collections::BTreeMap;

use knotrust_core::grant::{AgentScope, Call, Claims, IdPattern, ToolPattern};

/// Names of grants by what they speak of.
#[derive(Debug, Default)]
pub(super) struct Index {
    // INVARIANT: equally long, sorted by key and then by name. Apart, so that a search reads keys and nothing else.
    keys: Vec<Key>,
    names: Vec<Box<str>>,
}

/// The hash of what a grant speaks of.
pub(super) type Key = u64;

impl Index {
    /// An index over entries in any order.
    pub(super) fn new(mut entries: Vec<(Key, Box<str>)>) -> Self {
        entries.sort_unstable();
        entries.dedup();
        let (keys, names) = entries.into_iter().unzip();
        Self { keys, names }
    }

    /// Adds a grant.
    pub(super) fn insert(&mut self, key: Key, name: &str) {
        if let Err(at) = self.place(key, name) {
            self.keys.insert(at, key);
            self.names.insert(at, name.into());
        }
    }

    /// Takes a grant out.
    pub(super) fn remove(&mut self, key: Key, name: &str) {
        if let Ok(at) = self.place(key, name) {
            self.keys.remove(at);
            self.names.remove(at);
        }
    }

    /// All entries, sorted.
    pub(super) fn entries(&self) -> impl Iterator<Item = (Key, &str)> {
        let names = self.names.iter().map(|name| &**name);
        self.keys.iter().copied().zip(names)
    }

    /// Every name with its key.
    pub(super) fn by_name(&self) -> BTreeMap<&str, Key> {
        self.entries().map(|(key, name)| (name, key)).collect()
    }

    /// The names of grants that may cover the call, in order, each once.
    pub(super) fn candidates(&self, call: &Call<'_>) -> Vec<Box<str>> {
        let mut names = Vec::new();
        if self.keys.is_empty() {
            return names;
        }
        each_key(call, |key| {
            let start = self.keys.partition_point(|known| *known < key);
            let rest = self.keys.get(start..).unwrap_or_default();
            let same = rest.iter().take_while(|known| **known == key).count();
            let found = self.names.get(start..start + same).unwrap_or_default();
            names.extend_from_slice(found);
        });
        names.sort_unstable();
        names.dedup();
        names
    }

    fn place(&self, key: Key, name: &str) -> Result<usize, usize> {
        let at = self.keys.partition_point(|known| *known < key);
        let rest = self.keys.get(at..).unwrap_or_default();
        let same = rest.iter().take_while(|known| **known == key).count();
        let names = self.names.get(at..at + same).unwrap_or_default();
        match names.binary_search_by(|known| (**known).cmp(name)) {
            Ok(within) => Ok(at + within),
            Err(within) => Err(at + within),
        }
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
            let mut index = Index::default();
            let key = key_of(&claims);
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
