//! Programs that run the program their words name.

/// What stands in front of the program in the words of a wrapper.
struct Wrapper {
    /// Options that take a word of their own.
    valued: &'static [&'static str],
    /// Words before the program that are no options.
    operands: usize,
    /// Whether assignments may stand there.
    assigns: bool,
}

/// How many of a wrapper's words (its own name not counted) stand before the program it runs; `None` if it is no wrapper.
pub(super) fn skipped(name: &str, words: &[Option<&str>]) -> Option<usize> {
    let wrapper = wrapper(name)?;
    let mut operands = wrapper.operands;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let word = word.unwrap_or("");
        if word == "--" {
            return Some(at + 1 + operands);
        }
        if word.len() > 1 && word.starts_with('-') {
            at += if wrapper.valued.contains(&word) { 2 } else { 1 };
        } else if wrapper.assigns && is_assignment(word) {
            at += 1;
        } else if operands > 0 {
            operands -= 1;
            at += 1;
        } else {
            break;
        }
    }
    Some(at)
}

/// Whether a program is one that runs another.
pub(super) fn is_wrapper(name: &str) -> bool {
    wrapper(name).is_some()
}

fn is_assignment(word: &str) -> bool {
    let name = word.split_once('=').map_or("", |(name, _)| name);
    !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn wrapper(name: &str) -> Option<Wrapper> {
    let plain = |valued, operands| Wrapper {
        valued,
        operands,
        assigns: false,
    };
    let assigning = |valued| Wrapper {
        valued,
        operands: 0,
        assigns: true,
    };
    Some(match name {
        "sudo" => assigning(&[
            "-u", "-g", "-h", "-p", "-C", "-T", "-R", "-D", "-r", "-t", "-U", "--user", "--group",
            "--chdir", "--chroot",
        ]),
        "doas" => assigning(&["-u", "-C"]),
        "env" | "genv" => assigning(&["-u", "-C", "--unset", "--chdir"]),
        "timeout" | "gtimeout" => plain(&["-s", "-k", "--signal", "--kill-after"], 1),
        "nice" => plain(&["-n", "--adjustment"], 0),
        "ionice" => plain(&["-c", "-n", "-p", "--class", "--classdata"], 0),
        "chrt" | "taskset" | "flock" | "chroot" | "setarch" => {
            plain(&["-p", "-w", "-E", "--userspec", "--groups"], 1)
        }
        "stdbuf" => plain(&["-i", "-o", "-e", "--input", "--output", "--error"], 0),
        "exec" => plain(&["-a"], 0),
        "time" => plain(&["-f", "-o", "--format", "--output"], 0),
        "strace" | "ltrace" => plain(&["-o", "-e", "-p", "-s", "-u", "-E"], 0),
        "watch" | "gwatch" => plain(&["-n", "--interval"], 0),
        "runuser" | "su" | "script" | "setpriv" | "unshare" | "nsenter" => {
            plain(&["-u", "-g", "-G", "-t", "-S", "-s"], 0)
        }
        "systemd-run" => plain(
            &[
                "-p",
                "-u",
                "-E",
                "--property",
                "--unit",
                "--setenv",
                "--uid",
            ],
            0,
        ),
        "nohup" | "setsid" | "command" | "builtin" | "busybox" | "toybox" | "caffeinate"
        | "xvfb-run" | "unbuffer" | "catchsegv" | "eatmydata" | "firejail" | "proxychains"
        | "proxychains4" | "torsocks" | "npx" | "bunx" | "uvx" | "pipx" | "dotenv" | "chronic"
        | "ts" | "winpty" | "arch" | "rlwrap" | "noglob" | "nocorrect" => plain(&["-o", "-c"], 0),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, program: &str) {
        let words: Vec<_> = command.split(' ').map(Some).collect();
        let name = words.first().copied().flatten().unwrap();
        let at = skipped(name, words.get(1..).unwrap()).unwrap();
        assert_eq!(
            words.get(at + 1).copied().flatten(),
            Some(program),
            "{command}"
        );
    }

    #[test]
    fn the_program_is_found() {
        check("sudo -u root A=1 cat x", "cat");
        check("env A=1 -u B nice", "nice");
        check("timeout -s KILL 5 cat x", "cat");
        check("nice -n 1 bash", "bash");
        check("nohup stdbuf", "stdbuf");
        check("stdbuf -o0 bash", "bash");
    }
}
