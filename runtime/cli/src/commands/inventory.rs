//! `knotrust inventory`: what servers say of their tools, and whether it has changed.

use knotrust_core::audit::event::{Event, Kind};
use knotrust_core::json::{self, Object, Text, Value};
use knotrust_govern::audit::Log;
use knotrust_govern::clock;
use knotrust_govern::home::Home;
use knotrust_govern::inventory::{Inventory, Listed, Which};

use super::Done;
use super::confirm::confirm;
use super::proxy::home;
use crate::arguments::Format;
use crate::arguments::records::InventoryVerb;
use crate::{exit, output};

/// Lists, or accepts.
pub(super) fn run(verb: InventoryVerb) -> Done {
    let home = home()?;
    match verb {
        InventoryVerb::List { server, format } => {
            let servers = match server {
                Some(server) => vec![server],
                None => Inventory::servers(&home)?,
            };
            list(&home, &servers, format)
        }
        InventoryVerb::Accept { server, tools, yes } => accept(&home, &server, &tools, yes),
    }
}

fn list(home: &Home, servers: &[String], format: Format) -> Done {
    let mut all = Vec::new();
    for server in servers {
        for listed in Inventory::open(home, server)?.list()? {
            match format {
                Format::Text => output::line(&text(server, &listed))?,
                Format::Json => all.push(as_json(server, &listed)),
            }
        }
    }
    if format == Format::Json {
        output::line(&json::write(&Value::Array(all)))?;
    }
    Ok(exit::OK)
}

fn text(server: &str, listed: &Listed) -> String {
    let name = listed.name.as_deref().unwrap_or("(what it says of itself)");
    let state = match (listed.drift, listed.gone) {
        (Some(drift), _) => drift.as_str(),
        (None, true) => "gone",
        (None, false) => "as accepted",
    };
    let mut text = format!("{server}.{}: {state}", output::inert(name));
    for difference in &listed.differences {
        let side = |value: &Option<String>| {
            value
                .as_deref()
                .map_or_else(|| "nothing".to_owned(), output::inert)
        };
        let at = if difference.at.is_empty() {
            "/"
        } else {
            &difference.at
        };
        text.push_str(&format!(
            "\n  {}\n    - {}\n    + {}",
            output::inert(at),
            side(&difference.before),
            side(&difference.after)
        ));
    }
    text
}

fn as_json(server: &str, listed: &Listed) -> Value<'static> {
    let owned = |text: &str| Value::String(Text::from(text.to_owned()));
    let texts = |texts: &[String]| Value::Array(texts.iter().map(|text| owned(text)).collect());
    let mut object = Object::new();
    object.insert("server", owned(server));
    object.insert("tool", listed.name.as_deref().map_or(Value::Null, owned));
    object.insert(
        "drift",
        listed
            .drift
            .map_or(Value::Null, |drift| Value::string(drift.as_str())),
    );
    object.insert("gone", Value::Bool(listed.gone));
    object.insert("accepted", texts(&listed.accepted));
    object.insert("shown", texts(&listed.shown));
    let differences = listed.differences.iter().map(|difference| {
        let side = |value: &Option<String>| value.as_deref().map_or(Value::Null, owned);
        let mut object = Object::new();
        object.insert("at", owned(&difference.at));
        object.insert("before", side(&difference.before));
        object.insert("after", side(&difference.after));
        Value::Object(object)
    });
    object.insert("differences", Value::Array(differences.collect()));
    Value::Object(object)
}

fn accept(home: &Home, server: &str, tools: &[String], yes: bool) -> Done {
    let mut inventory = Inventory::open(home, server)?;
    let wanted = |listed: &Listed| {
        let name = listed.name.as_deref().unwrap_or_default();
        tools.is_empty() || tools.iter().any(|tool| tool == name)
    };
    let changed = inventory.list()?;
    let changed: Vec<_> = changed
        .iter()
        .filter(|listed| (listed.drift.is_some() || listed.gone) && wanted(listed))
        .collect();
    if changed.is_empty() {
        output::line("nothing to accept")?;
        return Ok(exit::OK);
    }
    for listed in &changed {
        output::line(&text(server, listed))?;
    }
    if !confirm("Accept what is shown now?", yes)? {
        return Ok(exit::FAILED);
    }
    let mut log = Log::of(home);
    let record = &mut |change: &knotrust_govern::inventory::Change| {
        let event = change.event(Event {
            surface: "terminal",
            ..Event::of(Kind::InventoryAccepted)
        });
        log.append(&event, clock::now()).map(|_| ())
    };
    if tools.is_empty() {
        inventory.accept(Which::All, record)?;
    }
    for tool in tools {
        inventory.accept(Which::Tool(tool), record)?;
    }
    output::line("accepted")?;
    Ok(exit::OK)
}
