//! What a server says of its tools.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use knotrust_core::canonical::sha256_of;
use knotrust_core::json::Value;

// A server with more tools than this is not listing tools. What is over is not remembered, and so unknown.
const MOST: usize = 16_384;

/// The tools that a server has listed in this session.
#[derive(Debug, Default)]
pub struct Listing(Mutex<HashMap<Box<[u8]>, Listed>>);

#[derive(Clone, Debug, Eq, PartialEq)]
struct Listed {
    fingerprint: String,
    schema: OutputSchema,
}

/// What is known of a tool's output schema.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum OutputSchema {
    /// The tool was not listed yet.
    Unknown,
    /// The tool declares none.
    None,
    /// The tool declares one.
    Declared,
}

impl Listing {
    /// What is known of this tool's output schema.
    #[must_use]
    pub fn output_schema(&self, tool: &[u8]) -> OutputSchema {
        self.tools()
            .get(tool)
            .map_or(OutputSchema::Unknown, |listed| listed.schema)
    }

    /// Remembers the tools of an answer to `tools/list`.
    pub fn record(&self, tools: &[Value<'_>]) {
        tools.iter().for_each(|tool| self.remember(tool));
    }

    fn remember(&self, tool: &Value<'_>) {
        let Some(name) = tool.get("name").and_then(Value::as_text) else {
            return;
        };
        let schema = match tool.get("outputSchema") {
            None => OutputSchema::None,
            Some(_) => OutputSchema::Declared,
        };
        let Ok(fingerprint) = sha256_of(tool) else {
            return;
        };
        let mut tools = self.tools();
        if tools.len() < MOST || tools.contains_key(name.as_bytes()) {
            tools.insert(
                name.as_bytes().into(),
                Listed {
                    fingerprint,
                    schema,
                },
            );
        }
    }

    fn tools(&self) -> MutexGuard<'_, HashMap<Box<[u8]>, Listed>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
