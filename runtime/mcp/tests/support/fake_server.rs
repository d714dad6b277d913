//! A server that does what the JSON in the environment variable `FAKE` says, right or wrong. All members are optional. With
//! an argument, it is what stands there under that name.
//!
//! | member | does |
//! |---|---|
//! | `tools` | the tools that are listed |
//! | `pages` | answers to `tools/list`, one after another; the last one for ever |
//! | `list_raw` | the answer to `tools/list`, as text that is written as it is |
//! | `banner` | lines written at the start |
//! | `raw_start` | bytes written at the start, in hexadecimal |
//! | `on_start_exit` | exits at once with this code |
//! | `exit_on_call` | exits with this code when a tool is called |
//! | `kill_on_call` | ends itself by this signal when a tool is called |
//! | `stderr_per_call` | bytes written to the error output before each answer to a call |
//! | `garbage_per_line` | a line written for each line that comes |
//! | `result` | the result of every call; without it, the call's parameters as text |
//! | `result_raw` | the same, as text that is written as it is |
//! | `result_bytes` | the same, as a text of so many bytes |
//! | `id_last` | answers to calls name their id after their result |
//! | `line_raw` | instead of the answer to a call, this line, with `@` for `fill` letters |
//! | `unfinished` | leaves the line feed off the answer to a call, and exits |
//! | `delay_ms` | waits before each answer to a call |
//! | `ignore_eof`, `ignore_sigterm` | stays |
//! | `grandchild` | starts a process that stays too, and writes its id to this file |
//! | `close_stdout` | closes its output after so many answers to calls, and stays |
//! | `close_stdin` | closes its input after so many calls, and stays |
//! | `early_result_for` | answers this id as well when tools are listed |
//! | `after_list` | messages sent after tools are listed |
//! | `capabilities` | what it declares |
//! | `answers` | results by method |
//! | `era` | `modern`: it knows no `initialize` |
//! | `open_files` | the result of a call lists the open files |
//!
//! Every byte that comes is appended to the file named by `FAKE_RECEIVED`, with the argument appended to its name.
#![expect(
    clippy::indexing_slicing,
    reason = "a test server may be as careless as the servers it stands for"
)]

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, Write};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use knotrust_core::json;
use serde_json::{Value, json};

fn main() -> ExitCode {
    let told: Value = std::env::var("FAKE")
        .ok()
        .and_then(|told| serde_json::from_str(&told).ok())
        .unwrap_or_default();
    let told = match std::env::args().nth(1) {
        Some(name) => told[name].clone(),
        None => told,
    };
    let mut server = Fake {
        told,
        calls: 0,
        lists: 0,
    };
    match server.run() {
        Ok(code) => code,
        Err(_) => ExitCode::from(100),
    }
}

struct Fake {
    told: Value,
    calls: u64,
    lists: usize,
}

impl Fake {
    fn run(&mut self) -> io::Result<ExitCode> {
        if self.is_told("ignore_sigterm") {
            signal_hook::flag::register(
                signal_hook::consts::SIGTERM,
                Arc::new(AtomicBool::new(false)),
            )?;
        }
        self.start_grandchild()?;
        put(&unhex(self.text("raw_start").unwrap_or_default()))?;
        for line in self.told["banner"].as_array().into_iter().flatten() {
            put_line(line.as_str().unwrap_or_default())?;
        }
        if let Some(code) = self.code("on_start_exit") {
            return Ok(code);
        }
        let mut received = match std::env::var_os("FAKE_RECEIVED") {
            Some(mut path) => {
                path.push(std::env::args().nth(1).unwrap_or_default());
                Some(OpenOptions::new().create(true).append(true).open(path)?)
            }
            None => None,
        };
        let mut line = Vec::new();
        let mut input = io::stdin().lock();
        loop {
            line.clear();
            if input.read_until(b'\n', &mut line)? == 0 {
                break;
            }
            if let Some(received) = &mut received {
                received.write_all(&line)?;
            }
            if let Some(code) = self.on_line(&line)? {
                return Ok(code);
            }
        }
        while self.is_told("ignore_eof") {
            std::thread::sleep(Duration::from_secs(1));
        }
        Ok(ExitCode::SUCCESS)
    }

