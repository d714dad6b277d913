//! Gate 11: is what was only demoted refused?

/// Asked under strict only.
pub(crate) const fn refuses(eligible: bool) -> bool {
    !eligible
}

pub(crate) fn detail(strict: bool) -> String {
    let text = if strict {
        "load-eligible under strict mode"
    } else {
        "non-strict mode"
    };
    text.to_owned()
}

pub(crate) fn refusal_detail() -> String {
    "not load-eligible under strict mode".to_owned()
}
