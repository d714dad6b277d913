//! What all servers offer together, and whose each thing is.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use super::names::{Owned, exposed};
use crate::wire::splice::{Edits, member, root};

/// The kinds of things that servers list.
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub(super) enum Kind {
    Tools,
    Prompts,
    Resources,
    Templates,
}

/// One thing, as its server has listed it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Item {
    /// What its server calls it: a name, an address, or a pattern of addresses.
    pub(super) name: String,
    /// All that its server says of it.
    pub(super) written: Vec<u8>,
}

/// In the place of a server's index, that something is ours.
pub(super) const OURS: usize = usize::MAX;

/// One thing, as the client knows it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(super) struct Offer {
    /// By what name.
    pub(super) shown: String,
    /// Which server's.
    pub(super) owner: usize,
    /// What that calls it.
    pub(super) name: String,
    written: Vec<u8>,
}

/// All that is offered.
#[derive(Debug)]
pub(super) struct Catalog {
    servers: Vec<String>,
    /// Tools of our own. Their names are nobody else's.
    ours: Vec<Offer>,
    listed: BTreeMap<(Kind, usize), Vec<Item>>,
    offers: BTreeMap<Kind, Arc<Vec<Offer>>>,
    /// Changes with what is offered, so that a cursor is good for one list only.
    versions: BTreeMap<Kind, u64>,
}

/// A part of a list.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Page {
    /// The elements, with commas between.
    pub(super) elements: Vec<u8>,
    /// Where the list goes on.
    pub(super) next: Option<String>,
}

impl Kind {
    pub(super) const ALL: [Self; 4] =
        [Self::Tools, Self::Prompts, Self::Resources, Self::Templates];

    /// The request that lists them.
    pub(super) const fn method(self) -> &'static str {
        match self {
            Self::Tools => "tools/list",
            Self::Prompts => "prompts/list",
            Self::Resources => "resources/list",
            Self::Templates => "resources/templates/list",
        }
    }

    /// The member of the answer that holds them.
    pub(super) const fn member(self) -> &'static str {
        match self {
            Self::Tools => "tools",
            Self::Prompts => "prompts",
            Self::Resources => "resources",
            Self::Templates => "resourceTemplates",
        }
    }

    /// The member of one of them that names it.
    pub(super) const fn key(self) -> &'static str {
        match self {
            Self::Tools | Self::Prompts => "name",
            Self::Resources => "uri",
            Self::Templates => "uriTemplate",
        }
    }

    /// What tells a client that the list has changed.
    pub(super) const fn change(self) -> &'static str {
        match self {
            Self::Tools => "notifications/tools/list_changed",
            Self::Prompts => "notifications/prompts/list_changed",
            Self::Resources | Self::Templates => "notifications/resources/list_changed",
        }
    }
}

impl Catalog {
    pub(super) fn of(servers: Vec<String>, ours: Vec<Item>) -> Self {
        let ours = ours.iter();
        let ours = ours.map(|item| offer(Kind::Tools, OURS, item, item.name.clone()));
        let ours: Vec<Offer> = ours.collect();
        Self {
            servers,
            listed: BTreeMap::new(),
            offers: BTreeMap::from([(Kind::Tools, Arc::new(ours.clone()))]),
            ours,
            versions: BTreeMap::new(),
        }
    }

    /// Takes what a server lists. True if what is offered has changed by it.
    pub(super) fn update(&mut self, kind: Kind, owner: usize, items: Vec<Item>) -> bool {
        self.listed.insert((kind, owner), items);
        let offers = self.join(kind);
        if self.offers(kind).as_slice() == offers.as_slice() {
            return false;
        }
        self.offers.insert(kind, Arc::new(offers));
        *self.versions.entry(kind).or_default() += 1;
        true
    }

    /// All of a kind.
    pub(super) fn offers(&self, kind: Kind) -> Arc<Vec<Offer>> {
        self.offers.get(&kind).cloned().unwrap_or_default()
    }

    /// What the client knows by this name.
    pub(super) fn find(&self, kind: Kind, shown: &str) -> Option<Offer> {
        let offers = self.offers.get(&kind)?;
        offers.iter().find(|offer| offer.shown == shown).cloned()
    }

