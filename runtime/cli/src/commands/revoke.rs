//! `knotrust revoke`: grants are taken back, for every process of the home, at its next decision.

use knotrust_core::audit::event::Kind;
use knotrust_core::json::{self, Text, Value};
use knotrust_core::ruleset::Ruleset;
use knotrust_govern::clock;
use knotrust_govern::grants::{GrantSet, Selector};

use super::Done;
use super::confirm::confirm;
use super::grant::{record, words};
use super::proxy::home;
use crate::arguments::Format;
use crate::arguments::consent::Revoke;
use crate::{exit, output};

/// Revokes what was chosen, once a person has seen it.
pub(super) fn run(ruleset: &Ruleset<'_>, revoke: &Revoke) -> Done {
    let home = home()?;
    let selector = match (&revoke.id, &revoke.tool) {
        (Some(id), _) => Selector::Id(id),
        (None, Some(tool)) => Selector::Tool(tool),
        (None, None) => Selector::All,
    };
    let mut grants = GrantSet::of(&home, &ruleset.approvals);
    let chosen = grants.chosen(selector)?;
    for grant in &chosen {
        let words = grant
            .claims
            .as_ref()
            .map_or_else(|| "cannot be read".to_owned(), words::sentence);
        output::note(&format!("{}: {words}", output::inert(&grant.id)));
    }
    let ask = format!("Revoke {} grant(s)?", chosen.len());
    if revoke.dry_run || (!chosen.is_empty() && !confirm(&ask, revoke.yes)?) {
        return Ok(if revoke.dry_run {
            exit::OK
        } else {
            exit::FAILED
        });
    }
    let revoked = grants.revoke(selector, clock::now().wall)?;
    for claims in revoked.iter().filter_map(|grant| grant.claims.as_ref()) {
        record(
            (ruleset, &home),
            Kind::GrantRevoked,
            claims,
            None,
            "revoked",
        )?;
    }
    match revoke.format {
        Format::Text => output::line(&format!("revoked: {}", revoked.len()))?,
        Format::Json => {
            let ids = revoked
                .into_iter()
                .map(|grant| Value::String(Text::from(grant.id)))
                .collect();
            output::line(&json::write(&Value::Array(ids)))?;
        }
    }
    Ok(exit::OK)
}