    fn on_line(&mut self, line: &[u8]) -> io::Result<Option<ExitCode>> {
        if let Some(garbage) = self.text("garbage_per_line") {
            put_line(garbage)?;
        }
        let Ok(message) = json::parse(line) else {
            return Ok(None);
        };
        let (id, Some(method)) = (
            message.get("id"),
            message.get("method").and_then(json::Value::as_str),
        ) else {
            return Ok(None);
        };
        let params = message.get("params");
        let id = id.map(json::write);
        if let (Some(id), Some(result)) = (&id, self.told["answers"].get(method)) {
            answer(id, result)?;
            return Ok(None);
        }
        let is_modern = self.told["era"] == "modern";
        match (method, id) {
            ("initialize", Some(id)) if is_modern => put_line(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32022,"message":"too old"}}}}"#
            ))?,
            ("server/discover", Some(id)) if !is_modern => put_line(&format!(
                r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32601,"message":"unknown"}}}}"#
            ))?,
            ("server/discover", Some(id)) => answer(
                &id,
                &json!({ "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } }),
            )?,
            ("initialize", Some(id)) => {
                let version = params
                    .and_then(|params| params.get("protocolVersion"))
                    .and_then(json::Value::as_str);
                answer(
                    &id,
                    &json!({
                        "protocolVersion": version,
                        "capabilities": self.told.get("capabilities").cloned().unwrap_or_else(|| {
                            json!({ "tools": { "listChanged": true } })
                        }),
                        "serverInfo": { "name": "fake", "version": "1" },
                    }),
                )?;
            }
            ("tools/list", Some(id)) => self.list(&id)?,
            ("tools/call", Some(id)) => {
                return self.call(&id, &params.map(json::write).unwrap_or_default());
            }
            (_, Some(id)) => answer(&id, &json!({}))?,
            (_, None) => {}
        }
        Ok(None)
    }

    fn list(&mut self, id: &str) -> io::Result<()> {
        let tools = ["echo", "read_note", "write_note", "wipe"];
        let tools = tools.map(|name| json!({ "name": name, "inputSchema": { "type": "object" } }));
        let page = match (self.told["pages"].as_array(), self.told.get("tools")) {
            (Some(pages), _) => pages
                .get(self.lists.min(pages.len() - 1))
                .cloned()
                .unwrap_or_default(),
            (None, Some(tools)) => json!({ "tools": tools }),
            (None, None) => json!({ "tools": tools }),
        };
        self.lists += 1;
        match self.text("list_raw") {
            Some(raw) => put_line(&self.filled(&format!(
                "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{raw}}}"
            )))?,
            None => answer(id, &page)?,
        }
        if let Some(early) = self.told.get("early_result_for") {
            answer(
                &early.to_string(),
                &json!({ "content": [{ "type": "text", "text": "early" }] }),
            )?;
        }
        for extra in self.told["after_list"].as_array().into_iter().flatten() {
            put_line(&extra.to_string())?;
        }
        Ok(())
    }

    fn call(&mut self, id: &str, params: &str) -> io::Result<Option<ExitCode>> {
        self.calls += 1;
        if self.told["close_stdin"].as_u64() == Some(self.calls) {
            rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
        }
        if let Some(code) = self.code("exit_on_call") {
            return Ok(Some(code));
        }
        if let Some(signal) = self.told["kill_on_call"].as_i64() {
            let signal = i32::try_from(signal).unwrap_or_default();
            signal_hook::low_level::raise(signal)?;
        }
        if let Some(bytes) = self.size("stderr_per_call") {
            io::stderr().write_all(&[b"x".repeat(bytes), b"\n".to_vec()].concat())?;
        }
        if let Some(delay) = self.told["delay_ms"].as_u64() {
            std::thread::sleep(Duration::from_millis(delay));
        }
        let line = match self.text("line_raw") {
            Some(line) => self.filled(line),
            None => self.call_answer(id, params),
        };
        if self.is_told("unfinished") {
            put(line.as_bytes())?;
            return Ok(Some(ExitCode::SUCCESS));
        }
        put_line(&line)?;
        if self.told["close_stdout"].as_u64() == Some(self.calls) {
            rustix::stdio::dup2_stdout(OpenOptions::new().write(true).open("/dev/null")?)?;
        }
        Ok(None)
    }

    fn call_answer(&self, id: &str, params: &str) -> String {
        let text =
            |text: String| json!({ "content": [{ "type": "text", "text": text }] }).to_string();
        let result = if let Some(raw) = self.text("result_raw") {
            raw.to_owned()
        } else if let Some(bytes) = self.size("result_bytes") {
            text("a".repeat(bytes))
        } else if let Some(result) = self.told.get("result") {
            result.to_string()
        } else if self.is_told("open_files") {
            text(open_files())
        } else {
            text(params.to_owned())
        };
        if self.is_told("id_last") {
            format!("{{\"result\":{result},\"jsonrpc\":\"2.0\",\"id\":{id}}}")
        } else {
            format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}")
        }
    }

    fn filled(&self, line: &str) -> String {
        line.replace('@', &"a".repeat(self.size("fill").unwrap_or(1)))
    }

    fn start_grandchild(&self) -> io::Result<()> {
        let Some(path) = self.text("grandchild") else {
            return Ok(());
        };
        let grandchild = Command::new("sleep")
            .arg("600")
            .stdin(Stdio::null())
            .spawn()?;
        std::fs::write(path, grandchild.id().to_string())
    }

    fn text(&self, member: &str) -> Option<&str> {
        self.told[member].as_str()
    }

    fn is_told(&self, member: &str) -> bool {
        self.told[member] == true
    }

    fn size(&self, member: &str) -> Option<usize> {
        self.told[member]
            .as_u64()
            .and_then(|size| size.try_into().ok())
    }

    fn code(&self, member: &str) -> Option<ExitCode> {
        self.told[member]
            .as_u64()
            .and_then(|code| u8::try_from(code).ok())
            .map(ExitCode::from)
    }
}

fn open_files() -> String {
    let listed = std::fs::read_dir("/dev/fd").into_iter().flatten().flatten();
    let mut open: Vec<_> = listed
        .map(|file| file.file_name().to_string_lossy().into_owned())
        .collect();
    open.sort();
    open.join(" ")
}

fn answer(id: &str, result: &Value) -> io::Result<()> {
    put_line(&format!(
        "{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{result}}}"
    ))
}

fn put_line(line: &str) -> io::Result<()> {
    put(&[line.as_bytes(), b"\n"].concat())
}

fn put(mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        let written = rustix::io::write(rustix::stdio::stdout(), bytes)?;
        bytes = bytes.get(written..).unwrap_or_default();
    }
    Ok(())
}

fn unhex(digits: &str) -> Vec<u8> {
    let digits: Vec<_> = digits
        .chars()
        .filter_map(|digit| digit.to_digit(16))
        .collect();
    digits
        .chunks(2)
        .map(|pair| pair.iter().fold(0, |byte, digit| byte << 4 | *digit as u8))
        .collect()
}
