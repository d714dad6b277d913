//! When something holds.

use super::member::text;
use super::node::Node;
use crate::date::IsoDate;

/// A window of validity, both ends included, and who comes after.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Temporal {
    /// The first moment.
    pub valid_from: Option<WrittenDate>,
    /// The last moment.
    pub valid_until: Option<WrittenDate>,
    /// What replaces it.
    pub superseded_by: Option<String>,
}

/// A date as it was written, and what it says, if it says anything.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WrittenDate {
    /// As written.
    pub text: String,
    /// What it is; a date that can't be read bars what it bounds.
    pub date: Option<IsoDate>,
}

/// Where a moment lies in relation to a window.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Standing {
    /// Inside.
    Active,
    /// Before it begins.
    Future,
    /// After it ended.
    Expired,
}

impl Temporal {
    pub(super) fn of(node: Option<&Node>) -> Self {
        let Some(node) = node else {
            return Self::default();
        };
        if !matches!(node, Node::Map(_)) {
            // Nobody can say when it holds.
            return Self {
                valid_from: Some(WrittenDate::of(node)),
                ..Self::default()
            };
        }
        Self {
            valid_from: written(node, "valid_from"),
            valid_until: written(node, "valid_until"),
            superseded_by: text(node, "superseded_by").filter(|id| !id.is_empty()),
        }
    }

    /// The same window, with the bounds it doesn't set taken from the default.
    pub(super) fn or_bounds_of(mut self, default: &Self) -> Self {
        self.valid_from = self.valid_from.or_else(|| default.valid_from.clone());
        self.valid_until = self.valid_until.or_else(|| default.valid_until.clone());
        self
    }

    /// Whether there are no bounds at all.
    #[must_use]
    pub const fn is_unbounded(&self) -> bool {
        self.valid_from.is_none() && self.valid_until.is_none()
    }

    /// Where the moment lies.
    #[must_use]
    pub fn standing(&self, as_of: &IsoDate) -> Standing {
        let begins_later =
            |bound: &WrittenDate| bound.date.as_ref().is_none_or(|date| date.is_after(as_of));
        let ended_before =
            |bound: &WrittenDate| bound.date.as_ref().is_none_or(|date| date.is_before(as_of));
        if self.valid_from.as_ref().is_some_and(begins_later) {
            Standing::Future
        } else if self.valid_until.as_ref().is_some_and(ended_before) {
            Standing::Expired
        } else {
            Standing::Active
        }
    }

    /// Why it doesn't hold at that moment, or nothing if it does.
    pub(crate) fn objection(&self, as_of: &IsoDate) -> Option<String> {
        let shown = |bound: &Option<WrittenDate>| {
            bound
                .as_ref()
                .map(|date| date.text.clone())
                .unwrap_or_default()
        };
        match self.standing(as_of) {
            Standing::Active => None,
            Standing::Future => Some(format!("not active until {}", shown(&self.valid_from))),
            Standing::Expired => {
                let successor = self
                    .superseded_by
                    .as_ref()
                    .map(|id| format!(" (superseded by {id})"));
                Some(format!(
                    "expired {}{}",
                    shown(&self.valid_until),
                    successor.unwrap_or_default()
                ))
            }
        }
    }
}

fn written(node: &Node, name: &str) -> Option<WrittenDate> {
    node.get(name)
        .map(WrittenDate::of)
        .filter(|date| !date.text.is_empty())
}

impl WrittenDate {
    /// A list or a mapping is no date, and no reason to do without one.
    fn of(node: &Node) -> Self {
        let text = node
            .as_text()
            .map_or_else(|| "?".to_owned(), |text| text.into_owned());
        let date = IsoDate::read(&text);
        Self { text, date }
    }
}
