//! What a tool does with its arguments, as far as its name says.
//!
//! The tools of the common agents and servers are known by name; the verbs in any other name are taken at their word. A
//! name can only narrow how an argument is read where the tool is known to keep text there: every other string is judged.

mod members;
mod words;

use std::borrow::Cow;

use super::target::Access;
pub(super) use members::Role;
use words::Sense;

/// What a tool does with its arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Shape {
    pub(super) kind: Form,
    pub(super) access: Access,
    /// Whether the tool is known, and not only what its name seems to say.
    pub(super) is_known: bool,
    /// Whether it goes into the folders below what is named.
    pub(super) walks: bool,
}

/// The kinds of tools whose arguments need to be known.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Form {
    /// Nothing is known: every string counts.
    Any,
    /// Works on files that its arguments name.
    Files,
    /// Writes or edits files: text that goes into them is only text.
    Edit,
    /// Applies a patch that names its files.
    Patch,
    /// Searches the text of files below a folder, by default the working folder.
    Search,
    /// Lists the files that a pattern stands for.
    Glob,
    /// Copies or moves, from one place to another.
    Transfer,
    /// Fetches one address as a browser would.
    Fetch,
    /// Takes prose: tasks for other agents, plans, questions, searches of the web.
    Prose,
    /// Runs commands of a shell.
    Shell,
    /// Runs commands of a Windows shell.
    WindowsShell,
    /// Runs a program in some other language.
    Code,
}

impl Shape {
    /// The shape of a tool with this name.
    pub(super) fn of(tool: &str) -> Self {
        let name = plain_name(tool);
        let sense = name
            .split('_')
            .fold(Sense::default(), |sense, word| sense.and(Sense::of(word)));
        let known = known(&name);
        let kind = known.unwrap_or_else(|| guess(sense));
        Self {
            kind,
            is_known: known.is_some(),
            access: access(kind, sense),
            walks: matches!(kind, Form::Search | Form::Transfer) || sense.has(Sense::WALK),
        }
    }
}

/// A name without a server in front, in small letters, its words parted by `_`.
fn plain_name(name: &str) -> Cow<'_, str> {
    let name = name
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"))
        .map_or(name, |(_, name)| name);
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_';
    if name.bytes().all(is_plain) {
        return Cow::Borrowed(name);
    }
    let mut plain = String::with_capacity(name.len() + 4);
    let mut small = false;
    for c in name.chars() {
        if c.is_ascii_uppercase() && small {
            plain.push('_');
        }
        small = c.is_ascii_lowercase() || c.is_ascii_digit();
        plain.push(if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        });
    }
    Cow::Owned(plain)
}

fn known(name: &str) -> Option<Form> {
    Some(match name {
        "web_fetch" | "webfetch" => Form::Fetch,
        "task"
        | "agent"
        | "dispatch_agent"
        | "new_task"
        | "web_search"
        | "websearch"
        | "google_web_search"
        | "todo_write"
        | "todo_read"
        | "update_plan"
        | "exit_plan_mode"
        | "ask_user_question"
        | "ask_followup_question"
        | "attempt_completion"
        | "think"
        | "sequentialthinking"
        | "save_memory" => Form::Prose,
        "grep"
        | "grep_search"
        | "search_file_content"
        | "search_files"
        | "search_code"
        | "code_search"
        | "codebase_search"
        | "file_search"
        | "find_files"
        | "find_file"
        | "search_for_pattern"
        | "ripgrep"
        | "semantic_search"
        | "search_text"
        | "search_in_files"
        | "search_codebase"
        | "find_in_files"
        | "list_code_usages"
        | "find_symbol" => Form::Search,
        "glob" | "glob_search" | "find_by_name" | "glob_files" => Form::Glob,
        "powershell" | "pwsh" | "cmd" | "run_powershell" | "execute_powershell" => {
            Form::WindowsShell
        }
        "apply_patch" | "apply_diff" | "git_apply" | "patch" => Form::Patch,
        "execute_command" | "shell" | "local_shell" | "run_in_terminal" | "run_terminal_cmd"
        | "run_shell_command" | "run_command" | "bash" | "terminal" => Form::Shell,
        _ => return None,
    })
}

fn guess(sense: Sense) -> Form {
    let runs = |what| sense.has(Sense::RUN) && sense.has(what);
    if sense.has(Sense::WINDOWS) {
        Form::WindowsShell
    } else if sense.has(Sense::SHELL) {
        Form::Shell
    } else if runs(Sense::LANGUAGE) && !sense.has(Sense::PAGE) {
        Form::Code
    } else if runs(Sense::COMMAND) {
        Form::Shell
    } else if sense.has(Sense::TRANSFER) {
        Form::Transfer
    } else if sense.has(Sense::EDIT) {
        Form::Edit
    } else if sense.has(Sense::FILE) {
        Form::Files
    } else {
        Form::Any
    }
}

fn access(kind: Form, sense: Sense) -> Access {
    match kind {
        Form::Edit | Form::Patch => Access::Write,
        Form::Search | Form::Glob | Form::Fetch => Access::Read,
        Form::Shell | Form::WindowsShell | Form::Code | Form::Transfer | Form::Prose => {
            Access::Unknown
        }
        Form::Any | Form::Files if sense.has(Sense::CHANGE.and(Sense::REMOVE)) => Access::Write,
        Form::Any | Form::Files if sense.has(Sense::READ) => Access::Read,
        Form::Any | Form::Files => Access::Unknown,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(tool: &str, kind: Form, walks: bool) {
        let shape = Shape::of(tool);
        assert_eq!((shape.kind, shape.walks), (kind, walks), "{tool}");
    }

    #[test]
    fn names_are_read_in_any_spelling() {
        check("Grep", Form::Search, true);
        check("mcp__fs__read_file", Form::Files, false);
        check("WebFetch", Form::Fetch, false);
        check("MultiEdit", Form::Edit, false);
        check("str_replace_based_edit_tool", Form::Edit, false);
        check("directory_tree", Form::Files, true);
        check("moveFile", Form::Transfer, true);
        check("run_in_terminal", Form::Shell, false);
        check("execute_python", Form::Code, false);
        check("browser_evaluate", Form::Any, false);
        check("get_weather", Form::Any, false);
        check("__proto__", Form::Any, false);
    }
}
