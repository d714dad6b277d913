//! Patterns against a matcher too simple to be wrong, and the rows of `tests/vectors/glob.json`.

use super::*;

/// Matches by trying every split of the text: exponential, and plainly what the table in the module's documentation says.
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
        Token::Star => splits(&|taken| !taken.contains(&'/')),
        Token::Deep => splits(&|_| true),
        Token::Folders => splits(&|taken| taken.is_empty() || taken.ends_with(&['/'])),
        Token::Below => splits(&|taken| taken.is_empty() || taken.starts_with(&['/'])),
    }
}

/// Every text of up to `length` of these characters.
fn texts(alphabet: &[char], length: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..length {
        last = last
            .iter()
            .flat_map(|text| alphabet.iter().map(move |c| format!("{text}{c}")))
            .collect();
        all.extend(last.iter().cloned());
    }
    all
}

fn compare(kind: Kind, pieces: &[&str], count: usize, names: &[String]) {
    let mut patterns = vec![String::new()];
    for _ in 0..count {
        patterns = patterns
            .iter()
            .flat_map(|head| pieces.iter().map(move |piece| format!("{head}{piece}")))
            .collect();
    }
    for written in patterns.iter().filter(|written| !written.is_empty()) {
        let Ok(pattern) = Pattern::parse(kind, written) else {
            continue;
        };
        for glob in pattern.globs() {
            assert!(glob.is_canonical(), "{written} is spelled {}", glob.text());
            let tokens: Vec<_> = glob.tokens().collect();
            for name in names {
                let characters: Vec<_> = name.chars().collect();
                let expected = naive(kind, &tokens, &characters);
                assert_eq!(
                    glob.matches(name),
                    expected,
                    "{written} as {} on {name}",
                    glob.text()
                );
            }
        }
    }
}

#[test]
fn name_patterns_match_like_the_naive_matcher() {
    let pieces = ["", "a", "b", "*", "?", "[!a]", "{a,*b}"];
    compare(Kind::Name, &pieces, 4, &texts(&['a', 'b'], 4));
}

#[test]
fn path_patterns_match_like_the_naive_matcher() {
    let pieces = ["", "a", "/", "*", "**", "?", "**/", "/**"];
    compare(Kind::Path, &pieces, 4, &texts(&['a', '/'], 5));
}

#[test]
fn path_stars_return_to_the_right_place() {
    let pieces = ["*a", "**b", "/", "*", "**/", "a?"];
    compare(Kind::Path, &pieces, 4, &texts(&['a', 'b', '/'], 5));
}

#[test]
fn a_folder_is_reached_if_a_path_below_it_matches() {
    let below = |pattern: &str, folder: &str| {
        let pattern = Pattern::path(pattern).unwrap();
        pattern
            .globs()
            .any(|glob| glob.matches_below(folder, Casing::Exact))
    };
    let rows = [
        ("docs/", "docs", true),
        ("docs/", "docs/a", true),
        ("docs/", "src", false),
        ("src/docs/", "src", true),
        ("src/docs/", "", true),
        ("src/*/x", "src/a", true),
        ("src/*/x", "src/a/b", false),
        ("**/*.env", "anything/at/all", true),
        ("a.md", "a", false),
    ];
    for (pattern, folder, expected) in rows {
        assert_eq!(below(pattern, folder), expected, "{pattern} below {folder}");
    }
}

#[test]
fn below_agrees_with_the_paths_themselves() {
    let names = texts(&['a', 'b', '/'], 6);
    for written in [
        "a/*b",
        "*/a/**",
        "**/b/a",
        "a/b",
        "a**b",
        "?/a*/b",
        "b/{a,b/a}",
    ] {
        let pattern = Pattern::path(written).unwrap();
        for folder in texts(&['a', 'b', '/'], 2)
            .iter()
            .filter(|folder| !folder.is_empty() && !folder.ends_with('/'))
        {
            let start = format!("{folder}/");
            let expected = names
                .iter()
                .any(|name| name.starts_with(&start) && pattern.matches(name));
            let found = pattern
                .globs()
                .any(|glob| glob.matches_below(folder, Casing::Exact));
            assert_eq!(found, expected, "{written} below {folder}");
        }
    }
}

#[test]
fn hostile_patterns_cost_little() {
    let pattern = Pattern::name(&format!("{}b", "*a".repeat(500))).unwrap();
    assert!(!pattern.matches(&"a".repeat(4_000)));
    let pattern = Pattern::path(&format!("**{}b", "*a".repeat(30))).unwrap();
    assert!(!pattern.matches(&"a".repeat(1_000)));
}

#[test]
fn case_folds_without_surprises() {
    let folded = |pattern: &str, path: &str| {
        Pattern::path(pattern)
            .unwrap()
            .matches_with(path, Casing::Folded)
    };
    assert!(folded("docs/", "DOCS/pay.md"));
    assert!(folded("docs/", "doc\u{17f}/pay.md"));
    assert!(folded("DOCS/", "docs"));
    assert!(folded("[a-f]/", "B"));
    assert!(!folded("docs/", "d\u{f6}cs/pay.md"));
    assert!(folded("stra\u{df}e/", "STRA\u{1e9e}E/x"));
    assert!(folded("i/", "I"));
    assert!(!folded("i/", "\u{130}"));
}

