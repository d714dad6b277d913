//! What the lines of a client are taken for; the rows are in `vectors/messages.json`.

use knotrust_mcp::route::{Relay, Route, Watch, route};
use knotrust_mcp::wire::frame::Frame;
use knotrust_mcp::wire::refusal::{Refusal, ReplyTo};

fn shown(line: &[u8]) -> String {
    match Frame::parse(line).map(route) {
        Err(refusal) | Ok(Route::Refuse(refusal)) => refused(&refusal),
        Ok(Route::Relay(Relay::OneWay) | Route::Answer(_)) => "relay".to_owned(),
        Ok(Route::Relay(Relay::Opening(id, _))) => format!("relay {id} introduction"),
        Ok(Route::Relay(Relay::Request(id, watch))) => {
            let watched = match watch {
                Watch::Nothing => "",
                Watch::Introduction => " introduction",
                Watch::Tools { from_start: true } => " tools from the start",
                Watch::Tools { from_start: false } => " more tools",
                Watch::Result => " result",
                Watch::Own => " own",
            };
            format!("relay {id}{watched}")
        }
        Ok(Route::Call(call)) => format!("call {} {}", call.id(), call.name().to_string_lossy()),
        Ok(Route::Place(place)) => {
            let id = place.id.map_or("-".to_owned(), |id| id.to_string());
            format!("place {id} {}", place.notice.method.to_string_lossy())
        }
        Ok(Route::Cancel(id)) => format!("cancel {id}"),
    }
}

fn refused(Refusal { flaw, to }: &Refusal) -> String {
    let to = match to {
        ReplyTo::Caller(id) => id.to_string(),
        ReplyTo::Unknown => "null".to_owned(),
        ReplyTo::Nobody => "nobody".to_owned(),
    };
    format!("{} {} to {to}", flaw.code(), flaw.name())
}

#[test]
fn lines_are_taken_for_what_they_are() {
    let text = include_str!("vectors/messages.json");
    let rules: serde_json::Value = serde_json::from_str(text).unwrap();
    let mut count = 0;
    for rule in rules.as_array().unwrap() {
        for row in rule["rows"].as_array().unwrap() {
            let line = row["line"].as_str().unwrap();
            assert_eq!(
                shown(line.as_bytes()),
                row["is"],
                "{}: {line}",
                rule["rule"]
            );
            count += 1;
        }
    }
    assert!(count > 80);
}

#[test]
fn bytes_that_are_no_utf_8_are_no_json() {
    for bytes in [
        &b"\x80"[..],
        b"\xc0\xaf",
        b"\xe0\x80\xae",
        b"\xed\xa0\x80",
        b"\xf4\x90\x80\x80",
        b"\xe2\x82",
        b"\xe9",
    ] {
        let line = [
            b"{\"jsonrpc\":\"2.0\",\"id\":61,\"method\":\"ping\",\"params\":{\"a\":\"",
            bytes,
            b"\"}}",
        ]
        .concat();
        assert_eq!(shown(&line), "-32700 not_json to null");
    }
}

#[test]
fn depth_ends_in_an_answer() {
    let nested = |open: usize, close: usize| {
        format!(
            r#"{{"jsonrpc":"2.0","id":71,"method":"ping","params":{{"a":{}{}}}}}"#,
            "[".repeat(open),
            "]".repeat(close)
        )
    };
    assert_eq!(shown(nested(100, 100).as_bytes()), "relay 71");
    assert_eq!(
        shown(nested(5_000, 5_000).as_bytes()),
        "-32600 too_deep to 71"
    );
    assert_eq!(
        shown(nested(100_000, 100_000).as_bytes()),
        "-32700 not_json to null"
    );
    assert_eq!(
        shown(nested(1_000_000, 0).as_bytes()),
        "-32700 not_json to null"
    );
    let unfinished = nested(5_000, 0);
    assert_eq!(shown(unfinished.as_bytes()), "-32700 not_json to null");
}
