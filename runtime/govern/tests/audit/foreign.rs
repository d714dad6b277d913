//! What stands where the log should be.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt as _, symlink};

use expect_test::{Expect, expect};
use rustix::fs::{CWD, Mode, mkfifoat};

use super::scratch::{Scratch, append, shown};

/// `place` puts something there; the append must fail at once, say why, and work once it is gone.
#[track_caller]
fn check(place: impl Fn(&Scratch), clear: impl Fn(&Scratch), expected: Expect) {
    let scratch = Scratch::new();
    scratch.home.folder("audit").unwrap();
    place(&scratch);
    let mut log = scratch.log();
    let error = append(&mut log, "first").unwrap_err();
    expected.assert_eq(&shown(&scratch, &error));
    clear(&scratch);
    append(&mut log, "second").unwrap();
    assert_eq!(scratch.verified(), "intact, 2 events");
}

fn remove(scratch: &Scratch) {
    fs::remove_file(scratch.file()).unwrap();
}

#[test]
fn a_pipe_is_refused_and_not_waited_for() {
    let place = |scratch: &Scratch| mkfifoat(CWD, scratch.file(), Mode::RUSR | Mode::WUSR).unwrap();
    check(
        place,
        remove,
        expect![
            "cannot append to `HOME/audit/202611.jsonl`: it is not a plain file; move it away; knotrust makes what it needs itself"
        ],
    );
}

#[test]
fn a_folder_is_refused() {
    let place = |scratch: &Scratch| fs::create_dir(scratch.file()).unwrap();
    let clear = |scratch: &Scratch| fs::remove_dir(scratch.file()).unwrap();
    check(
        place,
        clear,
        expect![
            "cannot append to `HOME/audit/202611.jsonl`: it is not a plain file; move it away; knotrust makes what it needs itself"
        ],
    );
}

#[test]
fn a_link_is_refused_and_its_target_untouched() {
    let victim = |scratch: &Scratch| scratch.at("victim");
    let place = |scratch: &Scratch| {
        super::scratch::put(victim(scratch), "precious");
        symlink(victim(scratch), scratch.file()).unwrap();
    };
    let clear = |scratch: &Scratch| {
        assert_eq!(fs::read_to_string(victim(scratch)).unwrap(), "precious");
        remove(scratch);
    };
    check(
        place,
        clear,
        expect![
            "cannot append to `HOME/audit/202611.jsonl`: it is a symbolic link; move it away; knotrust makes what it needs itself"
        ],
    );
    check(
        |scratch| symlink("/dev/null", scratch.file()).unwrap(),
        remove,
        expect![
            "cannot append to `HOME/audit/202611.jsonl`: it is a symbolic link; move it away; knotrust makes what it needs itself"
        ],
    );
    check(
        |scratch| symlink("nowhere", scratch.file()).unwrap(),
        remove,
        expect![
            "cannot append to `HOME/audit/202611.jsonl`: it is a symbolic link; move it away; knotrust makes what it needs itself"
        ],
    );
}

#[test]
fn a_second_name_is_refused() {
    let place = |scratch: &Scratch| {
        super::scratch::put(scratch.file(), "");
        fs::hard_link(scratch.file(), scratch.at("other")).unwrap();
    };
    let clear = |scratch: &Scratch| fs::remove_file(scratch.at("other")).unwrap();
    check(
        place,
        clear,
        expect![
            "cannot append to `HOME/audit/202611.jsonl`: it has 2 names (hard links); run `find / -samefile 'HOME/audit/202611.jsonl'` and remove the other names"
        ],
    );
}

#[test]
fn a_file_others_may_read_is_refused() {
    let place = |scratch: &Scratch| {
        super::scratch::put(scratch.file(), "");
        fs::set_permissions(scratch.file(), Permissions::from_mode(0o644)).unwrap();
    };
    let clear = |scratch: &Scratch| {
        fs::set_permissions(scratch.file(), Permissions::from_mode(0o600)).unwrap();
    };
    check(
        place,
        clear,
        expect![
            "cannot append to `HOME/audit/202611.jsonl`: others may use it: its mode is 0644; run `chmod 600 'HOME/audit/202611.jsonl'`"
        ],
    );
}

#[test]
fn a_file_of_somebody_else_is_refused() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root can give a file away");
        return;
    }
    let give = |scratch: &Scratch, user| {
        std::os::unix::fs::chown(scratch.file(), Some(user), None).unwrap();
    };
    let place = |scratch: &Scratch| {
        super::scratch::put(scratch.file(), "");
        give(scratch, 65534);
    };
    check(
        place,
        |scratch| give(scratch, 0),
        expect![
            "cannot append to `HOME/audit/202611.jsonl`: it belongs to user 65534, and this process runs as 0; run `chown 0 'HOME/audit/202611.jsonl'`, or set KNOTRUST_HOME to a folder of your own"
        ],
    );
}

#[test]
fn a_change_of_mode_is_seen_by_who_has_the_file_open() {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    append(&mut log, "first").unwrap();
    fs::set_permissions(scratch.file(), Permissions::from_mode(0o666)).unwrap();
    append(&mut log, "second").unwrap_err();
    fs::set_permissions(scratch.file(), Permissions::from_mode(0o600)).unwrap();
    append(&mut log, "third").unwrap();
    assert_eq!(scratch.verified(), "intact, 3 events");
}

#[test]
fn a_missing_home_is_an_error_and_no_more() {
    let scratch = Scratch::new();
    let mut log = scratch.log();
    fs::remove_dir_all(scratch.home.path()).unwrap();
    append(&mut log, "first").unwrap_err();
    fs::create_dir(scratch.home.path()).unwrap();
    fs::set_permissions(scratch.home.path(), Permissions::from_mode(0o700)).unwrap();
    append(&mut log, "second").unwrap();
}
