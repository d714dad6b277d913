//! Rules about tiers, allowing and denying.

use crate::predicate::Step;
use crate::tier::Tier;

/// One rule: for calls it matches, what they are.
#[derive(Clone, Copy, Debug)]
pub struct Rule<'a> {
    /// What it says of the calls it matches.
    pub effect: Effect,
    /// The patterns it was written with, for people.
    pub pattern: &'a str,
    /// Where it stands.
    pub place: Place,
    /// Whose rule it is.
    pub source: Source,
    /// Conditions on the arguments, in prefix order; none means always.
    pub when: &'a [Step<'a>],
    /// The rules whose sets of names strictly contain this one's, nearest first: a match of this rule beats them, and
    /// whatever they beat.
    pub wider: Ranks<'a>,
}

/// What a rule says of the calls it matches.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Effect {
    /// They are denied, whatever else holds.
    Deny,
    /// They are of this tier.
    Tier(Tier),
    /// They are allowed without a grant, as long as they are sensitive; of this tier, if one is given.
    Allow(Option<Tier>),
}

/// Whose rule it is.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub enum Source {
    /// The ruleset's own. Stands before every pack.
    Own,
    /// A pack's.
    Pack,
}

/// Where something stands: a file of [`super::Ruleset::files`] and a line, from 1.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Place {
    /// The index of the file.
    pub file: u16,
    /// The line, from 1.
    pub line: u32,
}

/// A list of ranks.
#[derive(Clone, Copy, Debug)]
pub enum Ranks<'a> {
    /// As numbers.
    Listed(&'a [u32]),
    /// As little-endian bytes, four a rank.
    Packed(&'a [u8]),
}

impl<'a> Ranks<'a> {
    /// No rank.
    pub const NONE: Self = Self::Listed(&[]);

    /// The ranks.
    pub fn iter(self) -> impl Iterator<Item = u32> + 'a {
        let (listed, packed): (&[u32], &[u8]) = match self {
            Self::Listed(ranks) => (ranks, &[]),
            Self::Packed(bytes) => (&[], bytes),
        };
        let packed = packed
            .as_chunks::<4>()
            .0
            .iter()
            .map(|rank| u32::from_le_bytes(*rank));
        listed.iter().copied().chain(packed)
    }
}

impl<'a> Rule<'a> {
    /// An own rule that sets a tier.
    #[must_use]
    pub const fn tier(tier: Tier, pattern: &'a str, line: u32) -> Self {
        Self::new(Effect::Tier(tier), pattern, line)
    }

    /// An own rule that denies.
    #[must_use]
    pub const fn deny(pattern: &'a str, line: u32) -> Self {
        Self::new(Effect::Deny, pattern, line)
    }

    /// An own rule that allows what is sensitive.
    #[must_use]
    pub const fn allow(pattern: &'a str, line: u32) -> Self {
        Self::new(Effect::Allow(None), pattern, line)
    }

    /// An own rule, in the ruleset's own file.
    #[must_use]
    pub const fn new(effect: Effect, pattern: &'a str, line: u32) -> Self {
        let place = Place { file: 0, line };
        Self {
            effect,
            pattern,
            place,
            source: Source::Own,
            when: &[],
            wider: Ranks::NONE,
        }
    }

    /// The same rule, with a tier for what it allows.
    #[must_use]
    pub const fn of_tier(mut self, tier: Tier) -> Self {
        self.effect = Effect::Allow(Some(tier));
        self
    }

    /// The same rule, from a pack.
    #[must_use]
    pub const fn from_pack(mut self, file: u16) -> Self {
        self.place.file = file;
        self.source = Source::Pack;
        self
    }

    /// The same rule, on a condition.
    #[must_use]
    pub const fn when(mut self, steps: &'a [Step<'a>]) -> Self {
        self.when = steps;
        self
    }

    /// The same rule, lying within others.
    #[must_use]
    pub const fn within(mut self, wider: &'a [u32]) -> Self {
        self.wider = Ranks::Listed(wider);
        self
    }
}

