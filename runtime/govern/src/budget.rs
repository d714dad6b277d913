//! Money that was spent on governed knowledge, today.
//!
//! A spend is a line of the day's file, written and on the disk before what it pays for happens, under a lock that all
//! processes of the home share: so the ceiling holds for all of them together, and a crash can lose what was bought, never
//! the record of its price. A day is one of UTC.

use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use knotrust_core::json::{self, Object, Value};
use knotrust_core::ruleset::Gates;
use knotrust_core::time::Timestamp;
use knotrust_knowledge::amount::Amount;
use knotrust_knowledge::date::IsoDate;
use knotrust_knowledge::governing::Price;
use knotrust_knowledge::ledger::{Ceiling, Ledger, Spent};
use knotrust_knowledge::options::Options;

use crate::failure::{Cause, StoreError};
use crate::files::{self, Version};
use crate::home::Home;
use crate::lock::Lock;

/// The day's spends of a home.
#[derive(Debug)]
pub struct Budget {
    folder: PathBuf,
    made: bool,
    ceiling: Option<Ceiling>,
    day: String,
    seen: Option<Version>,
    ledger: Ledger,
    entries: Vec<Value<'static>>,
}

/// Something to be paid for.
#[derive(Clone, Copy, Debug)]
pub struct Purchase<'a> {
    /// The domain.
    pub domain: &'a str,
    /// What is bought, and for how much.
    pub price: &'a Price,
}

/// On whose account something is bought.
#[derive(Clone, Copy, Debug)]
pub struct Account<'a> {
    /// The session.
    pub session: &'a str,
    /// The call that it is bought for.
    pub call: &'a str,
}

impl Budget {
    /// The spends of a home, under the ceiling of a policy.
    #[must_use]
    pub fn of(home: &Home, gates: &Gates<'_>) -> Self {
        let ceiling = gates.money.map(|money| Ceiling {
            amount: Options::amount(money.amount),
            currency: money.currency.to_owned(),
        });
        Self {
            folder: home.at("budget"),
            made: false,
            ledger: Ledger::under(ceiling.clone()),
            ceiling,
            day: String::new(),
            seen: None,
            entries: Vec::new(),
        }
    }

    /// What was spent until now. Costs one look at the file while nothing is spent.
    ///
    /// # Errors
    ///
    /// The file cannot be read, or is not what was written.
    pub fn ledger(&mut self, now: Timestamp) -> Result<&Ledger, StoreError> {
        let path = self.path(now);
        let version = files::version(&path)?;
        if version != self.seen {
            self.read(&path)?;
            self.seen = version;
        }
        Ok(&self.ledger)
    }

    /// The day's spends, in order.
    #[must_use]
    pub fn entries(&self) -> &[Value<'static>] {
        &self.entries
    }

    /// Spends, all of it or nothing.
    ///
    /// # Errors
    ///
    /// It cannot be written down. It may count all the same.
    pub fn spend(
        &mut self,
        purchases: &[Purchase<'_>],
        account: Account<'_>,
        now: Timestamp,
    ) -> Result<Spent, StoreError> {
        if !self.made {
            files::folder(&self.folder)?;
            self.made = true;
        }
        let lock = Lock::take(&self.folder.join(".lock"))?;
        let path = self.path(now);
        let whole = self.read(&path)?;
        let before = self.entries.len() as u64;
        let amounts: Vec<(Amount, &str)> = purchases
            .iter()
            .map(|purchase| (purchase.price.amount, purchase.price.currency.as_str()))
            .collect();
        let spent = self.ledger.spend_all(&amounts);
        if spent == Spent::Accepted {
            let numbered = (before + 1..).zip(purchases);
            let lines: String = numbered
                .map(|(number, purchase)| line(number, purchase, account, now))
                .collect();
            append(&path, whole, lines.as_bytes())?;
            self.read(&path)?;
        }
        self.seen = files::version(&path)?;
        drop(lock);
        Ok(spent)
    }

    fn path(&mut self, now: Timestamp) -> PathBuf {
        let day = IsoDate::day_of(now);
        if day.as_str() != self.day {
            self.day = day.as_str().to_owned();
            self.seen = None;
            self.ledger = Ledger::under(self.ceiling.clone());
            self.entries.clear();
        }
        self.folder.join(format!("{}.jsonl", self.day))
    }

    /// Reads the day's file, and says how long the part of it is that was written whole. What a crash has torn was never
    /// acknowledged.
    fn read(&mut self, path: &Path) -> Result<u64, StoreError> {
        let bytes = files::read_if_there(path, LARGEST)?.unwrap_or_default();
        let whole = bytes
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |at| at + 1);
        let mut ledger = Ledger::under(None);
        let mut entries = Vec::new();
        for line in bytes
            .get(..whole)
            .unwrap_or_default()
            .split(|byte| *byte == b'\n')
        {
            if line.is_empty() {
                continue;
            }
            let broken = || StoreError::new("read", path, Cause::Content);
            let entry = json::parse(line).map_err(|_| broken())?.into_owned();
            let amount = entry.get("amount").and_then(Value::as_number);
            let amount = amount.and_then(Amount::of_number).ok_or_else(broken)?;
            let currency = entry
                .get("currency")
                .and_then(Value::as_str)
                .ok_or_else(broken)?;
            if ledger.spend(amount, currency) != Spent::Accepted {
                return Err(broken());
            }
            entries.push(entry);
        }
        self.ledger = ledger.held_under(self.ceiling.clone());
        self.entries = entries;
        Ok(whole as u64)
    }
}

