//! A new grant: what it would admit in words first, then the signature.

use std::error::Error;

use knotrust_core::audit::event::Kind as EventKind;
use knotrust_core::audit::filter::Filter;
use knotrust_core::grant::{
    AgentScope, Bounds, Claims, Conditions, IdPattern, Kind, Party, Scope, ToolPattern, Unsigned,
    in_words,
};
use knotrust_core::json::{self, Object, Text, Value};
use knotrust_core::ruleset::Ruleset;
use knotrust_core::tier::Tier;
use knotrust_govern::audit::read::Reader;
use knotrust_govern::caller::LOCAL_USER;
use knotrust_govern::clock;
use knotrust_govern::clock::ulid::Ulids;
use knotrust_govern::grants::{GrantSet, admitted, recorded};
use knotrust_govern::home::Home;
use knotrust_govern::inventory::Inventory;

use super::super::Done;
use super::super::audit::millis;
use super::super::confirm::confirm;
use super::{consent, given, record, words};
use crate::arguments::Format;
use crate::arguments::consent::NewGrant;
use crate::{exit, output};

/// How many recorded calls a preview draws its examples from.
const RECENT: usize = 2_000;

/// Signs a grant.
pub(super) fn run(ruleset: &Ruleset<'static>, home: &Home, new: &NewGrant) -> Done {
    let (Some(server), Some(tool)) = (&new.server, &new.tool) else {
        output::note("a grant needs `--server NAME` and `--tool PATTERN`");
        return Ok(exit::USAGE);
    };
    let claims = claims(new, server, tool)?;
    let ceiling = ruleset.envelope.grant_ceiling;
    output::note(&words::sentence(&claims));
    if claims.cap > ceiling {
        output::note(&format!("the envelope lets no grant count above {ceiling}"));
    }
    let known = known_names(home)?;
    let admits = admitted(&claims, known.iter().map(String::as_str));
    output::note(&format!(
        "of {} known tools it covers {}",
        admits.of,
        admits.tools.len()
    ));
    for tool in admits.tools.iter().take(20) {
        output::note(&format!("  {}", output::inert(tool)));
    }
    let seen = recorded(&claims, home)?;
    seen.iter().for_each(|line| output::note(line));
    if new.dry_run {
        return Ok(exit::OK);
    }
    if !confirm("Sign this grant?", new.yes)? {
        return Ok(exit::FAILED);
    }
    let unsigned = Unsigned::new(&claims);
    let challenge = unsigned.challenge();
    let consent = consent::to_grant(ruleset, home, &challenge, (in_words(&claims), seen))?;
    let unsigned = match &consent {
        Some(consent) => unsigned.with_consent(consent),
        None => unsigned,
    };
    // Recorded first: a grant that is not in the log is not made.
    record(
        (ruleset, home),
        EventKind::GrantCreated,
        &claims,
        given(consent.as_ref(), challenge),
        "kind=durable",
    )?;
    let grant = GrantSet::of(home, &ruleset.approvals).issue(unsigned)?;
    match new.format {
        Format::Text => output::line(&format!("signed: {}", grant.claims().id))?,
        Format::Json => {
            let mut object = Object::new();
            object.insert("id", Value::string(&grant.claims().id));
            object.insert("expires", Value::Number(grant.claims().expires.into()));
            output::line(&json::write(&Value::Object(object)))?;
        }
    }
    Ok(exit::OK)
}

fn claims(new: &NewGrant, server: &str, tool: &str) -> Result<Claims, Box<dyn Error>> {
    let now = clock::now().wall;
    let second = u64::try_from(now.seconds())?;
    let lasts = millis(&new.expires).ok_or("`--expires` takes a while such as `12h` or `30d`")?;
    let subject = std::env::var("KNOTRUST_SUBJECT")
        .ok()
        .filter(|name| !name.is_empty());
    let subject = subject.unwrap_or_else(|| LOCAL_USER.to_owned());
    // A name that begins with its server already is taken as a whole action name.
    let prefix = format!("{server}.");
    let action = if tool.starts_with(&prefix) {
        tool.to_owned()
    } else {
        format!("{prefix}{tool}")
    };
    let pattern = ToolPattern::of_rule(&action)?;
    let conditions = conditions(new, &pattern)?;
    Ok(Claims {
        id: Ulids::default().next(now)?.to_string(),
        issued_at: second,
        expires: second.saturating_add(u64::try_from(lasts / 1000)?),
        not_before: None,
        issuer: format!("user:{subject}"),
        kind: Kind::Durable,
        single_use: new.single_use,
        principal: Party {
            kind: "user".to_owned(),
            id: subject,
        },
        agent: match &new.agent {
            None => AgentScope::Any,
            Some(id) => AgentScope::Named(Party {
                kind: "ai_agent".to_owned(),
                id: id.clone(),
            }),
        },
        tool: pattern,
        scope: new.resource.as_deref().map(scope).unwrap_or_default(),
        conditions,
        cap: Tier::from_name(&new.tier_cap)
            .ok_or("`--tier-cap` is routine, sensitive or critical")?,
        organisation: false,
        admin: None,
    })
}

