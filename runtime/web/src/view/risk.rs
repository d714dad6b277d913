//! Arguments to look at twice.

use knotrust_core::json::{Text, Value};

/// What an argument may be.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(super) enum Risk {
    Amount,
    Command,
    Host,
    Path,
    Recipient,
}

impl Risk {
    const ALL: [Self; 5] = [
        Self::Amount,
        Self::Command,
        Self::Host,
        Self::Path,
        Self::Recipient,
    ];

    pub(super) const fn as_str(self) -> &'static str {
        match self {
            Self::Amount => "amount",
            Self::Command => "command",
            Self::Host => "host",
            Self::Path => "path",
            Self::Recipient => "recipient",
        }
    }

    /// What a name says of its value.
    pub(super) fn of_name(name: &Text<'_>) -> Option<Self> {
        let words = words(&name.to_string_lossy());
        let speaks = |risk: &Self| {
            words
                .iter()
                .any(|word| risk.names().contains(&word.as_str()))
        };
        Self::ALL.into_iter().find(speaks)
    }

    const fn names(self) -> &'static [&'static str] {
        match self {
            Self::Amount => &[
                "amount", "amounts", "balance", "cost", "fee", "limit", "payment", "price", "qty",
                "quantity", "sum", "total", "value",
            ],
            Self::Command => &[
                "args",
                "argv",
                "bash",
                "cmd",
                "code",
                "command",
                "commands",
                "exec",
                "eval",
                "program",
                "query",
                "script",
                "sh",
                "shell",
                "sql",
                "statement",
            ],
            Self::Host => &[
                "domain", "endpoint", "host", "hostname", "hosts", "ip", "link", "origin", "port",
                "proxy", "server", "uri", "url", "urls", "webhook",
            ],
            Self::Path => &[
                "cwd",
                "dir",
                "directory",
                "dirname",
                "file",
                "filename",
                "files",
                "folder",
                "glob",
                "path",
                "paths",
                "root",
            ],
            Self::Recipient => &[
                "account",
                "address",
                "bcc",
                "beneficiary",
                "cc",
                "channel",
                "destination",
                "email",
                "emails",
                "iban",
                "mail",
                "payee",
                "phone",
                "receiver",
                "recipient",
                "recipients",
                "to",
            ],
        }
    }

    /// What a text looks like, whatever it is called.
    fn of_text(text: &str) -> Vec<Self> {
        let starts = |starts: &[&str]| starts.iter().any(|start| text.starts_with(start));
        let holds = |parts: &[&str]| parts.iter().any(|part| text.contains(part));
        let mut risks = Vec::new();
        if holds(&["$(", "`", "&&", "||", "; ", " | ", ">/", "> /"]) {
            risks.push(Self::Command);
        }
        if holds(&["://"]) || is_numbered_host(text) || text.starts_with("localhost") {
            risks.push(Self::Host);
        }
        let is_drive = text
            .get(1..3)
            .is_some_and(|next| next == ":\\" || next == ":/");
        if starts(&["/", "~", "./", "../", "\\\\"]) || is_drive || holds(&["/../"]) {
            risks.push(Self::Path);
        }
        if is_mail(text) {
            risks.push(Self::Recipient);
        }
        risks
    }
}

/// What to mark at a value: by the name above it and by what it looks like.
pub(super) fn of(value: &Value<'_>, named: Option<Risk>) -> Vec<Risk> {
    let mut risks: Vec<Risk> = named.into_iter().collect();
    if let Some(text) = value.as_text() {
        risks.extend(Risk::of_text(&text.to_string_lossy()));
    }
    risks.sort_unstable();
    risks.dedup();
    risks
}

/// What is to be marked anywhere below a value.
pub(super) fn within(value: &Value<'_>, named: Option<Risk>) -> Vec<Risk> {
    let mut risks = match value {
        Value::Array(items) => items.iter().flat_map(|item| within(item, named)).collect(),
        Value::Object(object) => object
            .iter()
            .flat_map(|(name, value)| within(value, Risk::of_name(name).or(named)))
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => of(value, named),
    };
    risks.sort_unstable();
    risks.dedup();
    risks
}

/// The words of a name: `fileName`, `file_name` and `File-Name` have the same.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in name.chars() {
        let starts = was_lower && character.is_uppercase();
        if starts || !character.is_alphanumeric() {
            words.push(String::new());
        }
        if character.is_alphanumeric()
            && let Some(word) = words.last_mut()
        {
            word.extend(character.to_lowercase());
        }
        was_lower = character.is_lowercase();
    }
    words
}

fn is_numbered_host(text: &str) -> bool {
    let host = text.split([':', '/']).next().unwrap_or_default();
    host.parse::<std::net::Ipv4Addr>().is_ok() || text.parse::<std::net::Ipv6Addr>().is_ok()
}

fn is_mail(text: &str) -> bool {
    let parts = text.split_once('@');
    let is_word = |part: &str| !part.is_empty() && !part.contains(char::is_whitespace);
    parts.is_some_and(|(who, at)| is_word(who) && is_word(at) && at.contains('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(arguments: &str, expected: &[Risk]) {
        let value = knotrust_core::json::parse(arguments.as_bytes()).unwrap();
        assert_eq!(within(&value, None), expected, "{arguments}");
    }

    #[test]
    fn risky_arguments_are_found_at_any_depth_and_under_any_name() {
        check(r#"{"a":1,"note":"hello"}"#, &[]);
        check(
            r#"{"nested":{"deep":{"to":"m@example.test","amount":1}}}"#,
            &[Risk::Amount, Risk::Recipient],
        );
        check(r#"{"x":[["/etc/passwd"]]}"#, &[Risk::Path]);
        check(r#"{"filePath":["notes.txt"]}"#, &[Risk::Path]);
        check(r#"{"x":"C:\\Users"}"#, &[Risk::Path]);
        check(r#"{"x":"ls && rm -rf y"}"#, &[Risk::Command]);
        check(r#"{"x":"127.0.0.1:80"}"#, &[Risk::Host]);
        check(
            r#"{"x":"http://a.test/$(id)"}"#,
            &[Risk::Command, Risk::Host],
        );
        check(r#"{"shell_command":1}"#, &[Risk::Command]);
    }
}
