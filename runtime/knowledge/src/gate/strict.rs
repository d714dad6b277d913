//! Gate 11: is what was only demoted refused?

pub(crate) fn refuses(strict: bool, eligible: bool) -> bool {
    strict && !eligible
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