    /// Whose resource this is: the one that lists it, or the one whose pattern begins most like it.
    pub(super) fn owner_of(&self, uri: &str) -> Option<usize> {
        if let Some(offer) = self.find(Kind::Resources, uri) {
            return Some(offer.owner);
        }
        let templates = self.offers(Kind::Templates);
        let literal = |offer: &Offer| offer.name.find('{').unwrap_or(offer.name.len());
        let begins = |offer: &&Offer| {
            let start = offer.name.get(..literal(offer)).unwrap_or_default();
            !start.is_empty() && uri.starts_with(start)
        };
        let best = templates
            .iter()
            .filter(begins)
            .max_by_key(|offer| literal(offer));
        best.map(|offer| offer.owner)
    }

    /// The part of a list that this cursor names; nothing if it names none.
    pub(super) fn page(&self, kind: Kind, cursor: Option<&str>) -> Option<Page> {
        let version = self.versions.get(&kind).copied().unwrap_or_default();
        let start = match cursor {
            None => 0,
            Some(cursor) => {
                let (of, start) = cursor.split_once('.')?;
                let start: usize = start.parse().ok()?;
                (of.parse() == Ok(version)).then_some(start)?
            }
        };
        let offers = self.offers(kind);
        let rest = offers.get(start..)?;
        let count = fitting(rest);
        let elements: Vec<&[u8]> = rest
            .iter()
            .take(count)
            .map(|offer| offer.written.as_slice())
            .collect();
        let next = (count < rest.len()).then(|| format!("{version}.{}", start + count));
        Some(Page {
            elements: elements.join(&b","[..]),
            next,
        })
    }

    fn join(&self, kind: Kind) -> Vec<Offer> {
        let range: Range<(Kind, usize)> = (kind, 0)..(kind, usize::MAX);
        let all: Vec<(usize, &Item)> = self
            .listed
            .range(range)
            .flat_map(|((_, owner), items)| items.iter().map(|item| (*owner, item)))
            .collect();
        let names = match kind {
            Kind::Tools | Kind::Prompts => {
                let owned = |(owner, item): &(usize, &'_ Item)| {
                    let server = self.servers.get(*owner).map_or("", String::as_str);
                    (server.to_owned(), item.name.clone())
                };
                let owned: Vec<(String, String)> = all.iter().map(owned).collect();
                let owned: Vec<Owned<'_>> = owned
                    .iter()
                    .map(|(server, name)| Owned { server, name })
                    .collect();
                let reserved: Vec<&str> = match kind {
                    Kind::Tools => self.ours.iter().map(|ours| ours.shown.as_str()).collect(),
                    Kind::Prompts | Kind::Resources | Kind::Templates => Vec::new(),
                };
                exposed(&owned, &reserved)
            }
            // An address is no name that could be prefixed: who lists it first has it.
            Kind::Resources | Kind::Templates => first_of_each(&all),
        };
        let ours: &[Offer] = match kind {
            Kind::Tools => &self.ours,
            Kind::Prompts | Kind::Resources | Kind::Templates => &[],
        };
        let offers = all.into_iter().zip(names);
        let theirs =
            offers.filter_map(|((owner, item), shown)| Some(offer(kind, owner, item, shown?)));
        ours.iter().cloned().chain(theirs).collect()
    }
}

fn first_of_each(all: &[(usize, &Item)]) -> Vec<Option<String>> {
    let mut seen = std::collections::BTreeSet::new();
    let first =
        |(_, item): &(usize, &Item)| seen.insert(item.name.clone()).then(|| item.name.clone());
    all.iter().map(first).collect()
}

fn offer(kind: Kind, owner: usize, item: &Item, shown: String) -> Offer {
    let whole = root(&item.written);
    let mut edits = Edits::default();
    if shown != item.name
        && let Some(name) = member(&item.written, &whole, kind.key())
    {
        let quoted = knotrust_core::json::write(&knotrust_core::json::Value::string(&shown));
        edits.replace(name, quoted);
    }
    if kind == Kind::Tools {
        // Tasks end here: calls are made at once.
        edits.unset(&item.written, &whole, "execution");
    }
    Offer {
        shown,
        owner,
        name: item.name.clone(),
        written: edits.apply(&item.written),
    }
}

