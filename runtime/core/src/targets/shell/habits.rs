//! What known programs do with their words.
//!
//! Every word of every command is looked at, so that these tables never open anything: they say which programs go down into
//! folders, which only print what they are given, and where a word with blanks in it is surely no little program.

use super::super::target::Access;
use super::field::Field;

/// What a program does with its words.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Habit {
    pub(super) access: Access,
    pub(super) walk: Walk,
    pub(super) words: Words,
}

/// Whether a program goes into the folders below what is named.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Walk {
    Never,
    /// Always, and from the working folder if nothing is named.
    Here,
    /// Always.
    Named,
    /// With one of these letters as an option.
    With(&'static str),
    /// With one of these letters, and then from the working folder if nothing is named.
    HereWith(&'static str),
}

/// What the words of a program are.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Words {
    /// Names of files, or the like: one with blanks is a name with blanks, unless it begins like a command.
    Names,
    /// Names of files, of which the last is where the others go.
    Transfer,
    /// Something to print or to compare: no file is opened.
    Printed,
    /// Anything, also programs of its own language.
    Any,
}

impl Habit {
    /// What is presumed of programs that nobody knows.
    pub(super) const UNKNOWN: Self = Self::new(Access::Unknown, Walk::With("rR"), Words::Any);

    /// Words that name files.
    pub(super) const NAMES: Self = Self::new(Access::Read, Walk::Never, Words::Names);

    /// Words that name files which are written.
    pub(super) const WRITTEN: Self = Self::new(Access::Write, Walk::Never, Words::Names);

    /// Words that no file is opened for.
    pub(super) const PRINTED: Self = Self::new(Access::Unknown, Walk::Never, Words::Printed);

    const fn new(access: Access, walk: Walk, words: Words) -> Self {
        Self {
            access,
            walk,
            words,
        }
    }

    /// The habit of a program of this name.
    pub(super) fn of(name: &str) -> Self {
        known(name).unwrap_or(Self::UNKNOWN)
    }
}

/// Whether a word is the name of a program that is known here.
pub(super) fn is_known(name: &str) -> bool {
    known(name).is_some()
        || is_shell(name)
        || interpreter(name).is_some()
        || super::wrapper::is_wrapper(name)
        || matches!(
            name,
            "cd" | "pushd"
                | "find"
                | "fd"
                | "xargs"
                | "parallel"
                | "source"
                | "."
                | "eval"
                | "exec"
                | "git"
                | "sed"
                | "awk"
                | "knotrust"
                | "docker"
                | "make"
                | "vi"
                | "vim"
                | "nano"
                | "emacs"
                | "ed"
                | "sqlite3"
        )
}

fn known(name: &str) -> Option<Habit> {
    use Access::{Read, Unknown, Write};
    use Walk::{Here, HereWith, Named, Never, With};
    use Words::{Names, Printed, Transfer};
    let (access, walk, words) = match name {
        "echo" | "printf" | ":" | "true" | "false" | "exit" | "return" | "sleep" | "wait"
        | "kill" | "shift" | "unset" | "export" | "declare" | "typeset" | "local" | "readonly"
        | "set" | "let" | "break" | "continue" | "umask" | "jobs" | "fg" | "bg" | "disown"
        | "whoami" | "hostname" | "id" | "uname" | "basename" | "dirname" | "expr" | "seq"
        | "type" | "which" | "whereis" | "hash" | "getopts" | "read" | "ulimit" | "tput"
        | "clear" | "reset" | "printenv" | "shopt" | "pwd" | "dirs" | "times" | "pgrep"
        | "pkill" | "killall" | "pidof" | "ps" | "yes" | "nproc" | "arch" | "tty" | "groups"
        | "logname" | "say" | "notify-send" | "logger" | "enable" | "bind" | "history" | "help"
        | "caller" | "numfmt" | "factor" => (Unknown, Never, Printed),
        "cat" | "tac" | "head" | "tail" | "less" | "more" | "wc" | "nl" | "od" | "xxd"
        | "hexdump" | "strings" | "file" | "stat" | "cut" | "uniq" | "paste" | "comm" | "join"
        | "column" | "fold" | "fmt" | "rev" | "expand" | "unexpand" | "tr" | "cmp" | "md5sum"
        | "sha1sum" | "sha256sum" | "sha512sum" | "b2sum" | "cksum" | "sum" | "base64"
        | "base32" | "readlink" | "realpath" | "bat" | "zcat" | "bzcat" | "xzcat" | "zless"
        | "df" | "mapfile" | "readarray" | "lsof" | "jq" | "yq" | "pr" | "tsort" | "shuf"
        | "look" | "open" | "xdg-open" => (Read, Never, Names),
        "diff" | "sdiff" | "colordiff" | "delta" => (Read, With("r"), Names),
        "grep" | "egrep" | "fgrep" | "zgrep" => (Read, HereWith("rR"), Names),
        "rg" | "ag" | "ack" | "ripgrep" | "ugrep" | "tree" | "du" | "ncdu" | "dust" | "cloc"
        | "tokei" | "scc" => (Read, Here, Names),
        "ls" | "dir" | "vdir" | "eza" | "exa" | "lsd" => (Read, HereWith("R"), Names),
        "sort" | "split" | "csplit" | "tee" | "touch" | "mkdir" | "rmdir" | "truncate"
        | "mkfifo" | "mknod" | "shred" | "unlink" | "dd" | "gzip" | "gunzip" | "bzip2"
        | "bunzip2" | "xz" | "unxz" | "zstd" | "unzip" | "mktemp" | "dos2unix" | "trash" => {
            (Write, Never, Names)
        }
        "rm" => (Write, With("rR"), Names),
        "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" => (Write, With("R"), Names),
        "cp" => (Unknown, With("rRa"), Transfer),
        "mv" | "rename" | "rsync" | "ln" | "link" | "rclone" => (Unknown, Named, Transfer),
        "scp" => (Unknown, With("r"), Transfer),
        "install" => (Unknown, Never, Transfer),
        "zip" => (Unknown, With("r"), Names),
        "7z" | "7za" | "rar" => (Unknown, Named, Names),
        "curl" | "wget" | "http" | "xh" | "aria2c" | "npm" | "yarn" | "pnpm" | "bun" | "cargo"
        | "go" | "pip" | "pip3" | "apt" | "apt-get" | "brew" | "gh" | "glab" | "hub" | "tsc"
        | "eslint" | "prettier" | "jest" | "pytest" | "ruff" | "black" | "mypy" | "rustc"
        | "rustup" | "gcc" | "cc" | "clang" | "g++" | "ld" | "javac" | "java" | "gradle"
        | "mvn" | "cmake" | "ctest" | "ninja" | "date" | "uuidgen" | "dig" | "host"
        | "nslookup" | "ping" => (Unknown, With("R"), Names),
        _ => return None,
    };
    Some(Habit::new(access, walk, words))
}

