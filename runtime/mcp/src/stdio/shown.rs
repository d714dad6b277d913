//! The tools that a client was shown.

use std::collections::HashSet;

use knotrust_core::json::Text;

/// The names on the lists that a client was shown.
///
/// Once it was shown a whole list, it knows of no other tools, and whoever calls one has its name from somewhere else.
#[derive(Debug, Default)]
pub(super) struct Shown {
    /// The last whole list.
    whole: Option<HashSet<Box<[u8]>>>,
    /// The pages so far of a list that was asked for from its beginning.
    pages: Option<HashSet<Box<[u8]>>>,
}

impl Shown {
    /// A page is shown.
    pub(super) fn turn(&mut self, names: &[Text<'_>], is_first: bool, is_last: bool) {
        if is_first {
            self.pages = Some(HashSet::new());
        }
        let Some(mut pages) = self.pages.take() else {
            return;
        };
        pages.extend(names.iter().map(|name| name.as_bytes().into()));
        if pages.len() > MOST {
            // A server may list for ever. What can't be remembered is not held against anybody.
            self.whole = None;
        } else if is_last {
            self.whole = Some(pages);
        } else {
            self.pages = Some(pages);
        }
    }

    /// Whether the client may know of this tool.
    pub(super) fn may_know(&self, name: &Text<'_>) -> bool {
        let whole = self.whole.as_ref();
        whole.is_none_or(|whole| whole.contains(name.as_bytes()))
    }
}

const MOST: usize = 1 << 16;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_list_says_what_is_not_there() {
        let names =
            |names: &[&'static str]| names.iter().copied().map(Text::from).collect::<Vec<_>>();
        let mut shown = Shown::default();
        assert!(shown.may_know(&Text::from("c")));
        shown.turn(&names(&["a"]), true, false);
        assert!(shown.may_know(&Text::from("c")));
        shown.turn(&names(&["b"]), false, true);
        let known = |shown: &Shown| ["a", "b", "c"].map(|name| shown.may_know(&Text::from(name)));
        assert_eq!(known(&shown), [true, true, false]);
        shown.turn(&names(&["c"]), false, true);
        assert_eq!(known(&shown), [true, true, false], "a page of no list");
        shown.turn(&names(&["c"]), true, true);
        assert_eq!(known(&shown), [false, false, true]);
    }
}
