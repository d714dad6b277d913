//! The policy itself, and the tables that fit on a page.

use std::fmt::Debug;

use knotrust_core::precedence::{Outcome, Row};
use knotrust_core::ruleset::{
    Bound, CacheTimes, Floor, Listing, Mode, Respond, Ruleset, Scope, Settings, Unlisted,
};
use knotrust_core::tier::{Tier, Tiers};
use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote};

use super::section::Section;

/// The static that everything hangs from.
pub(super) fn section(ruleset: &Ruleset<'_>) -> Option<Section> {
    let Ruleset {
        name,
        digest,
        files,
        ..
    } = ruleset;
    let version = unsuffixed(ruleset.version);
    let unlisted = match ruleset.unlisted_servers {
        Unlisted::Allow => quote!(Unlisted::Allow),
        Unlisted::Deny => quote!(Unlisted::Deny),
    };
    let unknown = tier(ruleset.defaults.unknown_tool);
    let destructive = tier(ruleset.defaults.destructive_looking);
    let settings = settings(&ruleset.settings);
    Some(Section::new(
        "The policy. The tables below are its parts.",
        quote! {
            /// Everything the policy says.
            pub(crate) static RULESET: Ruleset<'static> = Ruleset {
                name: #name,
                version: #version,
                digest: #digest,
                files: &[#(#files),*],
                unlisted_servers: #unlisted,
                defaults: Defaults { unknown_tool: #unknown, destructive_looking: #destructive },
                settings: #settings,
                rules: RULES,
                names: NAMES,
                envelope: ENVELOPE,
                precedence: PRECEDENCE,
                servers: SERVERS,
                resources: RESOURCES,
                domains: DOMAINS,
                gates: GATES,
                places: PLACES,
                approvals: APPROVALS,
            };
            const _: () = assert!(RULESET.is_sound());
        },
    ))
}

/// The outer ceiling.
pub(super) fn envelope(ruleset: &Ruleset<'_>) -> Option<Section> {
    let envelope = &ruleset.envelope;
    let deny = envelope.deny.iter().map(bound);
    let force_tools = envelope.force_tools.iter().map(bound);
    let force_tiers = tiers(envelope.force_tiers);
    let floors = envelope.floors.iter().map(floor);
    let ceiling = tier(envelope.grant_ceiling);
    Some(Section::new(
        "The outer ceiling: nothing inside the policy, and no grant, exceeds it.",
        quote! {
            const ENVELOPE: Envelope<'static> = Envelope {
                deny: &[#(#deny),*],
                force_tiers: #force_tiers,
                force_tools: &[#(#force_tools),*],
                floors: &[#(#floors),*],
                grant_ceiling: #ceiling,
            };
        },
    ))
}

/// What outranks what.
pub(super) fn precedence(ruleset: &Ruleset<'_>) -> Option<Section> {
    let rows = ruleset.precedence.iter().map(row);
    Some(Section::new(
        "Precedence. The first row whose finding was made, at that tier, decides.",
        quote!(const PRECEDENCE: &[Row] = &[#(#rows),*];),
    ))
}

fn settings(settings: &Settings) -> TokenStream {
    let Settings {
        cache: CacheTimes { routine, sensitive },
        mark_critical,
        ..
    } = settings;
    let Settings {
        capture_arguments,
        audit_all_calls,
        ..
    } = settings;
    let scope = match settings.scope {
        Scope::Personal => quote!(Scope::Personal),
        Scope::Org => quote!(Scope::Org),
    };
    let mode = match settings.mode {
        Mode::Enforce => quote!(Mode::Enforce),
        Mode::Observe => quote!(Mode::Observe),
    };
    let listing = match settings.listing {
        Listing::Passthrough => quote!(Listing::Passthrough),
        Listing::HideDenied => quote!(Listing::HideDenied),
    };
    let respond = match settings.respond {
        Respond::Never => quote!(Respond::Never),
        Respond::Governed => quote!(Respond::Governed),
        Respond::Always => quote!(Respond::Always),
    };
    let (routine, sensitive) = (unsuffixed(*routine), unsuffixed(*sensitive));
    quote! {
        Settings {
            scope: #scope,
            mode: #mode,
            cache: CacheTimes { routine: #routine, sensitive: #sensitive },
            listing: #listing,
            mark_critical: #mark_critical,
            respond: #respond,
            capture_arguments: #capture_arguments,
            audit_all_calls: #audit_all_calls,
        }
    }
}

pub(super) fn bound(bound: &Bound<'_>) -> TokenStream {
    let (pattern, line) = (bound.pattern, unsuffixed(bound.place.line.into()));
    quote!(Bound::new(#pattern, #line))
}

fn floor(floor: &Floor<'_>) -> TokenStream {
    let (pattern, line) = (
        floor.bound.pattern,
        unsuffixed(floor.bound.place.line.into()),
    );
    let tier = tier(floor.tier);
    quote!(Floor::new(#tier, #pattern, #line))
}

fn row(row: &Row) -> TokenStream {
    let answer = match row.outcome {
        Outcome::Allow => format_ident!("allow"),
        Outcome::Deny => format_ident!("deny"),
        Outcome::PendingApproval | Outcome::DeferredNotEligible => format_ident!("pending"),
    };
    let finding = variant(&row.finding);
    let reason = variant(&row.reason);
    let tiers = tiers(row.tiers);
    quote!(Row::#answer(Finding::#finding, #tiers, Reason::#reason))
}

pub(super) fn tier(tier: Tier) -> TokenStream {
    let name = variant(&tier);
    quote!(Tier::#name)
}

pub(super) fn tiers(tiers: Tiers) -> TokenStream {
    let named = [
        (Tiers::NONE, quote!(Tiers::NONE)),
        (Tiers::ALL, quote!(Tiers::ALL)),
        (Tiers::ROUTINE, quote!(Tiers::ROUTINE)),
        (Tiers::SENSITIVE, quote!(Tiers::SENSITIVE)),
        (Tiers::CRITICAL, quote!(Tiers::CRITICAL)),
        (Tiers::ABOVE_ROUTINE, quote!(Tiers::ABOVE_ROUTINE)),
    ];
    let name = named
        .into_iter()
        .find(|(known, _)| *known == tiers)
        .map(|(_, name)| name);
    name.unwrap_or_else(|| {
        tiers.iter().fold(quote!(Tiers::NONE), |set, one| {
            let one = tier(one);
            quote!(#set.and(Tiers::only(#one)))
        })
    })
}

/// The name of a variant without fields, as its type spells it.
pub(super) fn variant(value: &impl Debug) -> Ident {
    Ident::new(&format!("{value:?}"), Span::call_site())
}

pub(super) fn option(value: Option<TokenStream>) -> TokenStream {
    value.map_or_else(|| quote!(None), |value| quote!(Some(#value)))
}

pub(super) fn unsuffixed(number: u64) -> proc_macro2::Literal {
    proc_macro2::Literal::u64_unsuffixed(number)
}
