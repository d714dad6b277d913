//! What a simple command does: its first word names the program.

use super::super::judge::Usage;
use super::super::own;
use super::super::target::{Access, Reach, Why};
use super::field::{Field, Meaning};
use super::folders::{After, Folders};
use super::habits::{self, Habit};
use super::run::{Input, Run};
use super::{little, seek, wrapper};

impl Run<'_, '_, '_> {
    /// Follows a simple command.
    pub(super) fn program(&mut self, fields: &[Field], folders: &Folders, input: &Input) -> After {
        let Some((first, rest)) = fields.split_first() else {
            return After::unmoved(folders);
        };
        match first.meaning() {
            Meaning::Text(name) => return self.named(name, rest, folders, input),
            Meaning::Wild(wild, text) => {
                self.files(wild, text, named(Access::Read), folders);
                self.judge.unknown(Why::Program, text);
            }
            Meaning::Stream => {}
            Meaning::Open(why, text) => self.judge.unknown(*why, text),
        }
        self.operands(Habit::UNKNOWN, "", rest, folders, input);
        After::unmoved(folders)
    }

    fn named(&mut self, name: &str, rest: &[Field], folders: &Folders, input: &Input) -> After {
        self.judge.own |= own::is_program(name);
        if name.contains(['/', '\\']) {
            self.file(name, named(Access::Read), folders);
        }
        let base = habits::base(name);
        let called = self.call(base, folders, input);
        let mut after = self.known(base, rest, folders, input);
        if let Some(called) = called {
            // A function may hide a program of its name, or have been unset again.
            self.join(&mut after.success, &called.success);
            self.join(&mut after.failure, &called.failure);
        }
        after
    }

    fn known(&mut self, base: &str, rest: &[Field], folders: &Folders, input: &Input) -> After {
        match base {
            "cd" | "chdir" | "pushd" | "popd" => return self.change(base, rest, folders),
            "exit" | "logout" => {
                self.operands(Habit::of(base), base, rest, folders, input);
                return After::never();
            }
            "eval" => self.evaluate(rest),
            "source" | "." => self.source(base, rest, folders, input),
            "trap" => self.trap(rest, folders),
            "alias" => self.aliases(rest, folders),
            "test" | "[" => self.test(rest, folders),
            "xargs" | "parallel" | "rush" | "cpio" => self.run_on_data(base, rest, folders, input),
            "find" | "gfind" => seek::find(self, rest, folders),
            "fd" | "fdfind" => seek::fd(self, rest, folders),
            "git" => little::git(self, rest, folders, input),
            "sed" | "gsed" => little::sed(self, rest, folders, input),
            "awk" | "gawk" | "mawk" | "nawk" => little::awk(self, rest, folders, input),
            "apply_patch" | "patch" => {
                self.operands(Habit::UNKNOWN, base, rest, folders, input);
                self.patch_from(rest, folders, input);
            }
            "tar" | "bsdtar" | "gtar" => little::tar(self, base, rest, folders, input),
            "docker" | "podman" | "nerdctl" => {
                self.operands(Habit::UNKNOWN, base, rest, folders, input);
                self.mounts(rest, folders);
            }
            "nc" | "ncat" | "netcat" | "telnet" | "socat" => {
                self.connection(base, rest, folders, input)
            }
            base if habits::is_shell(base) => self.shell(rest, folders, input),
            base if wrapper::is_wrapper(base) => return self.wrapped(base, rest, folders, input),
            base => match habits::interpreter(base) {
                Some(options) => self.interpreter(base, rest, options, folders, input),
                None => self.operands(Habit::of(base), base, rest, folders, input),
            },
        }
        After::unmoved(folders)
    }

    /// A program whose words are those of another.
    fn wrapped(&mut self, base: &str, rest: &[Field], folders: &Folders, input: &Input) -> After {
        let words: Vec<_> = rest.iter().map(Field::literal).collect();
        let at = wrapper::skipped(base, &words).unwrap_or(0).min(rest.len());
        let (before, inner) = rest.split_at_checked(at).unwrap_or((rest, &[]));
        let option = |names: &[&str]| {
            let pairs = before.iter().zip(before.iter().skip(1));
            let mut named = pairs
                .filter(|(option, _)| option.literal().is_some_and(|word| names.contains(&word)));
            named.next().and_then(|(_, value)| value.literal())
        };
        let inside = match option(&["-C", "--chdir", "-D"]) {
            Some(raw) => self.enter(raw, folders),
            None => folders.clone(),
        };
        self.operands(Habit::NAMES, base, before, folders, input);
        self.scripts_among(base, rest, &inside);
        let asks = |field: &Field| matches!(field.literal(), Some("-v" | "-V"));
        if base == "command" && before.iter().any(asks) {
            return After::unmoved(folders);
        }
        let after = self.program(inner, &inside, input);
        match base {
            "exec" if !inner.is_empty() => After::never(),
            "command" | "builtin" | "exec" | "time" | "noglob" | "nocorrect" => after,
            _ => After::unmoved(folders),
        }
    }

    /// Words of a wrapper that are scripts themselves: `env -S 'cat x'`, `su -c 'cat x'`, `watch 'cat x'`.
    fn scripts_among(&mut self, base: &str, rest: &[Field], folders: &Folders) {
        let mut is_script = false;
        for field in rest {
            let was_script = std::mem::take(&mut is_script);
            match field.meaning() {
                Meaning::Text(word) => {
                    is_script = matches!(&**word, "-c" | "-S" | "--command" | "--split-string");
                    let attached = SCRIPT_VALUES
                        .iter()
                        .find_map(|option| word.strip_prefix(option));
                    let attached = attached.filter(|script| script.contains(' '));
                    let whole = was_script || (base == "watch" && word.contains(' '));
                    if let Some(script) = attached.or(whole.then_some(word)) {
                        self.text(script, folders, &Input::Inherited);
                    }
                }
                Meaning::Open(_, text) if was_script => self.judge.unknown(Why::Program, text),
                Meaning::Wild(..) | Meaning::Stream | Meaning::Open(..) => {}
            }
        }
    }

    /// `xargs` and its kin: what the program is called with is data, but not what it is.
    fn run_on_data(&mut self, base: &str, rest: &[Field], folders: &Folders, input: &Input) {
        self.operands(Habit::UNKNOWN, base, rest, folders, input);
        self.judge.unknown(Why::Data, base);
        let mut at = 0;
        while let Some(word) = rest
            .get(at)
            .and_then(Field::literal)
            .filter(|word| word.starts_with('-'))
        {
            at += if DATA_VALUES.contains(&word) { 2 } else { 1 };
        }
        if base != "cpio" {
            self.program(rest.get(at..).unwrap_or(&[]), folders, &Input::Data);
        }
    }

    /// The files of a patch that is given as a word or as input.
    pub(super) fn patch_from(&mut self, rest: &[Field], folders: &Folders, input: &Input) {
        for text in rest.iter().filter_map(Field::literal) {
            self.patch(text, folders);
        }
        match input {
            Input::Text(text) => match text.literal() {
                Some(text) => self.patch(&text, folders),
                None => self.judge.unknown(Why::Data, ""),
            },
            Input::Data => self.judge.unknown(Why::Data, ""),
            Input::Inherited | Input::File(_) => {}
        }
    }

    /// `docker run -v .:/x`: what is mounted is there with all below it.
    fn mounts(&mut self, rest: &[Field], folders: &Folders) {
        let below = Usage {
            reach: Reach::Below,
            ..named(Access::Unknown)
        };
        for word in rest.iter().filter_map(Field::literal) {
            let value = word.split_once('=').map_or(word, |(_, value)| value);
            let sources = ["source=", "src="]
                .into_iter()
                .filter_map(|name| word.split_once(name));
            let named = sources.map(|(_, value)| value).chain([value]);
            for source in named.filter(|source| source.contains([':', ','])) {
                let path = source.split([':', ',']).next().unwrap_or(source);
                self.file(path, below, folders);
            }
        }
    }

    /// `nc 127.0.0.1 PORT`.
    fn connection(&mut self, base: &str, rest: &[Field], folders: &Folders, input: &Input) {
        self.operands(Habit::UNKNOWN, base, rest, folders, input);
        let mut parts = rest
            .iter()
            .filter_map(Field::literal)
            .flat_map(|word| word.split([':', ',', '-']));
        let ground = self.judge.ground;
        let is_ours = |part: &str| part.parse().is_ok_and(|port| ground.is_own_port(port));
        self.judge.own |= parts.any(is_ours);
    }
}

/// Something named, and used like this.
pub(super) const fn named(access: Access) -> Usage {
    Usage {
        access,
        reach: Reach::Named,
        by_server: false,
    }
}

/// Options of wrappers with a script attached.
const SCRIPT_VALUES: [&str; 4] = ["-S", "--split-string=", "-c", "--command="];

/// Options of `xargs` and `parallel` that are followed by a word of their own.
const DATA_VALUES: [&str; 12] = [
    "-I",
    "-n",
    "-P",
    "-L",
    "-s",
    "-d",
    "-E",
    "-a",
    "-j",
    "--max-args",
    "--max-procs",
    "--delimiter",
];
