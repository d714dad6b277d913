//! Paths that mean something else to every process.
//!
//! `/proc/self` of this process is not that of the server: to resolve it here would be a wrong answer with full confidence.

/// Whether an absolute, folded path leads through another process's view of its own files.
pub(super) fn is_magic(path: &str) -> bool {
    if let Some(rest) = path.strip_prefix("/proc/") {
        return leads_through_process(rest);
    }
    match path.strip_prefix("/dev/") {
        Some("stdin" | "stdout" | "stderr") => true,
        Some(rest) => {
            rest.starts_with("fd/") || rest.starts_with("tcp/") || rest.starts_with("udp/")
        }
        None => path.starts_with("/.vol/"),
    }
}

/// Whether a path names a stream that a shell hands on under that name.
pub(super) fn is_stream(path: &str) -> bool {
    let name = path.strip_prefix("/dev/");
    name.is_some_and(|name| {
        matches!(
            name,
            "stdin" | "stdout" | "stderr" | "fd/0" | "fd/1" | "fd/2"
        )
    })
}

fn leads_through_process(rest: &str) -> bool {
    let mut names = rest.split('/');
    let process = names.next().unwrap_or("");
    let is_process = matches!(process, "self" | "thread-self")
        || (!process.is_empty() && process.bytes().all(|byte| byte.is_ascii_digit()));
    let mut within = names.next().unwrap_or("");
    if within == "task" {
        names.next();
        within = names.next().unwrap_or("");
    }
    is_process && matches!(within, "cwd" | "root" | "fd" | "map_files")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn views_of_a_process_are_magic() {
        for path in [
            "/proc/self/cwd/x",
            "/proc/1/root/etc",
            "/proc/self/task/7/cwd",
            "/dev/fd/5",
            "/dev/stdin",
        ] {
            assert!(is_magic(path), "{path}");
        }
        for path in [
            "/proc/cpuinfo",
            "/proc/self/status",
            "/dev/null",
            "/procs/self/cwd",
            "/dev/fdx",
        ] {
            assert!(!is_magic(path), "{path}");
        }
    }
}
