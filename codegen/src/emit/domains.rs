//! Governed knowledge, and the gates before it.

use knotrust_core::ruleset::{Confidence, Domain, Gates, Manifest, Money, Pinned, Route, Ruleset};
use proc_macro2::TokenStream;
use quote::quote;

use super::policy::{option, tier, unsuffixed};
use super::section::Section;

/// Domains, each with its manifest.
pub(super) fn section(ruleset: &Ruleset<'_>) -> Option<Section> {
    let rows = ruleset.domains.iter().map(domain);
    Some(Section::new(
        "Governed knowledge. A manifest that is pinned stands here whole.",
        quote!(const DOMAINS: &[Domain<'static>] = &[#(#rows),*];),
    ))
}

/// The parameters of the gates.
pub(super) fn gates(ruleset: &Ruleset<'_>) -> Option<Section> {
    let gates = &ruleset.gates;
    let value = if *gates == Gates::DEFAULT {
        quote!(Gates::DEFAULT)
    } else {
        written(gates)
    };
    Some(Section::new(
        "Who the agent is and what it has, for the gates. Times are milliseconds.",
        quote!(const GATES: Gates<'static> = #value;),
    ))
}

fn domain(domain: &Domain<'_>) -> TokenStream {
    let Domain {
        name,
        floor,
        manifest: written,
        urls,
    } = domain;
    let floor = option(floor.map(tier));
    let written = manifest(written);
    quote!(Domain { name: #name, floor: #floor, manifest: #written, urls: &[#(#urls),*] })
}

fn manifest(manifest: &Manifest<'_>) -> TokenStream {
    let path = manifest.path;
    match manifest.pinned {
        Some(Pinned { text, digest }) => quote!(Manifest::pinned(#path, #digest, #text)),
        None => quote!(Manifest::live(#path)),
    }
}

fn written(gates: &Gates<'_>) -> TokenStream {
    let Gates {
        role,
        env,
        attestation_provider,
        attestation_required,
        payment_methods,
        credentials,
        strict,
        max_units,
        money,
        context_budget,
        confidence,
        conformance,
        signature_required,
        trusted_keys,
        withheld_tools,
    } = gates;
    let env = text(*env);
    let attestation_provider = text(*attestation_provider);
    let max_units = unsuffixed((*max_units).into());
    let money =
        option(money.map(
            |Money { amount, currency }| quote!(Money { amount: #amount, currency: #currency }),
        ));
    let context_budget = number(*context_budget);
    let confidence = option(confidence.as_ref().map(sureness));
    let conformance = option(conformance.as_ref().map(route));
    quote! {
        Gates {
            role: #role,
            env: #env,
            attestation_provider: #attestation_provider,
            attestation_required: #attestation_required,
            payment_methods: &[#(#payment_methods),*],
            credentials: &[#(#credentials),*],
            strict: #strict,
            max_units: #max_units,
            money: #money,
            context_budget: #context_budget,
            confidence: #confidence,
            conformance: #conformance,
            signature_required: #signature_required,
            trusted_keys: &[#(#trusted_keys),*],
            withheld_tools: &[#(#withheld_tools),*],
        }
    }
}

fn sureness(confidence: &Confidence<'_>) -> TokenStream {
    let Confidence {
        threshold,
        severity,
        route: to,
    } = confidence;
    let severity = text(*severity);
    let to = option(to.as_ref().map(route));
    quote!(Confidence { threshold: #threshold, severity: #severity, route: #to })
}

fn route(route: &Route<'_>) -> TokenStream {
    let Route {
        role,
        expires,
        policy_ref,
    } = route;
    let expires = number(*expires);
    let policy_ref = text(*policy_ref);
    quote!(Route { role: #role, expires: #expires, policy_ref: #policy_ref })
}

fn text(text: Option<&str>) -> TokenStream {
    option(text.map(|text| quote!(#text)))
}

fn number(number: Option<u64>) -> TokenStream {
    option(number.map(|number| {
        let number = unsuffixed(number);
        quote!(#number)
    }))
}
