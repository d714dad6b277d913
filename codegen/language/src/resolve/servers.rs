//! The servers.

use std::collections::BTreeSet;

use knotrust_core::ruleset;

use super::Resolver;
use crate::{
    located::{Located, Span},
    model::{Entries, Server, Unlisted},
    problem::{Code, Problem, code_point, shown},
    resolved::{self, Launch},
};

impl Resolver<'_> {
    pub(super) fn servers(
        &mut self,
        written: Option<&Entries<Located<Server>>>,
    ) -> Vec<resolved::Server> {
        let mut servers = Vec::new();
        for (name, server) in written
            .map(|entries| entries.0.as_slice())
            .unwrap_or_default()
        {
            let known = self.server_name(&name.value, name.span);
            let launch = self.launch(name, server);
            self.sentence(server.value.description.as_ref(), "description");
            servers.extend(
                known
                    .zip(launch)
                    .map(|(name, launch)| resolved::Server { name, launch }),
            );
        }
        servers.sort_by(|one, other| one.name.cmp(&other.name));
        servers
    }

    /// The name of a server: what stands before the first dot of an action name.
    pub(super) fn server_name(&mut self, name: &str, span: Span) -> Option<String> {
        let allowed = |char: char| char.is_ascii_alphanumeric() || matches!(char, '_' | '-');
        let shown = shown(name);
        let message = match name.chars().find(|char| !allowed(*char)) {
            None if name.is_empty() => "the name of a server is empty".to_owned(),
            None if name.len() > 64 => {
                format!("the server name `{shown}` is longer than 64 characters")
            }
            None => return Some(name.to_owned()),
            Some('.') => format!(
                "the server name `{shown}` has a dot, and the first dot of `server.tool` ends the server's name"
            ),
            Some(odd) if odd.is_ascii_graphic() => {
                format!("the server name `{shown}` has a `{odd}` in it")
            }
            Some(odd) => format!("the server name `{shown}` has {} in it", code_point(odd)),
        };
        self.push(
            Problem::new(Code::BadName, message)
                .at(span, "not a server's name")
                .help("letters, digits, `_` and `-`, up to 64: no two such names look alike or run together"),
        );
        None
    }

    fn launch(&mut self, name: &Located<String>, written: &Located<Server>) -> Option<Launch> {
        let server = &written.value;
        match (&server.command, &server.url) {
            (Some(command), None) => {
                let env = server.env.as_deref().map(|names| self.variables(names));
                Some(Launch::Command {
                    command: self.command(command)?,
                    env,
                })
            }
            (None, Some(url)) => {
                if let Some(env) = server.env.as_deref().and_then(|names| names.first()) {
                    self.push(
                        Problem::new(
                            Code::Conflict,
                            "`env` belongs to a server that is started by `command`",
                        )
                        .at(env.span, "nothing is started for a `url`"),
                    );
                }
                self.url(url).map(Launch::Url)
            }
            (Some(command), Some(url)) => {
                self.push(
                    Problem::new(
                        Code::Conflict,
                        format!(
                            "the server `{}` has both a `command` and a `url`",
                            shown(&name.value)
                        ),
                    )
                    .at(url.span, "where it is")
                    .at(command.span, "how it is started")
                    .help("keep one of the two"),
                );
                None
            }
            (None, None) if !written.whole => None,
            (None, None) => {
                self.push(
                    Problem::new(Code::MissingKey, format!("the server `{}` has neither a `command` nor a `url`", shown(&name.value)))
                        .at(name.span, "this server")
                        .help("say how it is started, `command: [program, argument]`, or where it is, `url: https://…`"),
                );
                None
            }
        }
    }

    fn command(&mut self, words: &Located<Vec<Located<String>>>) -> Option<Vec<String>> {
        let empty = words
            .value
            .first()
            .filter(|program| program.value.trim().is_empty());
        let nul = words.value.iter().find(|word| word.value.contains('\0'));
        if let Some(word) = empty {
            self.push(
                Problem::new(Code::BadName, "the program of a `command` is empty")
                    .at(word.span, "a program"),
            );
            return None;
        }
        if let Some(word) = nul {
            let message = "no program can be handed U+0000 in an argument";
            self.push(Problem::new(Code::BadCharacter, message).at(word.span, "U+0000 is in here"));
            return None;
        }
        Some(words.value.iter().map(|word| word.value.clone()).collect())
    }

    fn variables(&mut self, names: &[Located<String>]) -> Vec<String> {
        let mut known = BTreeSet::new();
        for name in names {
            let fits = !name.value.is_empty()
                && name
                    .value
                    .chars()
                    .all(|char| char.is_ascii_graphic() && char != '=');
            if fits {
                known.insert(name.value.clone());
            } else {
                let message = format!(
                    "`{}` is no name of an environment variable",
                    shown(&name.value)
                );
                self.push(
                    Problem::new(Code::BadName, message)
                        .at(name.span, "a name, without a value")
                        .help("`env` names the variables that are handed on; their values are those of the time of the start"),
                );
            }
        }
        known.into_iter().collect()
    }
}

impl From<Unlisted> for ruleset::Unlisted {
    fn from(unlisted: Unlisted) -> Self {
        match unlisted {
            Unlisted::Allow => Self::Allow,
            Unlisted::Deny => Self::Deny,
        }
    }
}
