//! `knotrust grant`: a person says yes to calls like this one, before they come.

pub(super) mod consent;
mod new;
mod verify;
pub(super) mod words;

use std::fs;
use std::io::Read as _;
use std::path::Path;

use knotrust_core::audit::event::{Agreed, Event, Given, Kind};
use knotrust_core::consent::Consent;
use knotrust_core::grant::{Claims, challenge_of};
use knotrust_core::json::{self, Value};
use knotrust_core::ruleset::Ruleset;
use knotrust_govern::audit::Log;
use knotrust_govern::clock;
use knotrust_govern::grants::{GrantSet, Listed};
use knotrust_govern::home::Home;

use super::Done;
use super::proxy::home;
use crate::arguments::Format;
use crate::arguments::consent::{Grant, GrantVerb};
use crate::{exit, output};

/// Signs a grant, or looks at those that are there.
pub(super) fn run(ruleset: &'static Ruleset<'static>, grant: Grant) -> Done {
    let home = home()?;
    match grant.verb {
        None => new::run(ruleset, &home, &grant.new),
        Some(GrantVerb::List { format }) => list(ruleset, &home, None, format),
        Some(GrantVerb::Show { id, format }) => list(ruleset, &home, Some(&id), format),
        Some(GrantVerb::Verify {
            token,
            request,
            now,
            tier,
            format,
        }) => verify::run(
            ruleset,
            &home,
            &verify::Asked {
                token,
                request,
                now,
                tier,
                format,
            },
        ),
        Some(GrantVerb::Export { id }) => export(ruleset, &home, &id),
        Some(GrantVerb::Import { file }) => import(ruleset, &home, &file),
    }
}

fn list(ruleset: &Ruleset<'_>, home: &Home, id: Option<&str>, format: Format) -> Done {
    let mut grants = GrantSet::of(home, &ruleset.approvals);
    let now = clock::now().wall;
    let listed: Vec<Listed> = grants
        .list()?
        .into_iter()
        .filter(|listed| id.is_none_or(|id| listed.file.trim_end_matches(".jws") == id))
        .collect();
    match format {
        Format::Json => {
            let all = listed
                .iter()
                .map(|listed| words::json(listed, now))
                .collect();
            output::line(&json::write(&Value::Array(all)))?;
        }
        Format::Text => {
            for one in &listed {
                output::line(&words::line(one, now))?;
                if let (Some(_), Some(claims)) = (id, &one.claims) {
                    output::line(&words::sentence(claims))?;
                }
            }
        }
    }
    if id.is_some() && listed.is_empty() {
        output::note("there is no such grant");
        return Ok(exit::FAILED);
    }
    Ok(exit::OK)
}

fn export(ruleset: &Ruleset<'_>, home: &Home, id: &str) -> Done {
    let mut grants = GrantSet::of(home, &ruleset.approvals);
    let known = grants
        .list()?
        .into_iter()
        .find(|listed| listed.file.trim_end_matches(".jws") == id);
    let Some(known) = known else {
        output::note("there is no such grant");
        return Ok(exit::FAILED);
    };
    let token = knotrust_govern::files::read(&home.at("grants").join(&known.file), MAX_TOKEN_FILE)?;
    output::data(&String::from_utf8_lossy(&token))?;
    Ok(exit::OK)
}

const MAX_TOKEN_FILE: u64 = 64 << 10;

fn import(ruleset: &Ruleset<'_>, home: &Home, file: &Path) -> Done {
    let mut token = String::new();
    if file == Path::new("-") {
        std::io::stdin()
            .take(MAX_TOKEN_FILE)
            .read_to_string(&mut token)?;
    } else {
        fs::File::open(file)?
            .take(MAX_TOKEN_FILE)
            .read_to_string(&mut token)?;
    }
    let mut grants = GrantSet::of(home, &ruleset.approvals);
    let token = token.trim();
    let grant = grants.add(token)?;
    let challenge = challenge_of(token)?;
    record(
        (ruleset, home),
        Kind::GrantCreated,
        grant.claims(),
        given(grant.consent(), challenge),
        "imported",
    )?;
    output::line(&format!("kept: {}", grant.claims().id))?;
    Ok(exit::OK)
}

/// A person's consent to a grant, for the log.
pub(super) fn given(consent: Option<&Consent>, challenge: [u8; 32]) -> Option<Given<'_>> {
    consent.map(|consent| Given {
        consent,
        to: Agreed::Grant(challenge),
    })
}

/// Records what happened to a grant.
pub(super) fn record(
    (ruleset, home): (&Ruleset<'_>, &Home),
    kind: Kind,
    claims: &Claims,
    consent: Option<Given<'_>>,
    reason: &str,
) -> Result<(), knotrust_govern::failure::StoreError> {
    let tool = knotrust_core::json::Text::from(claims.tool.to_text());
    let event = Event {
        kind,
        surface: "grants",
        subject: &claims.principal.id,
        tool: Some(&tool),
        tier: Some(claims.cap),
        grant_refs: &[&claims.id],
        consent,
        policy_digest: Some(ruleset.digest),
        reason: Some(reason),
        ..Event::of(kind)
    };
    Log::of(home).append(&event, clock::now()).map(|_| ())
}
