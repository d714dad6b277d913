//! From names to everything that is said of them.

use knotrust_core::glob::Pattern;
use knotrust_core::names::{NamesBuilder, OwnedNames};
use knotrust_core::ruleset::{Ruleset, Use};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::MOST_ROWS;
use super::policy::unsuffixed;
use super::section::Section;

pub(super) fn section(
    ruleset: &Ruleset<'_>,
    tables: &mut Vec<(&'static str, Vec<u8>)>,
) -> Option<Section> {
    let names = rebuilt(ruleset);
    tables.push(("names.index", names.index().to_vec()));
    if names.rows().len() > MOST_ROWS {
        tables.push(("names.bin", names.packed().to_vec()));
        return Some(Section::new(
            "From names to all that is said of them, linked as bytes.",
            quote! {
                const NAMES: Names<'static> =
                    Names::packed(include_bytes!("names.bin"), include_bytes!("names.index"));
            },
        ));
    }
    let rows = names.rows().map(row);
    Some(Section::new(
        "From names to all that is said of them. Rows are for people, the index is for the machine.",
        quote! {
            const NAMES: Names<'static> =
                Names::indexed(&[#(#rows),*], include_bytes!("names.index"));
        },
    ))
}

/// The table as the builder makes it, whichever form the ruleset was lent in: so one policy gives one sequence of bytes.
fn rebuilt(ruleset: &Ruleset<'_>) -> OwnedNames {
    let mut builder = NamesBuilder::new();
    for (glob, ids) in ruleset.names.rows() {
        // A glob of a table was a pattern before, so it is one again.
        let Ok(pattern) = Pattern::name(glob.text()) else {
            continue;
        };
        ids.for_each(|id| builder.add(id, &pattern));
    }
    builder.build()
}

fn row((glob, ids): (&str, &[u32])) -> TokenStream {
    let uses = ids.iter().filter_map(|id| Use::of_id(*id)).map(usage);
    quote!(NameRow::new(#glob, &[#(#uses),*]))
}

fn usage(usage: Use) -> TokenStream {
    let (kind, index) = match usage {
        Use::Rule(index) => ("Rule", index),
        Use::EnvelopeDeny(index) => ("EnvelopeDeny", index),
        Use::ForceApproval(index) => ("ForceApproval", index),
        Use::Floor(index) => ("Floor", index),
        Use::FailOpen(index) => ("FailOpen", index),
        Use::Approval(index) => ("Approval", index),
        Use::Resource(index) => ("Resource", index),
        Use::DomainTool(index) => ("DomainTool", index),
        Use::DomainSkill(index) => ("DomainSkill", index),
    };
    let (kind, index) = (format_ident!("{kind}"), unsuffixed(index.into()));
    quote!(Use::#kind(#index).id())
}
