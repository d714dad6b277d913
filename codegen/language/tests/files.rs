//! Policy files that authors write and readers misread: what each must be told, as data in `vectors/files.json`.
//!
//! A row is a change of `vectors/base.yaml`, whether the result is valid, and the words and lines that must be in some problem.

use std::path::Path;

use knotrust_language::{
    check_str,
    problem::{Problem, Problems},
    render,
};
use serde::Deserialize;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Row {
    name: String,
    text: Option<String>,
    replace: Option<String>,
    with: Option<String>,
    append: Option<String>,
    prepend: Option<String>,
    line_endings: Option<String>,
    generate: Option<Vec<Piece>>,
    valid: bool,
    /// Whether its digest is that of the base.
    #[serde(default)]
    means_the_same: bool,
    #[serde(default)]
    says: Vec<Says>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Piece {
    Text(String),
    Repeat { repeat: String, times: usize },
}

#[derive(Deserialize)]
struct Says {
    lines: Option<(u32, u32)>,
    column: Option<u32>,
    has: Vec<String>,
}

impl Row {
    fn file(&self, base: &str) -> String {
        let mut text = self.text.clone().unwrap_or_else(|| base.to_owned());
        if let (Some(old), Some(new)) = (&self.replace, &self.with) {
            assert_eq!(text.matches(old).count(), 1, "{}", self.name);
            text = text.replace(old, new);
        }
        if self.line_endings.is_some() {
            text = text.replace('\n', "\r\n");
        }
        text.insert_str(0, self.prepend.as_deref().unwrap_or(""));
        text.push_str(self.append.as_deref().unwrap_or(""));
        for piece in self.generate.iter().flatten() {
            match piece {
                Piece::Text(piece) => text.push_str(piece),
                Piece::Repeat { repeat, times } => text.push_str(&repeat.repeat(*times)),
            }
        }
        text
    }
}

impl Says {
    fn is_said(&self, problems: &Problems, problem: &Problem) -> bool {
        let column = problem
            .span()
            .map(|span| problems.sources().position(span).column);
        if self.column.is_some() && self.column != column {
            return false;
        }
        let line = problem
            .span()
            .map(|span| problems.sources().position(span).line);
        let in_place = self
            .lines
            .is_none_or(|(from, to)| line.is_some_and(|line| (from..=to).contains(&line)));
        let labels = problem.labels.iter().map(|label| label.text.as_str());
        let words: Vec<_> = std::iter::once(problem.message.as_str())
            .chain(problem.help.iter().map(String::as_str))
            .chain(labels)
            .collect();
        let words = words.join("\n");
        in_place && self.has.iter().all(|word| words.contains(word))
    }
}

#[test]
fn each_file_is_judged_and_each_fault_is_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vectors");
    let base = std::fs::read_to_string(folder.join("base.yaml")).unwrap();
    let rows = std::fs::read_to_string(folder.join("files.json")).unwrap();
    let rows: Vec<Row> = serde_json::from_str(&rows).unwrap();
    assert!(!rows.is_empty());
    let base_digest = check_str("knotrust.yaml", &base, &folder)
        .0
        .map(|checked| checked.digest().to_owned());
    let mut failures = String::new();
    for row in rows {
        let (checked, problems) = check_str("knotrust.yaml", &row.file(&base), &folder);
        let valid = checked.is_some() && problems.errors().count() == 0;
        let said = row.says.iter().all(|says| {
            problems
                .errors()
                .any(|problem| says.is_said(&problems, problem))
        });
        let digest = checked.map(|checked| checked.digest().to_owned());
        let same = !row.means_the_same || digest == base_digest;
        if valid != row.valid || !said || !same {
            failures.push_str(&format!(
                "--- {}\n{}\n",
                row.name,
                render::text(&problems, render::Colour::Never)
            ));
        }
        if std::env::var_os("SHOW").is_some() {
            println!(
                "--- {}\n{}\n",
                row.name,
                render::text(&problems, render::Colour::Never)
            );
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
