//! The process that outlives us by a moment, and takes the server's process group along.

use std::ffi::OsStr;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use rustix::process::{Signal, getpgrp, getpid, kill_process_group};
use signal_hook::consts::{SIGHUP, SIGINT, SIGQUIT, SIGTERM};

/// The argument that makes a process of our program a watcher.
pub const ARGUMENT: &str = "__watch";

// What a server gets to end by itself once nobody is there to listen to it.
const GRACE: Duration = Duration::from_millis(300);

/// Whether this process was started as a watcher. The program's first question, before it reads any argument of its own.
#[must_use]
pub fn is_wanted() -> bool {
    let mut arguments = std::env::args_os().skip(1);
    arguments.next().as_deref() == Some(OsStr::new(ARGUMENT)) && arguments.next().is_none()
}

/// Watches: returns when all is well, and otherwise ends this process together with its group.
///
/// Standard input is a pipe whose other end only the watched process has. It is closed when that process is gone,
/// whatever ended it.
pub fn watch() {
    // Somebody who signals the whole group means the server.
    for signal in [SIGTERM, SIGINT, SIGHUP, SIGQUIT] {
        let _ = signal_hook::flag::register(signal, Arc::new(AtomicBool::new(false)));
    }
    if io::stdin().read(&mut [0]).is_ok_and(|read| read > 0) {
        return;
    }
    let group = getpgrp();
    // Started by hand, it would take along whoever did so.
    if group != getpid() {
        return;
    }
    let _ = kill_process_group(group, Signal::TERM);
    thread::sleep(GRACE);
    let _ = kill_process_group(group, Signal::KILL);
}

/// A watcher that is being started, while there is something else to do. Unless a server is started under it, it is
/// dismissed with this.
#[derive(Debug)]
#[must_use]
pub struct Early(Option<JoinHandle<io::Result<Child>>>);

impl Early {
    /// Begins. To start a program takes as long as to open a home, and the one need not wait for the other.
    ///
    /// # Errors
    ///
    /// There is no room for a thread, or the open files that were left to us can't be told.
    pub fn begin() -> io::Result<Self> {
        super::descriptors::keep_from_children()?;
        let thread = thread::Builder::new().name("watcher".to_owned());
        thread.spawn(start).map(Some).map(Self)
    }

    pub(super) fn ready(mut self) -> io::Result<Child> {
        self.take().unwrap_or_else(start)
    }

    fn take(&mut self) -> Option<io::Result<Child>> {
        self.0.take()?.join().ok()
    }
}

impl Drop for Early {
    fn drop(&mut self) {
        if let Some(Ok(watcher)) = self.take() {
            dismiss(watcher);
        }
    }
}

/// Starts a watcher, which leads a process group of its own.
fn start() -> io::Result<Child> {
    Command::new(own_program()?)
        .arg0("knotrust")
        .arg(ARGUMENT)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .process_group(0)
        .spawn()
}

/// Ends a watcher whose group has nobody else in it.
pub(super) fn dismiss(mut watcher: Child) {
    let _ = watcher.kill();
    let _ = watcher.wait();
}

// The link holds even if the file was replaced or removed while we run.
#[cfg(target_os = "linux")]
#[expect(
    clippy::unnecessary_wraps,
    reason = "elsewhere the path has to be asked for"
)]
fn own_program() -> io::Result<&'static str> {
    Ok("/proc/self/exe")
}

#[cfg(not(target_os = "linux"))]
fn own_program() -> io::Result<std::path::PathBuf> {
    std::env::current_exe()
}
