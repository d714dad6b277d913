//! Many real processes and one home: a use is spent once, whoever comes first and whoever is killed.
//!
//! The children are this test binary again, told by the environment what to do.

#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop"
)]

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::Duration;

use ed25519_dalek::SigningKey;
use knotrust_core::grant::{
    AgentScope, Bounds, Call, Claims, Conditions, Kind, Party, Scope, ToolPattern, Unsigned,
};
use knotrust_core::json::parse;
use knotrust_core::request;
use knotrust_core::ruleset::Approvals;
use knotrust_core::surroundings::Surroundings;
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;
use knotrust_govern::grants::{GrantSet, Selector};
use knotrust_govern::home::Home;
use knotrust_govern::keys::Keys;
use knotrust_govern::uses::Spend;

const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);
const RULES: Approvals<'static> = Approvals::DEFAULT;

#[test]
fn of_sixteen_processes_one_spends_the_only_use() {
    for _ in 0..3 {
        assert_eq!(race(16, |claims| claims.single_use = true), 1);
    }
}

#[test]
fn counted_uses_are_never_exceeded() {
    let five = |claims: &mut Claims| claims.conditions = bounds(r#"{"uses":5}"#);
    assert_eq!(race(8, five), 5);
    let sum = |claims: &mut Claims| claims.conditions = bounds(r#"{"limit":{"/n":0.7}}"#);
    assert_eq!(race(8, sum), 7, "a tenth each");
}

#[test]
fn killed_at_any_moment_what_went_out_was_spent() {
    for round in 0..24_u64 {
        let scratch = scratch(|claims| claims.single_use = true);
        let mut child = child(scratch.path(), "forward");
        go(scratch.path());
        wait_for(&scratch.path().join("running"));
        match round {
            0..20 => thread::sleep(Duration::from_micros(round * 1500)),
            _ => wait_for(&scratch.path().join("forwarded")),
        }
        child.kill().unwrap();
        child.wait().unwrap();
        if scratch.path().join("forwarded").exists() {
            assert_eq!(attempts(scratch.path(), 1), 0, "sent, so spent");
        } else {
            assert!(attempts(scratch.path(), 2) <= 1);
        }
    }
}

#[test]
fn readers_never_see_a_grant_after_its_revocation_returned() {
    let scratch = scratch(|_| {});
    let home = home(scratch.path());
    let mut readers: Vec<_> = (0..4).map(|_| child(scratch.path(), "watch")).collect();
    go(scratch.path());
    let mut set = GrantSet::of(&home, &RULES);
    for round in 0..10 {
        let id = format!("01ROUND{round}");
        set.add(&token(&id, &|_| {})).unwrap();
        fs::write(scratch.path().join("given"), &id).unwrap();
        set.revoke(Selector::Id(&id), NOW).unwrap();
        fs::rename(
            scratch.path().join("given"),
            scratch.path().join(format!("over-{id}")),
        )
        .unwrap();
    }
    fs::write(scratch.path().join("stop"), "").unwrap();
    for reader in &mut readers {
        assert!(reader.wait().unwrap().success());
    }
}

/// What a child does; nothing in a run of the tests themselves.
#[test]
fn child_process() {
    let Ok(role) = env::var("KNOTRUST_TEST_ROLE") else {
        return;
    };
    let folder = env::var_os("KNOTRUST_TEST_FOLDER").unwrap();
    let folder = Path::new(&folder);
    fs::write(folder.join(format!("ready-{}", std::process::id())), "").unwrap();
    wait_for(&folder.join("go"));
    match role.as_str() {
        "race" => {
            let spent = attempts(folder, 20);
            let report = format!("spent-{}", std::process::id());
            fs::write(folder.join(report), spent.to_string()).unwrap();
        }
        "forward" => {
            fs::write(folder.join("running"), "").unwrap();
            if attempts(folder, 1) == 1 {
                fs::write(folder.join("forwarded"), "").unwrap();
            }
            thread::sleep(Duration::from_secs(5));
        }
        "watch" => watch(folder),
        _ => panic!("an unknown role"),
    }
}

/// Looks again and again, and fails if a grant covers whose revocation had returned before the look.
fn watch(folder: &Path) {
    let mut set = GrantSet::of(&home(folder), &RULES);
    while !folder.join("stop").exists() {
        let over: Vec<String> = fs::read_dir(folder)
            .unwrap()
            .filter_map(|entry| entry.unwrap().file_name().into_string().ok())
            .filter_map(|name| name.strip_prefix("over-").map(str::to_owned))
            .collect();
        let covering = with_call(|call| set.covering(call, None, NOW).unwrap());
        for grant in covering.grants {
            assert!(!over.contains(&grant.id), "{} was over", grant.id);
        }
    }
}

fn race(processes: usize, change: fn(&mut Claims)) -> usize {
    let scratch = scratch(change);
    let mut children: Vec<_> = (0..processes)
        .map(|_| child(scratch.path(), "race"))
        .collect();
    while names(scratch.path(), "ready-").len() < processes {
        thread::sleep(Duration::from_millis(1));
    }
    go(scratch.path());
    for child in &mut children {
        assert!(child.wait().unwrap().success());
    }
    let reports = names(scratch.path(), "spent-");
    assert_eq!(reports.len(), processes);
    let spent = |name: &String| {
        let text = fs::read_to_string(scratch.path().join(name)).unwrap();
        text.parse::<usize>().unwrap()
    };
    reports.iter().map(spent).sum()
}

fn attempts(folder: &Path, count: usize) -> usize {
    let mut set = GrantSet::of(&home(folder), &RULES);
    let attempt = |call: &Call<'_>| {
        let covering = set.covering(call, None, NOW).unwrap();
        let Some(grant) = covering.grants.first() else {
            return false;
        };
        set.consume(&grant.id, None, call, NOW).unwrap() == Spend::Spent
    };
    with_call(|call| {
        (0..count)
            .map(|_| call)
            .map(attempt)
            .filter(|spent| *spent)
            .count()
    })
}

fn child(folder: &Path, role: &str) -> Child {
    Command::new(env::current_exe().unwrap())
        .args(["child_process", "--exact", "--nocapture"])
        .env("KNOTRUST_TEST_ROLE", role)
        .env("KNOTRUST_TEST_FOLDER", folder)
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

fn scratch(change: fn(&mut Claims)) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let home = home(folder.path());
    knotrust_govern::files::write(&home.at("identity.key"), "42".repeat(32).as_bytes()).unwrap();
    Keys::of(&home).identity().unwrap();
    GrantSet::of(&home, &RULES)
        .add(&token("01A", &change))
        .unwrap();
    folder
}

fn home(folder: &Path) -> Home {
    Home::open(Some(folder.join("home").as_os_str()), None).unwrap()
}

fn go(folder: &Path) {
    fs::write(folder.join("go"), "").unwrap();
}

fn wait_for(path: &Path) {
    while !path.exists() {
        thread::sleep(Duration::from_micros(200));
    }
}

fn names(folder: &Path, prefix: &str) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let names = names.filter_map(|entry| entry.unwrap().file_name().into_string().ok());
    names.filter(|name| name.starts_with(prefix)).collect()
}

