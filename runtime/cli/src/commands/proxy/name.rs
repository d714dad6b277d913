//! The name that rules know a server by.

use std::ffi::OsString;

use knotrust_core::ruleset::{Launch, Ruleset};
use thiserror::Error;

/// A server's name, and how it came by it.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Named {
    pub(super) server: String,
    /// Whether the command is the one that the ruleset pins for this server.
    pub(super) is_listed_command: bool,
    /// What a person should know about it.
    pub(super) remark: Option<String>,
}

/// A name that no server may have.
#[derive(Debug, Error)]
#[error("`{0}` is no name for a server: names are letters, digits, `_` and `-`, at most 64")]
pub(super) struct BadName(String);

/// Names a server: as asked, else as the ruleset lists its command, else after the command.
pub(super) fn of(
    ruleset: &Ruleset<'_>,
    asked: Option<&str>,
    command: &[OsString],
) -> Result<Named, BadName> {
    let listed = ruleset
        .servers
        .iter()
        .find(|server| is_command_of(&server.launch, command));
    if let Some(name) = asked {
        return asked_for(ruleset, name, listed.map(|server| server.name));
    }
    if let Some(server) = listed {
        return Ok(Named {
            server: server.name.to_owned(),
            is_listed_command: true,
            remark: None,
        });
    }
    let derived = derived(command);
    // Whoever is listed under that name has another command. Its rules are not for this one.
    let server = match ruleset.server(&derived) {
        Some(_) => format!("unlisted-{derived}"),
        None => derived,
    };
    let remark = format!(
        "the ruleset does not list this command; rules know the server as `{server}` (--server names it)"
    );
    Ok(Named {
        server,
        is_listed_command: false,
        remark: Some(remark),
    })
}

fn asked_for(ruleset: &Ruleset<'_>, name: &str, listed: Option<&str>) -> Result<Named, BadName> {
    if name.is_empty() || name.len() > 64 || !name.chars().all(is_plain) {
        return Err(BadName(crate::output::inert(name)));
    }
    let is_listed_command = listed == Some(name);
    let pinned = !is_listed_command && ruleset.server(name).is_some();
    let remark = pinned.then(|| {
        format!("the ruleset pins another command for `{name}`; its rules are applied to this one")
    });
    Ok(Named {
        server: name.to_owned(),
        is_listed_command,
        remark,
    })
}

fn is_command_of(launch: &Launch<'_>, command: &[OsString]) -> bool {
    match launch {
        Launch::Command {
            command: listed, ..
        } => {
            listed.len() == command.len()
                && command
                    .iter()
                    .zip(*listed)
                    .all(|(word, listed)| word == *listed)
        }
        Launch::Url(_) => false,
    }
}

/// Programs that start something else, which is what a server is named after.
const LAUNCHERS: [&str; 17] = [
    "npx", "bunx", "uvx", "pnpm", "yarn", "npm", "exec", "dlx", "run", "pipx", "uv", "node",
    "deno", "bun", "python", "python3", "env",
];

/// A name made from a command: `npx -y @scope/server-files@1.2 .` is `files`.
fn derived(command: &[OsString]) -> String {
    let words = command.iter().map(|word| word.to_string_lossy());
    let words: Vec<_> = words.filter(|word| !word.starts_with('-')).collect();
    let told = |word: &&std::borrow::Cow<'_, str>| !LAUNCHERS.contains(&stem(word).as_str());
    let word = words.iter().find(told).or(words.first());
    let name = word.map(|word| stem(word)).unwrap_or_default();
    let name = ["mcp-server-", "server-", "mcp-"]
        .iter()
        .find_map(|prefix| name.strip_prefix(prefix))
        .unwrap_or(&name);
    let name = ["-mcp-server", "-server", "-mcp"]
        .iter()
        .find_map(|suffix| name.strip_suffix(suffix))
        .unwrap_or(name);
    let name: String = name.chars().filter(|c| is_plain(*c)).take(64).collect();
    if name.is_empty() {
        "server".to_owned()
    } else {
        name
    }
}

/// The last part of a path or package, without version and ending.
fn stem(word: &str) -> String {
    let last = word
        .rsplit(['/', '\\'])
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    let unversioned = last
        .split('@')
        .find(|part| !part.is_empty())
        .unwrap_or_default();
    let endings = [".js", ".mjs", ".cjs", ".ts", ".py", ".exe", ".sh"];
    let plain = endings
        .iter()
        .find_map(|ending| unversioned.strip_suffix(ending));
    plain.unwrap_or(unversioned).to_owned()
}

const fn is_plain(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn servers_are_named_after_what_is_started() {
        for (command, name) in [
            (
                "npx -y @modelcontextprotocol/server-filesystem .",
                "filesystem",
            ),
            ("npx -y @scope/server-files@1.2 .", "files"),
            ("python3 fake_server.py", "fake_server"),
            ("uvx mcp-server-git --repository .", "git"),
            ("/opt/bin/notes-mcp --stdio", "notes"),
            ("sh -c true", "sh"),
            ("node", "node"),
            ("--", "server"),
        ] {
            let command: Vec<OsString> = command.split(' ').map(Into::into).collect();
            assert_eq!(derived(&command), name, "{command:?}");
        }
    }
}
