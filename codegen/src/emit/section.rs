//! A titled part of the module.

use proc_macro2::TokenStream;

/// Items under a comment.
pub(super) struct Section {
    title: &'static str,
    items: TokenStream,
}

impl Section {
    pub(super) const fn new(title: &'static str, items: TokenStream) -> Self {
        Self { title, items }
    }

    /// The section as text. Tokens that are no items (which would be a fault of ours, and no compiler takes) are printed
    /// as they are, so that the fault shows where it lies.
    pub(super) fn format(&self) -> String {
        let items = syn::parse2::<syn::File>(self.items.clone()).map_or_else(
            |_| self.items.to_string(),
            |file| prettyplease::unparse(&file),
        );
        let comment: String = self
            .title
            .lines()
            .map(|line| format!("// {line}\n"))
            .collect();
        format!("{comment}{items}")
    }
}