#[test]
fn letters_of_a_path_pattern_are_composed() {
    let pattern = Pattern::path("re\u{301}sume\u{301}s/").unwrap();
    assert!(pattern.matches("r\u{e9}sum\u{e9}s/a.md"));
}

#[test]
fn spellings_are_canonical() {
    let spelled = |kind, text: &str| {
        let pattern = Pattern::parse(kind, text).unwrap();
        pattern
            .globs()
            .map(|glob| glob.text().to_owned())
            .collect::<Vec<_>>()
            .join(" ")
    };
    let rows = [
        (Kind::Name, "a**b", "a*b"),
        (Kind::Name, "*?*?a?*", "??*a?*"),
        (Kind::Name, "{a,a,b*}*", "a* b*"),
        (Kind::Name, "[a][ba][a-cb-d][!x]", "a[ab][a-d][!x]"),
        (Kind::Name, "[]a-][^]]", "[\\-\\]a][!\\]]"),
        (Kind::Name, "\\a\\*\\\\", "a\\*\\\\"),
        (Kind::Name, "x{a,{b,c{d,}}}", "xa xb xc xcd"),
        (Kind::Path, "docs", "docs/**"),
        (Kind::Path, "./docs//a/", "docs/a/**"),
        (Kind::Path, "docs/../a/./*", "a/*"),
        (Kind::Path, ".", "**"),
        (Kind::Path, "/", "/**"),
        (Kind::Path, "/../etc", "/etc/**"),
        (Kind::Path, "../x/", "../x/**"),
        (Kind::Path, "a/**/**/b", "a/**/b"),
        (Kind::Path, "a/**/", "a/**"),
        (Kind::Path, "{x,*}*/", "*/** x*/**"),
        (Kind::Path, "src/{a,b/**}/x", "src/a/x/** src/b/**/x"),
    ];
    for (kind, text, expected) in rows {
        assert_eq!(spelled(kind, text), expected, "{text}");
    }
}

#[test]
fn a_malformed_pattern_is_an_error_at_the_faulty_character() {
    let rows = [
        (Kind::Name, "", 0, "the pattern is empty"),
        (Kind::Name, "github.[ab", 7, "`[` has no `]`"),
        (Kind::Name, "github.[]", 7, "`[` has no `]`"),
        (Kind::Name, "github.[a-", 7, "`[` has no `]`"),
        (Kind::Name, "github.{a,b", 7, "`{` has no `}`"),
        (Kind::Name, "github.{a,{b}", 7, "`{` has no `}`"),
        (Kind::Name, "github.a\\", 8, "`\\` escapes nothing"),
        (Kind::Name, "github.[\\", 8, "`\\` escapes nothing"),
        (Kind::Name, "github.[z-a]", 8, "`z-a` runs backwards"),
        (Kind::Name, "github.ab]", 9, "`]` has no `[`"),
        (Kind::Name, "github.a,b}", 10, "`}` has no `{`"),
        (Kind::Name, "{}", 0, "the braces are empty"),
        (Kind::Name, "a{}", 1, "the braces are empty"),
        (Kind::Name, "{,}", 0, "the braces are empty"),
        (Kind::Name, "\u{e9}{a", 2, "`{` has no `}`"),
        (Kind::Path, "docs/[", 5, "`[` has no `]`"),
        (Kind::Path, "docs/[/]", 5, "no character is in this class"),
        (
            Kind::Path,
            "docs/[!\0-\u{10ffff}]",
            5,
            "no character is in this class",
        ),
        (
            Kind::Path,
            "{docs,}",
            0,
            "this alternative is an empty path",
        ),
        (Kind::Path, "docs/*/../a", 7, "`..` follows a wildcard"),
        (
            Kind::Name,
            &"{a,".repeat(40),
            48,
            "the braces are nested more than 16 deep",
        ),
        (
            Kind::Name,
            &"{a,b}".repeat(10),
            0,
            "the braces stand for 1024 patterns, more than 1000",
        ),
        (
            Kind::Name,
            &"a".repeat(5_000),
            0,
            "the pattern has 5000 bytes, more than 4096",
        ),
    ];
    for (kind, text, at, message) in rows {
        let error = Pattern::parse(kind, text).expect_err(text);
        assert_eq!(
            (error.at(), error.to_string().as_str()),
            (at, message),
            "{text}"
        );
        assert!(!error.help().is_empty());
    }
}

#[test]
fn the_vectors_hold() {
    let vectors: serde_json::Value =
        serde_json::from_str(include_str!("../../tests/vectors/glob.json")).unwrap();
    let mut checked = 0;
    for row in vectors["rows"].as_array().unwrap() {
        let kind = if row["kind"] == "name" {
            Kind::Name
        } else {
            Kind::Path
        };
        let pattern = Pattern::parse(kind, row["pattern"].as_str().unwrap()).unwrap();
        for (member, expected) in [("matches", true), ("not", false)] {
            for text in row[member].as_array().unwrap() {
                let text = text.as_str().unwrap();
                assert_eq!(
                    pattern.matches(text),
                    expected,
                    "{} on {text}",
                    pattern.text()
                );
                checked += 1;
            }
        }
    }
    assert!(checked > 100, "{checked} rows");
}
