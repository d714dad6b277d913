//! What a plan is asked with: who asks, when, and how much it may cost.

use knotrust_core::json::{Object, Value};
use knotrust_core::number::Number;
use knotrust_core::ruleset::Gates;
use thiserror::Error;

use crate::amount::Amount;
use crate::date::IsoDate;
use crate::members::{Members, count, text, texts};

/// Everything besides manifest and task that a plan depends on.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Options {
    /// Who asks.
    pub capabilities: Capabilities,
    /// The environment, for references.
    pub env: Option<String>,
    /// The moment the plan is for.
    pub as_of: IsoDate,
    /// How many units may be listed.
    pub max_units: usize,
    /// Whether what would only be demoted is refused.
    pub strict: bool,
    /// Money.
    pub budget: Option<Budget>,
    /// Tokens.
    pub context_budget: Option<Amount>,
    /// The most authority the caller has.
    pub grant_ceiling: Option<String>,
    /// A purchase that is planned.
    pub spend: Option<ProposedSpend>,
    /// An action that is planned.
    pub action: Option<ProposedAction>,
}

/// What an agent is and has.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Capabilities {
    /// Its role, for audiences.
    pub role: String,
    /// Ways it can pay.
    pub payment_methods: Vec<String>,
    /// Credentials it holds.
    pub credentials: Vec<String>,
    /// Who attests what it is.
    pub attestation_provider: Option<String>,
}

/// A ceiling for money.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Budget {
    /// The ceiling.
    pub amount: Amount,
    /// Its currency, [`DEFAULT_CURRENCY`] if absent.
    pub currency: Option<String>,
    /// What earlier manifests of a walk have taken.
    pub spent: Option<Amount>,
}

impl Budget {
    /// The currency that counts.
    #[must_use]
    pub fn currency(&self) -> &str {
        self.currency.as_deref().unwrap_or(DEFAULT_CURRENCY)
    }

    /// What was taken before.
    #[must_use]
    pub fn spent(&self) -> Amount {
        self.spent.unwrap_or_default()
    }
}

/// A purchase that is planned.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ProposedSpend {
    /// What it costs.
    pub amount: Option<Amount>,
    /// From whom.
    pub vendor: Option<String>,
    /// In which currency.
    pub currency: Option<String>,
}

/// An action that is planned.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ProposedAction {
    /// With which tool.
    pub tool: Option<String>,
    /// On which path.
    pub path: Option<String>,
    /// Using which capability.
    pub capability: Option<String>,
}

/// The currency of budgets that don't name one.
pub const DEFAULT_CURRENCY: &str = "USDC";

const DEFAULT_MAX_UNITS: usize = 5;

impl Default for Capabilities {
    fn default() -> Self {
        Self {
            role: "agent".to_owned(),
            payment_methods: vec!["free".to_owned()],
            credentials: Vec::new(),
            attestation_provider: None,
        }
    }
}

impl Options {
    /// The options that apply when only the moment is known.
    #[must_use]
    pub fn as_of(as_of: IsoDate) -> Self {
        Self {
            capabilities: Capabilities::default(),
            env: None,
            as_of,
            max_units: DEFAULT_MAX_UNITS,
            strict: false,
            budget: None,
            context_budget: None,
            grant_ceiling: None,
            spend: None,
            action: None,
        }
    }

    /// The options that a policy gives, on a day: who asks and what they have is the policy's to say, never the caller's.
    #[must_use]
    pub fn of_gates(gates: &Gates<'_>, as_of: IsoDate) -> Self {
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        Self {
            capabilities: Capabilities {
                role: gates.role.to_owned(),
                payment_methods: texts(gates.payment_methods),
                credentials: texts(gates.credentials),
                attestation_provider: gates.attestation_provider.map(str::to_owned),
            },
            env: gates.env.map(str::to_owned),
            max_units: usize::try_from(gates.max_units).unwrap_or(usize::MAX),
            strict: gates.strict,
            budget: gates.money.map(|money| Budget {
                amount: Self::amount(money.amount),
                currency: Some(money.currency.to_owned()),
                spent: None,
            }),
            context_budget: gates
                .context_budget
                .and_then(|tokens| Amount::read(&tokens.to_string())),
            ..Self::as_of(as_of)
        }
    }

    /// An amount as a policy writes it. A policy was checked when it was built; what cannot be read all the same is nothing.
    #[must_use]
    pub fn amount(text: &str) -> Amount {
        let number = Number::read(text);
        number
            .and_then(|number| Amount::of_number(&number))
            .unwrap_or_default()
    }