/// Whether a program is a shell that reads this grammar, or nearly.
pub(super) fn is_shell(name: &str) -> bool {
    let name = name.strip_prefix('-').unwrap_or(name);
    matches!(
        name,
        "sh" | "bash"
            | "dash"
            | "zsh"
            | "ksh"
            | "mksh"
            | "ash"
            | "rbash"
            | "yash"
            | "fish"
            | "csh"
            | "tcsh"
    )
}

/// How an interpreter is given a program in its words.
#[derive(Clone, Copy, Debug)]
pub(super) struct Inline {
    /// Letters that say so, anywhere in a bundle of options.
    letters: &'static str,
    /// Words that say so.
    words: &'static [&'static str],
}

impl Inline {
    /// Whether a word gives a program.
    pub(super) fn is_given(self, field: &Field) -> bool {
        let Some(word) = field.literal() else {
            return true;
        };
        let named = |name: &&str| {
            let value = word.strip_prefix(*name);
            value.is_some_and(|value| value.is_empty() || value.starts_with('='))
        };
        let bundle = word
            .strip_prefix('-')
            .filter(|bundle| !bundle.starts_with('-'));
        bundle.is_some_and(|bundle| bundle.contains(|c| self.letters.contains(c)))
            || self.words.iter().any(named)
    }

    /// Whether a word that is no option gives one.
    pub(super) fn subcommand(self, field: &Field) -> bool {
        field
            .literal()
            .is_some_and(|word| !word.starts_with('-') && self.words.contains(&word))
    }
}

/// How an interpreter is given a program in its words, if the name is that of one.
pub(super) fn interpreter(name: &str) -> Option<Inline> {
    let name = name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
    let (letters, words): (_, &[_]) = match name {
        "python" | "pypy" | "ipython" | "jython" | "micropython" => ("c", &[]),
        "perl" => ("eE", &[]),
        "ruby" | "jruby" => ("e", &[]),
        "node" | "nodejs" | "tsx" | "ts-node" | "bun" => ("ep", &["--eval", "--print"]),
        "deno" => ("", &["eval", "repl"]),
        "php" => ("rBRE", &["--run"]),
        "lua" | "luajit" | "Rscript" | "julia" | "elixir" | "swift" | "groovy" | "scala"
        | "ghc" | "osascript" | "guile" | "racket" | "clisp" | "sbcl" | "emacs" | "erl"
        | "tclsh" | "expect" | "R" | "octave" | "jshell" | "raku" | "crystal" | "nim"
        | "kotlinc" | "irb" => ("eErc", &["--eval", "--expr", "-eval", "--command"]),
        "pwsh" | "powershell" => ("ceCE", &[]),
        _ => return None,
    };
    Some(Inline { letters, words })
}

/// Whether a program takes commands of its own language from its input.
pub(super) fn takes_commands(name: &str) -> bool {
    matches!(
        name,
        "ed" | "ex"
            | "vi"
            | "vim"
            | "nvim"
            | "sqlite3"
            | "psql"
            | "mysql"
            | "mariadb"
            | "duckdb"
            | "gdb"
            | "lldb"
            | "gnuplot"
            | "ftp"
            | "sftp"
            | "lftp"
            | "redis-cli"
            | "mongosh"
    )
}

/// The name of a program without its folder.
pub(super) fn base(word: &str) -> &str {
    let base = word.rsplit(['/', '\\']).next().unwrap_or(word);
    base.strip_suffix(".exe").unwrap_or(base)
}