/// All rules, by rank.
#[derive(Clone, Copy, Debug)]
pub enum Rules<'a> {
    /// One row a rule.
    Rows(&'a [Rule<'a>]),
    /// The same table as linked bytes, for what would take the compiler too long as a literal.
    Packed(PackedRules<'a>),
}

/// Rules as bytes: fixed records, then what they point to.
#[derive(Clone, Copy, Debug)]
pub struct PackedRules<'a> {
    /// [`RECORD`] bytes a rule.
    pub records: &'a [u8],
    /// The patterns, one after the other.
    pub text: &'a str,
    /// The lists of wider ranks, four little-endian bytes each.
    pub wider: &'a [u8],
    /// The conditions, one after the other; a record names its part.
    pub when: &'a [&'a [Step<'a>]],
}

/// The length of a packed rule: effect, source, file (2), line, pattern start and length, condition (from 1; 0 is none),
/// wider start and length, each of the latter four little-endian bytes.
pub const RECORD: usize = 28;

impl<'a> Rules<'a> {
    /// The rule of that rank.
    #[must_use]
    pub fn get(self, rank: u32) -> Option<Rule<'a>> {
        match self {
            Self::Rows(rows) => rows.get(rank as usize).copied(),
            Self::Packed(packed) => packed.get(rank),
        }
    }

    /// How many rules there are.
    #[must_use]
    pub const fn len(self) -> usize {
        match self {
            Self::Rows(rows) => rows.len(),
            Self::Packed(packed) => packed.records.len() / RECORD,
        }
    }

    /// Whether there are none.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// The rules in rank order.
    pub fn iter(self) -> impl Iterator<Item = (u32, Rule<'a>)> {
        (0..).map_while(move |rank| self.get(rank).map(|rule| (rank, rule)))
    }
}

impl<'a> PackedRules<'a> {
    fn get(self, rank: u32) -> Option<Rule<'a>> {
        let record = self.records.get((rank as usize).checked_mul(RECORD)?..)?;
        let [effect, source, file_low, file_high, numbers @ ..] = record.first_chunk::<RECORD>()?;
        let (numbers, _) = numbers.as_chunks::<4>();
        let mut numbers = numbers.iter().map(|number| u32::from_le_bytes(*number));
        let mut next = || numbers.next().map(|number| number as usize);
        let (line, start, length, when, wider, count) =
            (next()?, next()?, next()?, next()?, next()?, next()?);
        let when: &[Step<'a>] = match when.checked_sub(1) {
            Some(index) => self.when.get(index).copied()?,
            None => &[],
        };
        let place = Place {
            file: u16::from_le_bytes([*file_low, *file_high]),
            line: u32::try_from(line).ok()?,
        };
        Some(Rule {
            effect: Effect::unpack(*effect)?,
            pattern: self.text.get(start..start.checked_add(length)?)?,
            place,
            source: if *source == 0 {
                Source::Own
            } else {
                Source::Pack
            },
            when,
            wider: Ranks::Packed(self.wider.get(wider..wider.checked_add(count)?)?),
        })
    }
}

impl Effect {
    /// The byte of a packed rule.
    #[must_use]
    pub const fn pack(self) -> u8 {
        match self {
            Self::Deny => 0,
            Self::Tier(tier) => 1 + tier as u8,
            Self::Allow(None) => 4,
            Self::Allow(Some(tier)) => 5 + tier as u8,
        }
    }

    const fn unpack(byte: u8) -> Option<Self> {
        Some(match byte {
            0 => Self::Deny,
            1 => Self::Tier(Tier::Routine),
            2 => Self::Tier(Tier::Sensitive),
            3 => Self::Tier(Tier::Critical),
            4 => Self::Allow(None),
            5 => Self::Allow(Some(Tier::Routine)),
            6 => Self::Allow(Some(Tier::Sensitive)),
            7 => Self::Allow(Some(Tier::Critical)),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn effects_survive_packing() {
        let tiers = Tier::ALL
            .into_iter()
            .flat_map(|tier| [Effect::Tier(tier), Effect::Allow(Some(tier))]);
        for effect in tiers.chain([Effect::Deny, Effect::Allow(None)]) {
            assert_eq!(Effect::unpack(effect.pack()), Some(effect));
        }
    }
}
