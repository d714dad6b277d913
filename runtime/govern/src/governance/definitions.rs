//! What the tools are called, take and answer.

use knotrust_core::json::{Value, parse};

use super::Tool;

/// All of them, in the order in which they are offered.
pub(super) fn all() -> Vec<Tool> {
    TABLE.iter().map(tool).collect()
}

struct Row {
    name: &'static str,
    description: &'static str,
    /// The properties of its arguments.
    takes: &'static str,
    /// Those that must be there.
    requires: &'static str,
    /// The properties of its answers, all of which are there.
    answers: &'static str,
    only_reads: bool,
}

fn tool(row: &Row) -> Tool {
    let schema = |properties: &str, required: &str, closed: bool| {
        let text = format!(
            r#"{{"type":"object","properties":{{{properties}}},"required":[{required}],"additionalProperties":{}}}"#,
            !closed
        );
        // The rows below are JSON; a test reads each of them.
        parse(text.as_bytes()).map_or(Value::Null, Value::into_owned)
    };
    let names: Vec<&str> = row
        .answers
        .split('"')
        .skip(1)
        .step_by(2)
        .filter(|word| !TYPES.contains(word))
        .collect();
    let required: Vec<String> = names.iter().map(|name| format!("{name:?}")).collect();
    Tool {
        name: row.name,
        description: row.description,
        input: schema(row.takes, row.requires, true),
        output: schema(row.answers, &required.join(","), false),
        only_reads: row.only_reads,
    }
}

/// Words of a row that are no names of members.
const TYPES: [&str; 8] = [
    "type", "object", "array", "string", "number", "integer", "boolean", "null",
];

const PLANNING: &str = r#""task":{"type":"string","description":"What is to be done, in words"},"manifest":{"type":"string","description":"The name or manifest path of a governed domain; may be left out where there is one"},"max_units":{"type":"integer","minimum":1,"description":"At most so many units; never more than the policy allows"},"strict":{"type":"boolean","description":"Leave out what is only listed"},"context_budget":{"type":"integer","minimum":1,"description":"At most so many tokens; never more than the policy allows"}"#;

const TABLE: &[Row] = &[
    Row {
        name: "kcp_plan",
        description: "Plans which units of governed knowledge serve a task, and why others do not. What the plan admits may be read from then on.",
        takes: PLANNING,
        requires: r#""task""#,
        answers: r#""task":{"type":"string"},"manifest":{"type":"object"},"selected":{"type":"array"},"skipped":{"type":"array"},"warnings":{"type":"array"}"#,
        only_reads: false,
    },
    Row {
        name: "kcp_load",
        description: "Plans for a task and loads the content of the units that the plan admits. Content that was loaded before and has not changed is left out.",
        takes: concat!(
            r#""task":{"type":"string","description":"What is to be done, in words"},"manifest":{"type":"string","description":"The name or manifest path of a governed domain; may be left out where there is one"},"max_units":{"type":"integer","minimum":1,"description":"At most so many units; never more than the policy allows"},"strict":{"type":"boolean","description":"Leave out what is only listed"},"context_budget":{"type":"integer","minimum":1,"description":"At most so many tokens; never more than the policy allows"},"#,
            r#""known":{"type":["array","object"],"description":"What is at hand already: [{id, sha256}] or {id: sha256}; without it, what this session has loaded"}"#
        ),
        requires: r#""task""#,
        answers: r#""plan":{"type":"object"},"units":{"type":"array"},"unavailable":{"type":"array"},"deduped":{"type":"array"},"bytesSaved":{"type":"integer"}"#,
        only_reads: false,
    },
    Row {
        name: "kcp_trace",
        description: "Says what each of the fourteen gates said of every unit, for a task.",
        takes: PLANNING,
        requires: r#""task""#,
        answers: r#""task":{"type":"string"},"units":{"type":"array"},"gateSummary":{"type":"array"}"#,
        only_reads: true,
    },
    Row {
        name: "kcp_validate",
        description: "Looks the manifest of a governed domain through.",
        takes: r#""manifest":{"type":"string","description":"The name or manifest path of a governed domain; may be left out where there is one"}"#,
        requires: "",
        answers: r#""source":{"type":"string"},"findings":{"type":"array"},"ok":{"type":"boolean"}"#,
        only_reads: true,
    },
    Row {
        name: "kcp_replay",
        description: "Makes a saved plan again from the manifest as it is now, and says what has become of it.",
        takes: r#""artifact":{"type":["object","string"],"description":"A plan, as kcp_plan gave it"}"#,
        requires: r#""artifact""#,
        answers: r#""ok":{"type":"boolean"},"checks":{"type":"array"}"#,
        only_reads: true,
    },
    Row {
        name: "harness_status",
        description: "Says how this session stands.",
        takes: "",
        requires: "",
        answers: r#""session":{"type":"object"},"governance":{"type":"object"},"downstream":{"type":"array"}"#,
        only_reads: true,
    },
    Row {
        name: "harness_session",
        description: "Says which plans this session has.",
        takes: "",
        requires: "",
        answers: r#""sessionId":{"type":"string"},"plans":{"type":"object"}"#,
        only_reads: true,
    },
    Row {
        name: "harness_budget",
        description: "Says what was spent on governed knowledge today, and what is left.",
        takes: "",
        requires: "",
        answers: r#""totals":{"type":"object"},"entryCount":{"type":"integer"},"entries":{"type":"array"}"#,
        only_reads: true,
    },
    Row {
        name: "harness_temporal_check",
        description: "Makes the plans of this session again as of today. What no longer holds is approved no longer.",
        takes: "",
        requires: "",
        answers: r#""checked":{"type":"integer"},"stable":{"type":"integer"},"drifted":{"type":"array"},"errors":{"type":"array"}"#,
        only_reads: false,
    },
    Row {
        name: "harness_approvals",
        description: "Lists the questions that wait for a person.",
        takes: r#""state":{"type":"string","enum":["pending_review"],"description":"Only those in this state"}"#,
        requires: "",
        answers: r#""approvals":{"type":"array"}"#,
        only_reads: true,
    },
    Row {
        name: "harness_assess",
        description: "Judges whether an answer is sure enough to stand without a person. The strictest threshold counts, and an answer without a signal does not pass.",
        takes: r#""task":{"type":"string","description":"What was asked"},"answer":{"type":"string","description":"The answer, with its confidence, such as: Confidence: 0.85"},"threshold":{"type":"number","minimum":0,"maximum":1,"description":"The least confidence; that of the policy counts if it is higher"},"severity":{"type":"string","description":"How much is at stake"}"#,
        requires: r#""task","answer""#,
        answers: r#""allowed":{"type":"boolean"},"verdict":{"type":"object"}"#,
        only_reads: false,
    },
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_schema() {
        for tool in all() {
            for schema in [&tool.input, &tool.output] {
                assert!(schema.get("properties").is_some(), "{}", tool.name);
                let required = schema.get("required").and_then(Value::as_array).unwrap();
                for name in required {
                    let name = name.as_str().unwrap();
                    let properties = schema.get("properties").unwrap();
                    assert!(properties.get(name).is_some(), "{}: {name}", tool.name);
                }
            }
        }
    }
}
