//! The names of arguments.

/// What the value of a member is.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(in super::super) struct Role(u16);

impl Role {
    /// Nothing is known.
    pub(in super::super) const NONE: Self = Self(0);
    /// Text for a file, or words for a person, in tools that write or edit.
    pub(in super::super) const TEXT: Self = Self(1 << 0);
    /// What is looked for.
    pub(in super::super) const SOUGHT: Self = Self(1 << 1);
    /// What narrows a search to some files.
    pub(in super::super) const FILTER: Self = Self(1 << 2);
    /// Where a search begins.
    pub(in super::super) const START: Self = Self(1 << 3);
    /// A command for a shell.
    pub(in super::super) const COMMAND: Self = Self(1 << 4);
    /// The rest of an argument vector.
    pub(in super::super) const VECTOR: Self = Self(1 << 5);
    /// A folder for what stands beside it.
    pub(in super::super) const FOLDER: Self = Self(1 << 6);
    /// Where something goes.
    pub(in super::super) const END: Self = Self(1 << 7);
    /// Met in many tools, and so never the name of a file.
    pub(in super::super) const COMMON: Self = Self(1 << 8);
    /// A program in some language.
    pub(in super::super) const PROGRAM: Self = Self(1 << 9);
    /// A pattern over files, where files are listed by one.
    pub(in super::super) const PATTERN: Self = Self(1 << 10);
    /// What a model is asked about a page.
    pub(in super::super) const PROMPT: Self = Self(1 << 11);
    /// Whether to go down into folders.
    pub(in super::super) const RECURSIVE: Self = Self(1 << 12);
    /// A port.
    pub(in super::super) const PORT: Self = Self(1 << 13);
    /// Several commands.
    pub(in super::super) const SEVERAL: Self = Self(1 << 14);

