//! Rulesets and the code they become: current, to the letter.

use std::fs;
use std::path::Path;

use expect_test::expect_file;
use knotrust_codegen::emit::emit;
use knotrust_core::case::Case;
use knotrust_core::decide::decide;
use knotrust_core::evidence::Evidence;
use knotrust_core::ruleset::Ruleset;
use knotrust_core::surroundings::Surroundings;
use knotrust_core::targets::{ground::Ground, own::Own};
use knotrust_core::time::Timestamp;
use knotrust_core::{json, request};
use knotrust_language::check_file;

#[rustfmt::skip]
#[path = "../rulesets/governed/ruleset.rs"]
mod governed;
#[rustfmt::skip]
#[path = "../rulesets/small/ruleset.rs"]
mod small;

#[test]
fn generated_code_is_what_it_was() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rulesets");
    let mut count = 0;
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path
            .extension()
            .is_some_and(|extension| extension == "yaml")
        {
            let (checked, problems) = check_file(&path);
            let problems: Vec<_> = problems.errors().map(|problem| &problem.message).collect();
            let module = checked.unwrap_or_else(|| panic!("{problems:?}")).lend(emit);
            let beside = path.with_extension("");
            expect_file![beside.join("ruleset.rs")].assert_eq(&module.text);
            for (name, bytes) in module.tables {
                is_still(&beside.join(name), &bytes);
            }
            count += 1;
        }
    }
    assert!(count > 0);
}

/// What `expect_file!` does, for a table of bytes.
#[track_caller]
fn is_still(path: &Path, bytes: &[u8]) {
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        fs::write(path, bytes).unwrap();
    }
    let known = fs::read(path).unwrap_or_default();
    assert!(
        known == bytes,
        "{} is stale: run with UPDATE_EXPECT=1",
        path.display()
    );
}

#[test]
fn what_is_compiled_is_what_was_checked() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/rulesets");
    for (name, compiled) in [("small", &small::RULESET), ("governed", &governed::RULESET)] {
        let (checked, _) = check_file(&folder.join(name).with_extension("yaml"));
        checked.unwrap().lend(|lent| {
            // Written as Rust once more, the compiled ruleset is the same text: no table lost anything on its way.
            assert_eq!(emit(compiled).text, emit(lent).text, "{name}");
            assert_eq!(compiled.digest, lent.digest);
            for question in QUESTIONS {
                assert_eq!(
                    answer(compiled, question),
                    answer(lent, question),
                    "{name}: {question}"
                );
            }
        });
    }
}

/// What a ruleset makes of a call, whole.
fn answer(ruleset: &Ruleset<'_>, question: &str) -> String {
    let (action, arguments) = question.split_once(' ').unwrap();
    let (server, _) = action.split_once('.').unwrap();
    let request = format!(
        r#"{{"contractVersion":"1.0","requestId":"r","timestamp":"2026-07-03T00:00:00Z",
        "subject":{{"type":"user","id":"ann"}},"action":{{"name":"{action}"}},"resource":{{"type":"t","id":"i"}},
        "context":{{"agent":{{"id":"a","type":"ai_agent"}},"env":{{"time":"2026-07-03T00:00:00Z","surfaceLocal":true}},
            "arguments":{arguments}}},
        "surface":{{"kind":"stdio_proxy","instanceId":"i","server":"{server}"}}}}"#
    );
    let value = json::parse(request.as_bytes()).unwrap();
    let request = request::read(&value).unwrap();
    let around = Surroundings::NOWHERE;
    let ground = Ground::lay(ruleset.places, &Own::NOTHING, &around);
    let (case, _) = Case::on(
        &ground,
        ruleset,
        &request,
        &request.arguments(),
        false,
        &around,
    );
    let decision = decide(&case, &Evidence::none(Timestamp::default()));
    format!("{decision:?} of {:?}", case.domains)
}

const QUESTIONS: &[&str] = &[
    r#"github.list_issues {}"#,
    r#"github.delete_repo {}"#,
    r#"stripe.create_refund {"amount":499.99,"currency":"usd"}"#,
    r#"stripe.create_refund {"amount":500}"#,
    r#"pg.drop_database {"name":"x"}"#,
    r#"fs.read_file {"path":"docs/a.md"}"#,
    r#"fs.write_file {"path":"records/a"}"#,
    r#"web.fetch {"url":"https://docs.example.com/a"}"#,
    r#"shell.run {"command":"cat docs/a.md"}"#,
    r#"wiki.search {}"#,
    r#"ops.run_playbook {"name":"x"}"#,
    r#"elsewhere.delete_all {}"#,
    r#"elsewhere.look {}"#,
];