/// `type:id`, or an id alone.
fn scope(text: &str) -> Scope {
    let (kind, id) = match text.split_once(':') {
        Some((kind, id)) if kind.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') => {
            (Some(kind), id)
        }
        _ => (None, text),
    };
    Scope {
        resource_type: kind.filter(|kind| !kind.is_empty()).map(str::to_owned),
        id: (!id.is_empty()).then(|| IdPattern::read(id)),
    }
}

fn conditions(new: &NewGrant, pattern: &ToolPattern) -> Result<Conditions, Box<dyn Error>> {
    let mut object = Object::new();
    if !new.condition.is_empty() {
        let mut when = Object::new();
        for text in &new.condition {
            let (pointer, test, operand) = condition(text)?;
            let mut tests = when
                .get(&pointer)
                .and_then(Value::as_object)
                .cloned()
                .unwrap_or_default();
            tests.insert(test, operand);
            when.insert(pointer, Value::Object(tests));
        }
        object.insert("when", Value::Object(when));
    }
    if let Some(uses) = new.uses {
        object.insert("uses", Value::Number(uses.into()));
    }
    if !new.limit.is_empty() {
        let mut limits = Object::new();
        for text in &new.limit {
            let (name, most) = text
                .split_once('=')
                .ok_or("`--limit` is written argument=most")?;
            let most = json::parse(most.as_bytes()).map_err(|_| "`--limit` takes a number")?;
            limits.insert(pointer(name), most.into_owned());
        }
        object.insert("limit", Value::Object(limits));
    }
    if matches!(pattern, ToolPattern::Rule(_)) {
        object.insert("tools", Value::string("rule"));
    }
    if object.is_empty() {
        return Ok(Conditions::None);
    }
    let bounds = Bounds::read(&object).ok_or("a condition is none that a grant can have")?;
    Ok(Conditions::Bounds(Box::new(bounds)))
}

/// `amount<=5000` is a JSON Pointer, a test, and what it compares with.
fn condition(text: &str) -> Result<(String, &'static str, Value<'static>), String> {
    const TESTS: [(&str, &str); 6] = [
        ("<=", "lte"),
        (">=", "gte"),
        ("!=", "ne"),
        ("<", "lt"),
        (">", "gt"),
        ("=", "eq"),
    ];
    let found = TESTS.iter().find_map(|(sign, test)| {
        text.split_once(sign)
            .map(|(name, operand)| (name.trim(), *test, operand.trim()))
    });
    let (name, test, operand) = found.filter(|(name, ..)| !name.is_empty()).ok_or_else(|| {
        format!(
            "`{}` is no condition; write it as `amount<=5000`",
            output::inert(text)
        )
    })?;
    let operand = match json::parse(operand.as_bytes()) {
        Ok(value) => value.into_owned(),
        Err(_) => Value::String(Text::from(operand.to_owned())),
    };
    Ok((pointer(name), test, operand))
}

fn pointer(name: &str) -> String {
    if name.starts_with('/') {
        name.to_owned()
    } else {
        format!("/{}", name.replace('.', "/"))
    }
}

/// Action names that are known here: from inventories, and from recorded calls.
fn known_names(home: &Home) -> Result<Vec<String>, Box<dyn Error>> {
    let mut names = Vec::new();
    for server in Inventory::servers(home)? {
        let listed = Inventory::open(home, &server)?.list()?;
        let tools = listed.into_iter().filter_map(|listed| listed.name);
        names.extend(tools.map(|tool| format!("{server}.{tool}")));
    }
    for entry in Reader::of(home).last(RECENT, &Filter::default())? {
        if let Some(record) = entry.record()
            && record.text("type").as_deref() == Some("decision")
            && let Some(tool) = record.text("tool")
        {
            names.push(tool.into_owned());
        }
    }
    names.sort_unstable();
    names.dedup();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_written_as_people_write_them() {
        let read = |text| {
            condition(text)
                .map(|(pointer, test, value)| format!("{pointer} {test} {}", json::write(&value)))
        };
        assert_eq!(read("amount<=5000").as_deref(), Ok("/amount lte 5000"));
        assert_eq!(read("a.b != x y").as_deref(), Ok("/a/b ne \"x y\""));
        assert_eq!(read("/a~1b=true").as_deref(), Ok("/a~1b eq true"));
        assert!(read("amount").is_err());
        assert!(read("=5").is_err());
    }

    #[test]
    fn a_resource_may_name_its_type() {
        let scope = scope("charge:ch_*");
        assert_eq!(scope.resource_type.as_deref(), Some("charge"));
        assert_eq!(scope.id.map(|id| id.to_text()).as_deref(), Some("ch_*"));
        assert_eq!(super::scope("ch_1").resource_type, None);
    }
}
