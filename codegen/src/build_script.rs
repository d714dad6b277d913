//! The whole of the root's build script.

use std::path::{Path, PathBuf};
use std::{env, fs, io};

use knotrust_language::check_file;
use knotrust_language::checked::Checked;
use knotrust_language::render::{self, Colour};

use crate::emit::{Module, emit};

/// The environment variable that names another ruleset than `knotrust.yaml`.
const RULESET: &str = "KNOTRUST_RULESET";

/// Compiles the ruleset that `KNOTRUST_RULESET` names, else `knotrust.yaml` beside the build script, into `OUT_DIR`.
///
/// Every problem is printed to standard error, and one line tells Cargo that the build failed.
pub fn build_script() {
    rerun_always();
    match compile() {
        Ok(()) => {}
        Err(message) => tell_cargo(&format!("cargo::error={message}")),
    }
}

// Cargo compares times, not contents: a pack whose time was set back would leave its old policy in a fresh binary. A
// file that is never there makes Cargo ask us every time; reading the policy again costs less than being wrong.
fn rerun_always() {
    tell_cargo("cargo::rerun-if-changed=.always");
    tell_cargo(&format!("cargo::rerun-if-env-changed={RULESET}"));
}

fn compile() -> Result<(), String> {
    let folder = variable("CARGO_MANIFEST_DIR")?;
    let out = PathBuf::from(variable("OUT_DIR")?);
    let named = env::var(RULESET).ok().filter(|name| !name.is_empty());
    let path = Path::new(&folder).join(named.as_deref().unwrap_or("knotrust.yaml"));
    let (checked, problems) = check_file(&path);
    report(&render::text(&problems, Colour::Never));
    let checked = checked.ok_or_else(|| {
        let count = problems.errors().count();
        format!(
            "{} does not compile: {count} error(s), shown above",
            path.display()
        )
    })?;
    write(&out, &checked).map_err(|error| format!("{}: {error}", out.display()))
}

fn write(out: &Path, checked: &Checked) -> io::Result<()> {
    let Module { text, tables } = checked.lend(emit);
    for (name, bytes) in tables {
        write_on_change(&out.join(name), &bytes)?;
    }
    write_on_change(&out.join("ruleset.rs"), text.as_bytes())
}

// An unchanged file keeps its time, and what includes it need not be compiled again.
fn write_on_change(path: &Path, bytes: &[u8]) -> io::Result<()> {
    if fs::read(path).is_ok_and(|known| known == bytes) {
        return Ok(());
    }
    fs::write(path, bytes)
}

fn variable(name: &str) -> Result<String, String> {
    env::var(name).map_err(|_| format!("{name} is not set: this runs as a build script"))
}

#[expect(
    clippy::print_stdout,
    reason = "this is how a build script speaks to Cargo"
)]
fn tell_cargo(line: &str) {
    println!("{line}");
}

#[expect(
    clippy::print_stderr,
    reason = "Cargo shows a build script's standard error when it fails"
)]
fn report(text: &str) {
    eprint!("{text}");
}
