//! A scripted MCP client over real pipes.

use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A client, and the proxy it has started.
pub(super) struct Client {
    proxy: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next_id: u64,
}

impl Client {
    /// Starts this program as a proxy in front of its own demo server.
    pub(super) fn start(program: &Path, home: &Path) -> io::Result<Self> {
        let mut proxy = Command::new(program)
            .args(["--server", "demo", "--"])
            .arg(program)
            .arg("demo-server")
            .env("KNOTRUST_HOME", home)
            .env("KNOTRUST_AGENT", "demo-agent")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let missing = || io::Error::other("the proxy has no pipes");
        let input = proxy.stdin.take().ok_or_else(missing)?;
        let output = proxy
            .stdout
            .take()
            .map(BufReader::new)
            .ok_or_else(missing)?;
        Ok(Self {
            proxy,
            input,
            output,
            next_id: 1,
        })
    }

    /// The opening of a session.
    pub(super) fn handshake(&mut self) -> io::Result<()> {
        self.request(
            "initialize",
            &json!({
                "protocolVersion": "2025-11-25",
                "capabilities": {},
                "clientInfo": { "name": "knotrust-demo", "version": "1" },
            }),
        )?;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        self.request("tools/list", &json!({}))?;
        Ok(())
    }

    /// Calls a tool and waits for the answer.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> io::Result<Value> {
        self.request(
            "tools/call",
            &json!({ "name": tool, "arguments": arguments }),
        )
    }

    /// Calls a tool, gives up on it, and shows that the session goes on: the answer to a ping.
    pub(super) fn call_and_give_up(&mut self, tool: &str) -> io::Result<Value> {
        let id = self.next_id;
        self.next_id += 1;
        let params = json!({ "name": tool, "arguments": {} });
        self.send(
            &json!({ "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params }),
        )?;
        let cancelled = json!({ "requestId": id, "reason": "nobody answered" });
        self.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": cancelled }),
        )?;
        self.request("ping", &json!({}))
    }

    fn request(&mut self, method: &str, params: &Value) -> io::Result<Value> {
        let id = self.next_id;
        self.next_id += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line)? == 0 {
                return Err(io::Error::other(format!(
                    "the proxy ended before it answered {method}"
                )));
            }
            let message: Value = serde_json::from_str(&line)?;
            if message.get("id") == Some(&json!(id)) {
                return Ok(message);
            }
        }
    }

    fn send(&mut self, message: &Value) -> io::Result<()> {
        writeln!(self.input, "{message}")?;
        self.input.flush()
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        // By then the server is dead and the proxy on its way out; what cannot be waited for is gone already.
        drop(self.proxy.wait());
    }
}
