//! Gate 9: can the agent pay?

use super::{Case, demoted};
use crate::amount::Amount;
use crate::manifest::{Method, Unit};

/// How the unit would be paid for.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Terms {
    /// The method chosen, or what it would take.
    pub(crate) method: String,
    pub(crate) price: Option<Priced>,
    pub(crate) affordable: bool,
}

/// A price that can be charged.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Priced {
    pub(crate) amount: Amount,
    pub(crate) currency: String,
    /// As the manifest writes it: `0.30 USDC/request`.
    pub(crate) cost: String,
}

impl Terms {
    /// The first declared method that the agent has. None declared is free.
    pub(crate) fn of(unit: &Unit, case: Case<'_>) -> Self {
        let methods = unit
            .payment
            .as_ref()
            .map(|payment| payment.methods.as_slice())
            .unwrap_or_default();
        if unit
            .payment
            .as_ref()
            .is_some_and(|payment| payment.malformed)
        {
            return Self::out_of_reach("a payment block that cannot be read".to_owned());
        }
        let held = &case.options.capabilities.payment_methods;
        if methods.is_empty() {
            return Self::by("free");
        }
        match methods.iter().find(|method| held.contains(&method.kind)) {
            Some(method) if method.kind == X402 => Self::priced(method),
            Some(method) => Self::by(&method.kind),
            None => {
                let kinds = methods
                    .iter()
                    .map(|method| method.kind.as_str())
                    .filter(|kind| *kind != "free");
                Self::out_of_reach(format!("needs {}", kinds.collect::<Vec<_>>().join(" or ")))
            }
        }
    }

    fn by(method: &str) -> Self {
        Self {
            method: method.to_owned(),
            price: None,
            affordable: true,
        }
    }

    /// What has no price that can be read can't be paid: it must not pass for free.
    fn priced(method: &Method) -> Self {
        let Some(price) = &method.price else {
            return Self::out_of_reach("x402 declares no price".to_owned());
        };
        let Some(amount) = price.amount else {
            return Self::out_of_reach(format!("x402 price '{}' is no decimal", price.text));
        };
        let Some(currency) = &method.currency else {
            return Self::out_of_reach("x402 price has no currency".to_owned());
        };
        let cost = format!("{} {currency}/request", price.text);
        Self {
            price: Some(Priced {
                amount,
                currency: currency.clone(),
                cost,
            }),
            ..Self::by(X402)
        }
    }

    fn out_of_reach(method: String) -> Self {
        Self {
            method,
            price: None,
            affordable: false,
        }
    }

    pub(crate) fn is_x402(&self) -> bool {
        self.method == X402
    }

    pub(crate) fn objection(&self) -> Option<String> {
        (!self.affordable).then(|| format!("unaffordable: {}", self.method))
    }

    pub(crate) fn detail(&self) -> String {
        match (self.objection(), &self.price) {
            (Some(reason), _) => demoted(&reason),
            (None, Some(price)) => format!("{}: {}", self.method, price.cost),
            (None, None) if self.method == "free" => "free".to_owned(),
            (None, None) => format!("{}: undefined", self.method),
        }
    }
}

const X402: &str = "x402";
