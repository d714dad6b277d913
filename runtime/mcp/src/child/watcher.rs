//! The process that outlives us by a moment, and takes the server's process group along.
//!
//! It is a copy of ourselves that does nothing but wait. To start a program in its stead costs 2 ms of a processor and 3 MiB
//! at every start (measured where asking the processor for its features leaves the virtual machine); a copy costs a tenth
//! of that, and there is no hidden argument by which somebody else could start one.

use std::io;
use std::io::pipe;
use std::os::fd::{AsRawFd, OwnedFd, RawFd};

use rustix::io::Errno;
use rustix::process::{Pid, Signal, WaitOptions, kill_process_group, waitpid};

/// A watcher, which leads a process group of its own. That group ends once we are gone, whatever ended us, or this is dropped.
#[derive(Debug)]
#[must_use]
pub struct Watcher {
    process: Pid,
    /// The one end of a pipe whose other end it reads: closed by the system when we are gone, and before that by nobody.
    _lifeline: OwnedFd,
}

/// What a server gets to end by itself once nobody is there to listen to it.
static GRACE: libc::timespec = libc::timespec {
    tv_sec: 0,
    tv_nsec: 300_000_000,
};

impl Watcher {
    /// Starts one.
    ///
    /// # Errors
    ///
    /// The system has no room for another process.
    pub fn start() -> io::Result<Self> {
        super::descriptors::keep_from_children()?;
        let (ours, lifeline) = pipe()?;
        let process = fork(ours.as_raw_fd())?;
        // The copy does so as well: whichever of us is first, the group is there before a server can join it.
        let _ = rustix::process::setpgid(Some(process), Some(process));
        Ok(Self {
            process,
            _lifeline: lifeline.into(),
        })
    }

    /// The process group that it leads.
    #[must_use]
    pub const fn group(&self) -> Pid {
        self.process
    }

    /// Sends a signal to all in its group, and so to itself.
    pub fn signal(&self, signal: Signal) {
        // It fails only if nobody is there any more.
        let _ = kill_process_group(self.process, signal);
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        self.signal(Signal::KILL);
        let reap = || waitpid(Some(self.process), WaitOptions::empty());
        while matches!(reap(), Err(Errno::INTR)) {}
    }
}

#[expect(
    unsafe_code,
    reason = "no safe interface copies a process; what the copy does is below, and is all it does"
)]
fn fork(lifeline: RawFd) -> io::Result<Pid> {
    // SAFETY: the copy calls `outlive`, which never returns, takes no lock, and allocates nothing: what other threads of
    // ours were just doing does not matter to it.
    let process = unsafe { libc::fork() };
    if process == 0 {
        outlive(lifeline);
    }
    Pid::from_raw(process)
        .filter(|_| process > 0)
        .ok_or_else(io::Error::last_os_error)
}

/// All that the copy does: waits until nobody holds the other end of its pipe, and then ends its group, itself included.
#[expect(
    unsafe_code,
    reason = "between a copy of a process and its end only plain system calls are sound"
)]
fn outlive(lifeline: RawFd) -> ! {
    // SAFETY: each is a call that POSIX allows after a fork, on numbers and on memory of this frame.
    unsafe {
        libc::setpgid(0, 0);
        #[cfg(target_os = "linux")]
        libc::prctl(libc::PR_SET_NAME, c"knotrust watch".as_ptr());
        // Somebody who signals the whole group means the server.
        for signal in [libc::SIGTERM, libc::SIGINT, libc::SIGHUP, libc::SIGQUIT] {
            libc::signal(signal, libc::SIG_IGN);
        }
        // Whatever of ours it kept open would stay open when we are gone: the client's pipes, and the lock of the log.
        if lifeline != 0 {
            libc::dup2(lifeline, 0);
        }
        close_from(1);
        let mut byte = [0_u8; 1];
        loop {
            let read = libc::read(0, byte.as_mut_ptr().cast(), 1);
            if read == 0 || (read < 0 && errno() != libc::EINTR) {
                break;
            }
        }
        libc::kill(0, libc::SIGTERM);
        libc::nanosleep(&raw const GRACE, std::ptr::null_mut());
        libc::kill(0, libc::SIGKILL);
        libc::_exit(0)
    }
}

#[expect(unsafe_code, reason = "as in `outlive`")]
unsafe fn close_from(first: RawFd) {
    // SAFETY: the caller uses none of them any more.
    unsafe {
        #[cfg(target_os = "linux")]
        if libc::syscall(libc::SYS_close_range, first, libc::c_uint::MAX, 0) == 0 {
            return;
        }
        let most = libc::sysconf(libc::_SC_OPEN_MAX);
        let most = RawFd::try_from(most)
            .unwrap_or(RawFd::MAX)
            .clamp(0, 1 << 20);
        for descriptor in first..most {
            libc::close(descriptor);
        }
    }
}

fn errno() -> i32 {
    io::Error::last_os_error().raw_os_error().unwrap_or(0)
}
