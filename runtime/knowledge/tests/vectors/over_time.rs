//! Plans compared, made again, walked over and loaded, against vectors.

use std::collections::BTreeMap;

use knotrust_core::json::{Object, Value, parse, write};
use knotrust_core::time::Timestamp;
use knotrust_knowledge::diff::diff;
use knotrust_knowledge::drift::recheck;
use knotrust_knowledge::federation::{Arrival, Limits, Location, Node, Terms, Tree, Walk, Wanted};
use knotrust_knowledge::loading::{Known, Loaded, wanted};
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::options::Options;
use knotrust_knowledge::planner::plan;
use knotrust_knowledge::replay::{recorded, report};
use knotrust_knowledge::signature::{Fetched, Needs};

use crate::support::{check_cases, includes, same, text, today, vectors};

#[test]
fn differences_are_told_in_order() {
    check_cases("differences.json", |case| {
        let manifest = Manifest::read(text(case, "manifest")).map_err(|error| error.to_string())?;
        let side = |name: &str| {
            let given = case.get(name).unwrap();
            let task = given
                .get("task")
                .and_then(Value::as_str)
                .unwrap_or(text(case, "task"));
            plan(&manifest, task, &payer(given))
        };
        let (a, b) = (side("a"), side("b"));
        same(
            &diff(&a.to_json(), &b.to_json()).to_json(),
            case.get("expect").unwrap(),
        )?;
        let drift = recheck(&a, &manifest, &a.options.as_of);
        if drift.has_drifted() {
            Err(drift.summary())
        } else {
            Ok(())
        }
    });
}

