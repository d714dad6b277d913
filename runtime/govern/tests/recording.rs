//! What the log keeps of calls, as the policy wants it.
#![allow(
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop"
)]

use std::fs;

use expect_test::{Expect, expect};
use knotrust_core::audit::event::Ending;
use knotrust_core::json::{Text, Value, parse};
use knotrust_core::names::{Names, Row};
use knotrust_core::precedence::STANDARD;
use knotrust_core::request::{SubjectKind, SurfaceKind};
use knotrust_core::ruleset::{
    Approvals, Bound, Defaults, Effect, Envelope, Gates, Place, Ranks, Rule, Rules, Ruleset,
    Settings, Source, Unlisted, Use,
};
use knotrust_core::targets::building::Builder;
use knotrust_core::tier::Tier;
use knotrust_govern::caller::{Call, Caller};
use knotrust_govern::channels::Reach;
use knotrust_govern::governor::Governor;
use knotrust_govern::home::Home;
use knotrust_govern::permit::Ruling;
use knotrust_govern::whereabouts::Whereabouts;

const SETTINGS: Settings = Settings::DEFAULT;

/// Rules on these calls, each a tool and its arguments, and shows what the log has of them.
#[track_caller]
fn check(settings: Settings, calls: &[(&str, &str)], expected: &Expect) {
    let scratch = tempfile::tempdir().unwrap();
    let home = Home::open(Some(scratch.path().join("home").as_os_str()), None).unwrap();
    Builder::default().finish().lend(|places| {
        let rules = [Rule {
            place: Place { file: 0, line: 1 },
            pattern: "files.read",
            source: Source::Own,
            effect: Effect::Tier(Tier::Routine),
            when: &[],
            wider: Ranks::NONE,
        }];
        let names = [
            Row::new("files.read", const { &[Use::Rule(0).id()] }),
            Row::new("files.wipe", const { &[Use::EnvelopeDeny(0).id()] }),
        ];
        let ruleset = Ruleset {
            name: "test",
            version: 1,
            digest: "",
            files: &["k.yaml"],
            servers: &[],
            unlisted_servers: Unlisted::Allow,
            defaults: Defaults {
                unknown_tool: Tier::Routine,
                destructive_looking: Tier::Critical,
            },
            rules: Rules::Rows(&rules),
            resources: &[],
            domains: &[],
            gates: Gates::DEFAULT,
            places,
            envelope: Envelope {
                deny: &[Bound {
                    pattern: "files.wipe",
                    place: Place { file: 0, line: 2 },
                }],
                ..Envelope::NONE
            },
            approvals: Approvals::DEFAULT,
            settings,
            names: Names::listed(&names),
            precedence: STANDARD,
        };
        let caller = Caller {
            subject: "user".to_owned(),
            subject_kind: SubjectKind::User,
            agent: "agent".to_owned(),
            surface: SurfaceKind::StdioProxy,
            instance: "test".to_owned(),
            transport: "stdio",
        };
        let here = Whereabouts::here();
        let governor = Governor::open(&ruleset, &home, caller, here).unwrap();
        for (tool, arguments) in calls {
            let Value::Object(arguments) = parse(arguments.as_bytes()).unwrap() else {
                panic!("arguments are an object");
            };
            let call = Call {
                server: "files",
                tool: Text::from(*tool),
                arguments: Some(arguments),
                method: "tools/call",
                trace: None,
            };
            if let Ruling::Allow(permit) = governor.rule(call, Reach::default()) {
                governor.ended(&permit.spend(), Ending::Answered).unwrap();
            }
        }
    });
    let mut told = String::new();
    for file in fs::read_dir(scratch.path().join("home/audit")).unwrap() {
        for line in fs::read(file.unwrap().path())
            .unwrap()
            .split(|byte| *byte == b'\n')
        {
            let Ok(event) = parse(line) else { continue };
            let word = |name| event.get(name).and_then(Value::as_str).unwrap_or_default();
            let raw = event.get("rawArgs").map(knotrust_core::json::write);
            if !word("tool").is_empty() {
                let raw = raw.unwrap_or_default();
                told += &format!(
                    "{} {} {} {raw}\n",
                    word("type"),
                    word("tool"),
                    word("outcome")
                );
            }
        }
    }
    expected.assert_eq(&told);
}

#[test]
fn arguments_are_kept_only_where_the_policy_wants_them() {
    let calls = [("read", r#"{"b":1e2,"a":"x"}"#)];
    check(
        SETTINGS,
        &calls,
        &expect![[r#"
            decision files.read allow 
            call_ended files.read  
        "#]],
    );
    let settings = Settings {
        capture_arguments: true,
        ..SETTINGS
    };
    check(
        settings,
        &calls,
        &expect![[r#"
            decision files.read allow {"a":"x","b":100}
            call_ended files.read  
        "#]],
    );
}

#[test]
fn what_nothing_governs_is_left_out_where_the_policy_wants_it_so() {
    let calls = [
        ("unheard_of", "{}"),
        ("read", "{}"),
        ("wipe", "{}"),
        ("unheard_of", "{}"),
        ("delete_all", "{}"),
    ];
    check(
        SETTINGS,
        &calls,
        &expect![[r#"
            decision files.unheard_of allow 
            call_ended files.unheard_of  
            decision files.read allow 
            call_ended files.read  
            decision files.wipe deny 
            decision files.unheard_of allow 
            call_ended files.unheard_of  
            decision files.delete_all pending_approval 
        "#]],
    );
    let settings = Settings {
        audit_all_calls: false,
        ..SETTINGS
    };
    check(
        settings,
        &calls,
        &expect![[r#"
            decision files.read allow 
            call_ended files.read  
            decision files.wipe deny 
            decision files.delete_all pending_approval 
        "#]],
    );
}
