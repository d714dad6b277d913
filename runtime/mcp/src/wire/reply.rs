//! What is said to the client in our own name: whole lines, ready to be written.

use knotrust_core::json::{Object, Value, write};

use super::id::Id;

/// The error code for a server that is gone; what the software development kits use too.
pub const SERVER_GONE: i32 = -32000;

/// An error in answer to a request, or to something whose id is unknown.
#[must_use]
pub fn error(id: Option<&Id>, code: i32, message: &str) -> Vec<u8> {
    error_with(id, code, message, None)
}

/// An error that carries more for programs to read.
#[must_use]
pub fn error_with(id: Option<&Id>, code: i32, message: &str, data: Option<Value<'_>>) -> Vec<u8> {
    let mut error = Object::new();
    error.insert("code", Value::Number(i64::from(code).into()));
    error.insert("message", Value::string(message));
    if let Some(data) = data {
        error.insert("data", data);
    }
    line(id, "error", &Value::Object(error))
}

/// A result in answer to a request.
#[must_use]
pub fn result(id: &Id, result: &Value<'_>) -> Vec<u8> {
    line(Some(id), "result", result)
}

/// A notification.
#[must_use]
pub fn notification(method: &str, params: Object<'_>) -> Vec<u8> {
    let mut message = Object::new();
    message.insert("jsonrpc", Value::string("2.0"));
    message.insert("method", Value::string(method));
    message.insert("params", Value::Object(params));
    let mut line = write(&Value::Object(message)).into_bytes();
    line.push(b'\n');
    line
}

/// A request of our own.
#[must_use]
pub fn request(id: &Id, method: &str, params: Object<'_>) -> Vec<u8> {
    let mut line = b"{\"jsonrpc\":\"2.0\",\"id\":".to_vec();
    id.write(&mut line);
    line.extend_from_slice(b",\"method\":");
    line.extend_from_slice(write(&Value::string(method)).as_bytes());
    line.extend_from_slice(b",\"params\":");
    line.extend_from_slice(write(&Value::Object(params)).as_bytes());
    line.extend_from_slice(b"}\n");
    line
}

fn line(id: Option<&Id>, member: &str, value: &Value<'_>) -> Vec<u8> {
    let mut line = b"{\"jsonrpc\":\"2.0\",\"id\":".to_vec();
    match id {
        Some(id) => id.write(&mut line),
        None => line.extend_from_slice(b"null"),
    }
    line.extend_from_slice(b",\"");
    line.extend_from_slice(member.as_bytes());
    line.extend_from_slice(b"\":");
    line.extend_from_slice(write(value).as_bytes());
    line.extend_from_slice(b"}\n");
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(line: &[u8], expected: &str) {
        assert_eq!(std::str::from_utf8(line).unwrap(), format!("{expected}\n"));
    }

    #[test]
    fn answers_are_one_line_with_the_callers_own_id() {
        let id = Id::read(br#""\ud800""#).unwrap();
        check(
            &error(Some(&id), -32600, "a\n\"b\""),
            r#"{"jsonrpc":"2.0","id":"\ud800","error":{"code":-32600,"message":"a\n\"b\""}}"#,
        );
        check(
            &error(None, -32700, "not JSON"),
            r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"not JSON"}}"#,
        );
        check(
            &result(
                &Id::read(b"9223372036854775807").unwrap(),
                &Value::Object(Object::new()),
            ),
            r#"{"jsonrpc":"2.0","id":9223372036854775807,"result":{}}"#,
        );
    }
}
