//! One function a target: bytes that anybody may send, and what must hold whatever they are. A violation panics.

use std::path::Path;

use ed25519_dalek::SigningKey;
use knotrust_codegen::emit::emit;
use knotrust_core::canonical::canonical;
use knotrust_core::classify::classify;
use knotrust_core::glob::{Casing, Kind, Pattern, Token};
use knotrust_core::grant::{
    AgentScope, Claims, Conditions, Grant, Keyring, Kind as GrantKind, Party, Scope, ToolPattern,
    Trust, Unsigned,
};
use knotrust_core::json::{self, FaultKind, Object, Text, Value};
use knotrust_core::names::NamesBuilder;
use knotrust_core::ruleset::Approvals;
use knotrust_core::surroundings::{NoLinks, Os, Surroundings};
use knotrust_core::targets::building::Builder;
use knotrust_core::targets::ground::Ground;
use knotrust_core::targets::own::Own;
use knotrust_core::targets::place::Holder;
use knotrust_core::tier::Tier;
use knotrust_language::pattern::{Effort, Set};
use knotrust_language::{check_bytes, render};
use knotrust_mcp::wire::frame::{Frame, TOOLS_CALL};
use knotrust_mcp::wire::lines::{Batch, Lines};
use knotrust_mcp::wire::scan::{Message, Progress, Scanner};

/// Lines of a client and of a server: what is taken for a call is the call that any other reader sees, and how a line is cut
/// into reads makes no difference.
pub fn wire(bytes: &[u8]) {
    let mut lines = Lines::new(bytes, 4096);
    loop {
        match lines.wait() {
            Ok(Batch::Lines(block)) => block.split_inclusive(|byte| *byte == b'\n').for_each(line),
            Ok(Batch::TooLong(head)) => assert!(head.len() >= 4096),
            Ok(Batch::End { left_over }) => {
                assert!(left_over <= bytes.len());
                break;
            }
            Err(error) => panic!("reading from memory failed: {error}"),
        }
    }
    line(bytes);
}

fn line(bytes: &[u8]) {
    assert_eq!(
        scanned(bytes, bytes.len()),
        scanned(bytes, 1),
        "in one piece, and byte by byte"
    );
    let Ok(Frame::Call(call)) = Frame::parse(bytes) else {
        return;
    };
    // What holds a lone surrogate, a number beyond doubles, or much nesting, serde_json refuses.
    let Ok(other) = serde_json::from_slice::<serde_json::Value>(bytes) else {
        return;
    };
    assert_eq!(other["method"], TOOLS_CALL);
    assert_eq!(other["params"]["name"].as_str(), call.name().as_str());
    assert_eq!(
        other["params"].get("arguments").is_some(),
        call.arguments().is_some()
    );
    if let Some(arguments) = call.arguments() {
        let ours = json::write(&Value::Object(arguments.clone()));
        let ours: serde_json::Value = serde_json::from_str(&ours).expect("what we write is JSON");
        assert_eq!(other["params"]["arguments"], ours);
    }
}

/// Where something was found, and what the line is.
fn scanned(bytes: &[u8], piece: usize) -> (Vec<(usize, &'static str)>, bool, Option<Message>) {
    let mut scanner = Scanner::default();
    let (mut at, mut marks) = (0, Vec::new());
    'pieces: for chunk in bytes.chunks(piece.max(1)) {
        let end = at + chunk.len();
        while at < end {
            match scanner.feed(&bytes[at..end]) {
                Progress::More => at = end,
                Progress::Body(length) => {
                    at += length;
                    marks.push((at, "body"));
                }
                Progress::End(length) => {
                    marks.push((at + length, "end"));
                    break 'pieces;
                }
                Progress::Fault(length) => {
                    marks.push((at + length, "fault"));
                    break 'pieces;
                }
            }
        }
    }
    (marks, scanner.is_whole(), scanner.message())
}

