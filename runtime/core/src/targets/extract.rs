//! From the arguments of a call to the texts that are judged, and how.
//!
//! Every string counts, at any depth, and names of members where they look like paths. A tool's shape adds what is known:
//! which member is a command, which is only text, where a search begins.

use std::borrow::Cow;
use std::sync::Arc;

use super::judge::{Judge, Usage};
use super::path::Folder;
use super::reading::Manner;
use super::shape::{Form, Role, Shape};
use super::target::{Access, Reach, Why};
use super::{patch, shell};
use crate::json::{self, Object, Text, Value};
use crate::surroundings::Os;

/// Judges the arguments of a call of this tool.
pub(super) fn arguments(judge: &mut Judge<'_, '_>, tool: &str, arguments: &Value<'_>) {
    let shape = Shape::of(tool);
    let mut visit = Visit {
        folders: vec![Arc::clone(&judge.ground.folder)],
        judge,
        shape,
        texts: 0,
    };
    let members = members_of(arguments);
    visit.find_folders(&members);
    visit.search(&members);
    visit.members(&members, Place::Top);
}

/// Judges the address of a resource.
pub(super) fn address(judge: &mut Judge<'_, '_>, address: &str) {
    let folders = [Arc::clone(&judge.ground.folder)];
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
    folders: Vec<Arc<Folder>>,
    /// Texts that were read as JSON within JSON.
    texts: usize,
}

/// The folders a call may name beside its working folder.
const MAX_FOLDERS: usize = 8;

/// The texts of a call that are read as JSON themselves.
const MAX_TEXTS: usize = 64;

