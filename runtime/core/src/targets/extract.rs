//! From the arguments of a call to the texts that are judged, and how.
//!
//! Every string counts, at any depth, and names of members where they look like paths. A tool's shape adds what is known:
//! which member is a command, which is only text, where a search begins.

use std::borrow::Cow;

use super::judge::{Judge, Usage};
use super::path::Folder;
use super::reading::Manner;
use super::shape::{self, Form, Shape, member};
use super::target::{Access, Reach, Why};
use super::{patch, shell};
use crate::json::{self, Text, Value};

/// Judges the arguments of a call of this tool.
pub(super) fn arguments(judge: &mut Judge<'_, '_>, tool: &str, arguments: &Value<'_>) {
    let shape = Shape::of(tool);
    let mut visit = Visit {
        folders: vec![judge.ground.folder.clone()],
        judge,
        shape,
        texts: 0,
    };
    visit.find_folders(arguments);
    visit.search(arguments);
    visit.value(arguments, "", Place::Top);
}

/// Judges the address of a resource.
pub(super) fn address(judge: &mut Judge<'_, '_>, address: &str) {
    let folders = [judge.ground.folder.clone()];
    let manner = Manner {
        usage: Usage {
            access: Access::Read,
            reach: Reach::Named,
            by_server: true,
        },
        whatwg: false,
        files: true,
    };
    judge.text(address, &folders, manner);
}

/// Where a value stands.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Place {
    /// The arguments as a whole: the names of its members are the tool's.
    Top,
    /// Within a member: names may be data.
    Within,
}

struct Visit<'v, 'g, 'a> {
    judge: &'v mut Judge<'g, 'a>,
    shape: Shape,
    /// What relative paths may start from: the working folder, and what the call says.
    folders: Vec<Folder>,
    /// Texts that were read as JSON within JSON.
    texts: usize,
}

/// The folders a call may name beside its working folder.
const MAX_FOLDERS: usize = 4;

/// The texts of a call that are read as JSON themselves.
const MAX_TEXTS: usize = 64;

