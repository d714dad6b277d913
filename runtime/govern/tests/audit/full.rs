//! No room: a line is whole or not there, and the log works again when there is.

use std::fs;
use std::os::unix::process::CommandExt as _;
use std::process::Command;

use super::scratch::{Scratch, append, shown};

/// Runs one test of this binary in a process of its own, whose files may become `limit` bytes long.
#[track_caller]
fn run_limited(test: &str, limit: u64) {
    let this = std::env::current_exe().unwrap();
    let output = Command::new(this)
        .args([test, "--exact", "--nocapture"])
        .env(CHILD, limit.to_string())
        .process_group(0)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {text}", output.status);
}

// The limit is that of the process, so it is lowered in a child only.
fn limit_of_child() -> Option<u64> {
    let limit = std::env::var(CHILD).ok()?.parse().ok()?;
    set_limit(Some(limit));
    Some(limit)
}

fn set_limit(current: Option<u64>) {
    let old = rustix::process::getrlimit(rustix::process::Resource::Fsize);
    let new = rustix::process::Rlimit { current, ..old };
    rustix::process::setrlimit(rustix::process::Resource::Fsize, new).unwrap();
}

#[test]
fn a_full_disk_is_an_error_until_there_is_room() {
    if limit_of_child().is_none() {
        return run_limited("full::a_full_disk_is_an_error_until_there_is_room", 2000);
    }
    let scratch = Scratch::new();
    let mut log = scratch.log();
    let mut written = 0;
    let error = loop {
        match append(&mut log, "earlier") {
            Ok(receipt) => written = receipt.seq(),
            Err(error) => break error,
        }
    };
    assert!(written > 2);
    let said = shown(&scratch, &error);
    assert!(
        said.starts_with("cannot append to `HOME/audit/202611.jsonl`: "),
        "{said}"
    );
    assert!(
        said.ends_with("raise the limit on file sizes (`ulimit -f`)"),
        "{said}"
    );
    append(&mut log, "still full").unwrap_err();
    assert!(fs::read_to_string(scratch.file()).unwrap().ends_with('\n'));
    assert_eq!(scratch.verified(), format!("intact, {written} events"));
    set_limit(None);
    append(&mut log, "room again").unwrap();
    let told = scratch.told();
    let expected = format!(
        "{} audit_recovered append failed after {written}\n{} decision room again\nintact, {} events\n",
        written + 1,
        written + 2,
        written + 2
    );
    assert!(told.ends_with(&expected), "{told}");
}

/// The kernel writes as much as fits and fails only then; a small file system shows it.
#[test]
fn a_line_that_fits_in_part_is_taken_back() {
    let Some(mount) = SmallDisk::mount() else {
        eprintln!("skipped: this needs leave to mount a small file system");
        return;
    };
    let home = knotrust_govern::home::Home::open(Some(mount.0.path().join("h").as_os_str()), None);
    let home = home.unwrap();
    let mut log = knotrust_govern::audit::Log::of(&home);
    append(&mut log, "first").unwrap();
    let filler = mount.0.path().join("filler");
    fs::write(&filler, vec![0; 1 << 20]).unwrap_err();
    let long = "x".repeat(3000);
    let full = (0..100)
        .find_map(|_| append(&mut log, &long).err())
        .unwrap();
    assert_eq!(
        full.source.to_string(),
        "No space left on device (os error 28)"
    );
    let file = home.at("audit/202611.jsonl");
    assert!(fs::read_to_string(&file).unwrap().ends_with('\n'));
    fs::remove_file(filler).unwrap();
    append(&mut log, "room again").unwrap();
    let found = knotrust_govern::audit::read::Reader::of(&home)
        .verify()
        .unwrap();
    assert_eq!(found.broken, None);
}

#[test]
fn a_read_only_home_is_an_error_and_no_more() {
    let Some(mount) = SmallDisk::mount() else {
        eprintln!("skipped: this needs leave to mount a small file system");
        return;
    };
    let home = knotrust_govern::home::Home::open(Some(mount.0.path().join("h").as_os_str()), None);
    let mut log = knotrust_govern::audit::Log::of(&home.unwrap());
    append(&mut log, "first").unwrap();
    // What has the file open would keep the file system busy.
    drop(log);
    mount.remount("ro");
    let home = knotrust_govern::home::Home::open(Some(mount.0.path().join("h").as_os_str()), None);
    let mut log = knotrust_govern::audit::Log::of(&home.unwrap());
    let error = append(&mut log, "second").unwrap_err();
    assert_eq!(
        error.source.to_string(),
        "Read-only file system (os error 30)"
    );
    assert_eq!(
        error.help().as_deref(),
        Some("set KNOTRUST_HOME to a folder that can be written")
    );
    mount.remount("rw");
    append(&mut log, "third").unwrap();
}

struct SmallDisk(tempfile::TempDir);

impl SmallDisk {
    fn mount() -> Option<Self> {
        let folder = tempfile::tempdir().unwrap();
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", "size=64k", "tmpfs"])
            .arg(folder.path());
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        mounted.then_some(Self(folder))
    }
}

impl SmallDisk {
    fn remount(&self, how: &str) {
        let mut mount = Command::new("mount");
        mount
            .args(["-o", &format!("remount,{how}")])
            .arg(self.0.path());
        assert!(mount.output().unwrap().status.success());
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ended = Command::new("umount").arg(self.0.path()).output();
    }
}

const CHILD: &str = "KNOTRUST_TEST_FILE_LIMIT";
