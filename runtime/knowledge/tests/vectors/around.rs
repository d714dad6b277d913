//! Signatures, places, sums and times, against vectors.

use knotrust_core::json::Value;
use knotrust_core::time::Timestamp;
use knotrust_knowledge::address::is_refused;
use knotrust_knowledge::amount::Amount;
use knotrust_knowledge::correlation::{Traceparent, lookup_key};
use knotrust_knowledge::ledger::{Ceiling, Ledger, Spent};
use knotrust_knowledge::manifest::{Listing, Manifest};
use knotrust_knowledge::serving::status;
use knotrust_knowledge::signature::{Fetched, Needs, PublicKey, sign, verify};
use knotrust_knowledge::ticket::{Answer, Refusal, Resolution, Ticket, duration};

use crate::support::{check_cases, same, text, vectors, without};

#[test]
fn signatures_prove_what_they_prove() {
    check_cases("signatures.json", |case| {
        let manifest = text(case, "manifest");
        let signing = Manifest::survey(manifest)
            .map_err(|error| error.to_string())?
            .signing;
        let needs = signing.as_ref().map(Needs::of).unwrap_or_default();
        let file = |name: Option<&str>| case.get("files")?.get(name?)?.as_str().map(str::to_owned);
        let fetched = Fetched {
            signature: file(needs.signature),
            public_key: file(needs.public_key),
        };
        let trusted = case
            .get("trustedKey")
            .and_then(Value::as_str)
            .map(|key| PublicKey::read(key).unwrap());
        let found = verify(manifest, signing.as_ref(), &fetched, trusted.as_slice());
        same(
            &without(&found.to_json(), "detail"),
            case.get("expect").unwrap(),
        )
    });
}

#[test]
fn what_is_signed_here_verifies_here() {
    let file = vectors("signatures.json");
    let seed = text(file.get("seeds").unwrap(), "k1");
    let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    let seed: Vec<u8> = seed.as_bytes().chunks(2).map(digits).collect();
    let seed: [u8; 32] = seed.try_into().unwrap();
    let key = knotrust_knowledge::signature::public_key(&seed);
    let manifest = "project: p\nsigning: {signature: s}\nunits: []\n";
    let signing = Manifest::survey(manifest).unwrap().signing;
    let fetched = Fetched {
        signature: Some(sign(manifest, &seed)),
        public_key: None,
    };
    let trusted = [PublicKey::read(&key).unwrap()];
    assert!(verify(manifest, signing.as_ref(), &fetched, &trusted).is_trusted());
    assert!(
        !verify(
            &manifest.replace("[]", "[ ]"),
            signing.as_ref(),
            &fetched,
            &trusted
        )
        .suffices(false)
    );
    assert!(!verify(manifest, signing.as_ref(), &fetched, &[]).suffices(true));
}

#[test]
fn manifests_are_served_from_where_they_say() {
    check_cases("serving.json", |case| {
        let declared = match case.get("manifest").and_then(Value::as_array) {
            None => Listing::Absent,
            Some(urls) => Listing::Listed(
                urls.iter()
                    .filter_map(Value::as_str)
                    .map(str::to_owned)
                    .collect(),
            ),
        };
        let found = status(&declared, Some(text(case, "source")));
        same(&Value::string(found.name()), case.get("expect").unwrap())
    });
}

#[test]
fn only_public_addresses_are_fetched_from() {
    check_cases("addresses.json", |case| {
        let refuse = is_refused(text(case, "address").parse().map_err(|_| "no address")?);
        same(&Value::Bool(refuse), case.get("refuse").unwrap())
    });
}

#[test]
fn ledgers_take_a_spend_whole_or_not_at_all() {
    check_cases("ledger.json", |case| {
        let amount = |value: &Value<'_>, name: &str| {
            value.get(name)?.as_number().and_then(Amount::of_number)
        };
        let ceiling = case.get("ceiling").map(|ceiling| Ceiling {
            amount: amount(ceiling, "amount").unwrap(),
            currency: text(ceiling, "currency").to_owned(),
        });
        let mut ledger = Ledger::under(ceiling);
        for spend in case.get("spends").and_then(Value::as_array).unwrap() {
            let currency = text(spend, "currency");
            let accepted =
                ledger.spend(amount(spend, "amount").unwrap(), currency) == Spent::Accepted;
            same(&Value::Bool(accepted), spend.get("accepted").unwrap())?;
            same(
                &ledger.total(currency).to_json(),
                spend.get("total").unwrap(),
            )?;
            if let Some(remaining) = spend.get("remaining") {
                same(
                    &ledger
                        .remaining(currency)
                        .map_or(Value::Null, Amount::to_json),
                    remaining,
                )?;
            }
        }
        Ok(())
    });
}

#[test]
fn durations_are_minutes_hours_or_days() {
    check_cases("durations.json", |case| {
        let found = duration(text(case, "text")).map_or(Value::Null, |ms| Value::Number(ms.into()));
        same(&found, case.get("ms").unwrap())
    });
}

#[test]
fn traceparents_are_read_or_refused() {
    check_cases("traceparents.json", |case| {
        let value = text(case, "value");
        same(
            &Value::string(&lookup_key(value)),
            case.get("lookupKey").unwrap(),
        )?;
        let parsed = case.get("parsed").unwrap();
        let expected = (!parsed.is_null()).then(|| Traceparent {
            trace_id: text(parsed, "traceId").to_owned(),
            parent_id: text(parsed, "parentId").to_owned(),
        });
        if Traceparent::read(value) == expected {
            Ok(())
        } else {
            Err("read otherwise".to_owned())
        }
    });
}

#[test]
fn tickets_live_as_they_must() {
    check_cases("tickets.json", |case| {
        let mut ticket = None;
        for step in case.get("steps").and_then(Value::as_array).unwrap() {
            let step = step.as_array().unwrap();
            let now = Timestamp::parse(step[1].as_str().unwrap()).unwrap();
            let found = match step[0].as_str() {
                Some("submit") => match submit(&step[2], now) {
                    Ok(opened) => {
                        ticket = Some(opened);
                        continue;
                    }
                    Err(_) if step.get(3).and_then(Value::as_str) == Some("refused") => {
                        return Ok(());
                    }
                    Err(refusal) => return Err(refusal.to_string()),
                },
                Some("check") => ticket.as_ref().unwrap().state(now).name(),
                Some(_) => continue,
                None if step[0].get("id").is_some() => "refused",
                None => match ticket.as_mut().unwrap().resolve(resolution(&step[0]), now) {
                    Ok(state) => state.name(),
                    Err(_) => "refused",
                },
            };
            same(&Value::string(found), &step[2])?;
        }
        Ok(())
    });
}

fn submit(request: &Value<'_>, now: Timestamp) -> Result<Ticket, Refusal> {
    let expires = request.get("expiresAfter").and_then(Value::as_str);
    let expires =
        expires.map(|after| now.plus_millis(i64::try_from(duration(after).unwrap()).unwrap()));
    let prohibited = request
        .get("prohibited")
        .and_then(Value::as_bool)
        .unwrap_or_default();
    Ticket::open(None, None, expires, prohibited)
}

fn resolution(operation: &Value<'_>) -> Resolution {
    let member = |name: &str| {
        operation
            .get(name)
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned()
    };
    Resolution {
        answer: if member("state") == "approved" {
            Answer::Approved
        } else {
            Answer::Dismissed
        },
        reviewer: member("reviewer"),
        role: None,
        policy_ref: member("policyRef"),
        note: None,
    }
}
