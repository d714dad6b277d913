//! `knotrust demo-server`: a small MCP server over standard input and output, to try policies on.
//!
//! It keeps notes in memory, reads files below its working folder, and has tools that destroy. It is an honest server of
//! revision 2025-11-25 and a dishonest one in one respect: a tool of it ends it in the middle of a call.

use std::io::{self, BufRead, Write};
use std::path::{Component, Path};
use std::{env, fs};

use serde_json::{Map, Value, json};

/// Serves until standard input ends.
///
/// # Errors
///
/// Standard input or output broke.
pub(crate) fn run() -> io::Result<u8> {
    let mut server = Server::default();
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match server.answer(&line?) {
            Reply::Nothing => {}
            Reply::Message(message) => {
                writeln!(output, "{message}")?;
                output.flush()?;
            }
            Reply::Crash => return Ok(70),
        }
    }
    Ok(0)
}

#[derive(Default)]
struct Server {
    notes: Map<String, Value>,
}

enum Reply {
    Nothing,
    Message(Value),
    Crash,
}

impl Server {
    fn answer(&mut self, line: &str) -> Reply {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            return failure(&Value::Null, -32700, "not JSON");
        };
        let (Some(method), Some(id)) = (
            message.get("method").and_then(Value::as_str),
            message.get("id"),
        ) else {
            return Reply::Nothing;
        };
        let params = message.get("params").unwrap_or(&Value::Null);
        match method {
            "initialize" => success(id, introduction(params)),
            "ping" => success(id, json!({})),
            "tools/list" => success(id, json!({ "tools": tools() })),
            "tools/call" => self.call(id, params),
            _ => failure(id, -32601, "no such method"),
        }
    }

    fn call(&mut self, id: &Value, params: &Value) -> Reply {
        let text = |name: &str| {
            let arguments = params.get("arguments");
            arguments
                .and_then(|arguments| arguments.get(name))
                .and_then(Value::as_str)
                .unwrap_or("")
        };
        let outcome = match params.get("name").and_then(Value::as_str) {
            Some("read_note") => self.read_note(text("title")),
            Some("list_notes") => Ok(self.titles()),
            Some("write_note") => {
                self.notes
                    .insert(text("title").to_owned(), Value::from(text("text")));
                Ok(format!("wrote {:?}", text("title")))
            }
            Some("read_file") => read_file(text("path")),
            Some("purge_notes") => {
                let count = self.notes.len();
                self.notes.clear();
                Ok(format!("purged {count} note(s)"))
            }
            Some("drop_database") => Ok("dropped".to_owned()),
            Some("crash") => return Reply::Crash,
            _ => return failure(id, -32602, "no such tool"),
        };
        let (text, is_error) = match outcome {
            Ok(text) => (text, false),
            Err(text) => (text, true),
        };
        success(
            id,
            json!({ "content": [{ "type": "text", "text": text }], "isError": is_error }),
        )
    }

    fn read_note(&self, title: &str) -> Result<String, String> {
        let note = self.notes.get(title).and_then(Value::as_str);
        note.map(str::to_owned)
            .ok_or_else(|| format!("no note is called {title:?}"))
    }

    fn titles(&self) -> String {
        self.notes
            .keys()
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join("\n")
    }
}

fn introduction(params: &Value) -> Value {
    let version = params
        .get("protocolVersion")
        .and_then(Value::as_str)
        .unwrap_or("2025-11-25");
    json!({
        "protocolVersion": version,
        "capabilities": { "tools": {} },
        "serverInfo": { "name": "knotrust-demo", "version": env!("CARGO_PKG_VERSION") },
    })
}

fn tools() -> Value {
    let tool = |name: &str, description: &str, members: &[&str], annotations: Value| {
        let properties: Map<String, Value> = members
            .iter()
            .map(|name| ((*name).to_owned(), json!({ "type": "string" })))
            .collect();
        json!({
            "name": name,
            "description": description,
            "inputSchema": { "type": "object", "properties": properties, "required": members },
            "annotations": annotations,
        })
    };
    json!([
        tool(
            "read_note",
            "Reads a note.",
            &["title"],
            json!({ "readOnlyHint": true })
        ),
        tool(
            "list_notes",
            "Lists the titles of all notes.",
            &[],
            json!({ "readOnlyHint": true })
        ),
        tool(
            "write_note",
            "Writes a note.",
            &["title", "text"],
            json!({ "destructiveHint": false })
        ),
        tool(
            "read_file",
            "Reads a text file below the working folder.",
            &["path"],
            json!({ "readOnlyHint": true })
        ),
        tool(
            "purge_notes",
            "Deletes every note.",
            &[],
            json!({ "destructiveHint": true })
        ),
        tool(
            "drop_database",
            "Drops the database.",
            &[],
            json!({ "readOnlyHint": true })
        ),
        tool(
            "crash",
            "Ends the server in the middle of the call.",
            &[],
            json!({})
        ),
    ])
}

fn read_file(path: &str) -> Result<String, String> {
    let relative = Path::new(path);
    let below = relative
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !below {
        return Err(format!("{path:?} is not below the working folder"));
    }
    let folder = env::current_dir().map_err(|error| error.to_string())?;
    fs::read_to_string(folder.join(relative)).map_err(|error| format!("{path:?}: {error}"))
}

fn success(id: &Value, result: Value) -> Reply {
    Reply::Message(json!({ "jsonrpc": "2.0", "id": id, "result": result }))
}

fn failure(id: &Value, code: i32, message: &str) -> Reply {
    Reply::Message(json!({
        "jsonrpc": "2.0",
        "id": id,
        "error": { "code": code, "message": message },
    }))
}
