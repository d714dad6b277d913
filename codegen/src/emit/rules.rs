//! The rules, in rank order.

use knotrust_core::predicate::{Scalar, Step, Test};
use knotrust_core::ruleset::{Effect, RECORD, Rule, Ruleset, Source};
use proc_macro2::TokenStream;
use quote::quote;

use super::MOST_ROWS;
use super::policy::{tier, unsuffixed};
use super::section::Section;

pub(super) fn section(
    ruleset: &Ruleset<'_>,
    tables: &mut Vec<(&'static str, Vec<u8>)>,
) -> Option<Section> {
    if ruleset.rules.len() > MOST_ROWS {
        return Some(packed(ruleset, tables));
    }
    let rows = ruleset.rules.iter().map(|(_, rule)| row(&rule));
    Some(Section::new(
        "Rules in rank order: of those that match a call, and that no narrower one beats, the first decides.",
        quote!(const RULES: Rules<'static> = Rules::Rows(&[#(#rows),*]);),
    ))
}

fn row(rule: &Rule<'_>) -> TokenStream {
    let (pattern, line) = (rule.pattern, unsuffixed(rule.place.line.into()));
    let mut row = match rule.effect {
        Effect::Deny => quote!(Rule::deny(#pattern, #line)),
        Effect::Tier(of) => {
            let of = tier(of);
            quote!(Rule::tier(#of, #pattern, #line))
        }
        Effect::Allow(None) => quote!(Rule::allow(#pattern, #line)),
        Effect::Allow(Some(of)) => {
            let of = tier(of);
            quote!(Rule::allow(#pattern, #line).of_tier(#of))
        }
    };
    if rule.source == Source::Pack {
        let file = unsuffixed(rule.place.file.into());
        row = quote!(#row.from_pack(#file));
    }
    if !rule.when.is_empty() {
        let steps = rule.when.iter().map(step);
        row = quote!(#row.when(&[#(#steps),*]));
    }
    let mut wider = rule
        .wider
        .iter()
        .map(|rank| unsuffixed(rank.into()))
        .peekable();
    if wider.peek().is_some() {
        row = quote!(#row.within(&[#(#wider),*]));
    }
    row
}

fn step(step: &Step<'_>) -> TokenStream {
    match step {
        Step::All(count) => {
            let count = unsuffixed((*count).into());
            quote!(Step::All(#count))
        }
        Step::Any(count) => {
            let count = unsuffixed((*count).into());
            quote!(Step::Any(#count))
        }
        Step::Not => quote!(Step::Not),
        Step::At(pointer, test) => {
            let test = asked(test);
            quote!(Step::At(#pointer, #test))
        }
    }
}

fn asked(test: &Test<'_>) -> TokenStream {
    match test {
        Test::Exists(wanted) => quote!(Test::Exists(#wanted)),
        Test::Eq(value) => {
            let value = scalar(value);
            quote!(Test::Eq(#value))
        }
        Test::Ne(value) => {
            let value = scalar(value);
            quote!(Test::Ne(#value))
        }
        Test::Lt(limit) => quote!(Test::Lt(#limit)),
        Test::Lte(limit) => quote!(Test::Lte(#limit)),
        Test::Gt(limit) => quote!(Test::Gt(#limit)),
        Test::Gte(limit) => quote!(Test::Gte(#limit)),
        Test::Matches(glob) => {
            let text = glob.text();
            quote!(Test::Matches(Glob::name(#text)))
        }
        Test::Under(folder) => quote!(Test::Under(#folder)),
    }
}

fn scalar(scalar: &Scalar<'_>) -> TokenStream {
    match scalar {
        Scalar::Null => quote!(Scalar::Null),
        Scalar::Bool(flag) => quote!(Scalar::Bool(#flag)),
        Scalar::Number(number) => quote!(Scalar::Number(#number)),
        Scalar::String(text) => quote!(Scalar::String(#text)),
    }
}

fn packed(ruleset: &Ruleset<'_>, tables: &mut Vec<(&'static str, Vec<u8>)>) -> Section {
    let mut records = Vec::with_capacity(ruleset.rules.len() * RECORD);
    let (mut text, mut wider, mut conditions) = (String::new(), Vec::new(), Vec::new());
    for (_, rule) in ruleset.rules.iter() {
        let wider_start = wider.len();
        wider.extend(rule.wider.iter().flat_map(u32::to_le_bytes));
        let numbers = [
            rule.place.line as usize,
            text.len(),
            rule.pattern.len(),
            condition_number(&mut conditions, rule.when),
            wider_start,
            wider.len() - wider_start,
        ];
        text.push_str(rule.pattern);
        records.push(rule.effect.pack());
        records.push(u8::from(rule.source == Source::Pack));
        records.extend(rule.place.file.to_le_bytes());
        // Offsets beyond four GiB would need a ruleset of that size, which the language does not read.
        records.extend(
            numbers
                .into_iter()
                .flat_map(|number| (number as u32).to_le_bytes()),
        );
    }
    tables.push(("rules.bin", records));
    tables.push(("rules.txt", text.into_bytes()));
    tables.push(("wider.bin", wider));
    let conditions = conditions.iter().map(|steps| {
        let steps = steps.iter().map(step);
        quote!(&[#(#steps),*])
    });
    Section::new(
        "Rules in rank order, linked as bytes: of those that match a call, and that no narrower one beats, the\nfirst decides. `knotrust policy show` prints them.",
        quote! {
            const RULES: Rules<'static> = Rules::Packed(PackedRules {
                records: include_bytes!("rules.bin"),
                text: include_str!("rules.txt"),
                wider: include_bytes!("wider.bin"),
                when: &[#(#conditions),*],
            });
        },
    )
}

/// The number of a condition among those met so far, from 1; 0 is none.
fn condition_number<'r>(known: &mut Vec<&'r [Step<'r>]>, steps: &'r [Step<'r>]) -> usize {
    if steps.is_empty() {
        return 0;
    }
    if let Some(index) = known.iter().position(|other| *other == steps) {
        return index + 1;
    }
    known.push(steps);
    known.len()
}
