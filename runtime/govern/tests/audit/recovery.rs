//! Half lines, lost files, old copies: the log goes on, and says what it found.

use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;

use expect_test::{Expect, expect};

use knotrust_govern::audit::Log;

use super::scratch::{Scratch, append, append_at, put};

/// Seven events, then something is done to the log, then a new process appends one.
#[track_caller]
fn check_next_process(damage: impl Fn(&Scratch), expected: Expect) {
    let scratch = Scratch::with_events(7);
    damage(&scratch);
    append(&mut scratch.log(), "next").unwrap();
    expected.assert_eq(&last_lines(&scratch.told()));
}

/// The same under a process that has the log open, and is back after a tenth of a second.
#[track_caller]
fn check_running(damage: impl Fn(&Scratch), expected: Expect) {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    for _ in 0..7 {
        append(&mut log, "earlier").unwrap();
    }
    damage(&scratch);
    append_at(&mut log, "next", "2026-11-15T10:00:00.100Z", 1100).unwrap();
    expected.assert_eq(&last_lines(&scratch.told()));
}

fn last_lines(text: &str) -> String {
    text.lines()
        .filter(|line| !line.ends_with("earlier"))
        .map(|line| format!("{line}\n"))
        .collect()
}

fn add(bytes: impl AsRef<[u8]>) -> impl Fn(&Scratch) {
    move |scratch| {
        let mut file = OpenOptions::new()
            .append(true)
            .open(scratch.file())
            .unwrap();
        file.write_all(bytes.as_ref()).unwrap();
    }
}

/// The line of an eighth event, made by a log that has the same seven.
fn eighth(scratch: &Scratch) -> String {
    let before = fs::read(scratch.file()).unwrap();
    append(&mut scratch.log(), "eighth").unwrap();
    let after = fs::read_to_string(scratch.file()).unwrap();
    put(scratch.file(), before);
    fs::remove_file(scratch.at("audit.checkpoint")).unwrap();
    after.lines().last().unwrap().to_owned()
}

