//! Decisions that may be repeated instead of made again.
//!
//! A remembered decision is worth something only if it is the decision that would be made now. So the key holds whatever
//! a decision depends on and can differ between two calls, and an entry ends no later than the first moment at which a
//! grant that was weighed begins or ends. Critical decisions are never remembered.

use std::collections::BTreeMap;

use sha2::{Digest, Sha256};

use crate::case::Case;
use crate::decision::Decision;
use crate::ruleset::CacheTimes;
use crate::time::Timestamp;

/// What a decision depends on, beside the case and the time.
#[derive(Clone, Copy, Debug)]
pub struct Facts<'a> {
    /// The exact hash of the call ([`crate::exact::call_hash`]): subject, action, resource, agent and arguments.
    pub call: &'a str,
    /// The version of the grant set.
    pub grants: u64,
    /// The version of the session's plans.
    pub plans: u64,
    /// The session, which grants may name.
    pub session: Option<&'a str>,
}

/// The key of a decision.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub struct Key([u64; 4]);

/// Remembered decisions, the least recently used of which make room for new ones.
#[derive(Debug)]
pub struct Cache {
    entries: BTreeMap<Key, Entry>,
    /// When each entry was last used: from the oldest to the newest.
    order: BTreeMap<u64, Key>,
    clock: u64,
    bytes: usize,
    most: usize,
}

#[derive(Debug)]
struct Entry {
    decision: Decision,
    since: Timestamp,
    until: Timestamp,
    used: u64,
}

impl Key {
    /// The key of a decision on this case and these facts.
    ///
    /// What the policy says is found anew for every call and is part of the key: an equal call may touch other places,
    /// once a link leads elsewhere, and a server may say other things of its tool.
    #[must_use]
    pub fn of(case: &Case<'_>, facts: &Facts<'_>) -> Self {
        let mut hash = Sha256::new();
        hash.update(facts.grants.to_le_bytes());
        hash.update(facts.plans.to_le_bytes());
        hash.update([u8::from(facts.session.is_some())]);
        for text in [
            case.ruleset.digest,
            facts.call,
            facts.session.unwrap_or_default(),
        ] {
            hash.update((text.len() as u64).to_le_bytes());
            hash.update(text);
        }
        add_case(&mut hash, case);
        // As numbers, which compare in one step each.
        let digest: [u8; 32] = hash.finalize().into();
        let (words, _) = digest.as_chunks::<8>();
        let mut key = [0; 4];
        for (part, word) in key.iter_mut().zip(words) {
            *part = u64::from_le_bytes(*word);
        }
        Self(key)
    }
}

fn add_case(hash: &mut Sha256, case: &Case<'_>) {
    hash.update([
        case.tier as u8,
        u8::from(case.forced),
        u8::from(case.unlisted),
        u8::from(case.own_place),
    ]);
    for rank in [
        case.denied_by,
        case.allowed_by,
        case.envelope_deny,
        case.tier_source.rule(),
    ] {
        hash.update(rank.map_or(u64::MAX, u64::from).to_le_bytes());
    }
    hash.update(case.tier_source.as_str());
    for list in [&case.domains, &case.approvals] {
        hash.update((list.len() as u64).to_le_bytes());
        for index in list {
            hash.update(index.to_le_bytes());
        }
    }
}

impl Cache {
    /// A cache of at most that many bytes.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self {
            entries: BTreeMap::new(),
            order: BTreeMap::new(),
            clock: 0,
            bytes: 0,
            most,
        }
    }

    /// The decision that was made on these facts, if it is still the one that would be made.
    pub fn get(&mut self, key: Key, now: Timestamp) -> Option<&Decision> {
        let entry = self.entries.get(&key)?;
        // A clock that was set back says nothing about how old an entry is.
        if now < entry.since || now >= entry.until {
            self.remove(key);
            return None;
        }
        let entry = self.entries.get_mut(&key)?;
        // What was used last stays the last used.
        if entry.used < self.clock {
            self.order.remove(&entry.used);
            self.clock += 1;
            entry.used = self.clock;
            self.order.insert(self.clock, key);
        }
        Some(&entry.decision)
    }

    /// Remembers a decision, if it may be remembered at all.
    ///
    /// `settled` is the first moment at which the evidence may be another, if there is one.
    pub fn put(
        &mut self,
        key: Key,
        decision: &Decision,
        now: Timestamp,
        times: CacheTimes,
        settled: Option<Timestamp>,
    ) {
        self.remove(key);
        let Some(until) = end(decision, now, times, settled) else {
            return;
        };
        let size = weight(decision);
        if size > self.most {
            return;
        }
        while self.bytes + size > self.most {
            let Some((_, oldest)) = self.order.first_key_value() else {
                break;
            };
            self.remove(*oldest);
        }
        self.clock += 1;
        self.order.insert(self.clock, key);
        self.bytes += size;
        let entry = Entry {
            decision: decision.clone(),
            since: now,
            until,
            used: self.clock,
        };
        self.entries.insert(key, entry);
    }

    /// How many decisions are remembered.
    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How many bytes they take, by our own count.
    #[must_use]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    fn remove(&mut self, key: Key) {
        if let Some(entry) = self.entries.remove(&key) {
            self.order.remove(&entry.used);
            self.bytes -= weight(&entry.decision);
        }
    }
}

fn end(
    decision: &Decision,
    now: Timestamp,
    times: CacheTimes,
    settled: Option<Timestamp>,
) -> Option<Timestamp> {
    let life = times.of(decision.tier)?;
    let life = i64::try_from(life).unwrap_or(i64::MAX);
    let until = now.plus_millis(life);
    let until = settled.map_or(until, |settled| until.min(settled));
    (decision.cacheable && until > now).then_some(until)
}

/// An entry, its place in the order, and what trees of maps cost beside.
fn weight(decision: &Decision) -> usize {
    let grant = decision.grant.as_ref().map_or(0, String::len);
    2 * (size_of::<(Key, Entry)>() + size_of::<(u64, Key)>()) + grant
}
