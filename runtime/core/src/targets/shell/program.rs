//! What a simple command does: the builtins that matter, wrappers, shells, and all other programs.

use super::super::judge::Usage;
use super::super::own;
use super::super::target::{Access, Reach, Why};
use super::field::{Field, Meaning};
use super::folders::{After, Folders};
use super::habits::{self, Habit};
use super::run::{Input, Run};
use super::{little, seek, wrapper};

impl Run<'_, '_, '_> {
    /// Follows a simple command: its words are expanded, the first names the program.
    pub(super) fn program(&mut self, fields: &[Field], folders: &Folders, input: &Input) -> After {
        let Some((first, rest)) = fields.split_first() else {
            return After::unmoved(folders);
        };
        match self.meaning(first) {
            Meaning::Text(name) => self.named(&name, rest, folders, input),
            Meaning::Wild(wild, text) => {
                for folder in folders.iter() {
                    self.judge.wild(&wild, &text, folder, named(Access::Read));
                }
                self.judge.unknown(Why::Variable, &text);
                self.operands(Habit::of(""), "", rest, folders, input);
                After::unmoved(folders)
            }
            Meaning::Stream => After::unmoved(folders),
            Meaning::Open(why, text) => {
                self.judge.unknown(why, &text);
                self.operands(Habit::of(""), "", rest, folders, input);
                After::unmoved(folders)
            }
        }
    }

    fn named(&mut self, name: &str, rest: &[Field], folders: &Folders, input: &Input) -> After {
        self.judge.own |= own::is_program(name);
        if name.contains('/') || name.contains('\\') {
            for folder in folders.iter() {
                self.judge.path(name, folder, named(Access::Read));
            }
        }
        let base = name.rsplit(['/', '\\']).next().unwrap_or(name);
        let base = base.strip_suffix(".exe").unwrap_or(base);
        let called = self.call(base, folders, input);
        let mut after = self.known_program(base, rest, folders, input);
        if let Some(called) = called {
            // A function may hide a program of its name, or have been unset again.
            let _fits = after.success.join(&called.success) && after.failure.join(&called.failure);
        }
        after
    }

    fn known_program(
        &mut self,
        base: &str,
        rest: &[Field],
        folders: &Folders,
        input: &Input,
    ) -> After {
        match base {
            "cd" | "chdir" | "pushd" | "popd" => return self.change(base, rest, folders),
            "exit" | "logout" => {
                self.operands(Habit::of(base), base, rest, folders, input);
                return After::NEVER;
            }
            "eval" => self.evaluate(rest),
            "source" | "." => {
                self.operands(Habit::of("cat"), base, rest, folders, input);
                self.judge.unknown(Why::Program, base);
            }
            "trap" => self.trap(rest, folders),
            "alias" => self.aliases(rest, folders),
            "xargs" | "parallel" | "cpio" | "rush" => {
                self.operands(Habit::of(""), base, rest, folders, input);
                self.judge.unknown(Why::Data, base);
                self.inner_program(base, rest, folders);
            }
            "find" | "gfind" => seek::find(self, rest, folders),
            "fd" | "fdfind" => seek::fd(self, rest, folders),
            "git" => little::git(self, rest, folders, input),
            "sed" | "gsed" => little::sed(self, rest, folders, input),
            "awk" | "gawk" | "mawk" | "nawk" => little::awk(self, rest, folders, input),
            "test" | "[" => self.test(rest, folders),
            "apply_patch" | "patch" => {
                self.operands(Habit::of(""), base, rest, folders, input);
                self.patch_from(rest, folders, input);
            }
            "nc" | "ncat" | "netcat" | "telnet" | "socat" => {
                self.connection(base, rest, folders, input)
            }
            base if habits::is_shell(base) => self.shell(rest, folders, input),
            base if wrapper::is_wrapper(base) => return self.wrapped(base, rest, folders, input),
            base => match habits::interpreter(base) {
                Some((letters, options)) => {
                    self.interpreter(base, rest, letters, options, folders, input)
                }
                None => self.operands(Habit::of(base), base, rest, folders, input),
            },
        }
        After::unmoved(folders)
    }

    fn change(&mut self, base: &str, rest: &[Field], folders: &Folders) -> After {
        let is_option = |field: &&Field| {
            field
                .literal()
                .is_some_and(|word| word == "--" || (word.len() > 1 && word.starts_with('-')))
        };
        let target = rest.iter().find(|field| !is_option(field));
        let mut after = After::unmoved(folders);
        let meaning = match target {
            Some(target) => self.meaning(target),
            None if base == "cd" || base == "chdir" => self.meaning(&Field::home()),
            // Without a name these go back to where the shell was.
            None => Meaning::Text("-".to_owned()),
        };
        match meaning {
            Meaning::Text(text) if text == "-" || text.starts_with('+') => {
                if self.visited.is_never() {
                    self.judge.unknown(Why::Folder, &text);
                }
                after.success = self.visited.clone();
                let _fits = after.success.join(folders);
            }
            Meaning::Text(text) => {
                self.value(&text, named(Access::Read), folders);
                if self.has_cdpath && !text.starts_with(['/', '.']) {
                    self.judge.unknown(Why::Folder, &text);
                }
                self.visit(folders);
                after.success = self.enter(&text, folders);
            }
            Meaning::Wild(_, text) | Meaning::Open(_, text) => {
                self.judge.unknown(Why::Folder, &text)
            }
            Meaning::Stream => {}
        }
        after
    }

    fn visit(&mut self, folders: &Folders) {
        let mut visited = std::mem::take(&mut self.visited);
        if !visited.join(folders) {
            self.judge.unknown(Why::Folder, "");
        }
        self.visited = visited;
    }

    fn evaluate(&mut self, rest: &[Field]) {
        let text: Vec<_> = rest.iter().filter_map(Field::literal).collect();
        let text = text.join(" ");
        self.judge.own |= own::mentions_program(&text);
        self.judge.unknown(Why::Program, &text);
    }

    fn trap(&mut self, rest: &[Field], folders: &Folders) {
        match rest.first().map(|field| self.meaning(field)) {
            Some(Meaning::Text(text)) => {
                self.text(&text, folders, &Input::Inherited);
            }
            Some(Meaning::Open(why, text)) => self.judge.unknown(why, &text),
            Some(Meaning::Wild(..) | Meaning::Stream) | None => {}
        }
    }

    fn aliases(&mut self, rest: &[Field], folders: &Folders) {
        for field in rest {
            match self.meaning(field) {
                Meaning::Text(text) => {
                    if let Some((_, command)) = text.split_once('=') {
                        self.text(command, folders, &Input::Inherited);
                    }
                }
                Meaning::Open(why, text) => self.judge.unknown(why, &text),
                Meaning::Wild(..) | Meaning::Stream => {}
            }
        }
    }

    /// A program whose words are those of another.
    fn wrapped(&mut self, base: &str, rest: &[Field], folders: &Folders, input: &Input) -> After {
        let words: Vec<_> = rest.iter().map(Field::literal).collect();
        let at = wrapper::skipped(base, &words).unwrap_or(0).min(rest.len());
        let (own, inner) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        let mut inside = folders.clone();
        for (word, next) in own.iter().zip(own.iter().skip(1)) {
            let is_folder = word
                .literal()
                .is_some_and(|word| matches!(word.as_str(), "-C" | "--chdir" | "-D"));
            if let Some(raw) = next.literal().filter(|_| is_folder) {
                inside = self.enter(&raw, folders);
            }
        }
        self.operands(Habit::of("cat"), base, own, folders, input);
        self.scripts_among(base, rest, &inside);
        if own.iter().any(|field| {
            field
                .literal()
                .is_some_and(|word| matches!(word.as_str(), "-v" | "-V"))
        }) && base == "command"
        {
            return After::unmoved(folders);
        }
        let after = self.program(inner, &inside, input);
        match base {
            "exec" if !inner.is_empty() => After::NEVER,
            "command" | "builtin" | "exec" | "time" | "noglob" | "nocorrect" => after,
            _ => After::unmoved(folders),
        }
    }

    /// Words of a wrapper that are scripts themselves: `env -S 'cat x'`, `su -c 'cat x'`, `watch 'cat x'`.
    fn scripts_among(&mut self, base: &str, rest: &[Field], folders: &Folders) {
        let takes = |word: &str| {
            word == "-c" || word == "-S" || word == "--command" || word == "--split-string"
        };
        for (at, field) in rest.iter().enumerate() {
            let Some(word) = field.literal() else {
                continue;
            };
            let before = at
                .checked_sub(1)
                .and_then(|at| rest.get(at))
                .and_then(Field::literal);
            let attached = ["-S", "--split-string=", "-c", "--command="]
                .iter()
                .find_map(|option| word.strip_prefix(option));
            if before.as_deref().is_some_and(takes) || (base == "watch" && word.contains(' ')) {
                self.text(&word, folders, &Input::Inherited);
            } else if let Some(script) = attached.filter(|script| script.contains(' ')) {
                self.text(script, folders, &Input::Inherited);
            }
        }
        let open = |field: &Field| matches!(field.meaning(None), Meaning::Open(..));
        let opaque = rest
            .iter()
            .zip(rest.iter().skip(1))
            .any(|(option, script)| option.literal().as_deref().is_some_and(takes) && open(script));
        if opaque {
            self.judge.unknown(Why::Program, base);
        }
    }

    /// The program that `xargs` or `parallel` runs: what it is called with is unknown, but not what it is.
    fn inner_program(&mut self, base: &str, rest: &[Field], folders: &Folders) {
        let takes = |word: &str| {
            matches!(
                word,
                "-I" | "-n"
                    | "-P"
                    | "-L"
                    | "-s"
                    | "-d"
                    | "-E"
                    | "-a"
                    | "-j"
                    | "--max-args"
                    | "--max-procs"
                    | "--delimiter"
            )
        };
        let mut at = 0;
        while let Some(word) = rest.get(at).and_then(Field::literal) {
            if !word.starts_with('-') {
                break;
            }
            at += if takes(&word) { 2 } else { 1 };
        }
        if base != "cpio" {
            self.program(rest.get(at..).unwrap_or(&[]), folders, &Input::Data);
        }
    }

    /// A shell: a script as a word, in a file, or from its input.
    pub(super) fn shell(&mut self, rest: &[Field], folders: &Folders, input: &Input) {
        let mut at = 0;
        let mut inline = false;
        let mut from_input = false;
        while let Some(field) = rest.get(at) {
            let Some(word) = field.literal() else {
                break;
            };
            let is_option = word.len() > 1 && word.starts_with(['-', '+']);
            if !is_option {
                break;
            }
            at += 1;
            if word == "--" {
                break;
            }
            if word.starts_with("--") {
                let valued = matches!(word.as_str(), "--rcfile" | "--init-file");
                at += usize::from(valued);
                inline |= word == "--command";
                continue;
            }
            inline |= word.starts_with('-') && word.contains('c');
            from_input |= word.starts_with('-') && word.contains('s');
            at += usize::from(word.ends_with(['o', 'O']) && !word.contains('c'));
        }
        let (options, operands) = rest
            .split_at_checked(at.min(rest.len()))
            .unwrap_or((rest, &[]));
        self.operands(Habit::of("cat"), "", options, folders, input);
        let Some((script, arguments)) = operands.split_first().filter(|_| inline || !from_input)
        else {
            self.operands(Habit::of("echo"), "", operands, folders, input);
            return self.read_script(folders, input);
        };
        self.operands(Habit::of("cat"), "", arguments, folders, input);
        match self.meaning(script) {
            Meaning::Text(text) if inline => {
                self.text(&text, folders, input);
            }
            Meaning::Text(text)
                if matches!(
                    text.as_str(),
                    "-" | "/dev/stdin" | "/dev/fd/0" | "/proc/self/fd/0"
                ) =>
            {
                self.read_script(folders, input);
            }
            Meaning::Text(_) | Meaning::Wild(..) => {
                self.operands(
                    Habit::of("cat"),
                    "",
                    std::slice::from_ref(script),
                    folders,
                    input,
                );
            }
            Meaning::Stream => self.judge.unknown(Why::Program, ""),
            Meaning::Open(_, text) => self.judge.unknown(Why::Program, &text),
        }
    }

    /// A shell that reads its script from its input.
    fn read_script(&mut self, folders: &Folders, input: &Input) {
        match input {
            Input::Inherited => {}
            Input::Data => self.judge.unknown(Why::Program, ""),
            Input::File(file) if super::super::magic::is_magic(file) => {
                self.judge.unknown(Why::Program, file)
            }
            // The script is a file, and a file's commands are its own affair.
            Input::File(_) => {}
            Input::Text(text) => match text.literal() {
                Some(text) => {
                    self.text(&text, folders, &Input::Inherited);
                }
                None => self.judge.unknown(Why::Program, ""),
            },
        }
    }

    /// An interpreter of another language: a program in its words or from its input may do anything.
    fn interpreter(
        &mut self,
        base: &str,
        rest: &[Field],
        letters: &str,
        options: &[&str],
        folders: &Folders,
        input: &Input,
    ) {
        self.operands(Habit::of("cat"), base, rest, folders, input);
        let mut operands = 0;
        let mut inline = false;
        for field in rest {
            let Some(word) = field.literal() else {
                operands += 1;
                inline |= operands == 1;
                continue;
            };
            let bundle = word.starts_with('-') && !word.starts_with("--") && operands == 0;
            inline |= bundle && word.chars().skip(1).any(|c| letters.contains(c));
            let named = |option: &&str| {
                word.strip_prefix(*option)
                    .is_some_and(|rest| rest.is_empty() || rest.starts_with('='))
            };
            inline |= operands == 0 && options.iter().any(named);
            operands += usize::from(!word.starts_with('-') || word == "-");
            if inline {
                break;
            }
        }
        let first = rest
            .iter()
            .filter_map(Field::literal)
            .find(|word| !word.starts_with('-') || word == "-");
        let reads =
            first.is_none_or(|word| matches!(word.as_str(), "-" | "/dev/stdin" | "/dev/fd/0"));
        let fed = matches!(input, Input::Data | Input::Text(_)) && reads && !shows_only(rest);
        if inline || fed {
            let mut texts = rest.iter().filter_map(Field::literal);
            self.judge.own |= texts.any(|text| own::mentions_program(&text));
            if let Input::Text(text) = input {
                self.judge.own |= text
                    .literal()
                    .is_some_and(|text| own::mentions_program(&text));
            }
            self.judge.unknown(Why::Program, base);
        }
    }

    pub(super) fn patch_from(&mut self, rest: &[Field], folders: &Folders, input: &Input) {
        let texts = rest.iter().filter_map(Field::literal);
        texts.for_each(|text| self.patch(&text, folders));
        match input {
            Input::Text(text) => match text.literal() {
                Some(text) => self.patch(&text, folders),
                None => self.judge.unknown(Why::Data, ""),
            },
            Input::Data => self.judge.unknown(Why::Data, ""),
            Input::Inherited | Input::File(_) => {}
        }
    }

    /// `nc 127.0.0.1 PORT`.
    fn connection(&mut self, base: &str, rest: &[Field], folders: &Folders, input: &Input) {
        self.operands(Habit::of(""), base, rest, folders, input);
        let port = self.judge.ground.own_port.map(|port| port.to_string());
        let words = rest.iter().filter_map(Field::literal);
        let is_port = |word: String| {
            word.split([':', ',', '-'])
                .any(|part| Some(part) == port.as_deref())
        };
        self.judge.own |= words.into_iter().any(is_port);
    }

    /// `test`, `[ … ]` and `[[ … ]]`: files are looked at, everything else is compared.
    pub(super) fn test(&mut self, rest: &[Field], folders: &Folders) {
        let words: Vec<_> = rest.iter().map(Field::literal).collect();
        let word = |at: Option<usize>| at.and_then(|at| words.get(at)).and_then(Option::as_deref);
        for (at, field) in rest.iter().enumerate() {
            let before = word(at.checked_sub(1));
            let around = [before, word(at.checked_add(1))];
            let is_file = before.is_some_and(is_file_test)
                || around
                    .into_iter()
                    .flatten()
                    .any(|word| matches!(word, "-nt" | "-ot" | "-ef"));
            let habit = Habit::of(if is_file { "cat" } else { "echo" });
            self.operands(
                habit,
                "test",
                std::slice::from_ref(field),
                folders,
                &Input::Inherited,
            );
        }
    }
}

fn is_file_test(word: &str) -> bool {
    matches!(word.strip_prefix('-'), Some(letter) if letter.len() == 1 && "abcdefghkLNOprsStuwxG".contains(letter))
}

/// Whether an interpreter is asked for its version or for help.
fn shows_only(rest: &[Field]) -> bool {
    let mut words = rest.iter().filter_map(Field::literal);
    words.any(|word| {
        matches!(
            word.as_str(),
            "-V" | "-v" | "--version" | "-h" | "--help" | "-m"
        )
    })
}

/// Something named, and used like this.
pub(super) const fn named(access: Access) -> Usage {
    Usage {
        access,
        reach: Reach::Named,
        by_server: false,
    }
}
