//! Lists of texts, and what else may stand where one should.

use super::node::Node;

/// A list of texts as declared.
///
/// What is no list of texts is kept apart: to take it for an empty list would turn a restriction into none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub enum Listing {
    /// Not declared.
    #[default]
    Absent,
    /// A list of texts.
    Listed(Vec<String>),
    /// Something else, and the texts that could be made out in it.
    Malformed(Vec<String>),
}

impl Listing {
    pub(super) fn of(node: Option<&Node>) -> Self {
        let Some(node) = node else {
            return Self::Absent;
        };
        let Node::List(elements) = node else {
            return Self::Malformed(
                node.as_text()
                    .map(|text| text.into_owned())
                    .into_iter()
                    .collect(),
            );
        };
        let texts: Vec<String> = elements
            .iter()
            .filter_map(Node::as_text)
            .map(|text| text.into_owned())
            .collect();
        if texts.len() == elements.len() {
            Self::Listed(texts)
        } else {
            Self::Malformed(texts)
        }
    }

    /// The texts, as far as they can be made out.
    #[must_use]
    pub fn texts(&self) -> &[String] {
        match self {
            Self::Absent => &[],
            Self::Listed(texts) | Self::Malformed(texts) => texts,
        }
    }

    /// The texts of a list that is one; none otherwise.
    #[must_use]
    pub fn listed(&self) -> &[String] {
        match self {
            Self::Listed(texts) => texts,
            Self::Absent | Self::Malformed(_) => &[],
        }
    }

    /// Whether something other than a list of texts stands here.
    #[must_use]
    pub const fn is_malformed(&self) -> bool {
        matches!(self, Self::Malformed(_))
    }

    /// Whether nothing is declared.
    #[must_use]
    pub const fn is_absent(&self) -> bool {
        matches!(self, Self::Absent)
    }

    /// Whether the text is in the list.
    #[must_use]
    pub fn holds(&self, text: &str) -> bool {
        self.texts().iter().any(|known| known == text)
    }

    /// The same list, malformed if it holds an empty text.
    pub(super) fn without_blanks(self) -> Self {
        match self {
            Self::Listed(texts) if texts.iter().any(String::is_empty) => Self::Malformed(texts),
            Self::Absent | Self::Listed(_) | Self::Malformed(_) => self,
        }
    }
}