    /// Reads options as callers write them. `null` is as good as absent; `today` stands in for an absent `asOf`.
    ///
    /// # Errors
    ///
    /// Members that are unknown or of another type, a moment that is no ISO date, amounts below zero. The bounds of walks,
    /// `maxDepth` and `maxNodes`, may stand beside the options and are passed over.
    pub fn from_json(value: &Value<'_>, today: &IsoDate) -> Result<Self, OptionsError> {
        let mut options = Self::as_of(today.clone());
        for (name, value) in members(value, "options", KNOWN)? {
            match name {
                "capabilities" => options.capabilities = Capabilities::from_json(value)?,
                "env" | "environment" => options.env = Some(read_text(value, "env")?),
                "asOf" => {
                    let written = read_text(value, "asOf")?;
                    options.as_of =
                        IsoDate::read(&written).ok_or(OptionsError::NotADate { written })?;
                }
                "maxUnits" => options.max_units = read_count(value, "maxUnits")?,
                "strict" => {
                    options.strict = value
                        .as_bool()
                        .ok_or(OptionsError::wrong("strict", "true or false"))?
                }
                "budget" => options.budget = Some(Budget::from_json(value)?),
                "contextBudget" => {
                    options.context_budget = Some(read_amount(value, "contextBudget")?)
                }
                "grantCeiling" => options.grant_ceiling = Some(read_text(value, "grantCeiling")?),
                "spend" => options.spend = Some(ProposedSpend::from_json(value)?),
                "action" => options.action = Some(ProposedAction::from_json(value)?),
                _ => {}
            }
        }
        Ok(options)
    }

    /// The options as a plan repeats them.
    pub(crate) fn to_json(&self) -> Value<'static> {
        Members::new()
            .set("capabilities", self.capabilities.to_json())
            .set("maxUnits", count(self.max_units))
            .flag("strict", self.strict)
            .maybe("budget", self.budget.as_ref().map(Budget::to_json))
            .maybe("contextBudget", self.context_budget.map(Amount::to_json))
            .maybe("grantCeiling", self.grant_ceiling.as_deref().map(text))
            .maybe("spend", self.spend.as_ref().map(ProposedSpend::to_json))
            .maybe("action", self.action.as_ref().map(ProposedAction::to_json))
            .done()
    }
}

impl Capabilities {
    fn from_json(value: &Value<'_>) -> Result<Self, OptionsError> {
        let mut capabilities = Self::default();
        for (name, value) in members(
            value,
            "capabilities",
            &[
                "role",
                "paymentMethods",
                "credentials",
                "attestationProvider",
            ],
        )? {
            match name {
                "role" => capabilities.role = read_text(value, "role")?,
                "paymentMethods" => {
                    capabilities.payment_methods = read_texts(value, "paymentMethods")?
                }
                "credentials" => capabilities.credentials = read_texts(value, "credentials")?,
                _ => {
                    capabilities.attestation_provider =
                        Some(read_text(value, "attestationProvider")?)
                }
            }
        }
        Ok(capabilities)
    }

    pub(crate) fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("role", &self.role)
            .set("paymentMethods", texts(&self.payment_methods))
            .set("credentials", texts(&self.credentials))
            .maybe(
                "attestationProvider",
                self.attestation_provider.as_deref().map(text),
            )
            .done()
    }
}

impl Budget {
    fn from_json(value: &Value<'_>) -> Result<Self, OptionsError> {
        let (mut amount, mut currency, mut spent) = (None, None, None);
        for (name, value) in members(value, "budget", &["amount", "currency", "spent"])? {
            match name {
                "amount" => amount = Some(read_amount(value, "budget.amount")?),
                "currency" => currency = Some(read_text(value, "budget.currency")?),
                _ => spent = Some(read_amount(value, "budget.spent")?),
            }
        }
        let amount = amount.ok_or(OptionsError::wrong("budget.amount", "a number"))?;
        Ok(Self {
            amount,
            currency,
            spent,
        })
    }

    fn to_json(&self) -> Value<'static> {
        Members::new()
            .set("amount", self.amount.to_json())
            .maybe("currency", self.currency.as_deref().map(text))
            .maybe("spent", self.spent.map(Amount::to_json))
            .done()
    }
}

