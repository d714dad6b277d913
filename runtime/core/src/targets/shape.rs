//! What a tool does with its arguments, as far as its name says.
//!
//! The tools of the common agents and servers are known by name; the verbs in any other name are taken at their word. A
//! name can only narrow how an argument is read where the tool is known to keep text there: every other string is judged.

use super::target::Access;

/// What a tool does with its arguments.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Shape {
    pub(super) kind: Form,
    pub(super) access: Access,
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
        let words: Vec<&str> = name.split('_').filter(|word| !word.is_empty()).collect();
        let kind = known(&name).unwrap_or_else(|| guess(&words));
        Self {
            kind,
            access: access(kind, &words),
            walks: matches!(kind, Form::Search | Form::Transfer) || has(&words, WALKS),
        }
    }
}

/// The name without a server in front, in small letters, words parted by `_`.
fn plain_name(tool: &str) -> String {
    let tool = tool
        .strip_prefix("mcp__")
        .and_then(|rest| rest.split_once("__"))
        .map_or(tool, |(_, tool)| tool);
    let mut name = String::with_capacity(tool.len() + 4);
    let mut small = false;
    for c in tool.chars() {
        if c.is_ascii_uppercase() && small {
            name.push('_');
        }
        small = c.is_ascii_lowercase() || c.is_ascii_digit();
        name.push(if c.is_ascii_alphanumeric() {
            c.to_ascii_lowercase()
        } else {
            '_'
        });
    }
    name
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
        _ => return None,
    })
}

fn guess(words: &[&str]) -> Form {
    if has(words, &["powershell", "pwsh"]) {
        Form::WindowsShell
    } else if has(words, &["bash", "shell", "terminal", "zsh"]) {
        Form::Shell
    } else if has(words, RUNS) && has(words, LANGUAGES) && !has(words, &["browser", "page"]) {
        Form::Code
    } else if has(words, RUNS) && has(words, &["command", "commands", "cmd", "process"]) {
        Form::Shell
    } else if has(words, TRANSFERS) {
        Form::Transfer
    } else if has(words, EDITS) {
        Form::Edit
    } else if has(words, FILES) {
        Form::Files
    } else {
        Form::Any
    }
}

fn access(kind: Form, words: &[&str]) -> Access {
    match kind {
        Form::Edit | Form::Patch => Access::Write,
        Form::Search | Form::Glob | Form::Fetch => Access::Read,
        Form::Shell | Form::WindowsShell | Form::Code | Form::Transfer | Form::Prose => {
            Access::Unknown
        }
        Form::Any | Form::Files if has(words, CHANGES) || has(words, REMOVES) => Access::Write,
        Form::Any | Form::Files if has(words, READS) => Access::Read,
        Form::Any | Form::Files => Access::Unknown,
    }
}

fn has(words: &[&str], among: &[&str]) -> bool {
    words.iter().any(|word| among.contains(word))
}

const RUNS: &[&str] = &[
    "run", "execute", "exec", "eval", "evaluate", "start", "launch", "spawn",
];
const LANGUAGES: &[&str] = &[
    "code",
    "python",
    "py",
    "javascript",
    "js",
    "node",
    "typescript",
    "ruby",
    "perl",
    "php",
    "lua",
    "julia",
    "cell",
    "notebook",
    "snippet",
    "repl",
    "applescript",
    "osascript",
    "ipython",
    "jupyter",
    "deno",
    "bun",
    "r",
];
const TRANSFERS: &[&str] = &["move", "copy", "rename", "mv", "cp", "link", "symlink"];
const EDITS: &[&str] = &[
    "write",
    "edit",
    "create",
    "update",
    "append",
    "insert",
    "replace",
    "save",
    "multiedit",
    "overwrite",
    "modify",
];
const CHANGES: &[&str] = &[
    "put", "add", "set", "make", "mkdir", "touch", "store", "upload", "patch", "post",
];
const REMOVES: &[&str] = &[
    "delete", "remove", "rm", "unlink", "trash", "rmdir", "purge", "erase", "clean",
];
const READS: &[&str] = &[
    "read", "get", "view", "open", "cat", "list", "ls", "search", "grep", "find", "tree", "show",
    "fetch", "load", "stat", "info", "query", "describe",
];
const FILES: &[&str] = &[
    "file",
    "files",
    "dir",
    "directory",
    "directories",
    "folder",
    "folders",
    "path",
    "paths",
    "read",
    "ls",
    "tree",
    "glob",
    "list",
    "delete",
    "remove",
    "rm",
];
const WALKS: &[&str] = &[
    "tree",
    "walk",
    "recursive",
    "recursively",
    "recurse",
    "search",
    "grep",
    "find",
    "delete",
    "remove",
    "rm",
    "rmdir",
    "trash",
    "zip",
    "archive",
    "compress",
    "backup",
    "sync",
    "index",
    "scan",
    "crawl",
];