impl Visit<'_, '_, '_> {
    /// What a command or a pattern starts from: the folder that the call names, else the working folder.
    fn start(&self) -> &Folder {
        let own = &self.judge.ground.folder;
        self.folders.last().unwrap_or(own)
    }

    fn find_folders(&mut self, arguments: &Value<'_>) {
        for (name, value) in arguments
            .as_object()
            .into_iter()
            .flat_map(|object| object.iter())
        {
            let named = shape::FOLDERS.contains(&&*member(&name.to_string_lossy()));
            let Some(raw) = value.as_str().filter(|raw| named && !raw.trim().is_empty()) else {
                continue;
            };
            let (os, links) = (self.judge.ground.os, self.judge.links);
            let entered = self.judge.ground.folder.enter(raw.trim(), os, links);
            let new = entered.filter(|folder| !self.folders.contains(folder));
            if self.folders.len() <= MAX_FOLDERS {
                self.folders.extend(new);
            }
        }
    }

    /// What a search covers that names no start, or a pattern below its start.
    fn search(&mut self, arguments: &Value<'_>) {
        let named = |names: &[&str]| {
            let members = arguments
                .as_object()
                .into_iter()
                .flat_map(|object| object.iter());
            let found = members.filter(|(name, value)| {
                names.contains(&&*member(&name.to_string_lossy())) && !is_empty(value)
            });
            found.map(|(_, value)| value).collect::<Vec<_>>()
        };
        let usage = self.usage(Reach::Below);
        match self.shape.kind {
            Form::Search if named(shape::STARTS).is_empty() => {
                let folder = self.start().clone();
                match named(shape::FILTERS).as_slice() {
                    [only] if only.as_str().is_some_and(is_anchored) => {
                        let pattern = only.as_str().unwrap_or("");
                        self.judge.pattern(pattern, &folder, usage);
                    }
                    _ => self.judge.path("", &folder, usage),
                }
            }
            Form::Glob => {
                let usage = self.usage(Reach::Named);
                for pattern in named(&["pattern", "patterns", "glob", "globs", "query"]) {
                    for pattern in strings(pattern).iter().filter(|pattern| *pattern != "*") {
                        for folder in self.folders.clone() {
                            self.judge.pattern(pattern, &folder, usage);
                        }
                    }
                }
            }
            Form::Any | Form::Files | Form::Edit | Form::Patch | Form::Search | Form::Transfer => {
                if named(&["recursive"])
                    .iter()
                    .any(|value| value.as_bool() == Some(true))
                {
                    self.shape.walks = true;
                }
            }
            Form::Fetch | Form::Prose | Form::Shell | Form::WindowsShell | Form::Code => {}
        }
    }

    fn value(&mut self, value: &Value<'_>, name: &str, place: Place) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                let own = self.judge.ground.own_port.map(|port| port.to_string());
                self.judge.own |= name == "port" && own.as_deref() == Some(number.as_str());
            }
            Value::String(text) => self.string(&text.to_string_lossy(), name),
            Value::Array(elements) => {
                if !self.vector(elements, name) {
                    elements
                        .iter()
                        .for_each(|element| self.value(element, name, Place::Within));
                }
            }
            Value::Object(members) => {
                self.vector_beside(value);
                for (key, value) in members.iter() {
                    let key = key_of(key);
                    let name = member(&key);
                    if is_path_like(&key) || (place == Place::Within && !is_common(&name)) {
                        let manner = self.manner(&name);
                        self.judge.text(&key, &self.folders, manner);
                    }
                    self.value(value, &name, Place::Within);
                }
            }
        }
    }

    fn string(&mut self, text: &str, name: &str) {
        let kind = self.shape.kind;
        let is_command = shape::COMMANDS.contains(&name) && kind != Form::Prose;
        match kind {
            Form::Prose => return,
            Form::Edit if shape::TEXTS.contains(&name) && !patch::is_patch(text) => return,
            Form::Edit if shape::TEXTS.contains(&name) && name != "diff" => return,
            Form::Fetch if name == "prompt" => return,
            Form::Search if shape::SOUGHT.contains(&name) || shape::FILTERS.contains(&name) => {
                return;
            }
            Form::Glob if matches!(name, "pattern" | "patterns" | "glob" | "globs" | "query") => {
                return;
            }
            Form::WindowsShell if is_command => return self.windows_script(text),
            Form::Code if !is_command && is_program(name) => return self.program(text),
            Form::Any | Form::Files | Form::Edit | Form::Patch | Form::Search | Form::Glob => {}
            Form::Transfer | Form::Fetch | Form::Shell | Form::WindowsShell | Form::Code => {}
        }
        if is_command {
            return self.script(text);
        }
        if patch::is_patch(text) {
            return self.patch(text);
        }
        if self.json(text, name) {
            return;
        }
        let manner = self.manner(name);
        // A folder does not lie in itself.
        let own = if shape::FOLDERS.contains(&name) {
            1
        } else {
            self.folders.len()
        };
        let folders = self.folders.get(..own).unwrap_or(&[]);
        self.judge.text(text, folders, manner);
    }

    fn script(&mut self, text: &str) {
        let folder = self.start().clone();
        shell::script(self.judge, text, &folder);
        if self.judge.ground.os == crate::surroundings::Os::Windows {
            self.windows_script(text);
        }
    }

    fn windows_script(&mut self, text: &str) {
        let folder = self.start().clone();
        shell::windows::script(self.judge, text, &folder);
    }

    fn program(&mut self, text: &str) {
        self.judge.own |= super::own::mentions_program(text);
        self.judge.unknown(Why::Program, text);
    }

    /// An argument vector, or a list of commands; says whether the array was one.
    fn vector(&mut self, elements: &[Value<'_>], name: &str) -> bool {
        let words: Option<Vec<Cow<'_, str>>> = elements.iter().map(text_of).collect();
        let Some(words) = words.filter(|words| !words.is_empty()) else {
            return false;
        };
        let folder = self.start().clone();
        let is_command = shape::COMMANDS.contains(&name) && self.shape.kind != Form::Prose;
        if is_command && name == "commands" {
            self.script(&words.join("\n"));
        } else if is_command && words.len() == 1 {
            words.iter().for_each(|word| self.script(word));
            return true;
        }
        if is_command || (shape::VECTORS.contains(&name) && shell::runs_script(&words)) {
            shell::vector(self.judge, &words, &folder);
        }
        is_command
    }

    /// A command beside the list of its arguments.
    fn vector_beside(&mut self, object: &Value<'_>) {
        let command = shape::COMMANDS
            .iter()
            .find_map(|name| object.get(name)?.as_str());
        let rest = shape::VECTORS
            .iter()
            .find_map(|name| object.get(name)?.as_array());
        if let Some((command, rest)) = command.zip(rest) {
            let rest = rest.iter().filter_map(text_of);
            let words: Vec<_> = std::iter::once(Cow::Borrowed(command))
                .chain(rest)
                .collect();
            let folder = self.start().clone();
            shell::vector(self.judge, &words, &folder);
        }
    }

    fn patch(&mut self, text: &str) {
        let manner = Manner {
            usage: Usage {
                access: Access::Write,
                ..self.usage(Reach::Named)
            },
            whatwg: false,
            files: true,
        };
        patch::paths(text).for_each(|path| self.judge.text(path, &self.folders, manner));
    }

    /// A text that is JSON itself, as models send lists; says whether it was.
    fn json(&mut self, text: &str, name: &str) -> bool {
        let text = text.trim();
        if !text.starts_with(['{', '[']) || !text.ends_with(['}', ']']) || self.texts >= MAX_TEXTS {
            return false;
        }
        let Ok(value) = json::parse(text.as_bytes()) else {
            return false;
        };
        self.texts += 1;
        self.value(&value, name, Place::Within);
        true
    }

    fn usage(&self, reach: Reach) -> Usage {
        Usage {
            access: self.shape.access,
            reach,
            by_server: true,
        }
    }

    fn manner(&self, name: &str) -> Manner {
        let to = self.shape.kind == Form::Transfer && shape::ENDS.contains(&name);
        let reach = if self.shape.walks && !to {
            Reach::Below
        } else {
            Reach::Named
        };
        let mut usage = self.usage(reach);
        if to {
            usage.access = Access::Write;
        }
        Manner {
            usage,
            whatwg: self.shape.kind == Form::Fetch,
            files: self.shape.kind != Form::Any,
        }
    }
}

