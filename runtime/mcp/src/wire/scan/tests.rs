use proptest::prelude::*;

use super::*;

fn scan_in(pieces: &[&[u8]]) -> (Scanner, Option<Progress>) {
    let mut scanner = Scanner::default();
    for piece in pieces {
        let mut rest = *piece;
        loop {
            match scanner.feed(rest) {
                Progress::More => break,
                Progress::Body(end) => rest = &rest[end..],
                stop @ (Progress::End(_) | Progress::Fault(_)) => return (scanner, Some(stop)),
            }
        }
    }
    (scanner, None)
}

#[track_caller]
fn check(line: &str, expected: &str) {
    let (scanner, stop) = scan_in(&[line.as_bytes(), b"\n"]);
    let seen = match (stop, scanner.message()) {
        (Some(Progress::Fault(_)), _) => "fault".to_owned(),
        (_, None) => "no message".to_owned(),
        (_, Some(Message::Request)) => format!("request {}", scanner.id().unwrap()),
        (_, Some(Message::Notification)) => "notification".to_owned(),
        (_, Some(Message::Answer(id, answer))) => {
            format!(
                "{answer:?} {}",
                id.map_or("-".to_owned(), |id| id.to_string())
            )
        }
    };
    assert_eq!(seen, expected, "{line}");
}

#[test]
fn messages_are_told_apart() {
    check(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#, "Result 1");
    check(
        r#"{"result":{"a":[1,2.5e3,true]},"jsonrpc":"2.0","id":"x"}"#,
        r#"Result "x""#,
    );
    check(
        r#" { "jsonrpc" : "2.0" , "id" : 1 , "error" : {"code":-1,"message":""} } "#,
        "Error 1",
    );
    check(r#"{"jsonrpc":"2.0","id":null,"error":{}}"#, "Error -");
    check(r#"{"jsonrpc":"2.0","error":{}}"#, "Error -");
    check(r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#, "request 4");
    check(
        r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{"id":7}}"#,
        "notification",
    );
    check(r#"{"jsonrpc":"2.0","i\u0064":1,"result":{}}"#, "Result 1");
}

#[test]
fn a_failed_tool_is_seen_where_it_is_said_and_nowhere_else() {
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[],"isError":true}}"#,
        "ToolError 1",
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"isErr\u006fr": true}}"#,
        "ToolError 1",
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"isError":false}}"#,
        "Result 1",
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":{"isError":true}}}"#,
        "Result 1",
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"isError":[true]}}"#,
        "Result 1",
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"isError":"true","b":true}}"#,
        "Result 1",
    );
}

#[test]
fn what_is_no_message_is_none() {
    for line in [
        "",
        "{}",
        r#"{"level":"info","msg":"listening"}"#,
        r#"{"jsonrpc":"2.0"}"#,
        r#"{"jsonrpc":"2.0","id":1}"#,
        r#"{"jsonrpc":"1.0","id":1,"result":{}}"#,
        r#"{"jsonrpc":2.0,"id":1,"result":{}}"#,
        r#"{"id":1,"result":{}}"#,
        r#"{"jsonrpc":"2.0","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":null,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1.5,"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":[1],"result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#,
        r#"{"jsonrpc":"2.0","id":1,"method":7}"#,
        r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#,
        r#"{"jsonrpc":"2.0","id":1,"result":{"#,
        r#"{"jsonrpc":"2.0","id":1,"result":"ab"#,
    ] {
        check(line, "no message");
    }
}

#[test]
fn what_two_readers_could_read_differently_is_a_fault() {
    check("Fake server v1.2 ready", "fault");
    check("[1,2]", "fault");
    check("42", "fault");
    check("\u{feff}{}", "fault");
    check(r#"{"jsonrpc":"2.0","id":1,"result":{},"id":2}"#, "fault");
    check(r#"{"jsonrpc":"2.0","id":1,"result":{},"ID":2}"#, "fault");
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{},"\u0069d":2}"#,
        "fault",
    );
    check(
        r#"{"jsonrpc":"2.0","id":1,"result":{"a":/* } */1}}"#,
        "fault",
    );
    check(r#"{"id":1}{"id":2}"#, "fault");
    check(r#"{"id":1} x"#, "fault");
    check(r#"{"id":01}"#, "fault");
    check(r#"{"id":1,}"#, "fault");
    check(r#"{"a":NaN}"#, "fault");
    check(r#"{"a":[1}"#, "fault");
    check(r#"{"a":"\x"}"#, "fault");
    check(r#"{"a":1.}"#, "fault");
    check(r#"{"a":trux}"#, "fault");
    check(&"{\"a\":".repeat(20_000), "fault");
}

#[test]
fn the_body_of_an_answer_is_known_from_its_head() {
    let head = |text: &str| scan_in(&[text.as_bytes()]).0.is_in_answer();
    assert!(head(
        r#"{"jsonrpc":"2.0","id":1,"result":{"content":[{"text":"aaa"#
    ));
    assert!(head(r#"{"result":{"a"#));
    assert!(head(r#"{"jsonrpc":"2.0","id":1,"error":{"#));
    assert!(!head(r#"{"jsonrpc":"2.0","id":1,"result":["a""#));
    assert!(!head(r#"{"jsonrpc":"2.0","id":null,"result":{"a""#));
    assert!(!head(r#"{"jsonrpc":"1.0","id":1,"result":{"a""#));
    assert!(!head(r#"{"method":"x","result":{"a""#));
    assert!(!head(r#"{"jsonrpc":"2.0","method":"x","params":{"a""#));
    assert!(!head(r#"{"jsonrpc":"2.0","result":{},"x":{"a""#));
}

#[test]
fn the_end_of_the_body_is_told_once() {
    let mut scanner = Scanner::default();
    let line = b"{\"jsonrpc\":\"2.0\",\"result\":{\"a\":{}},\"id\":1}\n";
    assert_eq!(scanner.feed(line), Progress::Body(34));
    assert_eq!(scanner.feed(&line[34..]), Progress::End(9));
    assert_eq!(
        scanner.message(),
        Some(Message::Answer(
            Some(Id::read(b"1").unwrap()),
            Answer::Result
        ))
    );
}

proptest! {
    #[test]
    fn pieces_are_read_like_the_whole(cuts in proptest::collection::vec(0usize..200, 0..12)) {
        let line: &[u8] = b"{\"jsonrpc\":\"2.0\",\"id\":\"\\u0061\\n\",\"result\":{\"t\":[-1.5e+3,true,null,\"\\\\x\"],\"isError\":true},\"y\":{}} \r\n";
        let mut cuts: Vec<usize> = cuts.into_iter().map(|cut| cut.min(line.len())).collect();
        cuts.extend([0, line.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &line[pair[0]..pair[1]]).collect();
        let (scanner, _) = scan_in(&pieces);
        prop_assert_eq!(scanner.message(), Some(Message::Answer(Id::read(b"\"a\\n\""), Answer::ToolError)));
    }

    #[test]
    fn strict_json_is_never_a_fault(depth in 0usize..6, text in "[a-z\"\\\\\\[\\]{},:0-9]{0,20}") {
        let value = serde_json::json!({ "t": text, "n": [1, -2.5, null, true, {}] }).to_string();
        let nested = format!("{}{value}{}", "[".repeat(depth), "]".repeat(depth));
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{nested}}}\n");
        let (scanner, _) = scan_in(&[line.as_bytes()]);
        prop_assert_eq!(scanner.message(), Some(Message::Answer(Id::read(b"1"), Answer::Result)));
    }
}
