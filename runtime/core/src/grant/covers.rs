//! Whether a grant speaks of a call.

use super::Grant;
use super::claims::{AgentScope, Claims, Conditions, Kind, Scope};
use super::error::GrantError;
use crate::json::Value;
use crate::request::{Agent, DecisionRequest, Resource};
use crate::surroundings::Surroundings;

/// A call as grants see it.
#[derive(Clone, Copy)]
pub struct Call<'a> {
    /// What is asked.
    pub request: &'a DecisionRequest<'a>,
    /// Its arguments ([`DecisionRequest::arguments`]).
    pub arguments: &'a Value<'a>,
    /// Its hash in the reference's normal form ([`DecisionRequest::call_hash`]), where it has one.
    pub hash: Option<&'a str>,
    /// Its exact hash ([`crate::exact::call_hash`]).
    pub exact: &'a str,
    /// The session in which it is made.
    pub session: Option<&'a str>,
    /// Where it is made.
    pub around: &'a Surroundings<'a>,
}

impl Grant {
    /// Whether the grant speaks of the call, at this second: all the reference checks but the cap, which precedence
    /// weighs, and the uses, which the ledger counts.
    ///
    /// # Errors
    ///
    /// The first of [`GrantError::Expired`] to [`GrantError::CallMismatch`] that applies.
    pub fn covers(&self, call: &Call<'_>, now: u64) -> Result<(), GrantError> {
        in_time(self.claims(), now)?;
        self.fits(call)?;
        match self.claims().bounds().and_then(|bounds| bounds.hours) {
            Some(hours) if !hours.hold(now) => Err(GrantError::ConditionsUnmet),
            Some(_) | None => Ok(()),
        }
    }

    /// Whether the grant would cover the call at some time.
    ///
    /// # Errors
    ///
    /// The first of [`GrantError::PrincipalMismatch`] to [`GrantError::CallMismatch`] that applies.
    pub fn fits(&self, call: &Call<'_>) -> Result<(), GrantError> {
        let claims = self.claims();
        let subject = &call.request.subject;
        if !claims.principal.is(subject.kind.as_str(), &subject.id) {
            return Err(GrantError::PrincipalMismatch);
        }
        if !speaks_of(&claims.agent, &call.request.context.agent) {
            return Err(GrantError::AgentMismatch);
        }
        if !claims.tool.matches(&call.request.action.name) {
            return Err(GrantError::ToolMismatch);
        }
        if !within(&claims.scope, &call.request.resource) {
            return Err(GrantError::ScopeMismatch);
        }
        meets(&claims.conditions, call)?;
        if !is_bound_to(&claims.kind, call) {
            return Err(GrantError::CallMismatch);
        }
        Ok(())
    }

    /// The next second at which what the grant covers may change, or `None` if it never will: a remembered answer must
    /// not outlive it.
    #[must_use]
    pub fn changes_after(&self, now: u64) -> Option<u64> {
        let claims = self.claims();
        if now >= claims.expires {
            return None;
        }
        // To know when hours begin and end would be easy, and is not worth it: such answers are not remembered.
        if claims.bounds().is_some_and(|bounds| bounds.hours.is_some()) {
            return Some(now);
        }
        let start = claims.not_before.filter(|start| now < *start);
        Some(start.unwrap_or(claims.expires))
    }
}

const fn in_time(claims: &Claims, now: u64) -> Result<(), GrantError> {
    if now >= claims.expires {
        return Err(GrantError::Expired);
    }
    match claims.not_before {
        Some(first) if now < first => Err(GrantError::NotYetValid),
        Some(_) | None => Ok(()),
    }
}

fn speaks_of(scope: &AgentScope, agent: &Agent<'_>) -> bool {
    match scope {
        AgentScope::Any => true,
        AgentScope::Named(named) => named.is(agent.kind.as_str(), &agent.id),
    }
}

fn within(scope: &Scope, resource: &Resource<'_>) -> bool {
    let kind = scope.resource_type.as_deref();
    let type_fits = kind.is_none_or(|kind| resource.kind.as_bytes() == kind.as_bytes());
    let id = scope.id.as_ref();
    type_fits && id.is_none_or(|pattern| pattern.matches(&resource.id))
}

fn meets(conditions: &Conditions, call: &Call<'_>) -> Result<(), GrantError> {
    match conditions {
        Conditions::None => Ok(()),
        Conditions::Unsupported => Err(GrantError::ConditionsUnsupported),
        Conditions::Bounds(bounds) if bounds.admit(call) => Ok(()),
        Conditions::Bounds(_) => Err(GrantError::ConditionsUnmet),
    }
}

fn is_bound_to(kind: &Kind, call: &Call<'_>) -> bool {
    match kind {
        Kind::Durable => true,
        Kind::Ephemeral { call: hash, exact } => {
            let same = call.hash == Some(hash.as_str());
            same && exact.as_deref().is_none_or(|exact| call.exact == exact)
        }
    }
}
