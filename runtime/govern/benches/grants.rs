//! What it costs to find out whether a call is granted, with few grants and with many.

#![allow(
    clippy::unwrap_used,
    missing_docs,
    reason = "a bench that cannot go on stops"
)]

use std::fs;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use divan::Bencher;
use ed25519_dalek::SigningKey;
use knotrust_core::grant::{
    AgentScope, Call, Claims, Conditions, Grant, Kind, Party, Scope, ToolPattern, Trust, Unsigned,
};
use knotrust_core::json::parse;
use knotrust_core::request;
use knotrust_core::ruleset::Approvals;
use knotrust_core::surroundings::Surroundings;
use knotrust_core::tier::Tier;
use knotrust_core::time::Timestamp;
use knotrust_govern::grants::GrantSet;
use knotrust_govern::home::Home;
use knotrust_govern::keys::Keys;
use tempfile::TempDir;

fn main() {
    divan::main();
}

const RULES: Approvals<'static> = Approvals::DEFAULT;
const NOW: Timestamp = Timestamp::from_seconds(1_800_000_000);

/// A look at what covers a call, as each decision above routine takes it once the grants were read.
#[divan::bench(args = [10, 100_000], sample_count = 200, sample_size = 100)]
fn look_up(bencher: Bencher<'_, '_>, grants: usize) {
    let (_scratch, home) = furnished(grants);
    let mut set = GrantSet::of(&home, &RULES);
    with_call(|call| {
        assert_eq!(set.covering(call, None, NOW).unwrap().grants.len(), 1);
        bencher.bench_local(|| set.covering(call, None, NOW).unwrap());
    });
}

/// The first look of a process, which reads the index and verifies what it finds.
#[divan::bench(args = [10, 100_000], sample_count = 20)]
fn first_look(bencher: Bencher<'_, '_>, grants: usize) {
    let (_scratch, home) = furnished(grants);
    // Whoever came before has written the index down.
    with_call(|call| {
        GrantSet::of(&home, &RULES)
            .covering(call, None, NOW)
            .unwrap();
        bencher.bench_local(|| {
            GrantSet::of(&home, &RULES)
                .covering(call, None, NOW)
                .unwrap()
        });
    });
}

/// One token, read and verified.
#[divan::bench]
fn verify(bencher: Bencher<'_, '_>) {
    let scratch = tempfile::tempdir().unwrap();
    let keys = Keys::of(&home(&scratch));
    let identity = keys.identity().unwrap();
    let (keyring, _) = keys.keyring().unwrap();
    let token = token(&identity, 0);
    let trust = Trust {
        keys: &keyring,
        approvals: &RULES,
    };
    bencher.bench_local(|| Grant::verify(&token, trust).unwrap());
}

fn home(scratch: &TempDir) -> Home {
    Home::open(None, Some(scratch.path().as_os_str())).unwrap()
}

/// A home with so many grants, each for a tool of its own.
fn furnished(grants: usize) -> (TempDir, Home) {
    let scratch = tempfile::tempdir().unwrap();
    let home = home(&scratch);
    let identity = Keys::of(&home).identity().unwrap();
    let folder = home.folder("grants").unwrap();
    for index in 0..grants {
        write(
            &folder.join(format!("{}.jws", id(index))),
            &token(&identity, index),
        );
    }
    (scratch, home)
}

// Without a flush for each, which would take longer than the bench.
fn write(path: &Path, token: &str) {
    let mut how = fs::OpenOptions::new();
    let mut file = how
        .create(true)
        .write(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
        .unwrap();
    std::io::Write::write_all(&mut file, token.as_bytes()).unwrap();
}

fn id(index: usize) -> String {
    format!("01BENCH{index:019}")
}

fn token(identity: &SigningKey, index: usize) -> String {
    let claims = Claims {
        id: id(index),
        issued_at: 1_799_999_000,
        expires: 1_900_000_000,
        not_before: None,
        issuer: "user:dev".to_owned(),
        kind: Kind::Durable,
        single_use: false,
        principal: Party {
            kind: "user".to_owned(),
            id: "dev".to_owned(),
        },
        agent: AgentScope::Any,
        tool: ToolPattern::exactly(&format!("s.t{index}")).unwrap(),
        scope: Scope::default(),
        conditions: Conditions::None,
        cap: Tier::Critical,
        organisation: false,
        admin: None,
    };
    Unsigned::new(&claims).sign(identity)
}

fn with_call<T>(then: impl FnOnce(&Call<'_>) -> T) -> T {
    let value = parse(
        br#"{"contractVersion":"1.0","requestId":"1","timestamp":"2027-01-15T08:00:00Z",
        "subject":{"type":"user","id":"dev"},"action":{"name":"s.t7"},"resource":{"type":"r","id":"r"},
        "context":{"agent":{"id":"a","type":"ai_agent"},"arguments":{"n":1},
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
