//! The paths and URLs that domains and approval rules speak of.

use knotrust_core::ruleset::Ruleset;
use knotrust_core::targets::place::{Anchor, Holder, PathTable, Prefix, Prefixes};
use proc_macro2::TokenStream;
use quote::quote;

use super::policy::unsuffixed;
use super::section::Section;

pub(super) fn section(ruleset: &Ruleset<'_>) -> Option<Section> {
    let paths = ruleset.places.paths.iter().map(table);
    let urls = prefixes(&ruleset.places.urls);
    let holders = ruleset.places.holders.iter().map(holder);
    Some(Section::new(
        "Governed paths, by where they start, and URLs. Rows are for people, slots are for the machine.",
        quote! {
            const PLACES: Places<'static> = Places {
                paths: &[#(#paths),*],
                urls: #urls,
                holders: &[#(#holders),*],
            };
        },
    ))
}

fn table(table: &PathTable<'_>) -> TokenStream {
    let anchor = match table.anchor {
        Anchor::Root => quote!(Anchor::Root),
        Anchor::Home => quote!(Anchor::Home),
        Anchor::Folder { up } => {
            let up = unsuffixed(up.into());
            quote!(Anchor::Folder { up: #up })
        }
    };
    let prefixes = prefixes(&table.prefixes);
    quote!(PathTable::new(#anchor, #prefixes))
}

fn prefixes(prefixes: &Prefixes<'_>) -> TokenStream {
    let rows = prefixes.rows.iter().map(prefix);
    let slots = prefixes.slots.iter().map(|slot| unsuffixed((*slot).into()));
    quote!(Prefixes::new(&[#(#rows),*], &[#(#slots),*]))
}

fn prefix(prefix: &Prefix<'_>) -> TokenStream {
    let key = prefix.key;
    let holder = holder(&prefix.holder);
    match prefix.glob {
        None => quote!(Prefix::new(#key, #holder)),
        Some(glob) => {
            let glob = glob.text();
            quote!(Prefix::glob(#key, #glob, #holder))
        }
    }
}

fn holder(holder: &Holder) -> TokenStream {
    match holder {
        Holder::Domain(index) => {
            let index = unsuffixed((*index).into());
            quote!(Holder::Domain(#index))
        }
        Holder::Approval(index) => {
            let index = unsuffixed((*index).into());
            quote!(Holder::Approval(#index))
        }
    }
}