fn bounds(text: &str) -> Conditions {
    let value = parse(text.as_bytes()).unwrap();
    Conditions::Bounds(Box::new(Bounds::read(value.as_object().unwrap()).unwrap()))
}

fn token(id: &str, change: &dyn Fn(&mut Claims)) -> String {
    let mut claims = Claims {
        id: id.to_owned(),
        issued_at: 1_799_999_000,
        expires: 1_800_001_000,
        not_before: None,
        issuer: "user:dev".to_owned(),
        kind: Kind::Durable,
        single_use: false,
        principal: Party {
            kind: "user".to_owned(),
            id: "dev".to_owned(),
        },
        agent: AgentScope::Any,
        tool: ToolPattern::All,
        scope: Scope::default(),
        conditions: Conditions::None,
        cap: Tier::Critical,
        organisation: false,
        admin: None,
    };
    change(&mut claims);
    Unsigned::new(&claims).sign(&SigningKey::from_bytes(&[0x42; 32]))
}

fn with_call<T>(then: impl FnOnce(&Call<'_>) -> T) -> T {
    let value = parse(
        br#"{"contractVersion":"1.0","requestId":"1","timestamp":"2027-01-15T08:00:00Z",
        "subject":{"type":"user","id":"dev"},"action":{"name":"s.t"},"resource":{"type":"r","id":"r"},
        "context":{"agent":{"id":"a","type":"ai_agent"},"arguments":{"n":0.1},
          "env":{"time":"2027-01-15T08:00:00Z","surfaceLocal":true}},
        "surface":{"kind":"stdio_proxy","instanceId":"1"}}"#,
    );
    let value = value.unwrap();
    let request = request::read(&value).unwrap();
    then(&Call {
        request: &request,
        arguments: &request.arguments(),
        hash: None,
        exact: "",
        session: None,
        around: &Surroundings::NOWHERE,
    })
}
