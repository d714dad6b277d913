//! Which other manifests may be followed from here.

use knotrust_core::json::Value;

use crate::date::IsoDate;
use crate::gate::Case;
use crate::manifest::{Listing, Manifest, Reference, Standing};
use crate::members::{Members, quoted, text};

/// What a plan says about a reference.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ReferencePlan {
    /// Its name.
    pub id: String,
    /// Where it is.
    pub url: String,
    /// Whether it may be followed, once its credential is there.
    pub selected: bool,
    /// Why, or why not.
    pub reason: String,
    /// The credential that fetching takes and the agent lacks.
    pub credential_needed: Option<String>,
    /// Where to read how to get it.
    pub docs_url: Option<String>,
    /// A copy beside the manifest.
    pub local_mirror: Option<String>,
}

/// What there is to say about all references of a manifest.
pub(crate) fn references(case: Case<'_>) -> Vec<ReferencePlan> {
    let references = case.manifest.references.iter();
    references
        .map(|reference| ReferencePlan::of(reference, case))
        .collect()
}

impl ReferencePlan {
    fn of(reference: &Reference, case: Case<'_>) -> Self {
        let objection = context_objection(reference, case.options.env.as_deref())
            .or_else(|| time_objection(reference, case.manifest, &case.options.as_of));
        let credential = credential_needed(reference, &case.options.capabilities.credentials);
        let reason = match (&objection, credential) {
            (Some(objection), _) => objection.clone(),
            (None, Some(credential)) => format!("needs {credential} before fetch"),
            (None, None) => "eligible".to_owned(),
        };
        Self {
            id: reference.id.clone(),
            url: reference.url.clone(),
            selected: objection.is_none(),
            reason,
            credential_needed: credential.map(str::to_owned),
            docs_url: reference.identity.docs_url.clone(),
            local_mirror: reference.local_mirror.clone(),
        }
    }

    pub(crate) fn to_json(&self) -> Value<'static> {
        Members::new()
            .text("id", &self.id)
            .text("url", &self.url)
            .flag("selected", self.selected)
            .text("reason", &self.reason)
            .maybe(
                "credentialNeeded",
                self.credential_needed.as_deref().map(text),
            )
            .maybe("docsUrl", self.docs_url.as_deref().map(text))
            .maybe("localMirror", self.local_mirror.as_deref().map(text))
            .done()
    }

    pub(crate) fn outcome_json(&self) -> Value<'static> {
        Members::new()
            .text("id", &self.id)
            .flag("selected", self.selected)
            .text("reason", &self.reason)
            .maybe(
                "credentialNeeded",
                self.credential_needed.as_deref().map(text),
            )
            .done()
    }
}

fn context_objection(reference: &Reference, env: Option<&str>) -> Option<String> {
    let contexts = match &reference.context {
        Listing::Absent => return None,
        Listing::Malformed(_) => {
            return Some("context is no list of environments, so it is for none".to_owned());
        }
        Listing::Listed(contexts) => contexts,
    };
    match env {
        Some(env) if contexts.iter().any(|context| context == env) => None,
        Some(env) => Some(format!("context {} excludes env '{env}'", quoted(contexts))),
        None => Some(format!(
            "context {} requires a declared env; none given (fail-closed)",
            quoted(contexts)
        )),
    }
}

/// A reference outside its window is not followed, nor one that has been replaced (C18).
fn time_objection(reference: &Reference, manifest: &Manifest, as_of: &IsoDate) -> Option<String> {
    if let Some(objection) = reference.temporal.objection(as_of) {
        return Some(objection);
    }
    let id = reference.temporal.superseded_by.as_deref()?;
    // A successor that is still to come replaces nothing yet. One that isn't here can't be asked.
    let successor = manifest.references.iter().find(|other| other.id == id);
    let is_to_come =
        successor.is_some_and(|successor| successor.temporal.standing(as_of) == Standing::Future);
    (!is_to_come).then(|| format!("superseded by {id}"))
}

fn credential_needed<'r>(reference: &'r Reference, held: &[String]) -> Option<&'r str> {
    let hint = reference
        .identity
        .credential_hint
        .as_deref()
        .filter(|_| reference.identity.required)?;
    (!held.iter().any(|credential| credential == hint)).then_some(hint)
}