/// Members that hold text for a file, or words for a person, in tools that write or edit.
pub(super) const TEXTS: &[&str] = &[
    "content",
    "contents",
    "text",
    "new_string",
    "old_string",
    "new_str",
    "old_str",
    "file_text",
    "insert_text",
    "new_source",
    "old_text",
    "new_text",
    "old_content",
    "new_content",
    "code_edit",
    "code",
    "replacement",
    "replace",
    "search",
    "body",
    "instruction",
    "instructions",
    "explanation",
    "description",
    "message",
    "title",
    "summary",
    "comment",
    "prompt",
    "append",
    "markdown",
    "html",
    "snippet",
    "source_code",
    "old",
    "new",
    "insert",
];

/// Members that hold what is looked for.
pub(super) const SOUGHT: &[&str] = &[
    "pattern",
    "query",
    "regex",
    "regexp",
    "text",
    "search",
    "search_term",
    "search_query",
    "content",
    "keywords",
    "substring_pattern",
    "needle",
    "explanation",
    "symbol",
    "name_path",
    "queries",
    "terms",
];

/// Members that narrow a search to some files.
pub(super) const FILTERS: &[&str] = &[
    "glob",
    "include",
    "include_pattern",
    "includes",
    "file_pattern",
    "exclude",
    "exclude_pattern",
    "excludes",
    "exclude_patterns",
    "type",
    "file_type",
    "output_mode",
    "ignore",
    "file_mask",
    "paths_include_glob",
    "paths_exclude_glob",
    "include_globs",
    "exclude_globs",
];

/// Members that say where a search begins.
pub(super) const STARTS: &[&str] = &[
    "path",
    "paths",
    "dir",
    "dirs",
    "directory",
    "directories",
    "folder",
    "folders",
    "root",
    "roots",
    "start",
    "start_path",
    "target_directories",
    "target_directory",
    "search_path",
    "search_directory",
    "base_path",
    "cwd",
    "working_directory",
    "relative_path",
    "file",
    "files",
    "file_path",
    "uri",
    "workspace",
    "repo_path",
    "location",
    "dir_path",
    "directory_path",
    "folder_path",
    "base_dir",
    "in",
    "scope",
];

/// Members that hold a command for a shell.
pub(super) const COMMANDS: &[&str] = &[
    "command",
    "cmd",
    "commands",
    "command_line",
    "commandline",
    "shell_command",
    "bash_command",
    "cmdline",
    "script",
    "shell",
    "exec",
];

/// Members that hold the rest of an argument vector.
pub(super) const VECTORS: &[&str] = &["args", "arguments", "argv", "params", "command_args"];

/// Members that hold a folder for what stands beside them.
pub(super) const FOLDERS: &[&str] = &[
    "cwd",
    "workdir",
    "working_dir",
    "working_directory",
    "work_dir",
    "current_directory",
    "directory",
    "dir",
    "folder",
    "root",
    "base_dir",
    "base_path",
    "base",
    "basedir",
    "repo_path",
    "repo",
    "project_path",
    "project_root",
    "project",
    "workspace",
    "workspace_path",
    "workspace_root",
    "root_path",
    "path",
    "parent",
    "parent_path",
];

/// Members that say where something goes.
pub(super) const ENDS: &[&str] = &[
    "destination",
    "dest",
    "dst",
    "to",
    "target",
    "new_path",
    "destination_path",
    "target_path",
    "new_name",
];

/// A member's name in small letters, words parted by `_`.
pub(super) fn member(name: &str) -> String {
    plain_name(name)
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
