//! A server as a child process, and that nothing of it stays behind.
//!
//! The server and all it starts form one process group. The group is led by a watcher: a copy of ourselves that does
//! nothing but wait for us to be gone, and then kills the group. It is there before the server is, so there is no moment at
//! which our death, however sudden, leaves a server behind. As the group's leader it also keeps the group's number from
//! being given to others.
//!
//! What leaves the group of its own accord (`setsid`) has left on purpose, and is left alone.

mod descriptors;
pub mod shutdown;
mod watcher;

use std::ffi::OsString;
use std::io;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::process::{self, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};

use rustix::process::Signal;
use thiserror::Error;

pub use self::watcher::Watcher;

/// How a server is started.
#[derive(Clone, Debug)]
pub struct Launch {
    /// The program and its arguments.
    pub command: Vec<OsString>,
    /// The environment variables that are handed on, by name; without a list, all are.
    pub env: Option<Vec<OsString>>,
}

/// A server that was started.
#[derive(Debug)]
pub struct Child {
    server: process::Child,
    watcher: Watcher,
    status: Option<ExitStatus>,
}

/// The ends of the server's pipes that are ours.
#[derive(Debug)]
pub struct Pipes {
    /// Where it reads from.
    pub stdin: ChildStdin,
    /// Where it writes messages to.
    pub stdout: ChildStdout,
    /// Where it writes anything else to.
    pub stderr: ChildStderr,
}

/// Why a server could not be started.
#[derive(Debug, Error)]
pub enum StartError {
    /// There is no command.
    #[error("no command to start the server with")]
    NoCommand,
    /// The program does not exist, may not be run, or is no program.
    #[error("cannot start `{program}`")]
    Program {
        /// The program, as it was named.
        program: String,
        /// What the system says.
        source: io::Error,
    },
    /// Without the watcher nothing is started.
    #[error("cannot start the process that watches over the server")]
    Watcher(#[source] io::Error),
}

impl StartError {
    /// The exit code that shells use: 127 for a program that is not there, 126 for one that does not run.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Program { source, .. } if source.kind() == io::ErrorKind::NotFound => 127,
            Self::Program { .. } => 126,
            Self::NoCommand => 2,
            Self::Watcher(_) => 1,
        }
    }
}

impl Child {
    /// Starts a server.
    ///
    /// # Errors
    ///
    /// If it, or the watcher, does not start. Then nothing is left running.
    pub fn start(launch: &Launch) -> Result<(Self, Pipes), StartError> {
        let watcher = Watcher::start().map_err(StartError::Watcher)?;
        Self::start_under(watcher, launch)
    }

    /// Starts a server under a watcher.
    ///
    /// # Errors
    ///
    /// As [`Self::start`].
    pub fn start_under(watcher: Watcher, launch: &Launch) -> Result<(Self, Pipes), StartError> {
        let (program, arguments) = launch.command.split_first().ok_or(StartError::NoCommand)?;
        let mut command = Command::new(program);
        command
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .process_group(watcher.group().as_raw_nonzero().get());
        if let Some(names) = &launch.env {
            let known = names
                .iter()
                .filter_map(|name| Some((name, std::env::var_os(name)?)));
            command.env_clear().envs(known.collect::<Vec<_>>());
        }
        match command.spawn() {
            Ok(server) => Self::taken_apart(server, watcher),
            Err(source) => {
                let program = program.to_string_lossy().into_owned();
                Err(StartError::Program { program, source })
            }
        }
    }

    fn taken_apart(
        mut server: process::Child,
        watcher: Watcher,
    ) -> Result<(Self, Pipes), StartError> {
        let pipes = (
            server.stdin.take(),
            server.stdout.take(),
            server.stderr.take(),
        );
        let child = Self {
            server,
            watcher,
            status: None,
        };
        match pipes {
            (Some(stdin), Some(stdout), Some(stderr)) => Ok((
                child,
                Pipes {
                    stdin,
                    stdout,
                    stderr,
                },
            )),
            _ => Err(StartError::Watcher(io::ErrorKind::BrokenPipe.into())),
        }
    }

    /// The server's process id.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.server.id()
    }

    /// How the server ended, if it has.
    pub fn ended(&mut self) -> Option<ExitStatus> {
        if self.status.is_none() {
            self.status = self.server.try_wait().ok().flatten();
        }
        self.status
    }

    /// Sends a signal to the server and to all it started.
    pub fn signal(&self, signal: Signal) {
        self.watcher.signal(signal);
    }

    /// Ends whatever is still there, the watcher as well.
    pub fn clear_away(mut self) {
        drop(self.watcher);
        let _ = self.server.try_wait();
    }
}

/// The code to exit with after a server that ended like this: its own, or 128 and the number of the signal.
#[must_use]
pub fn exit_code(status: ExitStatus) -> u8 {
    let code = status
        .code()
        .or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}
