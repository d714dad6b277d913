//! Forms, as browsers send them.

use knotrust_core::consent::Assertion;
use knotrust_core::json::{Object, Value};

/// The fields of a form. No name stands there twice: which of two counts is for nobody to guess.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Form(Vec<(String, String)>);

impl Form {
    /// Reads a body; nothing if it is not a form.
    pub(crate) fn read(body: &[u8]) -> Option<Self> {
        let mut fields: Vec<(String, String)> = Vec::new();
        let pairs = body.split(|byte| *byte == b'&');
        for pair in pairs.filter(|pair| !pair.is_empty()) {
            let mut halves = pair.splitn(2, |byte| *byte == b'=');
            let name = decoded(halves.next()?)?;
            let value = decoded(halves.next()?)?;
            if fields.iter().any(|(known, _)| *known == name) {
                return None;
            }
            fields.push((name, value));
        }
        Some(Self(fields))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        let named = |(known, _): &&(String, String)| known == name;
        self.0.iter().find(named).map(|(_, value)| value.as_str())
    }

    /// What a passkey signed, of the statement of that name.
    pub(crate) fn assertion(&self, statement: &str) -> Option<Assertion> {
        let mut object = Object::new();
        for part in [
            "credential",
            "authenticatorData",
            "clientDataJSON",
            "signature",
        ] {
            let value = self.get(&format!("{statement}.{part}"))?;
            object.insert(part, Value::string(value));
        }
        Assertion::read(&Value::Object(object))
    }
}

fn decoded(text: &[u8]) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.iter().copied();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => digit(rest.next()?)? << 4 | digit(rest.next()?)?,
            plain => plain,
        });
    }
    String::from_utf8(bytes).ok()
}

fn digit(byte: u8) -> Option<u8> {
    let digit = char::from(byte).to_digit(16)?;
    u8::try_from(digit).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_says_one_thing() {
        let get = |body: &str, name: &str| {
            let form = Form::read(body.as_bytes());
            form.map(|form| form.get(name).map(str::to_owned))
        };
        let some = |text: &str| Some(Some(text.to_owned()));
        assert_eq!(get("a=1&b=%C3%A9+x", "b"), some("é x"));
        assert_eq!(get("a=1&b=2", "c"), Some(None));
        assert_eq!(get("", "a"), Some(None));
        for broken in ["a", "a=1&a=2", "a=1&%61=2", "a=%", "a=%f", "a=%zz", "a=%ff"] {
            assert_eq!(get(broken, "a"), None, "{broken}");
        }
    }
}
