//! A client that speaks to the proxy of the tests over pipes.
#![allow(
    dead_code,
    unreachable_pub,
    reason = "each file of tests uses a part of it"
)]
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "helpers of tests fail like tests"
)]

use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use serde_json::{Value, json};
use tempfile::TempDir;

pub const FAKE_SERVER: &str = env!("CARGO_BIN_EXE_mcp_fake_server");

/// So long is waited for what must come; a test that waits so long has failed.
const PATIENCE: Duration = Duration::from_secs(20);

/// A running proxy with its server.
pub struct Proxy {
    pub process: Child,
    stdin: Option<ChildStdin>,
    lines: Receiver<Vec<u8>>,
    stderr: Option<JoinHandle<Vec<u8>>>,
    folder: TempDir,
}

/// How a proxy ended.
pub struct End {
    /// Its exit code, or 128 and the signal that ended it.
    pub code: i32,
    /// All it wrote to its error output.
    pub stderr: String,
    /// The lines that nobody had asked for.
    pub rest: Vec<Value>,
    folder: TempDir,
}

pub struct Setup {
    pub fake: Value,
    pub arguments: Vec<String>,
    pub command: Vec<String>,
    pub reads_stderr: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            fake: json!({}),
            arguments: Vec::new(),
            command: vec![FAKE_SERVER.to_owned()],
            reads_stderr: true,
        }
    }
}

impl Setup {
    pub fn start(self) -> Proxy {
        let folder = TempDir::new().unwrap();
        let mut process = Command::new(env!("CARGO_BIN_EXE_mcp_test_proxy"))
            .args(self.arguments)
            .arg("--")
            .args(self.command)
            .current_dir(folder.path())
            .env("KNOTRUST_HOME", folder.path().join("home"))
            .env("FAKE", self.fake.to_string())
            .env("FAKE_RECEIVED", folder.path().join("received"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let stdout = process.stdout.take().unwrap();
        let (tell, lines) = channel();
        thread::spawn(move || {
            for line in BufReader::with_capacity(1 << 20, stdout).split(b'\n') {
                let _ = tell.send(line.unwrap());
            }
        });
        let mut errors = process.stderr.take().unwrap();
        let reads_stderr = self.reads_stderr;
        let stderr = thread::spawn(move || {
            let mut all = Vec::new();
            if reads_stderr {
                errors.read_to_end(&mut all).unwrap();
            } else {
                // Kept open, and not read, for as long as the process lives.
                Box::leak(Box::new(errors));
            }
            all
        });
        let stdin = process.stdin.take();
        Proxy {
            process,
            stdin,
            lines,
            stderr: Some(stderr),
            folder,
        }
    }
}

impl Proxy {
    /// A proxy before a server that is told this, after the handshake.
    pub fn ready(fake: Value) -> Self {
        let mut proxy = Setup {
            fake,
            ..Setup::default()
        }
        .start();
        proxy.shake_hands();
        proxy
    }

    pub fn shake_hands(&mut self) {
        self.shake_hands_as(&json!({}));
    }

    /// The handshake of a client that can do so much.
    pub fn shake_hands_as(&mut self, capabilities: &Value) {
        self.send(format!(r#"{{"jsonrpc":"2.0","id":"init","method":"initialize","params":{{"protocolVersion":"2025-11-25","capabilities":{capabilities},"clientInfo":{{"name":"t","version":"1"}}}}}}"#));
        assert_eq!(self.answer()["id"], "init");
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
    }

    pub fn send(&mut self, line: impl AsRef<[u8]>) {
        let line = [line.as_ref(), b"\n"].concat();
        // The proxy may have ended; the test sees that by what it reads.
        let _ = self.stdin.as_mut().unwrap().write_all(&line);
    }

    pub fn send_unfinished(&mut self, part: &[u8]) {
        let _ = self.stdin.as_mut().unwrap().write_all(part);
    }

    pub fn call(&mut self, id: impl std::fmt::Display, tool: &str) {
        self.send(format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{{}}}}}}"#));
    }

    /// The next line, as it came.
    pub fn line(&self) -> Vec<u8> {
        match self.lines.recv_timeout(PATIENCE) {
            Ok(line) => line,
            Err(RecvTimeoutError::Timeout) => panic!("nothing came"),
            Err(RecvTimeoutError::Disconnected) => panic!("the proxy closed its output"),
        }
    }

    /// The next message.
    pub fn answer(&self) -> Value {
        let line = self.line();
        serde_json::from_slice(&line)
            .unwrap_or_else(|_| panic!("no message: {}", String::from_utf8_lossy(&line)))
    }

    /// Everything that comes before the answer to a ping that is sent now.
    pub fn until_ping(&mut self) -> Vec<Value> {
        self.send(r#"{"jsonrpc":"2.0","id":"ping","method":"ping"}"#);
        let mut before = Vec::new();
        loop {
            let message = self.answer();
            if message["id"] == "ping" {
                return before;
            }
            before.push(message);
        }
    }

    /// What the server has received, line by line, without the handshake and pings.
    pub fn received(&self) -> Vec<String> {
        received(&self.folder, "")
    }

    /// The same for one of several servers.
    pub fn received_by(&self, server: &str) -> Vec<String> {
        received(&self.folder, server)
    }

    pub fn events(&self) -> Vec<Value> {
        events(&self.folder)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// Waits for the end; the client's end is closed by then, unless it has been lent out.
    pub fn end(mut self) -> End {
        self.close();
        self.wait()
    }

    /// Waits for the end while the client stays.
    pub fn wait(mut self) -> End {
        let status = self.process.wait().unwrap();
        let stderr =
            String::from_utf8_lossy(&self.stderr.take().unwrap().join().unwrap()).into_owned();
        let rest = self
            .lines
            .iter()
            .map(|line| serde_json::from_slice(&line).unwrap())
            .collect();
        let code = status
            .code()
            .or_else(|| status.signal().map(|signal| 128 + signal))
            .unwrap();
        End {
            code,
            stderr,
            rest,
            folder: self.folder,
        }
    }
}

impl End {
    pub fn events(&self) -> Vec<Value> {
        events(&self.folder)
    }

    pub fn received(&self) -> Vec<String> {
        received(&self.folder, "")
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    #[track_caller]
    pub fn assert_event(&self, member: &str, value: &str) {
        let events = self.events();
        assert!(
            events.iter().any(|event| event[member] == value),
            "no {member} {value} in {events:#?}"
        );
    }
}

fn received(folder: &TempDir, server: &str) -> Vec<String> {
    let path = folder.path().join(format!("received{server}"));
    let all = std::fs::read(path).unwrap_or_default();
    let all = String::from_utf8(all).unwrap();
    let lines = all.split_inclusive('\n').map(ToOwned::to_owned);
    lines
        .filter(|line| {
            !line.contains("\"initialize\"")
                && !line.contains("notifications/initialized")
                && !line.contains("\"ping\"")
        })
        .collect()
}

fn events(folder: &TempDir) -> Vec<Value> {
    let logs = std::fs::read_dir(folder.path().join("home/audit"))
        .into_iter()
        .flatten()
        .flatten();
    let text: String = logs
        .map(|log| std::fs::read_to_string(log.path()).unwrap())
        .collect();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// Whether a process of this id runs.
pub fn is_alive(id: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    // The state stands after the name, which may hold anything but ends at the last parenthesis.
    stat.rsplit_once(')')
        .is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}