impl ProposedSpend {
    fn from_json(value: &Value<'_>) -> Result<Self, OptionsError> {
        let mut spend = Self::default();
        for (name, value) in members(value, "spend", &["amount", "vendor", "currency"])? {
            match name {
                // Less than nothing is for the gate to refuse: it is a proposal, not a bound.
                "amount" => spend.amount = Some(read_number(value, "spend.amount")?),
                "vendor" => spend.vendor = Some(read_text(value, "spend.vendor")?),
                _ => spend.currency = Some(read_text(value, "spend.currency")?),
            }
        }
        Ok(spend)
    }

    fn to_json(&self) -> Value<'static> {
        Members::new()
            .maybe("amount", self.amount.map(Amount::to_json))
            .maybe("vendor", self.vendor.as_deref().map(text))
            .maybe("currency", self.currency.as_deref().map(text))
            .done()
    }
}

impl ProposedAction {
    fn from_json(value: &Value<'_>) -> Result<Self, OptionsError> {
        let mut action = Self::default();
        for (name, value) in members(value, "action", &["tool", "path", "capability"])? {
            match name {
                "tool" => action.tool = Some(read_text(value, "action.tool")?),
                "path" => action.path = Some(read_text(value, "action.path")?),
                _ => action.capability = Some(read_text(value, "action.capability")?),
            }
        }
        Ok(action)
    }

    fn to_json(&self) -> Value<'static> {
        Members::new()
            .maybe("tool", self.tool.as_deref().map(text))
            .maybe("path", self.path.as_deref().map(text))
            .maybe("capability", self.capability.as_deref().map(text))
            .done()
    }
}

/// Why options are refused.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub enum OptionsError {
    /// A member that nobody knows, most likely a slip of the pen.
    #[error("`{member}` is no member of {within}")]
    Unknown {
        /// The name.
        member: String,
        /// Where it stands.
        within: &'static str,
    },
    /// A member that is something else than it must be.
    #[error("`{member}` must be {expected}")]
    WrongType {
        /// The name.
        member: &'static str,
        /// What it must be.
        expected: &'static str,
    },
    /// A moment that is no ISO date.
    #[error("`{written}` is no ISO date")]
    NotADate {
        /// As written.
        written: String,
    },
}

impl OptionsError {
    const fn wrong(member: &'static str, expected: &'static str) -> Self {
        Self::WrongType { member, expected }
    }
}

fn members<'v, 'a>(
    value: &'v Value<'a>,
    within: &'static str,
    known: &[&'static str],
) -> Result<Vec<(&'v str, &'v Value<'a>)>, OptionsError> {
    let object: &Object<'a> = value
        .as_object()
        .ok_or(OptionsError::wrong(within, "an object"))?;
    let mut found = Vec::with_capacity(object.len());
    for (name, value) in object.iter() {
        match name.as_str().filter(|name| known.contains(name)) {
            Some(name) if !value.is_null() => found.push((name, value)),
            Some(_) => {}
            None => {
                return Err(OptionsError::Unknown {
                    member: name.to_string_lossy().into_owned(),
                    within,
                });
            }
        }
    }
    Ok(found)
}

fn read_text(value: &Value<'_>, member: &'static str) -> Result<String, OptionsError> {
    value
        .as_str()
        .map(str::to_owned)
        .ok_or(OptionsError::wrong(member, "a text"))
}

fn read_texts(value: &Value<'_>, member: &'static str) -> Result<Vec<String>, OptionsError> {
    let elements = value
        .as_array()
        .ok_or(OptionsError::wrong(member, "a list of texts"))?;
    elements
        .iter()
        .map(|element| read_text(element, member))
        .collect()
}

fn read_number(value: &Value<'_>, member: &'static str) -> Result<Amount, OptionsError> {
    let amount = value.as_number().and_then(Amount::of_number);
    amount.ok_or(OptionsError::wrong(member, "a number"))
}

fn read_amount(value: &Value<'_>, member: &'static str) -> Result<Amount, OptionsError> {
    let amount = read_number(value, member)?;
    if amount.is_negative() {
        return Err(OptionsError::wrong(member, "a number that isn't negative"));
    }
    Ok(amount)
}

pub(crate) fn read_count(value: &Value<'_>, member: &'static str) -> Result<usize, OptionsError> {
    let count = value.as_number().and_then(|number| number.as_u64());
    let count = count.and_then(|count| usize::try_from(count).ok());
    count.ok_or(OptionsError::wrong(
        member,
        "a whole number that isn't negative",
    ))
}

const KNOWN: &[&str] = &[
    "capabilities",
    "env",
    "environment",
    "asOf",
    "maxUnits",
    "strict",
    "budget",
    "contextBudget",
    "grantCeiling",
    "spend",
    "action",
    "maxDepth",
    "maxNodes",
];
