//! Many processes, one chain.

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs;
use std::process::{Child, Command, Stdio};

use knotrust_core::audit::event::{Event, Kind};
use knotrust_core::audit::filter::Filter;
use knotrust_core::json::Text;
use knotrust_govern::audit::Log;
use knotrust_govern::audit::read::Reader;
use knotrust_govern::clock;
use knotrust_govern::home::Home;

use super::scratch::Scratch;

/// Does nothing by itself; the other tests run it in processes of their own.
#[test]
fn writer() {
    let Some(home) = std::env::var_os(HOME) else {
        return;
    };
    let home = Home::open(Some(&home), None).unwrap();
    let name = std::env::var(NAME).unwrap();
    let count = std::env::var(COUNT).unwrap().parse().unwrap();
    let mut log = Log::of(&home);
    let tool = Text::from(LONG.as_str());
    for number in 0..count {
        let request = format!("{name}-{number}");
        let event = Event {
            tool: Some(&tool),
            reason: Some(&LONG),
            server: Some(&LONG),
            agent: &LONG,
            request_id: Some(&request),
            ..Event::of(Kind::Decision)
        };
        let _receipt = log.append(&event, clock::now()).unwrap();
    }
}

fn start(home: &OsStr, name: usize, count: usize) -> Child {
    Command::new(std::env::current_exe().unwrap())
        .args(["processes::writer", "--exact"])
        .env(HOME, home)
        .env(NAME, name.to_string())
        .env(COUNT, count.to_string())
        .stdout(Stdio::null())
        .spawn()
        .unwrap()
}

/// Requests in the order of the log; panics if two events have one predecessor.
fn requests(scratch: &Scratch) -> Vec<String> {
    let mut seen = HashSet::new();
    let mut requests = Vec::new();
    for entry in Reader::of(&scratch.home).events(Filter::default()).unwrap() {
        let entry = entry.unwrap();
        let record = entry.record().unwrap();
        assert!(seen.insert(record.previous()), "two events follow one");
        requests.extend(record.text("requestId").map(|id| id.into_owned()));
    }
    requests
}

#[test]
fn eight_processes_make_one_chain_in_their_own_order() {
    let scratch = Scratch::new();
    let home = scratch.home.path().as_os_str();
    let children: Vec<_> = (0..8).map(|name| start(home, name, 100)).collect();
    for mut child in children {
        assert!(child.wait().unwrap().success());
    }
    assert_eq!(scratch.verified(), "intact, 800 events");
    let requests = requests(&scratch);
    for name in 0..8 {
        let prefix = format!("{name}-");
        let own = requests
            .iter()
            .filter(|request| request.starts_with(&prefix));
        let expected: Vec<_> = (0..100).map(|number| format!("{prefix}{number}")).collect();
        assert!(
            own.eq(&expected),
            "events of process {name} are out of order"
        );
    }
}

#[test]
fn a_killed_process_leaves_the_chain_whole_and_the_lock_free() {
    let scratch = Scratch::new();
    let home = scratch.home.path().as_os_str();
    for round in 0..6 {
        let mut killed = start(home, round, usize::MAX);
        let mut other = start(home, 100 + round, 20);
        while fs::metadata(scratch.home.at("audit")).is_err() {
            std::thread::yield_now();
        }
        assert!(other.wait().unwrap().success());
        killed.kill().unwrap();
        killed.wait().unwrap();
        let mut next = start(home, 200 + round, 3);
        assert!(next.wait().unwrap().success());
    }
    let verified = scratch.verified();
    assert!(verified.starts_with("intact, "), "{verified}");
    assert!(requests(&scratch).len() >= 6 * 23);
}

const HOME: &str = "KNOTRUST_TEST_HOME";
const NAME: &str = "KNOTRUST_TEST_NAME";
const COUNT: &str = "KNOTRUST_TEST_COUNT";
static LONG: std::sync::LazyLock<String> = std::sync::LazyLock::new(|| "é".repeat(700));
