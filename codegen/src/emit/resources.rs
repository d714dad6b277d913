//! From arguments to resources.

use knotrust_core::resource::Mapping;
use knotrust_core::ruleset::Ruleset;
use proc_macro2::TokenStream;
use quote::quote;

use super::policy::{bound, option};
use super::section::Section;

pub(super) fn section(ruleset: &Ruleset<'_>) -> Option<Section> {
    let rows = ruleset.resources.iter().map(row);
    Some(Section::new(
        "From arguments to resources: the first that matches, in file order.",
        quote!(const RESOURCES: &[Mapping<'static>] = &[#(#rows),*];),
    ))
}

fn row(mapping: &Mapping<'_>) -> TokenStream {
    let bound = bound(&mapping.bound);
    let kind = option(mapping.kind.map(|kind| quote!(#kind)));
    let id = option(mapping.id.map(|id| quote!(#id)));
    let properties = mapping
        .properties
        .iter()
        .map(|(name, pointer)| quote!((#name, #pointer)));
    quote!(Mapping { bound: #bound, kind: #kind, id: #id, properties: &[#(#properties),*] })
}
