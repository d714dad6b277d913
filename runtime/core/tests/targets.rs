//! What calls reach for: the rows of `vectors/targets`.
//!
//! A row names a tool, its arguments and the domains that the call touches (`or` is another answer that is as good), and
//! where it matters the reasons that may be given, the target found, and whether knotrust's own is touched. Sections give
//! what rows leave out.
#![allow(
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that meets what it does not expect is to fail there"
)]

use std::collections::BTreeMap;

use knotrust_core::classify::{Classification, classify};
use knotrust_core::json;
use knotrust_core::surroundings::{Entry, Links, Naming, Os, Surroundings};
use knotrust_core::targets::building::Builder;
use knotrust_core::targets::ground::Ground;
use knotrust_core::targets::own::Own;
use knotrust_core::targets::place::Holder;
use serde_json::Value;

#[test]
fn calls_touch_what_the_rows_say() {
    let files = [
        ("commands", include_str!("vectors/targets/commands.json")),
        ("globs", include_str!("vectors/targets/globs.json")),
        ("own", include_str!("vectors/targets/own.json")),
        ("paths", include_str!("vectors/targets/paths.json")),
        ("search", include_str!("vectors/targets/search.json")),
        ("shapes", include_str!("vectors/targets/shapes.json")),
        ("shell", include_str!("vectors/targets/shell.json")),
        ("urls", include_str!("vectors/targets/urls.json")),
    ];
    let mut count = 0;
    let mut failures = Vec::new();
    for (file, text) in files {
        let sections: Vec<Value> = serde_json::from_str(text).unwrap();
        for section in &sections {
            for row in section["rows"].as_array().unwrap() {
                count += 1;
                if let Err(failure) = check(section, row) {
                    failures.push(format!(
                        "{file}: {}: {row}\n    {failure}",
                        section["about"]
                    ));
                }
            }
        }
    }
    assert!(count > 600, "{count} rows");
    assert!(
        failures.is_empty(),
        "{} of {count}:\n{}",
        failures.len(),
        failures.join("\n")
    );
}

fn check(section: &Value, row: &Value) -> Result<(), String> {
    let around = Around::of(&section["around"], &row["around"]);
    let domains = row.get("domains").unwrap_or(&section["domains"]);
    let found = around.classify(domains, row);
    let touched: Vec<_> = found
        .domains()
        .into_iter()
        .map(|index| domains[index as usize]["name"].clone())
        .collect();
    let wanted = ["touches", "or"].map(|name| row.get(name));
    let touches = Value::Array(touched);
    if wanted.iter().any(Option::is_some) && !wanted.contains(&Some(&touches)) {
        return Err(format!("touches {touches}: {:?}", found.targets()));
    }
    let reasons: Vec<_> = found
        .reasons()
        .iter()
        .map(|reason| reason.as_str())
        .collect();
    if let Some(because) = row.get("because").and_then(Value::as_array) {
        let known = |reason: &&str| because.iter().any(|known| known == reason);
        if !reasons.iter().any(known) {
            return Err(format!("because of {reasons:?}: {:?}", found.targets()));
        }
    }
    let named = |target: &str| found.targets().iter().any(|found| found.text() == target);
    let target = row.get("target").and_then(Value::as_str);
    if target.is_some_and(|target| !named(target)) {
        return Err(format!("finds {:?}", found.targets()));
    }
    match row.get("own").and_then(Value::as_bool) {
        Some(own) if own != found.touches_own() => Err(format!("own: {}", !own)),
        _ => Ok(()),
    }
}

struct Around {
    cwd: String,
    home: String,
    os: Os,
    naming: Naming,
    links: BTreeMap<String, String>,
    own: Value,
}

impl Around {
    fn of(section: &Value, row: &Value) -> Self {
        let get = |name: &str| row.get(name).or_else(|| section.get(name));
        let text = |name| {
            get(name)
                .and_then(Value::as_str)
                .unwrap_or_default()
                .to_owned()
        };
        let (os, naming) = match text("os").as_str() {
            // The disk is as the row says: names compare byte for byte.
            "linux" => (Os::Linux, Naming::EXACT),
            "real-linux" => (Os::Linux, Os::Linux.naming()),
            "macos" => (Os::Macos, Os::Macos.naming()),
            "windows" => (Os::Windows, Os::Windows.naming()),
            other => panic!("os {other:?}"),
        };
        let cwd = text("cwd");
        let links = get("links")
            .and_then(Value::as_object)
            .into_iter()
            .flatten();
        let links = links.map(|(link, target)| {
            let link = if link.starts_with('/') {
                link.clone()
            } else {
                format!("{cwd}/{link}")
            };
            (link, target.as_str().unwrap().to_owned())
        });
        Self {
            links: links.collect(),
            home: text("home"),
            own: get("own").cloned().unwrap_or_default(),
            cwd,
            os,
            naming,
        }
    }

    fn classify(&self, domains: &Value, row: &Value) -> Classification {
        let mut builder = Builder::default();
        for (index, domain) in (0..).zip(domains.as_array().unwrap()) {
            for path in domain["paths"].as_array().into_iter().flatten() {
                builder
                    .path(path.as_str().unwrap(), Holder::Domain(index))
                    .unwrap();
            }
            for url in domain["urls"].as_array().into_iter().flatten() {
                builder
                    .url(url.as_str().unwrap(), Holder::Domain(index))
                    .unwrap();
            }
        }
        let around = Surroundings {
            cwd: &self.cwd,
            home: &self.home,
            os: self.os,
            naming: self.naming,
            links: self,
        };
        let port = self.own["port"].as_u64();
        let port = port.and_then(|port| u16::try_from(port).ok());
        let own = Own {
            home: self.own["home"].as_str(),
            program: self.own["program"].as_str(),
            ports: port.as_slice(),
        };
        let arguments = row["arguments"].to_string();
        let arguments = json::parse(arguments.as_bytes()).unwrap();
        builder.finish().lend(|places| {
            let ground = Ground::lay(places, &own, &around);
            classify(&ground, self, row["tool"].as_str().unwrap(), &arguments)
        })
    }
}

impl Links for Around {
    fn look(&self, folder: &str, name: &str) -> Entry {
        let target = self.links.get(&format!("{folder}/{name}"));
        target.map_or(Entry::Plain, |target| Entry::Link(target.clone()))
    }
}
