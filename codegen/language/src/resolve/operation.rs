//! What surrounds a decision: its mode, its memory, its record, a further engine.

use knotrust_core::ruleset::{self, CacheTimes, Settings};

use super::{Resolver, text::Time, utf8};
use crate::{
    located::Located,
    model::{self, Pdp, RespondMetadata, Ruleset},
    problem::{Code, Problem, shown},
    resolved::Engine,
};

/// The largest Cedar policy that is compiled in.
const LARGEST_POLICY: u64 = 1024 * 1024;
/// How long an engine may take if nothing is said.
const ENGINE_TIMEOUT: u64 = 2_000;

impl Resolver<'_> {
    pub(super) fn settings(&mut self, written: &Ruleset) -> Settings {
        let defaults = Settings::DEFAULT;
        let cache = written.cache.as_ref();
        let routine = cache.and_then(|cache| cache.routine.as_ref());
        let sensitive = cache.and_then(|cache| cache.sensitive.as_ref());
        let audit = written.audit.as_ref();
        Settings {
            scope: match written.scope.unwrap_or_default() {
                model::Scope::Personal => ruleset::Scope::Personal,
                model::Scope::Org => ruleset::Scope::Org,
            },
            mode: match written
                .mode
                .as_ref()
                .map(|mode| mode.value)
                .unwrap_or_default()
            {
                model::Mode::Enforce => ruleset::Mode::Enforce,
                model::Mode::Observe => ruleset::Mode::Observe,
            },
            cache: CacheTimes {
                routine: routine
                    .and_then(|time| self.duration(time, "cache.routine", Time::HOUR))
                    .unwrap_or(defaults.cache.routine),
                sensitive: sensitive
                    .and_then(|time| self.duration(time, "cache.sensitive", Time::MINUTE))
                    .unwrap_or(defaults.cache.sensitive),
            },
            listing: match written.listing.unwrap_or_default() {
                model::Listing::Passthrough => ruleset::Listing::Passthrough,
                model::Listing::HideDenied => ruleset::Listing::HideDenied,
            },
            mark_critical: written.mark_critical.unwrap_or(defaults.mark_critical),
            respond: match written
                .respond
                .as_ref()
                .and_then(|respond| respond.metadata)
                .unwrap_or_default()
            {
                RespondMetadata::Never => ruleset::Respond::Never,
                RespondMetadata::Governed => ruleset::Respond::Governed,
                RespondMetadata::Always => ruleset::Respond::Always,
            },
            capture_arguments: audit
                .and_then(|audit| audit.capture_arguments)
                .unwrap_or(defaults.capture_arguments),
            audit_all_calls: audit
                .and_then(|audit| audit.all_calls)
                .unwrap_or(defaults.audit_all_calls),
        }
    }

    pub(super) fn engine(&mut self, written: Option<&Located<Pdp>>) -> Engine {
        let Some(Located {
            value: pdp,
            span,
            whole,
        }) = written
        else {
            return Engine::Builtin;
        };
        let engine = pdp.engine.value;
        let takes_policies = engine == model::Engine::Cedar;
        let takes_url = matches!(engine, model::Engine::Opa | model::Engine::Authzen);
        let misplaced = [
            (
                pdp.policies.as_ref().map(|policies| policies.span),
                "policies",
                takes_policies,
            ),
            (pdp.url.as_ref().map(|url| url.span), "url", takes_url),
            (
                pdp.timeout.as_ref().map(|timeout| timeout.span),
                "timeout",
                takes_url,
            ),
        ];
        for (span, name, taken) in misplaced {
            if let (Some(span), false) = (span, taken) {
                self.push(
                    Problem::new(Code::Conflict, format!("this engine takes no `{name}`"))
                        .at(span, "has no meaning here")
                        .at(pdp.engine.span, "the engine"),
                );
            }
        }
        let timeout = pdp
            .timeout
            .as_ref()
            .and_then(|time| self.duration(time, "pdp.timeout", Time::MINUTE));
        let timeout = timeout.unwrap_or(ENGINE_TIMEOUT);
        let url = pdp
            .url
            .as_ref()
            .filter(|_| takes_url)
            .and_then(|url| self.url(url));
        let lacks = (*whole && takes_policies && pdp.policies.is_none()).then_some("policies");
        if let Some(name) = lacks.or((*whole && takes_url && pdp.url.is_none()).then_some("url")) {
            self.push(
                Problem::new(Code::MissingKey, format!("this engine needs `{name}`"))
                    .at(*span, "missing here"),
            );
        }
        match engine {
            model::Engine::Builtin => Engine::Builtin,
            model::Engine::Cedar => Engine::Cedar(self.policies(pdp)),
            model::Engine::Opa => Engine::Opa {
                url: url.unwrap_or_default(),
                timeout,
            },
            model::Engine::Authzen => Engine::Authzen {
                url: url.unwrap_or_default(),
                timeout,
            },
        }
    }

    fn policies(&mut self, pdp: &Pdp) -> Vec<(String, String)> {
        let mut policies = Vec::new();
        for path in pdp.policies.iter().flat_map(|policies| &policies.value) {
            let Some(bytes) = self.bytes(path, "the policy", LARGEST_POLICY) else {
                continue;
            };
            match utf8(bytes) {
                Ok(text) => policies.push((path.value.0.trim_start_matches("./").to_owned(), text)),
                Err(_) => {
                    let message = format!("the policy `{}` is not UTF-8", shown(&path.value.0));
                    self.push(Problem::new(Code::NotUtf8, message).at(path.span, "named here"));
                }
            }
        }
        policies
    }
}
