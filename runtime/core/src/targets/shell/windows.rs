//! Commands for the shells of Windows.
//!
//! `cmd.exe` and PowerShell have grammars of their own, in which a backslash is a separator and a caret or a backtick
//! escapes. They are not parsed: every piece of the text is judged, and what looks like a value to come is unknown.

use std::sync::Arc;

use super::super::judge::{Judge, Usage};
use super::super::own;
use super::super::path::Folder;
use super::super::reading::Manner;
use super::super::target::{Access, Reach, Why};

/// Judges a command for a Windows shell.
pub(in super::super) fn script(judge: &mut Judge<'_, '_>, text: &str, folders: &[Arc<Folder>]) {
    let plain: String = text.chars().filter(|c| !matches!(c, '^' | '`')).collect();
    let lower = plain.to_ascii_lowercase();
    judge.own |= own::mentions_program(&plain);
    if plain.contains('$') || plain.matches('%').count() > 1 {
        judge.unknown(Why::Variable, text);
    }
    let opaque = [
        "invoke-expression",
        "iex",
        "-encodedcommand",
        "-enc",
        "foreach-object",
        "| %",
        "for /f",
        "powershell",
        "pwsh",
        "cmd /c",
        "| cmd",
    ];
    if opaque.iter().any(|word| lower.contains(word)) {
        judge.unknown(Why::Program, text);
    }
    let recursive = ["-recurse", " /s", "tree", "findstr /s", "-r "]
        .iter()
        .any(|word| lower.contains(word));
    let manner = Manner {
        usage: Usage {
            access: Access::Unknown,
            reach: if recursive {
                Reach::Below
            } else {
                Reach::Named
            },
            by_server: true,
        },
        whatwg: false,
        files: true,
    };
    let mut folders = folders.to_vec();
    let pieces: Vec<&str> = pieces(&plain).collect();
    for (word, next) in pieces.iter().zip(pieces.iter().skip(1)) {
        let moves = [
            "cd",
            "chdir",
            "pushd",
            "set-location",
            "sl",
            "push-location",
        ]
        .iter()
        .any(|name| word.eq_ignore_ascii_case(name));
        let starts = if moves { folders.clone() } else { Vec::new() };
        let entered = starts
            .iter()
            .filter_map(|folder| folder.enter(next, judge.ground.os, judge.links));
        folders.extend(entered.map(Arc::new));
        if folders.len() > MAX_FOLDERS {
            judge.unknown(Why::Excess, text);
            folders.truncate(MAX_FOLDERS);
        }
    }
    if recursive {
        folders
            .iter()
            .for_each(|folder| judge.path("", folder, manner.usage));
    }
    if pieces.len() > MAX_PIECES {
        judge.unknown(Why::Excess, text);
    }
    for piece in pieces.into_iter().take(MAX_PIECES) {
        judge.text(piece, &folders, manner);
    }
}

/// The words of a command, whatever quotes them.
fn pieces(text: &str) -> impl Iterator<Item = &str> {
    let quoted = text.split(['"', '\'']).skip(1).step_by(2);
    let bare = text.split(|c: char| c.is_whitespace() || "\"'();|&<>,{}=".contains(c));
    bare.chain(quoted).filter(|piece| !piece.is_empty())
}

const MAX_PIECES: usize = 4_096;
const MAX_FOLDERS: usize = 16;