fn key_of<'t>(key: &'t Text<'_>) -> Cow<'t, str> {
    key.to_string_lossy()
}

fn text_of<'v>(value: &'v Value<'_>) -> Option<Cow<'v, str>> {
    value.as_text().map(Text::to_string_lossy)
}

fn strings<'v>(value: &'v Value<'_>) -> Vec<Cow<'v, str>> {
    match value.as_array() {
        Some(elements) => elements.iter().filter_map(text_of).collect(),
        None => text_of(value).into_iter().collect(),
    }
}

fn is_empty(value: &Value<'_>) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.as_str().is_some_and(|text| text.trim().is_empty()),
        Value::Array(elements) => elements.iter().all(is_empty),
        Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

/// Whether a filter of a search says itself in which folder: one pattern, with a folder in front.
fn is_anchored(filter: &str) -> bool {
    let filter = filter.trim();
    let folder = filter.split_once('/').map_or("", |(folder, _)| folder);
    !folder.is_empty()
        && !filter.starts_with('!')
        && !folder.contains(['*', '?', '[', '{', ','])
        && !filter.contains([',', ' '])
}

fn is_program(name: &str) -> bool {
    matches!(
        name,
        "code"
            | "source"
            | "expression"
            | "function"
            | "program"
            | "snippet"
            | "cell"
            | "cell_source"
            | "statement"
    ) || name == "input"
        || name == "text"
}

fn is_path_like(key: &str) -> bool {
    key.contains(['/', '\\', '.', ':', '~', '%'])
}

/// Whether members of this name are met in many tools, and so say nothing of a file.
fn is_common(name: &str) -> bool {
    let lists = [
        shape::TEXTS,
        shape::SOUGHT,
        shape::FILTERS,
        shape::STARTS,
        shape::COMMANDS,
        shape::FOLDERS,
        shape::ENDS,
    ];
    lists.iter().any(|list| list.contains(&name))
        || matches!(
            name,
            "id" | "name"
                | "kind"
                | "url"
                | "key"
                | "source"
                | "src"
                | "from"
                | "mode"
                | "status"
                | "label"
                | "labels"
                | "tags"
                | "line"
                | "line_number"
                | "options"
                | "metadata"
                | "properties"
                | "items"
                | "edits"
                | "operations"
                | "args"
                | "arguments"
                | "env"
                | "headers"
                | "method"
                | "params"
        )
}
