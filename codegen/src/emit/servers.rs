//! The servers that the policy lists.

use knotrust_core::ruleset::{Launch, Ruleset, Server};
use proc_macro2::TokenStream;
use quote::quote;

use super::policy::option;
use super::section::Section;

pub(super) fn section(ruleset: &Ruleset<'_>) -> Option<Section> {
    let rows = ruleset.servers.iter().map(row);
    Some(Section::new(
        "Servers, by name.",
        quote!(const SERVERS: &[Server<'static>] = &[#(#rows),*];),
    ))
}

fn row(server: &Server<'_>) -> TokenStream {
    let name = server.name;
    let launch = match &server.launch {
        Launch::Command { command, env } => {
            let env = option(env.map(|names| quote!(&[#(#names),*])));
            quote!(Launch::Command { command: &[#(#command),*], env: #env })
        }
        Launch::Url(url) => quote!(Launch::Url(#url)),
    };
    quote!(Server { name: #name, launch: #launch })
}
