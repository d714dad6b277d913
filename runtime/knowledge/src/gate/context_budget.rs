//! Gate 14: is there room left in the context?

use crate::amount::Amount;
use crate::manifest::Tokens;

/// What the context budget says to one unit.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Verdict {
    /// No budget is set.
    NoBudget,
    /// Nothing will be loaded.
    NotEligible,
    /// Nobody knows the size, and that is accepted.
    Unmeasured,
    /// Nobody knows the size, and under strict that is refused.
    UnmeasuredUnderStrict,
    /// The unit fits; `used` is what would then be used, the unit included.
    Within {
        tokens: Amount,
        used: Amount,
        budget: Amount,
    },
    /// The unit doesn't fit into what is left.
    Exceeds {
        tokens: Amount,
        rest: Amount,
        budget: Amount,
    },
}

/// Compares a size with what is left after what has been `used`.
pub(crate) fn judge(
    budget: Option<Amount>,
    eligible: bool,
    tokens: Tokens,
    used: Amount,
    strict: bool,
) -> Verdict {
    let Some(budget) = budget else {
        return Verdict::NoBudget;
    };
    if !eligible {
        return Verdict::NotEligible;
    }
    let Some(tokens) = tokens.value() else {
        return if strict {
            Verdict::UnmeasuredUnderStrict
        } else {
            Verdict::Unmeasured
        };
    };
    let after = used.plus(tokens);
    if after > budget {
        Verdict::Exceeds {
            tokens,
            rest: budget.minus(used),
            budget,
        }
    } else {
        Verdict::Within {
            tokens,
            used: after,
            budget,
        }
    }
}

impl Verdict {
    pub(crate) const fn refuses(self) -> bool {
        matches!(self, Self::UnmeasuredUnderStrict | Self::Exceeds { .. })
    }

    pub(crate) fn refusal(self) -> Option<String> {
        match self {
            Self::NoBudget | Self::NotEligible | Self::Unmeasured | Self::Within { .. } => None,
            Self::UnmeasuredUnderStrict => {
                Some(format!("{} (declare size_tokens or bytes)", self.detail()))
            }
            Self::Exceeds { .. } => Some(format!("over context budget: {}", self.detail())),
        }
    }

    pub(crate) fn detail(self) -> String {
        match self {
            Self::NoBudget => "no context budget set".to_owned(),
            Self::NotEligible => "not load-eligible".to_owned(),
            Self::Unmeasured => "unmeasured (admitted, projection is a lower bound)".to_owned(),
            Self::UnmeasuredUnderStrict => "size undeclared — excluded under strict".to_owned(),
            Self::Within {
                tokens,
                used,
                budget,
            } => {
                format!(
                    "{} tokens ({} of {} used)",
                    tokens.grouped(),
                    used.grouped(),
                    budget.grouped()
                )
            }
            Self::Exceeds {
                tokens,
                rest,
                budget,
            } => format!(
                "{} tokens would exceed remaining {} of {}",
                tokens.grouped(),
                rest.grouped(),
                budget.grouped()
            ),
        }
    }
}
