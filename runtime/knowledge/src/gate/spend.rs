//! Whether a purchase that is planned stays within the bounds of who would make it (§4.3a.1).

use knotrust_core::json::Value;

use crate::amount::Amount;
use crate::manifest::{Spend, Unit};
use crate::members::{Members, quoted, text, texts};
use crate::options::ProposedSpend;
use crate::procedure::Act;

/// The bounds that a planned purchase meets.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SpendBound {
    /// The most it may cost.
    pub max_spend: Option<Amount>,
    /// From whom it may be.
    pub allowed_vendors: Vec<String>,
    /// In which currency.
    pub currency: Option<String>,
    /// Whose bounds they are.
    pub binding_source: String,
}

/// The bounds to report, and why the purchase breaks them.
pub(crate) fn judge(
    unit: &Unit,
    acts: &[Act<'_>],
    proposed: Option<&ProposedSpend>,
) -> (Option<SpendBound>, Option<String>) {
    let Some(proposed) = proposed.filter(|spend| spend.amount.is_some() || spend.vendor.is_some())
    else {
        return (None, None);
    };
    let bounds: Vec<(&str, &Spend)> = acts
        .iter()
        .filter_map(|act| Some((act.name, act.buying_scope()?.spend.as_ref()?)))
        .collect();
    if bounds.is_empty() {
        // Nothing to buy with is no permission to buy, for what acts at all.
        let name = acts.first().map_or(unit.id.as_str(), |act| act.name);
        let reason = unit
            .kind
            .is_procedure()
            .then(|| format!("step '{name}' has no spend block, so it buys nothing — §4.3a.1"));
        return (None, reason);
    }
    let broken = bounds
        .iter()
        .find_map(|(name, spend)| Some((*name, *spend, objection(name, spend, proposed)?)));
    let (name, spend, reason) = match broken {
        Some((name, spend, reason)) => (name, spend, Some(reason)),
        None => match lowest(&bounds) {
            Some((name, spend)) => (name, spend, None),
            None => return (None, None),
        },
    };
    (Some(SpendBound::of(name, spend)), reason)
}

fn objection(name: &str, bound: &Spend, proposed: &ProposedSpend) -> Option<String> {
    if bound.unreadable {
        return Some(format!(
            "step '{name}' has a spend block that cannot be read — §4.3a.1"
        ));
    }
    if let Some(vendor) = &proposed.vendor
        && !bound.allowed_vendors.is_empty()
        && !bound.allowed_vendors.contains(vendor)
    {
        let allowed = quoted(&bound.allowed_vendors);
        return Some(format!(
            "step '{name}' names vendor '{vendor}', outside allowed_vendors {allowed} — §4.3a.1"
        ));
    }
    let amount = proposed.amount?;
    if amount.is_negative() {
        return Some(format!(
            "step '{name}' proposed spend {amount} is no purchase — §4.3a.1"
        ));
    }
    match (&bound.currency, &proposed.currency) {
        (Some(bound), Some(proposed)) if bound != proposed => {
            return Some(format!(
                "step '{name}' proposed {amount} {proposed} cannot be checked against a {bound} ceiling (currency mismatch) — §4.3a.1"
            ));
        }
        (Some(bound), None) => {
            return Some(format!(
                "step '{name}' proposed {amount} without a currency cannot be checked against a {bound} ceiling — §4.3a.1"
            ));
        }
        (Some(_), Some(_)) | (None, _) => {}
    }
    let max = bound.max_spend?;
    (amount > max)
        .then(|| format!("step '{name}' proposed spend {amount} exceeds max_spend {max} — §4.3a.1"))
}

/// The bounds with the lowest ceiling; of equals the first, and no ceiling is the highest.
fn lowest<'a>(bounds: &[(&'a str, &'a Spend)]) -> Option<(&'a str, &'a Spend)> {
    bounds
        .iter()
        .copied()
        .min_by_key(|(_, spend)| (spend.max_spend.is_none(), spend.max_spend))
}

impl SpendBound {
    fn of(name: &str, spend: &Spend) -> Self {
        Self {
            max_spend: spend.max_spend,
            allowed_vendors: spend.allowed_vendors.clone(),
            currency: spend.currency.clone(),
            binding_source: format!("step '{name}' action_scope.spend"),
        }
    }

    pub(crate) fn to_json(&self) -> Value<'static> {
        let vendors = (!self.allowed_vendors.is_empty()).then(|| texts(&self.allowed_vendors));
        Members::new()
            .maybe("maxSpend", self.max_spend.map(Amount::to_json))
            .maybe("allowedVendors", vendors)
            .maybe("currency", self.currency.as_deref().map(text))
            .text("bindingSource", &self.binding_source)
            .done()
    }
}
