//! Calls that touch governed knowledge, through a governor and its log.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test that cannot go on should stop"
)]

use std::fs;
use std::path::Path;

use knotrust_core::json::{Object, Text, Value, parse};
use knotrust_core::names::{Names, Row};
use knotrust_core::precedence::STANDARD;
use knotrust_core::request::{SubjectKind, SurfaceKind};
use knotrust_core::ruleset::{
    Approvals, Defaults, Domain, Envelope, Gates, Manifest, Money, Rules, Ruleset, Settings,
    Unlisted, Use,
};
use knotrust_core::targets::building::Builder;
use knotrust_core::targets::place::Holder;
use knotrust_core::tier::Tier;
use knotrust_govern::caller::{Call, Caller};
use knotrust_govern::channels::Reach;
use knotrust_govern::governance::{Answer, tools};
use knotrust_govern::governor::Governor;
use knotrust_govern::home::Home;
use knotrust_govern::permit::Ruling;
use knotrust_govern::whereabouts::Whereabouts;

const MANIFEST: &str = "
project: sample
version: '1'
units:
- {id: alpha, path: docs/alpha.md, intent: About alpha, audience: [agent]}
- {id: gamma, path: docs/gamma.md, intent: About gamma, audience: [operator]}
- {id: old, path: docs/old.md, intent: About old, temporal: {valid_until: 2020-01-01}}
- {id: notes, path: docs/notes.md, intent: About notes, action_scope: {capabilities: [write]}}
- {id: paid, path: docs/paid.md, intent: About paid, payment: {methods: [{type: x402, currency: USDC, price_per_request: '0.1'}]}}
- {id: index, path: docs/index.md, intent: Index, action_scope: {tools: [search]}}
- {id: tidy, path: docs/tidy.md, intent: Tidy up, kind: skill, load_eligible: true, action_scope: {tools: [wiki, read_file], paths: [docs/**], deny: {tools: [publish]}}}
- {id: sloppy, path: docs/sloppy.md, intent: Sloppy, kind: skill, action_scope: {tools: [wiki]}}
";

/// One session over a governed folder, and the log it leaves.
struct Desk<'r> {
    governor: Governor<'r>,
    folder: &'r Path,
}

/// Runs a session over a scratch folder with the manifest in it.
fn session(then: impl FnOnce(&Desk<'_>)) {
    let scratch = tempfile::tempdir().unwrap();
    let folder = scratch.path().canonicalize().unwrap();
    fs::create_dir(folder.join("docs")).unwrap();
    for name in ["alpha", "gamma", "notes", "paid", "tidy"] {
        fs::write(folder.join(format!("docs/{name}.md")), format!("{name}\n")).unwrap();
    }
    let manifest = folder.join("knowledge.yaml");
    fs::write(&manifest, MANIFEST).unwrap();
    let mut places = Builder::default();
    let pattern = format!("{}/docs/", folder.display());
    places.path(&pattern, Holder::Domain(0)).unwrap();
    let path = manifest.to_string_lossy();
    let domains = [Domain {
        name: "handbook",
        floor: None,
        manifest: Manifest::live(&path),
        urls: &[],
    }];
    let (tool, skill) = ([Use::DomainTool(0).id()], [Use::DomainSkill(0).id()]);
    let names = [
        Row::new("files.search", &tool),
        Row::new("files.wiki", &tool),
        Row::new("sloppy", &skill),
        Row::new("tidy", &skill),
    ];
    let gates = Gates {
        payment_methods: &["free", "x402"],
        money: Some(Money {
            amount: "0.25",
            currency: "USDC",
        }),
        withheld_tools: &["kcp_replay"],
        ..Gates::DEFAULT
    };
    places.finish().lend(|places| {
        let ruleset = Ruleset {
            name: "test",
            version: 1,
            digest: "",
            files: &[],
            servers: &[],
            unlisted_servers: Unlisted::Allow,
            defaults: Defaults {
                unknown_tool: Tier::Routine,
                destructive_looking: Tier::Routine,
            },
            rules: Rules::Rows(&[]),
            resources: &[],
            domains: &domains,
            gates,
            places,
            envelope: Envelope::NONE,
            approvals: Approvals::DEFAULT,
            settings: Settings::DEFAULT,
            names: Names::listed(&names),
            precedence: STANDARD,
        };
        let home = Home::open(Some(folder.join("home").as_os_str()), None).unwrap();
        let caller = Caller {
            subject: "dev".to_owned(),
            subject_kind: SubjectKind::User,
            agent: "agent".to_owned(),
            surface: SurfaceKind::StdioProxy,
            instance: "session-1".to_owned(),
            transport: "stdio",
        };
        let governor = Governor::open(&ruleset, &home, caller, Whereabouts::here()).unwrap();
        then(&Desk {
            governor,
            folder: &folder,
        });
    });
}

impl Desk<'_> {
    fn call(&self, tool: &str, arguments: &str) -> &'static str {
        let arguments = arguments.replace("docs/", &format!("{}/docs/", self.folder.display()));
        let arguments = parse(arguments.as_bytes()).unwrap();
        let call = Call {
            server: "files",
            tool: Text::from(tool),
            arguments: arguments.as_object().cloned(),
            method: "",
            trace: None,
        };
        let ruling = self.governor.rule(call, Reach::default());
        match ruling {
            Ruling::Allow(_) => "allow",
            Ruling::Deny(denial) => denial.decision.reason.code(),
            Ruling::Hold(_) => "hold",
        }
    }

    fn read(&self, path: &str) -> &'static str {
        self.call("read_file", &format!(r#"{{"path": "{path}"}}"#))
    }

    fn tool(&self, name: &str, arguments: &str) -> Answer {
        let arguments = parse(arguments.as_bytes()).unwrap();
        self.governor.call_tool(name, &arguments).unwrap()
    }

    /// The log so far, one event a line.
    fn log(&self) -> String {
        let audit = self.folder.join("home/audit");
        let mut files: Vec<_> = fs::read_dir(audit)
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .filter(|path| path.extension().is_some_and(|end| end == "jsonl"))
            .collect();
        files.sort();
        files
            .iter()
            .map(|path| fs::read_to_string(path).unwrap())
            .collect()
    }

    #[track_caller]
    fn logged(&self, kind: &str, says: &str) {
        let log = self.log();
        let of_kind = format!(r#""type":"{kind}""#);
        let found = log
            .lines()
            .any(|line| line.contains(&of_kind) && line.contains(says));
        assert!(found, "no {kind} that says {says} in\n{log}");
    }
}

const DENIED: &str = "governed_blocked";

#[test]
fn what_an_eligible_unit_covers_is_read_and_nothing_beside_it() {
    session(|desk| {
        assert_eq!(desk.read("docs/alpha.md"), "allow");
        assert_eq!(desk.read("docs/sub/../alpha.md"), "allow");
        for path in [
            "docs/gamma.md",
            "docs/old.md",
            "docs/other.md",
            "docs/x/alpha.md",
            "docs/",
        ] {
            assert_eq!(desk.read(path), DENIED, "{path}");
        }
        assert_eq!(desk.read("elsewhere/alpha.md"), "allow");
        desk.logged("decision", r#""mode":"auto-plan""#);
        desk.logged("decision", r#""mode":"plan-first""#);
        desk.logged("decision", r#"excludes role 'agent'"#);
    });
}

#[test]
fn writing_and_deleting_need_the_units_word() {
    session(|desk| {
        let to = |name: &str| format!(r#"{{"path": "docs/{name}.md", "content": "x"}}"#);
        assert_eq!(desk.call("write_file", &to("alpha")), DENIED);
        assert_eq!(desk.call("write_file", &to("notes")), "allow");
        assert_eq!(desk.call("delete_file", &to("notes")), DENIED);
        assert_eq!(
            desk.call("bash", r#"{"command": "rm docs/notes.md"}"#),
            DENIED
        );
        assert_eq!(
            desk.call("bash", r#"{"command": "cat docs/notes.md"}"#),
            "allow"
        );
        assert_eq!(
            desk.call("bash", r#"{"command": "cat docs/notes.md $X"}"#),
            DENIED
        );
    });
}

#[test]
fn a_governed_tool_needs_a_plan_of_its_own() {
    session(|desk| {
        assert_eq!(desk.call("wiki", r#"{"q": "alpha"}"#), DENIED);
        assert_eq!(desk.call("wiki", r#"{"path": "docs/alpha.md"}"#), DENIED);
        assert_eq!(desk.call("search", r#"{"q": "alpha"}"#), "allow");
    });
}

#[test]
fn a_skill_is_followed_and_what_it_denies_stays_denied() {
    session(|desk| {
        assert_eq!(desk.call("publish", "{}"), "allow");
        assert_eq!(desk.call("Skill", r#"{"skill": "sloppy"}"#), DENIED);
        desk.logged("skill_skipped", "no explicit eligibility grant");
        assert_eq!(desk.call("Skill", r#"{"skill": "tidy"}"#), "allow");
        desk.logged("skill_loaded", r#""id":"tidy""#);
        assert_eq!(desk.call("wiki", r#"{"q": "alpha"}"#), "allow");
        desk.logged("conformance_verdict", r#""passed":true"#);
        assert_eq!(
            desk.call("list_directory", r#"{"path": "docs/alpha.md"}"#),
            DENIED
        );
        assert_eq!(desk.call("publish", "{}"), DENIED);
        desk.logged("prohibited_attempt", r#""unit_id":"tidy""#);
        assert!(!desk.tool("kcp_plan", r#"{"task": "alpha"}"#).is_error);
        assert_eq!(
            desk.call("list_directory", r#"{"path": "docs/alpha.md"}"#),
            "allow"
        );
        assert_eq!(desk.call("publish", "{}"), DENIED);
    });
}

#[test]
fn money_is_spent_until_there_is_no_more() {
    session(|desk| {
        assert_eq!(desk.read("docs/paid.md"), "allow");
        desk.logged("budget_spend", r#""remaining":0.15"#);
        assert_eq!(desk.read("docs/paid.md"), "allow");
        assert_eq!(desk.read("docs/paid.md"), DENIED);
        let answer = desk.tool("harness_budget", "{}");
        let value = answer.structured.unwrap();
        assert_eq!(value.pointer("/totals/USDC"), parse(b"0.2").ok().as_ref());
    });
}

#[test]
fn a_plan_that_no_longer_holds_is_approved_no_longer() {
    session(|desk| {
        assert!(!desk.tool("kcp_plan", r#"{"task": "about alpha"}"#).is_error);
        assert_eq!(desk.read("docs/alpha.md"), "allow");
        desk.logged("decision", r#""mode":"plan-first""#);
        let changed = MANIFEST.replace("audience: [agent]", "audience: [operator]");
        fs::write(desk.folder.join("knowledge.yaml"), changed).unwrap();
        assert_eq!(desk.read("docs/alpha.md"), DENIED);
        desk.logged("temporal_drift", "about alpha");
        desk.logged("plan_invalidated", "alpha");
        fs::remove_file(desk.folder.join("knowledge.yaml")).unwrap();
        assert_eq!(desk.read("docs/notes.md"), DENIED);
    });
}

#[test]
fn tools_answer_and_take_no_word_for_what_the_policy_says() {
    session(|desk| {
        let offered = tools(desk.governor.ruleset());
        assert!(offered.iter().all(|tool| tool.name != "kcp_replay"));
        assert!(
            desk.governor
                .call_tool("kcp_replay", &Value::Null)
                .is_none()
        );
        assert!(desk.governor.call_tool("other", &Value::Null).is_none());
        for tool in &offered {
            let arguments = r#"{"task": "alpha", "answer": "Confidence: 0.9", "threshold": 0.5}"#;
            let arguments = parse(arguments.as_bytes()).unwrap();
            let members = tool
                .input
                .get("properties")
                .and_then(Value::as_object)
                .unwrap();
            let given = arguments.as_object().unwrap().iter();
            let given: Object<'_> = given
                .filter(|(name, _)| members.iter().any(|(known, _)| known == *name))
                .map(|(name, value)| (name.clone(), value.clone()))
                .collect();
            let answer = desk
                .governor
                .call_tool(tool.name, &Value::Object(given))
                .unwrap();
            assert!(!answer.is_error, "{}: {}", tool.name, answer.text);
            let structured = answer.structured.unwrap();
            for name in tool
                .output
                .get("required")
                .and_then(Value::as_array)
                .unwrap()
            {
                let name = name.as_str().unwrap();
                assert!(structured.get(name).is_some(), "{}: {name}", tool.name);
            }
        }
        for arguments in [
            r#"{"task": "gamma", "role": "operator"}"#,
            r#"{"task": "gamma", "manifest": "/etc/passwd"}"#,
            r#"{"task": "gamma", "credentials": ["x"]}"#,
            r#"{}"#,
        ] {
            assert!(desk.tool("kcp_load", arguments).is_error, "{arguments}");
        }
    });
}

#[test]
fn what_was_loaded_and_has_not_changed_is_withheld() {
    session(|desk| {
        let load = || {
            desk.tool("kcp_load", r#"{"task": "about alpha"}"#)
                .structured
                .unwrap()
        };
        let first = load();
        let unit = |value: &Value<'_>, member: &str| {
            let units = value.get("units").and_then(Value::as_array).unwrap();
            let alpha = units
                .iter()
                .find(|unit| unit.get("id").and_then(Value::as_str) == Some("alpha"));
            alpha.unwrap().get(member).cloned().map(Value::into_owned)
        };
        assert_eq!(unit(&first, "content"), Some(Value::string("alpha\n")));
        let second = load();
        assert_eq!(unit(&second, "content"), None);
        assert_eq!(unit(&second, "unchanged"), Some(Value::Bool(true)));
        fs::write(desk.folder.join("docs/alpha.md"), "new\n").unwrap();
        assert_eq!(unit(&load(), "content"), Some(Value::string("new\n")));
    });
}
