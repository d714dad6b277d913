//! Questions to a person, put through the client.
//!
//! Up to 2025-11-25 a question is a request of ours, which the client answers while its call waits. From 2026-07-28 on it is
//! the answer to the call, which the client makes again with what its person said. Either way it is shown to a person and
//! never to a model, and what comes back is one more answer to a ticket, which whoever holds the call judges.

use knotrust_core::json::{self, Object, Value};
use knotrust_govern::channels::{Answerable, Questions, Reach};
use knotrust_govern::permit::Question;

use crate::revision::Era;
use crate::wire::id::Id;
use crate::wire::reply;

/// Where a request of the newer kind says what its client can do.
pub const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";

/// What our states begin with, so that nobody takes a server's for one of them.
const STATE: &str = "knotrust:";
/// The one question in an answer that asks.
const KEY: &str = "knotrust";
/// The field of the form.
const FIELD: &str = "approve";

/// The kinds of questions that a client puts to its person.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Asks {
    /// It shows forms.
    pub forms: bool,
    /// It opens addresses.
    pub pages: bool,
}

/// What came back from a question.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Said {
    /// Yes.
    Yes,
    /// No.
    No,
    /// That the page is open; the answer comes from there.
    Opened,
    /// Nothing that decides.
    Nothing,
}

impl Asks {
    /// What a client declares. One that declares elicitation and no mode of it shows forms.
    #[must_use]
    pub fn of(capabilities: Option<&Value<'_>>) -> Self {
        let declared = capabilities.and_then(|declared| declared.get("elicitation"));
        let Some(Value::Object(modes)) = declared else {
            return Self::default();
        };
        let pages = modes.get("url").is_some();
        Self {
            forms: modes.get("form").is_some() || !pages,
            pages,
        }
    }

    /// How a person can be reached in a call of this era.
    #[must_use]
    pub const fn reach(self, era: Era) -> Reach {
        let questions = match era {
            Era::Legacy => Questions::Asked,
            Era::Modern => Questions::Returned,
        };
        Reach {
            questions,
            forms: answerable(self.forms),
            pages: answerable(self.pages),
            holds: Answerable::Yes,
        }
    }
}

const fn answerable(can: bool) -> Answerable {
    if can { Answerable::Yes } else { Answerable::No }
}

/// The question as a request to the client, as a line.
#[must_use]
pub fn request(id: &Id, question: &Question) -> Vec<u8> {
    let mut params = params(question);
    if question.page.is_some() {
        params.insert("elicitationId", elicitation(id));
    }
    reply::request(id, "elicitation/create", params)
}

/// What tells the client that the page of that question needs nothing more, as a line.
#[must_use]
pub fn complete(id: &Id) -> Vec<u8> {
    let mut params = Object::new();
    params.insert("elicitationId", elicitation(id));
    reply::notification("notifications/elicitation/complete", params)
}

/// The question as the result of a call, as a line.
#[must_use]
pub fn input_required(id: &Id, question: &Question, state: &str) -> Vec<u8> {
    let mut input = Object::new();
    input.insert("method", Value::string("elicitation/create"));
    input.insert("params", Value::Object(params(question)));
    let mut inputs = Object::new();
    inputs.insert(KEY, Value::Object(input));
    let mut result = Object::new();
    result.insert("resultType", Value::string("input_required"));
    result.insert("inputRequests", Value::Object(inputs));
    result.insert("requestState", Value::string(state));
    reply::result(id, &Value::Object(result))
}

/// A state of ours, by what nobody guesses.
#[must_use]
pub fn state(secret: &str) -> String {
    format!("{STATE}{secret}")
}

/// Whether a call came with a state of ours.
#[must_use]
pub fn has_state(params: &Object<'_>) -> bool {
    let state = params.get("requestState").and_then(Value::as_str);
    state.is_some_and(|state| state.starts_with(STATE))
}

