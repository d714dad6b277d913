//! Commands for the shells of Windows.
//!
//! `cmd.exe` and PowerShell have grammars of their own, in which a backslash is a separator and a caret or a backtick
//! escapes. They are not parsed: every piece of the text is judged, and what looks like a value to come is unknown.

use super::super::judge::{Judge, Usage};
use super::super::own;
use super::super::path::Folder;
use super::super::reading::Manner;
use super::super::target::{Access, Reach, Why};

/// Judges a command for a Windows shell.
pub(in super::super) fn script(judge: &mut Judge<'_, '_>, text: &str, folder: &Folder) {
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
    let mut folders = vec![folder.clone()];
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
        let entered = moves
            .then(|| folder.enter(next, judge.ground.os, judge.links))
            .flatten();
        folders.extend(entered);
    }
    if recursive {
        judge.path("", folder, manner.usage);
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