/// Strict JSON: what is read is written again as it was, its canonical form is its own canonical form, and what is refused as no
/// JSON is none for others either.
pub fn json(bytes: &[u8]) {
    let other = serde_json::from_slice::<serde_json::Value>(bytes);
    let value = match json::parse(bytes) {
        Ok(value) => value,
        Err(fault) => {
            let refused_by_all = matches!(fault.kind, FaultKind::Syntax | FaultKind::NotUtf8);
            assert!(
                !refused_by_all || other.is_err(),
                "refused, and JSON: {fault}"
            );
            return;
        }
    };
    let written = json::write(&value);
    let again = json::parse(written.as_bytes()).expect("what we write, we read");
    assert_eq!(again, value);
    let Ok(form) = canonical(&value) else {
        return;
    };
    let again = json::parse(form.as_bytes()).expect("a canonical form is JSON");
    assert_eq!(canonical(&again).as_deref(), Ok(&*form));
}

/// A policy: it is refused with a problem, or there is a sound ruleset that has a text as Rust.
pub fn policy(bytes: &[u8]) {
    let judge = || check_bytes("fuzz.yaml", bytes, Path::new("/nowhere"));
    let (checked, problems) = judge();
    let refused = problems.errors().next().is_some();
    assert_eq!(
        checked.is_none() && !is_pack(bytes),
        refused && !is_pack(bytes)
    );
    for text in [
        render::text(&problems, render::Colour::Always),
        render::text(&problems, render::Colour::Never),
    ] {
        assert_eq!(text.is_empty(), problems.iter().next().is_none());
    }
    for text in [render::json(&problems), render::sarif(&problems)] {
        serde_json::from_str::<serde_json::Value>(&text).expect("findings are JSON");
    }
    let Some(checked) = checked else {
        return;
    };
    checked.lend(|ruleset| {
        assert!(ruleset.is_sound());
        assert!(emit(ruleset).text.contains(ruleset.digest));
    });
    let (again, _) = judge();
    assert_eq!(
        again.map(|again| again.digest().to_owned()).as_deref(),
        Some(checked.digest())
    );
}

fn is_pack(bytes: &[u8]) -> bool {
    bytes.windows(4).any(|window| window == b"Pack")
}

/// Arguments of a call: whatever follows it, a command that reads a governed file touches it, and so does a path or URL below
/// what is governed.
pub fn targets(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut builder = Builder::default();
    builder.path("docs/", Holder::Domain(0)).expect("a path");
    builder
        .url("https://docs.example.com/a", Holder::Domain(1))
        .expect("a URL");
    let places = builder.finish();
    for os in [Os::Linux, Os::Macos, Os::Windows] {
        let (cwd, home) = match os {
            Os::Windows => ("C:/proj", "C:/home"),
            Os::Linux | Os::Macos => ("/proj", "/home/dev"),
        };
        let around = Surroundings {
            cwd,
            home,
            os,
            naming: os.naming(),
            links: &NoLinks,
        };
        places.lend(|places| {
            let ground = Ground::lay(places, &Own::NOTHING, &around);
            let touched = |tool: &str, name: &str, value: &str| {
                let mut arguments = Object::new();
                arguments.insert(name, Value::String(Text::from(value)));
                classify(&ground, &NoLinks, tool, &Value::Object(arguments)).domains()
            };
            for (tool, name) in [
                ("read_file", "path"),
                ("fetch", "url"),
                ("run", "command"),
                ("apply_patch", "patch"),
                ("x", "y"),
            ] {
                touched(tool, name, &text);
            }
            if os != Os::Windows && !text.contains('\0') {
                let command = format!("cat docs/pay.md\n{text}");
                assert!(
                    touched("bash", "command", &command).contains(&0),
                    "{command:?}"
                );
            }
        });
    }
}

/// Tokens of grants: none verifies but the one that was signed.
pub fn tokens(bytes: &[u8]) {
    let signed = token();
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut keys = Keyring::new();
    let known = keys.trust(key().verifying_key().as_bytes());
    known.expect("the key is a good one");
    let trust = Trust {
        keys: &keys,
        approvals: &Approvals::DEFAULT,
    };
    let _ = knotrust_core::grant::said_by(text);
    if Grant::verify(text, trust).is_ok() {
        assert_eq!(text, signed, "a token that nobody signed");
    }
}

/// The one token that verifies.
pub fn token() -> String {
    let claims = Claims {
        id: "01TEST".to_owned(),
        issued_at: 1_800_000_000,
        expires: 1_900_000_000,
        not_before: None,
        issuer: "user:dev".to_owned(),
        kind: GrantKind::Durable,
        single_use: false,
        principal: Party {
            kind: "user".to_owned(),
            id: "dev".to_owned(),
        },
        agent: AgentScope::Any,
        tool: ToolPattern::read("github.*".to_owned()),
        scope: Scope::default(),
        conditions: Conditions::None,
        cap: Tier::Sensitive,
        organisation: false,
        admin: None,
    };
    Unsigned::new(&claims).sign(&key())
}