impl Visit<'_, '_, '_> {
    /// The folders a command may run in: those that the call names, and the working folder unless the tool is known to
    /// run commands where it is told.
    fn starts(&self) -> &[Arc<Folder>] {
        let named = self.folders.get(1..).unwrap_or(&[]);
        let is_told = self.shape.kind == Form::Shell && self.shape.is_known;
        if is_told && !named.is_empty() {
            named
        } else {
            &self.folders
        }
    }

    fn find_folders(&mut self, arguments: &[Member<'_>]) {
        // What stands alone has nothing beside it that could start there.
        if arguments
            .iter()
            .filter(|member| holds_text(member.value))
            .nth(1)
            .is_none()
        {
            return;
        }
        let (os, links) = (self.judge.ground.os, self.judge.links);
        for raw in of_role(arguments, Role::FOLDER).filter_map(Value::as_str) {
            let Some(folder) = self.judge.ground.folder.enter(raw.trim(), os, links) else {
                continue;
            };
            if self.folders.iter().any(|known| **known == folder) {
                continue;
            }
            if self.folders.len() > MAX_FOLDERS {
                return self.judge.unknown(Why::Excess, raw);
            }
            let folder = Arc::new(folder);
            self.folders.push(folder);
        }
    }

    /// What a search covers that names no start, or a pattern below its start.
    fn search(&mut self, arguments: &[Member<'_>]) {
        match self.shape.kind {
            Form::Search if of_role(arguments, Role::START).next().is_none() => {
                let usage = self.usage(Reach::Below);
                let mut filters = of_role(arguments, Role::FILTER);
                let only = filters.next().filter(|_| filters.next().is_none());
                let anchored = only
                    .and_then(Value::as_str)
                    .filter(|filter| is_anchored(filter));
                for folder in self.folders.clone() {
                    match anchored {
                        Some(pattern) => self.judge.pattern(pattern, &folder, usage),
                        None => self.judge.path("", &folder, usage),
                    }
                }
            }
            Form::Glob => {
                let usage = self.usage(Reach::Named);
                let patterns: Vec<_> = of_role(arguments, Role::PATTERN)
                    .flat_map(strings)
                    .collect();
                for pattern in patterns.iter().filter(|pattern| *pattern != "*") {
                    for folder in self.folders.clone() {
                        self.judge.pattern(pattern, &folder, usage);
                    }
                }
            }
            Form::Any | Form::Files | Form::Edit | Form::Patch | Form::Search | Form::Transfer => {
                let mut asked = of_role(arguments, Role::RECURSIVE);
                self.shape.walks |= asked.any(|value| value.as_bool() == Some(true));
            }
            Form::Fetch | Form::Prose | Form::Shell | Form::WindowsShell | Form::Code => {}
        }
    }

    fn members(&mut self, members: &[Member<'_>], place: Place) {
        self.vector_beside(members);
        for member in members {
            let is_data = place == Place::Within && !member.role.is_known();
            if is_data || is_path_like(&member.name) {
                let manner = self.manner(member.role);
                self.judge.text(&member.name, &self.folders, manner);
            }
            self.value(member.value, member.role);
        }
    }

    fn value(&mut self, value: &Value<'_>, role: Role) {
        match value {
            Value::Null | Value::Bool(_) => {}
            Value::Number(number) => {
                let port = number.as_u64().and_then(|port| u16::try_from(port).ok());
                let is_ours = |port| self.judge.ground.is_own_port(port);
                self.judge.own |= role.is(Role::PORT) && port.is_some_and(is_ours);
            }
            Value::String(text) => self.string(&text.to_string_lossy(), role),
            Value::Array(elements) => {
                if !self.vector(elements, role) {
                    for element in elements {
                        self.value(element, role);
                    }
                }
            }
            Value::Object(_) => self.members(&members_of(value), Place::Within),
        }
    }

    fn string(&mut self, text: &str, role: Role) {
        let kind = self.shape.kind;
        let is_command = role.is(Role::COMMAND) && kind != Form::Prose;
        match kind {
            Form::Prose => return,
            Form::Edit if role.is(Role::TEXT) => return,
            Form::Fetch if role.is(Role::PROMPT) => return,
            Form::Search if role.is(Role::SOUGHT) || role.is(Role::FILTER) => return,
            Form::Glob if role.is(Role::PATTERN) => return,
            Form::WindowsShell if is_command => return self.windows_script(text),
            Form::Code if !is_command && role.is(Role::PROGRAM) => return self.program(text),
            Form::Any | Form::Files | Form::Edit | Form::Patch | Form::Search | Form::Glob => {}
            Form::Transfer | Form::Fetch | Form::Shell | Form::WindowsShell | Form::Code => {}
        }
        if is_command {
            return self.script(text);
        }
        if patch::is_patch(text) {
            return self.patch(text);
        }
        if self.json(text, role) {
            return;
        }
        let manner = self.manner(role);
        // A folder does not lie in itself.
        let own = if role.is(Role::FOLDER) {
            1
        } else {
            self.folders.len()
        };
        let folders = self.folders.get(..own).unwrap_or(&[]);
        self.judge.text(text, folders, manner);
    }

    fn script(&mut self, text: &str) {
        let folders = self.starts().to_vec();
        shell::script(self.judge, text, &folders);
        if self.judge.ground.os == Os::Windows {
            self.windows_script(text);
        }
    }

    fn windows_script(&mut self, text: &str) {
        let folders = self.starts().to_vec();
        shell::windows::script(self.judge, text, &folders);
    }

    fn program(&mut self, text: &str) {
        self.judge.own |= super::own::mentions_program(text);
        self.judge.unknown(Why::Program, text);
    }

    /// An argument vector, or a list of commands; says whether the array was one.
    fn vector(&mut self, elements: &[Value<'_>], role: Role) -> bool {
        let is_command = role.is(Role::COMMAND) && self.shape.kind != Form::Prose;
        if !is_command && !role.is(Role::VECTOR) {
            return false;
        }
        let words: Option<Vec<_>> = elements.iter().map(text_of).collect();
        let Some(words) = words.filter(|words| !words.is_empty()) else {
            return false;
        };
        let folders = self.starts().to_vec();
        if is_command && words.len() == 1 {
            words.iter().for_each(|word| self.script(word));
            return true;
        }
        if is_command && role.is(Role::SEVERAL) {
            self.script(&words.join("\n"));
        }
        if is_command || shell::runs_script(&words) {
            shell::vector(self.judge, &words, &folders);
        }
        is_command
    }

    /// A command beside the list of its arguments.
    fn vector_beside(&mut self, members: &[Member<'_>]) {
        let command = of_role(members, Role::COMMAND).find_map(text_of);
        let rest = of_role(members, Role::VECTOR).find_map(Value::as_array);
        if let Some((command, rest)) = command.zip(rest) {
            let rest = rest.iter().filter_map(text_of);
            let words: Vec<_> = std::iter::once(command).chain(rest).collect();
            let folders = self.starts().to_vec();
            shell::vector(self.judge, &words, &folders);
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
    fn json(&mut self, text: &str, role: Role) -> bool {
        let text = text.trim();
        if !text.starts_with(['{', '[']) || !text.ends_with(['}', ']']) || self.texts >= MAX_TEXTS {
            return false;
        }
        let Ok(value) = json::parse(text.as_bytes()) else {
            return false;
        };
        self.texts += 1;
        self.value(&value, role);
        true
    }

    fn usage(&self, reach: Reach) -> Usage {
        Usage {
            access: self.shape.access,
            reach,
            by_server: true,
        }
    }

    fn manner(&self, role: Role) -> Manner {
        let to = self.shape.kind == Form::Transfer && role.is(Role::END);
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

/// A member of an object, and what its name says of it.
struct Member<'v> {
    name: Cow<'v, str>,
    role: Role,
    value: &'v Value<'v>,
}

fn members_of<'v>(value: &'v Value<'_>) -> Vec<Member<'v>> {
    let members = value.as_object().into_iter().flat_map(Object::iter);
    let member = |(name, value): (&'v Text<'_>, &'v Value<'_>)| {
        let name = name.to_string_lossy();
        let role = Role::of(&name);
        Member { name, role, value }
    };
    members.map(member).collect()
}

/// The values, not empty ones, of the members that have this role.
fn of_role<'v>(members: &'v [Member<'_>], role: Role) -> impl Iterator<Item = &'v Value<'v>> {
    let named = members.iter().filter(move |member| member.role.is(role));
    named
        .map(|member| member.value)
        .filter(|value| !is_empty(value))
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

fn holds_text(value: &Value<'_>) -> bool {
    match value {
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
        Value::String(_) | Value::Array(_) | Value::Object(_) => true,
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

fn is_path_like(key: &str) -> bool {
    key.contains(['/', '\\', '.', ':', '~', '%'])
}
