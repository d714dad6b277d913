//! "Always allow": a grant that lasts, for calls like this one.

use knotrust_core::consent::Consent;
use knotrust_core::grant::{
    AgentScope, Claims, IdPattern, Kind, Party, Scope, ToolPattern, Unsigned, in_words,
};
use knotrust_core::reason::Reason;
use knotrust_core::ruleset::Ruleset;
use knotrust_core::time::Timestamp;
use knotrust_govern::approvals::Ticket;
use knotrust_govern::clock::ulid::{Ulid, Ulids};
use knotrust_govern::grants::{AddError, GrantSet, recorded};
use knotrust_govern::home::Home;

use super::width::Width;

/// A grant that a person may keep, for a while of their choice.
///
/// All of it follows from the ticket, the while and its id, which also says when it was offered: so a passkey can sign,
/// on the page, what is made of the form later.
#[derive(Debug)]
pub(crate) struct Lasting {
    pub(crate) width: Width,
    pub(crate) span: Span,
    claims: Claims,
}

/// For how long.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Span {
    Hour,
    Day,
    Week,
    Month,
}

impl Lasting {
    /// The grant for this principal, agent and tool, so wide and for so long, at this tier. Nothing where a grant would not have let the
    /// call pass, or where a name cannot be written as exactly that name.
    pub(crate) fn of(
        ticket: &Ticket,
        ruleset: &Ruleset<'_>,
        (width, span): (Width, Span),
        id: &Ulid,
    ) -> Option<Self> {
        let wanted = [Reason::NoGrantSensitive, Reason::NoGrantCritical];
        let is_wanted = wanted.iter().any(|reason| reason.code() == ticket.reason);
        if !is_wanted || ticket.tier > ruleset.envelope.grant_ceiling {
            return None;
        }
        let request = &ticket.request;
        let (agent, subject) = (&request.context.agent, &request.subject);
        let kind = request.resource.kind.as_str()?;
        let second = u64::try_from(id.time().seconds()).ok()?;
        let claims = Claims {
            id: id.to_string(),
            issued_at: second,
            expires: second + span.seconds(),
            not_before: None,
            issuer: format!("{}:{}", subject.kind.as_str(), subject.id),
            kind: Kind::Durable,
            single_use: false,
            principal: party(subject.kind.as_str(), &subject.id),
            agent: AgentScope::Named(party(agent.kind.as_str(), &agent.id)),
            tool: ToolPattern::exactly(request.action.name.as_str()?)?,
            scope: match width {
                Width::Same | Width::Target => Scope {
                    resource_type: Some(kind.to_owned()).filter(|kind| !kind.is_empty()),
                    id: Some(IdPattern::exactly(request.resource.id.as_str()?)?),
                },
                Width::Tool => Scope::default(),
            },
            conditions: width.conditions(ticket)?,
            cap: ticket.tier,
            organisation: false,
            admin: None,
        };
        Some(Self {
            width,
            span,
            claims,
        })
    }

    /// One for each width and while that is offered, under one id: at most one of them is ever signed.
    pub(super) fn offered(
        ticket: &Ticket,
        ruleset: &Ruleset<'_>,
        now: Timestamp,
    ) -> (Option<Ulid>, Vec<Self>) {
        let Ok(id) = Ulids::default().next(now) else {
            return (None, Vec::new());
        };
        let all = Width::ALL
            .into_iter()
            .flat_map(|width| Span::ALL.map(|span| (width, span)));
        let of = |chosen| Self::of(ticket, ruleset, chosen, &id);
        (Some(id), all.filter_map(of).collect())
    }

    /// The id that a form names, if it was drawn while the ticket waited; else a new one.
    pub(super) fn id_in(named: Option<&str>, ticket: &Ticket, now: Timestamp) -> Option<Ulid> {
        let Some(named) = named else {
            return Ulids::default().next(now).ok();
        };
        let id = Ulid::read(named)?;
        (ticket.asked <= id.time() && id.time() <= now).then_some(id)
    }

    /// What it would allow, a line a fact.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = in_words(&self.claims);
        // How long is still to be chosen.
        words.pop();
        words
    }

    /// What is in the log of calls like those it would admit. A log that cannot be read says nothing.
    pub(super) fn seen(&self, home: &Home) -> Vec<String> {
        recorded(&self.claims, home).unwrap_or_default()
    }

    /// What a person signs to agree to it.
    pub(crate) fn challenge(&self) -> [u8; 32] {
        Unsigned::new(&self.claims).challenge()
    }

    /// Its id.
    pub(super) fn id(&self) -> &str {
        &self.claims.id
    }

    /// Signs it with the identity of the home and keeps it.
    pub(super) fn keep(
        &self,
        consent: Option<&Consent>,
        home: &Home,
        ruleset: &'static Ruleset<'static>,
    ) -> Result<(), AddError> {
        let unsigned = Unsigned::new(&self.claims);
        let unsigned = match consent {
            Some(consent) => unsigned.with_consent(consent),
            None => unsigned,
        };
        GrantSet::of(home, &ruleset.approvals)
            .issue(unsigned)
            .map(drop)
    }
}

impl Span {
    pub(crate) const ALL: [Self; 4] = [Self::Hour, Self::Day, Self::Week, Self::Month];

    /// The word in the form.
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Hour => "1h",
            Self::Day => "1d",
            Self::Week => "7d",
            Self::Month => "30d",
        }
    }

    /// The words on the page.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Hour => "for an hour",
            Self::Day => "for a day",
            Self::Week => "for 7 days",
            Self::Month => "for 30 days",
        }
    }

    pub(super) fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|span| span.as_str() == name)
    }

    const fn seconds(self) -> u64 {
        match self {
            Self::Hour => 3600,
            Self::Day => 86_400,
            Self::Week => 7 * 86_400,
            Self::Month => 30 * 86_400,
        }
    }
}

fn party(kind: &str, id: &str) -> Party {
    Party {
        kind: kind.to_owned(),
        id: id.to_owned(),
    }
}