/// Options for an agent that can pay by x402, unless it says otherwise.
fn payer(given: &Value<'_>) -> Options {
    let default = parse(br#"{"role": "agent", "paymentMethods": ["free", "x402"]}"#).unwrap();
    let mut object = Object::new();
    for (name, value) in given
        .as_object()
        .unwrap()
        .iter()
        .filter(|(name, _)| name.as_str() != Some("task"))
    {
        object.insert(name.clone(), value.clone());
    }
    let mut capabilities = default.as_object().unwrap().clone();
    for (name, value) in object
        .get("capabilities")
        .and_then(Value::as_object)
        .into_iter()
        .flat_map(Object::iter)
    {
        capabilities.insert(name.clone(), value.clone());
    }
    object.insert("capabilities", Value::Object(capabilities));
    Options::from_json(&Value::Object(object), &today()).unwrap()
}

#[test]
fn time_makes_plans_drift() {
    let manifest = Manifest::read("project: p\nunits:\n- {id: u, path: a.md, intent: Crane, temporal: {valid_until: 2026-07-31}}").unwrap();
    let before = plan(&manifest, "crane", &Options::as_of(today()));
    let later = knotrust_knowledge::date::IsoDate::read("2026-08-01").unwrap();
    let drift = recheck(&before, &manifest, &later);
    assert_eq!(drift.lost(), ["u"]);
    assert_eq!(drift.now.selected.len(), 0);
}

#[test]
fn plans_are_made_again() {
    let file = vectors("loading.json");
    let manifest_text = text(file.get("files").unwrap(), "knowledge.yaml").to_owned();
    check_cases("replay.json", |case| {
        let mut options = Options {
            max_units: 20,
            ..Options::as_of(today())
        };
        let name = text(case, "name");
        if name == "context-budget-in-options" {
            options.context_budget = Some(1000.into());
        }
        let manifest = Manifest::survey(&manifest_text)
            .unwrap()
            .from_source("knowledge.yaml");
        let artifact = changed(plan(&manifest, "crane", &options).to_json(), name);
        let now = match name {
            "manifest-byte-added" => Some(format!("{manifest_text}\n")),
            "manifest-gone" => None,
            _ => Some(manifest_text.clone()),
        };
        let checks: Vec<_> = recorded(&artifact)
            .iter()
            .map(|plan| plan.replay(now.as_deref()))
            .collect();
        includes(&report(&checks), case.get("expect").unwrap())
            .map_err(|problem| format!("{problem} {}", write(&report(&checks))))
    });
}

fn changed(plan: Value<'static>, how: &str) -> Value<'static> {
    let mut object = plan.as_object().unwrap().clone();
    match how {
        "envelope-members-ignored" => {
            object.insert("schemaVersion", Value::Number(1_u64.into()));
            object.insert("kind", Value::string("plan"));
        }
        "correlation-id-present" => object.insert("correlationId", Value::string("c-1")),
        "score-edited" => {
            let edited =
                write(object.get("selected").unwrap()).replace("\"score\":3", "\"score\":9");
            object.insert("selected", parse(edited.as_bytes()).unwrap().into_owned());
        }
        "options-left-out" => object.insert("options", Value::Null),
        "source-left-out" | "digest-left-out" => {
            let dropped = if how == "source-left-out" {
                "source"
            } else {
                "sha256"
            };
            let manifest = crate::support::without(object.get("manifest").unwrap(), dropped);
            object.insert("manifest", manifest);
        }
        _ => {}
    }
    Value::Object(object)
}

#[test]
fn what_is_known_is_not_loaded_again() {
    let file = vectors("loading.json");
    let files = file.get("files").unwrap();
    let manifest = Manifest::survey(text(files, "knowledge.yaml")).unwrap();
    let plan = plan(
        &manifest,
        "crane",
        &Options {
            max_units: 20,
            ..Options::as_of(today())
        },
    );
    check_cases("loading.json", |case| {
        let known = case.get("known").map(Known::read).unwrap_or_default();
        let mut loaded = Loaded::default();
        for unit in wanted(&plan, &manifest) {
            match unit {
                Err(unavailable) => loaded.refuse(unavailable),
                Ok(unit) => {
                    let content = files
                        .get(&unit.path)
                        .and_then(Value::as_str)
                        .map(str::as_bytes);
                    loaded.take(&unit, content.ok_or("there is no such file"), &known);
                }
            }
        }
        let mut unavailable: Vec<_> = loaded
            .unavailable
            .iter()
            .map(|unit| Value::string(&unit.id))
            .collect();
        unavailable.sort_by_key(write);
        same(&Value::Array(unavailable), file.get("unavailable").unwrap())?;
        includes(
            &loaded.to_json("knowledge.yaml"),
            case.get("expect").unwrap(),
        )
    });
}

#[test]
fn announced_content_is_checked() {
    let manifest = "project: p\nunits:\n- {id: a, path: a.md, intent: Crane, content_hash: {algorithm: sha256, value: 'b6a98d9ce9a2d9149288fa3df42d377c3e42737afdcdaf714e33c0a100b51060'}}\n- {id: b, path: b.md, intent: Crane, content_hash: 'md5:abc'}";
    let manifest = Manifest::read(manifest).unwrap();
    let plan = plan(&manifest, "crane", &Options::as_of(today()));
    let load = |content: &[u8]| {
        let mut loaded = Loaded::default();
        for unit in wanted(&plan, &manifest).into_iter().flatten() {
            loaded.take(&unit, Ok(content), &Known::default());
        }
        loaded
            .units
            .iter()
            .map(|unit| unit.id.clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(load(b"alpha\n"), ["a"]);
    assert!(load(b"omega\n").is_empty());
}

#[test]
fn walks_keep_to_their_bounds() {
    check_cases("walks.json", |case| {
        let given = case.get("options").unwrap();
        let options = payer(given);
        let limits = Limits::from_json(given).map_err(|error| error.to_string())?;
        let terms = Terms {
            task: "crane",
            options: &options,
            limits,
            trusted: &[],
            signature_required: false,
        };
        let files: BTreeMap<&str, &str> = case
            .get("files")
            .unwrap()
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, text)| (name.as_str().unwrap(), text.as_str().unwrap()))
            .collect();
        let tree = walk(
            &files,
            Walk::from(Location::file("hub.yaml"), terms),
            Timestamp::from_seconds(0),
        );
        same(&brief(&tree, 0), case.get("expect").unwrap())
    });
}

fn walk(files: &BTreeMap<&str, &str>, mut walk: Walk<'_>, now: Timestamp) -> Tree {
    while let Some(wanted) = walk.next(now) {
        let location = found(files, &wanted);
        let text = files.get(location.as_str()).copied();
        let signing = text
            .and_then(|text| Manifest::survey(text).ok())
            .and_then(|manifest| manifest.signing);
        let needs = signing.as_ref().map(Needs::of).unwrap_or_default();
        let file = |name: Option<&str>| {
            let place = location.refer(name?)?;
            files.get(place.as_str()).map(|text| (*text).to_owned())
        };
        let signature = Fetched {
            signature: file(needs.signature),
            public_key: file(needs.public_key),
        };
        walk.arrived(Arrival {
            location: &location,
            text: text.ok_or("not found"),
            signature: &signature,
        });
    }
    walk.finish()
}

fn found(files: &BTreeMap<&str, &str>, wanted: &Wanted) -> Location {
    let mirror = wanted
        .mirror
        .clone()
        .filter(|mirror| files.contains_key(mirror.as_str()));
    let location = mirror.unwrap_or_else(|| wanted.location.clone());
    let within = ["knowledge.yaml", ".well-known/knowledge.yaml"]
        .map(|name| format!("{}/{name}", location.as_str()));
    let within = within.iter().find(|path| files.contains_key(path.as_str()));
    within.map_or(location, |path| Location::file(path))
}

fn brief(tree: &Tree, index: usize) -> Value<'static> {
    let node: &Node = tree.nodes().get(index).unwrap();
    let string = |text: &str| Value::String(text.to_owned().into());
    let mut object = Object::new();
    if let Some(reference) = &node.reference {
        object.insert("refId", string(reference));
    }
    if let Some(plan) = &node.plan {
        object.insert("project", string(&plan.manifest.project));
        object.insert(
            "selected",
            Value::Array(plan.selected.iter().map(|unit| string(&unit.id)).collect()),
        );
        object.insert(
            "skipped",
            Value::Array(plan.skipped.iter().map(|unit| string(&unit.id)).collect()),
        );
        object.insert("sha256", string(&plan.manifest.sha256));
    }
    if let (None, Some(signature)) = (&node.error, &node.signature) {
        object.insert("signature", string(signature.status.name()));
    }
    if let Some(error) = &node.error {
        object.insert("error", string(error));
    }
    let left = node.not_followed.iter().map(|left| {
        let mut object = Object::new();
        object.insert("id", string(&left.id));
        object.insert("reason", string(&left.reason));
        Value::Object(object)
    });
    object.insert("notFollowed", Value::Array(left.collect()));
    let children = tree.children(index).map(|child| brief(tree, child));
    object.insert("children", Value::Array(children.collect()));
    Value::Object(object)
}

#[test]
fn walks_end_with_their_time_and_share_one_budget() {
    let unit = |id: &str| {
        format!(
            "project: {id}\nunits:\n- {{id: {id}, path: a.md, intent: Crane, payment: {{methods: [{{type: x402, currency: USDC, price_per_request: '0.6'}}]}}}}\n"
        )
    };
    let hub = format!(
        "{}manifests:\n- {{id: l1, url: l1.yaml}}\n- {{id: l2, url: l2.yaml}}\n",
        unit("hub")
    );
    let (l1, l2) = (unit("l1"), unit("l2"));
    let files = BTreeMap::from([
        ("hub.yaml", hub.as_str()),
        ("l1.yaml", &l1),
        ("l2.yaml", &l2),
    ]);
    let given = parse(br#"{"budget": {"amount": 1.2}}"#).unwrap();
    let options = payer(&given);
    let limits = Limits {
        depth: 1,
        nodes: 9,
        deadline: Some(Timestamp::from_seconds(10)),
    };
    let terms = Terms {
        task: "crane",
        options: &options,
        limits,
        trusted: &[],
        signature_required: false,
    };
    let tree = walk(
        &files,
        Walk::from(Location::file("hub.yaml"), terms),
        Timestamp::from_seconds(9),
    );
    let listed: Vec<_> = tree
        .nodes()
        .iter()
        .map(|node| node.plan.as_ref().unwrap().selected.len())
        .collect();
    assert_eq!(listed, [1, 1, 0]);
    let tree = walk(
        &files,
        Walk::from(Location::file("hub.yaml"), terms),
        Timestamp::from_seconds(11),
    );
    assert_eq!(tree.nodes().len(), 1);
    assert_eq!(tree.nodes()[0].not_followed.len(), 2);
}