/// How many of these make one page: as many as clients take in one message.
fn fitting(offers: &[Offer]) -> usize {
    let mut bytes = 0;
    let fits = |offer: &&Offer| {
        bytes += offer.written.len();
        bytes <= PAGE_BYTES
    };
    let count = offers.iter().take(PAGE).take_while(fits).count();
    count.max(1).min(offers.len())
}

const PAGE: usize = 1000;
// Clients drop the connection over a message of 10 MiB.
const PAGE_BYTES: usize = 4 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn item(name: &str) -> Item {
        Item {
            name: name.to_owned(),
            written: format!(
                r#"{{ "execution":{{}}, "name" : "{name}", "n":1.0, "uri":"{name}", "uriTemplate":"{name}" }}"#
            )
            .into_bytes(),
        }
    }

    fn catalog() -> Catalog {
        Catalog::of(vec!["a".to_owned(), "b".to_owned()], Vec::new())
    }

    #[test]
    fn tools_are_shown_as_written_under_their_names() {
        let mut catalog = catalog();
        assert!(catalog.update(Kind::Tools, 0, vec![item("x"), item("y")]));
        assert!(catalog.update(Kind::Tools, 1, vec![item("x")]));
        assert!(!catalog.update(Kind::Tools, 1, vec![item("x")]));
        let page = catalog.page(Kind::Tools, None).unwrap();
        let text = String::from_utf8(page.elements).unwrap();
        assert!(
            text.starts_with(r#"{ "name" : "a__x", "n":1.0, "#),
            "{text}"
        );
        let found = catalog.find(Kind::Tools, "b__x").unwrap();
        assert_eq!((found.owner, found.name.as_str()), (1, "x"));
        assert_eq!(catalog.find(Kind::Tools, "x"), None);
    }

    #[test]
    fn our_own_tools_stand_first_and_keep_their_names() {
        let servers = vec!["a".to_owned(), "b".to_owned()];
        let mut catalog = Catalog::of(servers, vec![item("kcp_plan")]);
        assert_eq!(catalog.find(Kind::Tools, "kcp_plan").unwrap().owner, OURS);
        catalog.update(Kind::Tools, 0, vec![item("kcp_plan")]);
        let names: Vec<String> = catalog
            .offers(Kind::Tools)
            .iter()
            .map(|offer| offer.shown.clone())
            .collect();
        assert_eq!(names, ["kcp_plan", "a__kcp_plan"]);
        assert_eq!(catalog.find(Kind::Tools, "a__kcp_plan").unwrap().owner, 0);
    }

    #[test]
    fn a_cursor_is_good_for_one_list() {
        let mut catalog = catalog();
        let many = (0..2500)
            .map(|number| item(&format!("t{number}")))
            .collect();
        catalog.update(Kind::Tools, 0, many);
        let (mut cursor, mut pages) = (None, Vec::new());
        loop {
            let page = catalog.page(Kind::Tools, cursor.as_deref()).unwrap();
            pages.push(page.elements);
            cursor = page.next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(pages.len(), 3);
        let second = catalog.page(Kind::Tools, None).unwrap().next;
        catalog.update(Kind::Tools, 1, vec![item("x")]);
        assert_eq!(catalog.page(Kind::Tools, second.as_deref()), None);
        for odd in ["", "1", "1.x", "9.9", ".", "1.99999"] {
            assert_eq!(catalog.page(Kind::Tools, Some(odd)), None, "{odd}");
        }
    }

    #[test]
    fn a_resource_belongs_to_who_lists_it_first_or_to_the_closest_pattern() {
        let mut catalog = catalog();
        catalog.update(Kind::Resources, 1, vec![item("f://x")]);
        catalog.update(Kind::Resources, 0, vec![item("f://x")]);
        assert_eq!(catalog.owner_of("f://x"), Some(0));
        catalog.update(Kind::Templates, 0, vec![item("f://{id}")]);
        catalog.update(
            Kind::Templates,
            1,
            vec![item("f://deep/{id}"), item("{all}")],
        );
        assert_eq!(catalog.owner_of("f://deep/1"), Some(1));
        assert_eq!(catalog.owner_of("f://1"), Some(0));
        assert_eq!(catalog.owner_of("g://1"), None);
    }
}