fn append(path: &Path, whole: u64, lines: &[u8]) -> Result<(), StoreError> {
    let failed = |cause: Cause| StoreError::new("append to", path, cause);
    let mut how = OpenOptions::new();
    let mut file = files::open(path, how.append(true).create(true)).map_err(failed)?;
    let io = |error: std::io::Error| failed(error.into());
    files::allow_length(whole + lines.len() as u64).map_err(io)?;
    file.set_len(whole).map_err(io)?;
    file.write_all(lines).map_err(io)?;
    file.sync_all().map_err(io)?;
    if whole == 0 {
        files::sync_folder_of(path).map_err(io)?;
    }
    Ok(())
}

fn line(number: u64, purchase: &Purchase<'_>, account: Account<'_>, now: Timestamp) -> String {
    let text = |text: &str| Value::String(text.to_owned().into());
    let mut object = Object::new();
    object.insert("seq", Value::Number(number.into()));
    object.insert("ts", text(&now.to_string()));
    object.insert("session", text(account.session));
    object.insert("call", text(account.call));
    object.insert("domain", text(purchase.domain));
    object.insert("unit", text(&purchase.price.unit));
    object.insert("amount", purchase.price.amount.to_json());
    object.insert("currency", text(&purchase.price.currency));
    object.insert("method", text(&purchase.price.method));
    format!("{}\n", json::write(&Value::Object(object)))
}

const LARGEST: u64 = 64 << 20;

#[cfg(test)]
mod tests {
    use std::fs;

    use knotrust_core::ruleset::Money;

    use super::*;

    const GATES: Gates<'static> = Gates {
        money: Some(Money {
            amount: "1.00",
            currency: "USDC",
        }),
        ..Gates::DEFAULT
    };

    fn price(amount: &str) -> Price {
        Price {
            unit: "u".to_owned(),
            amount: Amount::read(amount).unwrap(),
            currency: "USDC".to_owned(),
            method: "x402".to_owned(),
        }
    }

    fn spend(budget: &mut Budget, amount: &str, now: Timestamp) -> Spent {
        let price = price(amount);
        let purchase = Purchase {
            domain: "d",
            price: &price,
        };
        let account = Account {
            session: "s",
            call: "c",
        };
        budget.spend(&[purchase], account, now).unwrap()
    }

    fn home(scratch: &Path) -> Home {
        Home::open(Some(scratch.join("home").as_os_str()), None).unwrap()
    }

    #[test]
    fn the_ceiling_holds_for_all_processes_together_and_for_a_day() {
        let scratch = tempfile::tempdir().unwrap();
        let home = home(scratch.path());
        let now = Timestamp::from_seconds(1_800_000_000);
        let (mut one, mut other) = (Budget::of(&home, &GATES), Budget::of(&home, &GATES));
        assert_eq!(spend(&mut one, "0.4", now), Spent::Accepted);
        assert_eq!(spend(&mut other, "0.6", now), Spent::Accepted);
        assert_eq!(spend(&mut one, "0.000001", now), Spent::OverCeiling);
        let total = one.ledger(now).unwrap().total("USDC");
        assert_eq!(total, Amount::from(1));
        assert_eq!(one.entries().len(), 2);
        let tomorrow = now.plus_millis(86_400_000);
        assert_eq!(spend(&mut one, "1", tomorrow), Spent::Accepted);
    }

    #[test]
    fn what_a_crash_has_torn_was_never_spent() {
        let scratch = tempfile::tempdir().unwrap();
        let home = home(scratch.path());
        let now = Timestamp::from_seconds(1_800_000_000);
        let mut budget = Budget::of(&home, &GATES);
        assert_eq!(spend(&mut budget, "0.5", now), Spent::Accepted);
        let path = home.at("budget/2027-01-15.jsonl");
        let mut text = fs::read_to_string(&path).unwrap();
        text.push_str(r#"{"seq":2,"amount":0.5,"curr"#);
        fs::write(&path, &text).unwrap();
        let mut budget = Budget::of(&home, &GATES);
        assert_eq!(spend(&mut budget, "0.5", now), Spent::Accepted);
        assert_eq!(fs::read_to_string(&path).unwrap().lines().count(), 2);
    }

    #[test]
    fn what_is_not_understood_is_no_room() {
        let scratch = tempfile::tempdir().unwrap();
        let home = home(scratch.path());
        let now = Timestamp::from_seconds(1_800_000_000);
        let mut budget = Budget::of(&home, &GATES);
        assert_eq!(spend(&mut budget, "0.5", now), Spent::Accepted);
        let path = home.at("budget/2027-01-15.jsonl");
        fs::write(&path, "{\"amount\":-5,\"currency\":\"USDC\"}\n").unwrap();
        assert!(Budget::of(&home, &GATES).ledger(now).is_err());
    }
}
