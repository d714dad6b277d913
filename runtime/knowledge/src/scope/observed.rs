//! What an agent is about to do.

use knotrust_core::json::Value;

use crate::amount::Amount;
use crate::members::Members;

/// One action as it is observed.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Observed {
    /// The tool.
    pub tool: String,
    /// The paths it touches.
    pub paths: Vec<String>,
    /// The URLs it touches.
    pub urls: Vec<String>,
    /// The capabilities it is known to use.
    pub capabilities: Vec<String>,
    /// What it buys.
    pub purchase: Option<Purchase>,
}

/// Something bought.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Purchase {
    /// From whom.
    pub vendor: String,
    /// For how much.
    pub amount: Amount,
    /// In which currency.
    pub currency: String,
    /// Out of which pocket.
    pub wallet: Option<String>,
}

impl Purchase {
    /// The purchase that a tool's arguments describe: someone to buy from, an amount and a currency.
    #[must_use]
    pub fn within(arguments: &Value<'_>) -> Option<Self> {
        let text = |names: &[&str]| {
            let mut found = names
                .iter()
                .filter_map(|name| arguments.get(name)?.as_str());
            found.next().map(str::to_owned)
        };
        let amount = ["amount", "total", "price", "cost"]
            .iter()
            .find_map(|name| amount_of(arguments.get(name)?))?;
        Some(Self {
            vendor: text(&["vendor", "merchant", "payee", "seller"])?,
            amount,
            currency: text(&["currency", "ccy"])?,
            wallet: text(&["wallet", "account", "from"]),
        })
    }

    /// The bytes that a receipt's signature covers.
    #[must_use]
    pub fn receipt(&self, id: &str, timestamp: &str) -> String {
        let receipt = Members::new()
            .set("v", Value::Number(1_u64.into()))
            .text("id", id)
            .text("vendor", &self.vendor)
            .set("amount", self.amount.to_json())
            .text("currency", &self.currency)
            .text("wallet", self.wallet.as_deref().unwrap_or_default())
            .text("timestamp", timestamp);
        knotrust_core::json::write(&receipt.done())
    }
}

fn amount_of(value: &Value<'_>) -> Option<Amount> {
    match value {
        Value::Number(number) => Amount::of_number(number),
        Value::String(text) => text.as_str().and_then(Amount::read),
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