    const fn and(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    /// Whether it is any of these.
    pub(in super::super) const fn is(self, any: Self) -> bool {
        self.0 & any.0 != 0
    }

    /// Whether anything is known.
    pub(in super::super) const fn is_known(self) -> bool {
        self.0 != 0
    }

    /// The role of a member of this name, in any spelling.
    pub(in super::super) fn of(name: &str) -> Self {
        let name = super::plain_name(name);
        let found = MEMBERS
            .binary_search_by(|(known, _)| (*known).cmp(&name))
            .ok();
        found
            .and_then(|at| MEMBERS.get(at))
            .map_or(Self::NONE, |(_, role)| *role)
    }
}

/// Sorted.
const MEMBERS: &[(&str, Role)] = &[
    ("append", Role::TEXT),
    ("args", Role::VECTOR.and(Role::COMMON)),
    ("arguments", Role::VECTOR.and(Role::COMMON)),
    ("argv", Role::VECTOR),
    ("base_dir", Role::START.and(Role::FOLDER)),
    ("base_path", Role::START.and(Role::FOLDER)),
    ("basedir", Role::FOLDER),
    ("bash_command", Role::COMMAND),
    ("body", Role::TEXT),
    ("cell", Role::PROGRAM),
    ("cell_source", Role::PROGRAM),
    ("cmd", Role::COMMAND),
    ("cmdline", Role::COMMAND),
    ("code", Role::TEXT.and(Role::PROGRAM)),
    ("code_edit", Role::TEXT),
    ("command", Role::COMMAND),
    ("command_args", Role::VECTOR),
    ("command_line", Role::COMMAND),
    ("commandline", Role::COMMAND),
    ("commands", Role::COMMAND.and(Role::SEVERAL)),
    ("comment", Role::TEXT),
    ("content", Role::TEXT.and(Role::SOUGHT)),
    ("contents", Role::TEXT),
    ("current_directory", Role::FOLDER),
    ("cwd", Role::START.and(Role::FOLDER)),
    ("description", Role::TEXT),
    ("dest", Role::END),
    ("destination", Role::END),
    ("destination_path", Role::END),
    ("dir", Role::START.and(Role::FOLDER)),
    ("dir_path", Role::START),
    ("directories", Role::START),
    ("directory", Role::START.and(Role::FOLDER)),
    ("directory_path", Role::START),
    ("dirs", Role::START),
    ("dst", Role::END),
    ("edits", Role::COMMON),
    ("env", Role::COMMON),
    ("exclude", Role::FILTER),
    ("exclude_globs", Role::FILTER),
    ("exclude_pattern", Role::FILTER),
    ("exclude_patterns", Role::FILTER),
    ("excludes", Role::FILTER),
    ("exec", Role::COMMAND),
    ("explanation", Role::TEXT.and(Role::SOUGHT)),
    ("expression", Role::PROGRAM),
    ("file", Role::START),
    ("file_mask", Role::FILTER),
    ("file_path", Role::START),
    ("file_pattern", Role::FILTER),
    ("file_text", Role::TEXT),
    ("file_type", Role::FILTER),
    ("files", Role::START),
    ("folder", Role::START),
    ("folder_path", Role::START),
    ("folders", Role::START),
    ("from", Role::COMMON),
    ("function", Role::PROGRAM),
    ("glob", Role::FILTER.and(Role::PATTERN)),
    ("globs", Role::PATTERN),
    ("headers", Role::COMMON),
    ("html", Role::TEXT),
    ("id", Role::COMMON),
    ("ignore", Role::FILTER),
    ("in", Role::START),
    ("include", Role::FILTER),
    ("include_globs", Role::FILTER),
    ("include_pattern", Role::FILTER),
    ("includes", Role::FILTER),
    ("input", Role::PROGRAM),
    ("insert", Role::TEXT),
    ("insert_text", Role::TEXT),
    ("instruction", Role::TEXT),
    ("instructions", Role::TEXT),
    ("items", Role::COMMON),
    ("key", Role::COMMON),
    ("keywords", Role::SOUGHT),
    ("kind", Role::COMMON),
    ("label", Role::COMMON),
    ("labels", Role::COMMON),
    ("line", Role::COMMON),
    ("line_number", Role::COMMON),
    ("location", Role::START),
    ("markdown", Role::TEXT),
    ("message", Role::TEXT),
    ("metadata", Role::COMMON),
    ("method", Role::COMMON),
    ("mode", Role::COMMON),
    ("name", Role::COMMON),
    ("name_path", Role::SOUGHT),
    ("needle", Role::SOUGHT),
    ("new", Role::TEXT),
    ("new_content", Role::TEXT),
    ("new_name", Role::END),
    ("new_path", Role::END),
    ("new_source", Role::TEXT),
    ("new_str", Role::TEXT),
    ("new_string", Role::TEXT),
    ("new_text", Role::TEXT),
    ("old", Role::TEXT),
    ("old_content", Role::TEXT),
    ("old_str", Role::TEXT),
    ("old_string", Role::TEXT),
    ("old_text", Role::TEXT),
    ("operations", Role::COMMON),
    ("options", Role::COMMON),
    ("output_mode", Role::FILTER),
    ("params", Role::VECTOR.and(Role::COMMON)),
    ("parent_path", Role::FOLDER),
    ("path", Role::START.and(Role::FOLDER)),
    ("paths", Role::START),
    ("paths_exclude_glob", Role::FILTER),
    ("paths_include_glob", Role::FILTER),
    ("pattern", Role::SOUGHT.and(Role::PATTERN)),
    ("patterns", Role::PATTERN),
    ("port", Role::PORT),
    ("program", Role::PROGRAM),
    ("project_path", Role::FOLDER),
    ("project_root", Role::FOLDER),
    ("prompt", Role::TEXT.and(Role::PROMPT)),
    ("properties", Role::COMMON),
    ("queries", Role::SOUGHT),
    ("query", Role::SOUGHT.and(Role::PATTERN)),
    ("recursive", Role::RECURSIVE),
    ("regex", Role::SOUGHT),
    ("regexp", Role::SOUGHT),
    ("relative_path", Role::START),
    ("replace", Role::TEXT),
    ("replacement", Role::TEXT),
    ("repo_path", Role::START.and(Role::FOLDER)),
    ("root", Role::START.and(Role::FOLDER)),
    ("root_path", Role::FOLDER),
    ("roots", Role::START),
    ("scope", Role::START),
    ("script", Role::COMMAND),
    ("search", Role::TEXT.and(Role::SOUGHT)),
    ("search_directory", Role::START),
    ("search_path", Role::START),
    ("search_query", Role::SOUGHT),
    ("search_term", Role::SOUGHT),
    ("shell", Role::COMMAND),
    ("shell_command", Role::COMMAND),
    ("snippet", Role::TEXT.and(Role::PROGRAM)),
    ("source", Role::COMMON.and(Role::PROGRAM)),
    ("source_code", Role::TEXT),
    ("src", Role::COMMON),
    ("start", Role::START),
    ("start_path", Role::START),
    ("statement", Role::PROGRAM),
    ("status", Role::COMMON),
    ("substring_pattern", Role::SOUGHT),
    ("summary", Role::TEXT),
    ("symbol", Role::SOUGHT),
    ("tags", Role::COMMON),
    ("target", Role::END),
    ("target_directories", Role::START),
    ("target_directory", Role::START),
    ("target_path", Role::END),
    ("terms", Role::SOUGHT),
    ("text", Role::TEXT.and(Role::SOUGHT).and(Role::PROGRAM)),
    ("title", Role::TEXT),
    ("to", Role::END),
    ("type", Role::FILTER),
    ("uri", Role::START),
    ("url", Role::COMMON),
    ("work_dir", Role::FOLDER),
    ("workdir", Role::FOLDER),
    ("working_dir", Role::FOLDER),
    ("working_directory", Role::START.and(Role::FOLDER)),
    ("workspace", Role::START.and(Role::FOLDER)),
    ("workspace_path", Role::FOLDER),
    ("workspace_root", Role::FOLDER),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_sorted() {
        assert!(MEMBERS.is_sorted_by(|one, other| one.0 < other.0));
    }

    #[test]
    fn names_are_read_in_any_spelling() {
        assert!(Role::of("newString").is(Role::TEXT));
        assert!(Role::of("new-string").is(Role::TEXT));
        assert!(!Role::of("docs").is_known());
    }
}
