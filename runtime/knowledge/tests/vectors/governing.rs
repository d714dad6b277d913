//! What plans admit, against vectors.

use knotrust_core::json::Value;
use knotrust_knowledge::eligibility::eligibility;
use knotrust_knowledge::governing::{Answer, Domain, Mode, Question, Session, Unusable, Verb, ask};
use knotrust_knowledge::manifest::Manifest;
use knotrust_knowledge::options::Options;
use knotrust_knowledge::signature::{Fetched, verify};

use crate::support::{check_cases, includes, text, today, vectors};

#[test]
fn plans_admit_the_very_thing_and_nothing_beside_it() {
    let file = vectors("governing.json");
    check_cases("governing.json", |case| {
        let manifest = text(file.get("manifests").unwrap(), text(case, "manifest"));
        let policy = case.get("policy").unwrap();
        let flag = |name: &str| {
            policy
                .get(name)
                .and_then(Value::as_bool)
                .unwrap_or_default()
        };
        let mut options = Options {
            strict: flag("strict"),
            ..Options::as_of(today())
        };
        if let Some(max) = policy.get("max_units").and_then(Value::as_number) {
            options.max_units = usize::try_from(max.as_u64().unwrap()).unwrap();
        }
        let read = Manifest::read(manifest)
            .map_err(|_| Unusable::Unreadable)
            .and_then(|read| {
                let signature = verify(manifest, read.signing.as_ref(), &Fetched::default(), &[]);
                if signature.suffices(flag("signature_required")) {
                    Ok(read)
                } else {
                    Err(Unusable::Signature)
                }
            });
        let mut session = Session::default();
        for step in case.get("steps").and_then(Value::as_array).unwrap() {
            let call = step.get("call").unwrap();
            let arguments = call.get("args").unwrap();
            let path = arguments
                .get("file_path")
                .or(arguments.get("path"))
                .and_then(Value::as_str);
            let question = Question {
                tool: text(call, "tool").to_owned(),
                paths: path.map(str::to_owned).into_iter().collect(),
                ..Question::default()
            };
            let domain = Domain {
                name: "handbook",
                manifest: read.as_ref().map_err(|error| *error),
                urls: &[],
                options: &options,
            };
            let answer = ask(domain, &mut session, &question);
            includes(&answer.to_json(), step.get("expect").unwrap())?;
        }
        Ok(())
    });
}

