//! What is known of a tool before anybody calls it, for whoever shows lists of tools.

use knotrust_core::case::{Case, Standing};
use knotrust_core::json::{Text, Value};
use knotrust_core::request::{Annotations, Untrusted};
use knotrust_core::tier::Tier;

use super::Governor;
use crate::caller::Call;
use crate::clock;

/// What is known of a tool before anybody calls it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Outlook {
    /// Whether every call of it will be denied, whatever its arguments.
    pub hopeless: bool,
    /// Whether a call of it waits for a person, unless its arguments or a grant say otherwise.
    pub needs_person: bool,
}

impl Governor<'_> {
    /// What the policy says of a tool by its name, and by what its server admits.
    #[must_use]
    pub fn outlook(
        &self,
        server: &str,
        tool: &Text<'_>,
        annotations: Untrusted<Annotations>,
    ) -> Outlook {
        let call = Call {
            server,
            tool: tool.clone(),
            arguments: None,
            method: "",
            trace: None,
        };
        let mut request = self.caller.request(call, "", clock::now().wall);
        request.annotations = Some(annotations);
        let around = self.whereabouts.surroundings();
        let arguments = Value::Object(knotrust_core::json::Object::new());
        let standing = Standing::default();
        let case = Case::of(self.ruleset, &request, &arguments, standing, &around);
        Outlook {
            hopeless: case.is_denied_by_name(),
            needs_person: case.forced || case.tier == Tier::Critical,
        }
    }
}
