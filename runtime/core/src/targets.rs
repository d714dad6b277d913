//! From the arguments of a call to what it reaches for.
//!
//! A call is judged by its text alone: nothing is opened, run or expanded. What the text leaves open (a variable, the output
//! of a command, a program in another language) is indeterminate, and counts as reaching for everything. What a program does
//! by itself, once it runs, is not seen here, and cannot be.
//!
//! Read [`place`] for what is governed, [`ground`] for where that lies, `extract` for which texts of a call count, `reading`
//! for what a text may be taken for, `judge` for how a name is compared, and `shell` for commands.

pub mod building;
mod extract;
pub mod ground;
pub mod index;
mod judge;
mod links;
mod magic;
mod marks;
pub mod own;
mod patch;
mod path;
pub mod place;
mod reading;
mod shape;
mod shell;
pub mod target;
mod url;
mod wild;
mod windows;

use crate::json::Value;
use crate::surroundings::{Links, Surroundings};
use ground::Ground;
use judge::Judge;
use path::{Folder, Path};
use shape::{Form, Shape};
use target::Target;

/// Whether a path names a folder or something below it, both as written and with links resolved.
pub(crate) fn is_under(around: &Surroundings<'_>, path: &str, folder: &str) -> bool {
    let here = Folder::at(around.cwd, around.os, around.links);
    let read = |raw: &str| {
        let path = Path::read(raw, &here, around.os).ok()?;
        let real = path.real(around.links, around.os).ok()?;
        (!magic::is_magic(&path.text) && !magic::is_magic(&real)).then_some((path.text, real))
    };
    let Some(((path, real_path), (folder, real_folder))) = read(path).zip(read(folder)) else {
        return false;
    };
    around.naming.below(&path, &folder).is_some()
        && around.naming.below(&real_path, &real_folder).is_some()
}

/// Whether a tool of that name runs commands or programs, which may do anything to what they name.
#[must_use]
pub fn runs_commands(tool: &str) -> bool {
    match Shape::of(tool).kind {
        Form::Shell | Form::WindowsShell | Form::Code => true,
        Form::Any
        | Form::Files
        | Form::Edit
        | Form::Patch
        | Form::Search
        | Form::Glob
        | Form::Fetch
        | Form::Transfer
        | Form::Prose => false,
    }
}

/// The governed targets of a call, and whether it reaches for knotrust's own.
pub(crate) fn of_call(
    ground: &Ground<'_>,
    links: &dyn Links,
    tool: &str,
    arguments: &Value<'_>,
) -> (Vec<Target>, bool) {
    let mut judge = Judge::new(ground, links);
    extract::arguments(&mut judge, tool, arguments);
    (judge.targets, judge.own)
}

/// The governed targets of an address, and whether it is knotrust's own.
pub(crate) fn of_address(
    ground: &Ground<'_>,
    links: &dyn Links,
    address: &str,
) -> (Vec<Target>, bool) {
    let mut judge = Judge::new(ground, links);
    extract::address(&mut judge, address);
    (judge.targets, judge.own)
}