const MANIFEST: &str = "
project: p
units:
- {id: guide, path: docs/guide.md, intent: Guide, temporal: {valid_until: 2026-07-31}}
- {id: notes, path: docs/notes.md, intent: Notes, action_scope: {capabilities: [write]}}
- {id: log, path: docs/log.md, intent: Log, authority: {modify: initiative}}
- {id: secret, path: docs/secret.md, intent: Secret, authority: {read: requires_approval}}
- {id: tidy, path: skills/tidy.md, intent: Tidy, kind: skill, load_eligible: true, action_scope: {tools: [rm, wiki], paths: [docs/old/], deny: {paths: [docs/old/keep/**]}}}
- {id: sweep, path: skills/sweep.md, intent: Sweep, kind: playbook, load_eligible: true, steps: [{id: one, uses: tidy}], action_scope: {deny: {tools: [wiki]}}}
";

struct Desk {
    manifest: Manifest,
    options: Options,
    session: Session,
    urls: Vec<&'static str>,
}

impl Desk {
    fn new() -> Self {
        Self {
            manifest: Manifest::read(MANIFEST).unwrap(),
            options: Options::as_of(today()),
            session: Session::default(),
            urls: vec!["https://docs.example.com/"],
        }
    }

    fn ask(&mut self, tool: &str, verb: Verb, target: &str) -> Answer {
        let target = Some(target.to_owned()).filter(|target| !target.is_empty());
        let (urls, paths) = target
            .into_iter()
            .partition(|target| target.contains("://"));
        let question = Question {
            tool: tool.to_owned(),
            verb,
            paths,
            urls,
            ..Question::default()
        };
        let domain = Domain {
            name: "d",
            manifest: Ok(&self.manifest),
            urls: &self.urls,
            options: &self.options,
        };
        ask(domain, &mut self.session, &question)
    }

    #[track_caller]
    fn check(&mut self, tool: &str, verb: Verb, target: &str, expected: Option<Mode>) {
        let answer = self.ask(tool, verb, target);
        assert_eq!(
            answer.approved.then_some(answer.mode),
            expected,
            "{tool} {target}: {}",
            answer.reason
        );
    }

    fn follow(&mut self, id: &str) {
        assert!(eligibility(&self.manifest, id, &self.options).eligible);
        self.session.follow(self.manifest.unit(id).unwrap());
    }
}

#[test]
fn what_changes_something_needs_the_units_word() {
    let mut desk = Desk::new();
    desk.check("Edit", Verb::Write, "docs/guide.md", None);
    desk.check("Edit", Verb::Write, "docs/notes.md", Some(Mode::AutoPlan));
    desk.check("Edit", Verb::Write, "docs/log.md", Some(Mode::AutoPlan));
    desk.check("rm", Verb::Delete, "docs/notes.md", None);
    desk.check("Read", Verb::Read, "docs/secret.md", None);
}

#[test]
fn what_no_longer_holds_is_forgotten() {
    let mut desk = Desk::new();
    desk.check("Read", Verb::Read, "docs/guide.md", Some(Mode::AutoPlan));
    desk.check("Read", Verb::Read, "docs/guide.md", Some(Mode::PlanFirst));
    desk.options = Options::as_of(knotrust_knowledge::date::IsoDate::read("2026-08-01").unwrap());
    let answer = desk.ask("Read", Verb::Read, "docs/guide.md");
    assert_eq!(
        (answer.approved, answer.invalidated.as_slice()),
        (false, ["guide".to_owned()].as_slice())
    );
    assert!(!desk.session.is_approved("d", "guide"));
}

#[test]
fn urls_are_seen_from_where_the_folder_is_served() {
    let mut desk = Desk::new();
    desk.check(
        "fetch",
        Verb::Read,
        "https://docs.example.com/docs/guide.md",
        Some(Mode::AutoPlan),
    );
    desk.check(
        "fetch",
        Verb::Read,
        "https://docs.example.com/x/docs/guide.md",
        None,
    );
    desk.check(
        "fetch",
        Verb::Read,
        "https://docs.example.com/docs/guide.md?raw",
        None,
    );
    desk.check(
        "fetch",
        Verb::Read,
        "https://docs.example.com.evil/docs/guide.md",
        None,
    );
}

#[test]
fn a_procedure_binds_while_it_is_followed() {
    let mut desk = Desk::new();
    desk.check("wiki", Verb::Read, "", None);
    desk.follow("tidy");
    desk.check("wiki", Verb::Read, "", Some(Mode::ScopeConformant));
    desk.check(
        "rm",
        Verb::Delete,
        "docs/old/a.md",
        Some(Mode::ScopeConformant),
    );
    desk.check("rm", Verb::Delete, "docs/guide.md", None);
    desk.check("Read", Verb::Read, "docs/guide.md", None);
    let denied = desk.ask("rm", Verb::Delete, "docs/old/x/../keep/a.md");
    assert!(denied.prohibited().is_some_and(|found| found.by_skill));
    desk.session.conclude();
    desk.check("Read", Verb::Read, "docs/guide.md", Some(Mode::AutoPlan));
}

#[test]
fn a_playbook_takes_away_from_its_skills() {
    let mut desk = Desk::new();
    desk.follow("sweep");
    desk.check("Read", Verb::Read, "docs/guide.md", Some(Mode::AutoPlan));
    desk.follow("tidy");
    let denied = desk.ask("wiki", Verb::Read, "");
    let prohibited = denied.prohibited().unwrap();
    assert_eq!(
        (
            prohibited.playbook_id.as_deref(),
            prohibited.step_id.as_deref()
        ),
        (Some("sweep"), Some("one"))
    );
}

#[test]
fn what_cannot_be_known_is_not_admitted() {
    let mut desk = Desk::new();
    let question = Question {
        tool: "sh".to_owned(),
        paths: vec!["docs/guide.md".to_owned()],
        indeterminate: true,
        ..Question::default()
    };
    let domain = Domain {
        name: "d",
        manifest: Ok(&desk.manifest),
        urls: &[],
        options: &desk.options,
    };
    assert!(!ask(domain, &mut desk.session, &question).approved);
}