fn key() -> SigningKey {
    SigningKey::from_bytes(&[0x42; 32])
}

/// Two patterns and a text, a line each: they match as a matcher says that is too simple to be wrong, the index over names finds
/// what matches, and a set that contains another has all of its names.
pub fn globs(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return;
    };
    let mut lines = text.splitn(3, '\n');
    let (Some(one), Some(other), Some(name)) = (lines.next(), lines.next(), lines.next()) else {
        return;
    };
    // The simple matcher takes exponential time.
    if [one, other, name].iter().any(|text| text.len() > 24) {
        return;
    }
    let characters: Vec<_> = name.chars().collect();
    let mut patterns = Vec::new();
    for (kind, written) in [(Kind::Name, one), (Kind::Name, other), (Kind::Path, one)] {
        let Ok(pattern) = Pattern::parse(kind, written) else {
            continue;
        };
        for glob in pattern.globs() {
            assert!(glob.is_canonical());
            let tokens: Vec<_> = glob.tokens().collect();
            if tokens.iter().filter(|token| is_long(token)).count() <= 6 {
                assert_eq!(
                    glob.matches(name),
                    naive(kind, &tokens, &characters),
                    "{written} as {}",
                    glob.text()
                );
            }
            let _ = glob.matches_with(name, Casing::Folded);
            let _ = glob.matches_below(name, Casing::Folded);
        }
        if kind == Kind::Name {
            patterns.push(pattern);
        }
    }
    let mut builder = NamesBuilder::new();
    for (id, pattern) in (0..).zip(&patterns) {
        builder.add(id, pattern);
    }
    let (names, mut found) = (builder.build(), Vec::new());
    names.lend().matching(name, &mut found);
    found.sort_unstable();
    found.dedup();
    let matching = (0..)
        .zip(&patterns)
        .filter(|(_, pattern)| pattern.matches(name));
    assert_eq!(
        found,
        matching.map(|(id, _)| id).collect::<Vec<u32>>(),
        "{name}"
    );
    if let [one, other] = patterns.as_slice() {
        let (wide, narrow) = (Set::of([one]), Set::of([other]));
        let contains = wide
            .contains(&narrow, &mut { Effort::ONE_QUESTION })
            .is_ok_and(|contains| contains);
        assert!(!contains || !narrow.matches(name) || wide.matches(name));
        let apart = wide
            .overlaps(&narrow, &mut { Effort::ONE_QUESTION })
            .is_ok_and(|overlaps| !overlaps);
        assert!(!(apart && narrow.matches(name) && wide.matches(name)));
    }
}

fn is_long(token: &Token<'_>) -> bool {
    match token {
        Token::Star | Token::Deep | Token::Folders | Token::Below => true,
        Token::Char(_) | Token::One | Token::Class(_) => false,
    }
}

/// Matches by trying every split of the text.
fn naive(kind: Kind, tokens: &[Token<'_>], text: &[char]) -> bool {
    let Some((token, tokens)) = tokens.split_first() else {
        return text.is_empty();
    };
    let inside = |c: char| kind == Kind::Name || c != '/';
    let splits = |accepts: &dyn Fn(&[char]) -> bool| {
        (0..=text.len()).any(|at| accepts(&text[..at]) && naive(kind, tokens, &text[at..]))
    };
    match token {
        Token::Char(expected) => splits(&|taken| taken == [*expected]),
        Token::One => splits(&|taken| matches!(taken, [c] if inside(*c))),
        Token::Class(class) => {
            splits(&|taken| matches!(taken, [c] if inside(*c) && class.contains(*c)))
        }
        Token::Star => splits(&|taken| kind == Kind::Name || !taken.contains(&'/')),
        Token::Deep => splits(&|_| true),
        Token::Folders => splits(&|taken| taken.is_empty() || taken.ends_with(&['/'])),
        Token::Below => splits(&|taken| taken.is_empty() || taken.starts_with(&['/'])),
    }
}