#[test]
fn a_torn_line_is_put_aside() {
    let torn = expect![[r#"
        202611.jsonl.torn: 101 bytes
        8 audit_recovered torn line after 7
        9 decision next
        intact, 9 events
    "#]];
    check_next_process(
        add(r#"{"seq":8,"ts":"2026-11-30T10:00:00.000Z","prevHa"#),
        torn,
    );
}

#[test]
fn an_event_without_its_newline_counts() {
    check_next_process(
        |scratch| {
            let line = eighth(scratch);
            add(line)(scratch);
        },
        expect![[r#"
            202611.jsonl.torn: 375 bytes
            8 decision eighth
            9 audit_recovered unfinished line after 8
            10 decision next
            intact, 10 events
        "#]],
    );
}

#[test]
fn a_line_that_only_looks_like_the_next_does_not_count() {
    check_next_process(
        |scratch| {
            let line = eighth(scratch).replace("eighth", "forged");
            add(line)(scratch);
        },
        expect![[r#"
            202611.jsonl.torn: 375 bytes
            8 audit_recovered torn line after 7
            9 decision next
            intact, 9 events
        "#]],
    );
}

#[test]
fn zeros_blanks_and_cut_characters_are_put_aside() {
    check_next_process(
        add([0; 512]),
        expect![[r#"
        202611.jsonl.torn: 566 bytes
        8 audit_recovered torn line after 7
        9 decision next
        intact, 9 events
    "#]],
    );
    check_next_process(
        add("   "),
        expect![[r#"
        202611.jsonl.torn: 55 bytes
        8 audit_recovered torn line after 7
        9 decision next
        intact, 9 events
    "#]],
    );
    check_next_process(
        add(b"{\"a\":\"\xe2\x82"),
        expect![[r#"
        202611.jsonl.torn: 60 bytes
        8 audit_recovered torn line after 7
        9 decision next
        intact, 9 events
    "#]],
    );
    check_next_process(
        add("rubbish\n\nmore\n"),
        expect![[r#"
        202611.jsonl.torn: 67 bytes
        8 audit_recovered torn line after 7
        9 decision next
        intact, 9 events
    "#]],
    );
}

#[test]
fn a_huge_torn_line_is_put_aside() {
    check_next_process(
        add(vec![b'x'; 9_000_000]),
        expect![[r#"
        202611.jsonl.torn: 9000058 bytes
        8 audit_recovered torn line after 7
        9 decision next
        intact, 9 events
    "#]],
    );
    check_next_process(
        add(vec![b'\n'; 50_000]),
        expect![[r#"
        202611.jsonl.torn: 50056 bytes
        8 audit_recovered torn line after 7
        9 decision next
        intact, 9 events
    "#]],
    );
}

#[test]
fn a_file_that_is_rubbish_alone_begins_a_chain() {
    let scratch = Scratch::new();
    scratch.home.folder("audit").unwrap();
    put(scratch.file(), "rubbish");
    append(&mut scratch.log(), "first").unwrap();
    expect![[r#"
        202611.jsonl.torn: 56 bytes
        1 audit_recovered torn line after 0
        2 decision first
        intact, 2 events
    "#]]
    .assert_eq(&scratch.told());
}

#[test]
fn a_torn_end_of_an_older_month_is_put_aside() {
    let scratch = Scratch::with_events(2);
    add("torn")(&scratch);
    append_at(&mut scratch.log(), "next", "2026-12-01T10:00:00Z", 0).unwrap();
    expect![[r#"
        202611.jsonl.torn: 55 bytes
        1 decision earlier
        2 decision earlier
        3 audit_recovered torn line after 2
        4 decision next
        intact, 4 events
    "#]]
    .assert_eq(&scratch.told());
}

#[test]
fn a_removed_file_is_missed() {
    let remove = |scratch: &Scratch| fs::remove_file(scratch.file()).unwrap();
    check_running(
        remove,
        expect![[r#"
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 1: seq_gap, event 8
    "#]],
    );
    check_next_process(
        remove,
        expect![[r#"
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 1: seq_gap, event 8
    "#]],
    );
}

#[test]
fn a_renamed_file_is_missed() {
    let rename = |scratch: &Scratch| {
        fs::rename(scratch.file(), scratch.at("audit/202611.jsonl.1")).unwrap();
    };
    check_running(
        rename,
        expect![[r#"
        202611.jsonl.1: 2261 bytes
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 1: seq_gap, event 8
    "#]],
    );
    check_next_process(
        rename,
        expect![[r#"
        202611.jsonl.1: 2261 bytes
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 1: seq_gap, event 8
    "#]],
    );
}

#[test]
fn a_truncated_file_is_missed() {
    let truncate = |length: u64| {
        move |scratch: &Scratch| {
            let file = OpenOptions::new().write(true).open(scratch.file()).unwrap();
            file.set_len(length).unwrap();
        }
    };
    check_running(
        truncate(0),
        expect![[r#"
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 1: seq_gap, event 8
    "#]],
    );
    check_next_process(
        truncate(0),
        expect![[r#"
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 1: seq_gap, event 8
    "#]],
    );
    check_running(
        truncate(500),
        expect![[r#"
        202611.jsonl.torn: 230 bytes
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 2: seq_gap, event 8
    "#]],
    );
}

#[test]
fn an_old_copy_is_found_out() {
    let restore = |scratch: &Scratch| {
        let text = fs::read_to_string(scratch.file()).unwrap();
        let old: String = text
            .lines()
            .take(3)
            .map(|line| format!("{line}\n"))
            .collect();
        fs::remove_file(scratch.file()).unwrap();
        put(scratch.file(), old);
    };
    check_running(
        restore,
        expect![[r#"
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 4: seq_gap, event 8
    "#]],
    );
    check_next_process(
        restore,
        expect![[r#"
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 4: seq_gap, event 8
    "#]],
    );
}

#[test]
fn another_chain_of_the_same_length_is_found_out() {
    let replace = |scratch: &Scratch| {
        let other = Scratch::new();
        let mut log = other.log();
        for _ in 0..9 {
            append(&mut log, "other").unwrap();
        }
        put(scratch.file(), fs::read(other.file()).unwrap());
    };
    check_running(
        replace,
        expect![[r#"
        1 decision other
        2 decision other
        3 decision other
        4 decision other
        5 decision other
        6 decision other
        7 decision other
        8 decision other
        9 decision other
        10 audit_recovered events replaced after 7
        11 decision next
        intact, 11 events
    "#]],
    );
    check_next_process(
        replace,
        expect![[r#"
        1 decision other
        2 decision other
        3 decision other
        4 decision other
        5 decision other
        6 decision other
        7 decision other
        8 decision other
        9 decision other
        10 audit_recovered events replaced after 7
        11 decision next
        intact, 11 events
    "#]],
    );
}

#[test]
fn an_edited_copy_is_followed_and_verification_names_the_line() {
    let edit = |scratch: &Scratch| {
        let text = fs::read_to_string(scratch.file()).unwrap();
        fs::remove_file(scratch.file()).unwrap();
        put(scratch.file(), text.replacen("earlier", "edited!", 1));
    };
    check_running(
        edit,
        expect![[r#"
        1 decision edited!
        8 decision next
        202611.jsonl line 1: hash_mismatch, event 1
    "#]],
    );
}

#[test]
fn a_removed_folder_is_missed() {
    let remove = |scratch: &Scratch| fs::remove_dir_all(scratch.at("audit")).unwrap();
    check_running(
        remove,
        expect![[r#"
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 1: seq_gap, event 8
    "#]],
    );
    check_next_process(
        remove,
        expect![[r#"
        8 audit_recovered events lost after 7
        9 decision next
        202611.jsonl line 1: seq_gap, event 8
    "#]],
    );
}

#[test]
fn a_lost_end_is_found_by_verification() {
    let scratch = Scratch::with_events(7);
    let text = fs::read_to_string(scratch.file()).unwrap();
    let start: String = text
        .lines()
        .take(5)
        .map(|line| format!("{line}\n"))
        .collect();
    put(scratch.file(), start);
    assert_eq!(
        scratch.verified(),
        "202611.jsonl line 6: lost_tail, event 6"
    );
}

#[test]
fn what_was_written_is_private() {
    let scratch = Scratch::with_events(1);
    add("torn")(&scratch);
    append(&mut scratch.log(), "next").unwrap();
    for name in [
        "audit/202611.jsonl",
        "audit/202611.jsonl.torn",
        "audit.checkpoint",
    ] {
        let mode = fs::metadata(scratch.at(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
}

#[test]
fn a_lost_month_is_missed_although_the_one_before_is_closed() {
    let december = |log: &mut Log, reason| append_at(log, reason, "2026-12-01T10:00:00Z", 2000);
    for running in [true, false] {
        let scratch = Scratch::with_events(2);
        let mut log = scratch.log();
        december(&mut log, "lost").unwrap();
        fs::remove_file(scratch.at("audit/202612.jsonl")).unwrap();
        if !running {
            log = scratch.log();
        }
        december(&mut log, "next").unwrap();
        let told = expect![[r#"
            1 decision earlier
            2 decision earlier
            4 audit_recovered events lost after 3
            5 decision next
            202612.jsonl line 1: seq_gap, event 4
        "#]];
        told.assert_eq(&scratch.told());
        assert!(scratch.at("audit/202612.jsonl").exists());
    }
}

#[test]
fn a_file_that_was_closed_by_hand_is_opened_again() {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    append(&mut log, "first").unwrap();
    fs::set_permissions(scratch.file(), fs::Permissions::from_mode(0o400)).unwrap();
    append(&mut log, "second").unwrap();
    assert_eq!(scratch.verified(), "intact, 2 events");
}

#[test]
fn files_that_were_locks_once_mean_nothing() {
    let scratch = Scratch::with_events(1);
    for content in ["1", "", "not-a-number"] {
        put(scratch.at("audit/.lock"), content);
        append(&mut scratch.log(), "next").unwrap();
    }
    assert_eq!(scratch.verified(), "intact, 4 events");
}
