//! How a person is asked.

use knotrust_core::ruleset::{
    ApprovalRule, Approvals, Approver, Channel, Passkey, Reviewer, Ruleset,
};
use proc_macro2::TokenStream;
use quote::quote;

use super::policy::{bound, option, unsuffixed, variant};
use super::section::Section;

pub(super) fn section(ruleset: &Ruleset<'_>) -> Option<Section> {
    let Approvals {
        channels,
        hold,
        expires,
        require_signed,
        reviewers,
        rules,
        ..
    } = ruleset.approvals;
    let approver = approver(&ruleset.approvals.approver);
    let channels = channels.iter().map(channel);
    let (hold, expires) = (unsuffixed(hold), unsuffixed(expires));
    let reviewers = reviewers.iter().map(reviewer);
    let rules = rules.iter().map(rule);
    Some(Section::new(
        "How a person is asked. Times are milliseconds.",
        quote! {
            const APPROVALS: Approvals<'static> = Approvals {
                channels: &[#(#channels),*],
                hold: #hold,
                expires: #expires,
                approver: #approver,
                require_signed: #require_signed,
                reviewers: &[#(#reviewers),*],
                rules: &[#(#rules),*],
            };
        },
    ))
}

fn approver(approver: &Approver<'_>) -> TokenStream {
    match approver {
        Approver::None => quote!(Approver::None),
        Approver::Pin { salt, public_key } => {
            quote!(Approver::Pin { salt: #salt, public_key: #public_key })
        }
        Approver::Passkey(keys) => {
            let keys = keys.iter().map(
                |Passkey {
                     credential,
                     public_key,
                 }| {
                    quote!(Passkey { credential: #credential, public_key: #public_key })
                },
            );
            quote!(Approver::Passkey(&[#(#keys),*]))
        }
    }
}

fn channel(channel: &Channel) -> TokenStream {
    let name = variant(channel);
    quote!(Channel::#name)
}

fn reviewer(reviewer: &Reviewer<'_>) -> TokenStream {
    let Reviewer {
        name,
        role,
        public_key,
    } = reviewer;
    let public_key = option(public_key.map(|key| quote!(#key)));
    quote!(Reviewer { name: #name, role: #role, public_key: #public_key })
}

fn rule(rule: &ApprovalRule<'_>) -> TokenStream {
    let ApprovalRule {
        paths,
        required_role,
        ..
    } = rule;
    let tools = rule.tools.iter().map(bound);
    let (expires, line) = (unsuffixed(rule.expires), unsuffixed(rule.line.into()));
    let policy_ref = option(rule.policy_ref.map(|reference| quote!(#reference)));
    quote! {
        ApprovalRule {
            tools: &[#(#tools),*],
            paths: &[#(#paths),*],
            required_role: #required_role,
            expires: #expires,
            policy_ref: #policy_ref,
            line: #line,
        }
    }
}
