//! The parameters of the gates.

use std::collections::BTreeSet;

use knotrust_core::number::Number;

use super::{Resolver, text::Time};
use crate::{
    located::Located,
    model::{self, Decimal, Duration, Identifier, Literal, Sentence},
    problem::{Code, Problem, shown},
    resolved::{Confidence, Gates, Money, Route},
};

impl Resolver<'_> {
    pub(super) fn gates(&mut self, written: Option<&model::Gates>) -> Gates {
        let mut resolved = Gates::default();
        let Some(written) = written else {
            return resolved;
        };
        if let Some(role) = written
            .audience
            .as_ref()
            .and_then(|audience| self.identifier(&audience.role, "gates.audience.role"))
        {
            resolved.role = role;
        }
        resolved.env = self.name(written.env.as_ref(), "gates.env");
        if let Some(attestation) = &written.attestation {
            resolved.attestation_provider =
                self.name(attestation.provider.as_ref(), "gates.attestation.provider");
            resolved.attestation_required = attestation.required.unwrap_or(false);
        }
        if let Some(payment) = &written.payment {
            let methods: BTreeSet<_> = payment.methods.iter().map(|method| method.value).collect();
            resolved.payment_methods = methods.into_iter().collect();
        }
        let credentials = written.access.iter().flat_map(|access| &access.credentials);
        let credentials: BTreeSet<_> = credentials
            .filter_map(|name| self.identifier(name, "gates.access.credentials"))
            .collect();
        resolved.credentials = credentials.into_iter().collect();
        resolved.strict = written.strict.unwrap_or(false);
        resolved.max_units = written.max_units.unwrap_or(resolved.max_units);
        resolved.money = written
            .money_budget
            .as_ref()
            .and_then(|money| self.money(money));
        resolved.context_budget = written.context_budget;
        resolved.confidence = written
            .confidence
            .as_ref()
            .and_then(|confidence| self.confidence(confidence));
        resolved.conformance = written.conformance.as_ref().and_then(|conformance| {
            self.route(
                Some(&conformance.route_to_role),
                conformance.expires_after.as_ref(),
                conformance.policy_ref.as_ref(),
                "gates.conformance",
            )
        });
        if let Some(signatures) = &written.signatures {
            resolved.signature_required = signatures.required.unwrap_or(false);
            let keys: BTreeSet<_> = signatures
                .trusted_keys
                .iter()
                .flatten()
                .filter_map(|key| self.key_file(key))
                .collect();
            resolved.trusted_keys = keys.into_iter().collect();
        }
        let withheld = written.withheld_tools.iter().flatten();
        let withheld: BTreeSet<_> = withheld
            .map(|tool| tool.value.as_str().to_owned())
            .collect();
        resolved.withheld_tools = withheld.into_iter().collect();
        resolved
    }

    fn name(&mut self, written: Option<&Located<Identifier>>, whose: &str) -> Option<String> {
        written.and_then(|name| self.identifier(name, whose))
    }

    fn money(&mut self, written: &model::MoneyBudget) -> Option<Money> {
        let amount = self.decimal(&written.amount, "gates.moneyBudget.amount", "0", None)?;
        let currency = match &written.currency {
            Some(currency) => self.identifier(currency, "gates.moneyBudget.currency")?,
            None => "USDC".to_owned(),
        };
        Some(Money { amount, currency })
    }

    fn confidence(&mut self, written: &model::Confidence) -> Option<Confidence> {
        let threshold = self.decimal(
            &written.threshold,
            "gates.confidence.threshold",
            "0",
            Some("1"),
        );
        let severity = self.name(written.severity.as_ref(), "gates.confidence.severity");
        let route = self.route(
            written.route_to_role.as_ref(),
            written.expires_after.as_ref(),
            written.policy_ref.as_ref(),
            "gates.confidence",
        );
        Some(Confidence {
            threshold: threshold?,
            severity,
            route,
        })
    }

    fn route(
        &mut self,
        role: Option<&Located<Identifier>>,
        expires: Option<&Located<Duration>>,
        policy_ref: Option<&Sentence>,
        whose: &str,
    ) -> Option<Route> {
        let span = role.map(|role| role.span);
        let role = self.name(role, &format!("{whose}.routeToRole"));
        let expires = expires
            .and_then(|time| self.duration(time, &format!("{whose}.expiresAfter"), Time::YEAR));
        let policy_ref = self.sentence(policy_ref, &format!("{whose}.policyRef"));
        role.zip(span).map(|(role, span)| Route {
            role,
            expires,
            policy_ref,
            span,
        })
    }

    /// An exact decimal between two others.
    fn decimal(
        &mut self,
        written: &Located<Decimal>,
        whose: &str,
        least: &str,
        most: Option<&str>,
    ) -> Option<String> {
        let Literal::Number(text) = &written.value.0 else {
            return None;
        };
        let number = Number::read(text)?;
        let below = Number::read(least).is_some_and(|least| number < least);
        let above = most
            .and_then(Number::read)
            .is_some_and(|most| number > most);
        if below || above {
            let bounds = most.map_or_else(
                || format!("at least {least}"),
                |most| format!("from {least} to {most}"),
            );
            let message = format!("`{whose}` must be {bounds}, but is {}", shown(text));
            self.push(Problem::new(Code::OutOfRange, message).at(written.span, "out of range"));
            return None;
        }
        Some(text.clone())
    }
}