/// What a call brought back; nothing if it has no answer.
#[must_use]
pub fn brought_back(params: &Object<'_>, question: &Question) -> Option<Said> {
    let answer = params.get("inputResponses")?.get(KEY)?;
    Some(said(Some(answer), question))
}

/// What an answer to a question says. Only a form that was accepted with its field filled in says yes.
#[must_use]
pub fn said(result: Option<&Value<'_>>, question: &Question) -> Said {
    let action = result.and_then(|result| result.get("action"));
    match (action.and_then(Value::as_str), &question.page) {
        (Some("decline"), _) => Said::No,
        (Some("accept"), Some(_)) => Said::Opened,
        (Some("accept"), None) => {
            let content = result.and_then(|result| result.get("content"));
            match content.and_then(|content| content.get(FIELD)) {
                Some(Value::Bool(true)) => Said::Yes,
                Some(Value::Bool(false)) => Said::No,
                Some(_) | None => Said::Nothing,
            }
        }
        (Some(_) | None, _) => Said::Nothing,
    }
}

fn params(question: &Question) -> Object<'_> {
    let mut params = Object::new();
    let mode = if question.page.is_some() {
        "url"
    } else {
        "form"
    };
    params.insert("mode", Value::string(mode));
    params.insert("message", Value::string(&question.message));
    match &question.page {
        Some(page) => params.insert("url", Value::string(page)),
        None => params.insert("requestedSchema", form()),
    }
    params
}

fn form() -> Value<'static> {
    let form = br#"{"type":"object","properties":{"approve":{"type":"boolean","title":"Let this call run once","default":false}},"required":["approve"]}"#;
    json::parse(form).unwrap_or(Value::Null)
}

fn elicitation(id: &Id) -> Value<'static> {
    Value::String(id.to_string().trim_matches('"').to_owned().into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(capabilities: &str) -> (bool, bool) {
        let read = json::parse(capabilities.as_bytes()).unwrap();
        let asks = Asks::of(Some(&read));
        (asks.forms, asks.pages)
    }

    #[test]
    fn a_client_is_asked_by_what_it_declares() {
        assert_eq!(asks("{}"), (false, false));
        assert_eq!(asks(r#"{"elicitation":{}}"#), (true, false));
        assert_eq!(asks(r#"{"elicitation":{"form":{}}}"#), (true, false));
        assert_eq!(asks(r#"{"elicitation":{"url":{}}}"#), (false, true));
        assert_eq!(
            asks(r#"{"elicitation":{"form":{},"url":{}}}"#),
            (true, true)
        );
        assert_eq!(asks(r#"{"elicitation":true}"#), (false, false));
    }

    #[test]
    fn only_a_form_with_a_true_field_is_a_yes() {
        let form = Question {
            message: String::new(),
            page: None,
        };
        let page = Question {
            page: Some(String::new()),
            ..form.clone()
        };
        for (answer, by_form, by_page) in [
            (
                r#"{"action":"accept","content":{"approve":true}}"#,
                Said::Yes,
                Said::Opened,
            ),
            (
                r#"{"action":"accept","content":{"approve":false}}"#,
                Said::No,
                Said::Opened,
            ),
            (
                r#"{"action":"accept","content":{"approve":"true"}}"#,
                Said::Nothing,
                Said::Opened,
            ),
            (r#"{"action":"accept"}"#, Said::Nothing, Said::Opened),
            (
                r#"{"action":"decline","content":{"approve":true}}"#,
                Said::No,
                Said::No,
            ),
            (
                r#"{"action":"cancel","content":{"approve":true}}"#,
                Said::Nothing,
                Said::Nothing,
            ),
            (
                r#"{"content":{"approve":true}}"#,
                Said::Nothing,
                Said::Nothing,
            ),
            ("[]", Said::Nothing, Said::Nothing),
        ] {
            let read = json::parse(answer.as_bytes()).unwrap();
            assert_eq!(said(Some(&read), &form), by_form, "{answer}");
            assert_eq!(said(Some(&read), &page), by_page, "{answer}");
        }
        assert_eq!(said(None, &form), Said::Nothing);
    }
}
