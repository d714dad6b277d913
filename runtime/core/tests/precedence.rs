//! Every set of findings at every tier, through the rows and through a second, naive reading of `ruleset.md` §5.

use knotrust_core::finding::{Finding, Findings};
use knotrust_core::precedence::{Outcome, Row, STANDARD};
use knotrust_core::reason::Reason;
use knotrust_core::tier::Tier;

#[test]
fn the_rows_say_what_the_prose_says() {
    let mut sets = 0;
    for bits in 0u32..1 << Finding::ALL.len() {
        let made = |finding: Finding| bits >> finding as u32 & 1 == 1 || finding == Finding::Always;
        let findings = Findings::only(Finding::ALL.into_iter().filter(|finding| made(*finding)));
        for tier in Tier::ALL {
            let row = Row::first(STANDARD, findings, tier).unwrap_or(&Row::REFUSE);
            let prose = prose(tier, &made);
            assert_eq!(
                (row.outcome, row.reason),
                prose,
                "{tier}, findings {bits:#b}"
            );
            sets += 1;
        }
    }
    assert_eq!(sets, 3 << Finding::ALL.len());
}

#[test]
fn fewer_grants_or_a_stricter_tier_never_permit_more() {
    for bits in 0u32..1 << Finding::ALL.len() {
        let made = |finding: &Finding| bits >> *finding as u32 & 1 == 1;
        let findings = Findings::only(Finding::ALL.into_iter().filter(made));
        let without = Findings::only(
            Finding::ALL
                .into_iter()
                .filter(|finding| made(finding) && !permits(*finding)),
        );
        for tier in Tier::ALL {
            let allowed = |findings, tier| {
                Row::first(STANDARD, findings, tier)
                    .is_some_and(|row| row.outcome == Outcome::Allow)
            };
            assert!(
                allowed(findings, tier) || !allowed(without, tier),
                "{tier}, {bits:#b}"
            );
        }
        let critical = Row::first(STANDARD, without, Tier::Critical);
        assert!(critical.is_none_or(|row| row.outcome != Outcome::Allow));
    }
}

const fn permits(finding: Finding) -> bool {
    matches!(finding, Finding::GrantCovers | Finding::RuleAllows)
}

/// Section 5, as a person would carry it out with a finger on the page.
fn prose(tier: Tier, found: &dyn Fn(Finding) -> bool) -> (Outcome, Reason) {
    // 1: the built-in places, the servers, the deny list; then what is forced.
    if found(Finding::OwnPlace) {
        return (Outcome::Deny, Reason::SelfProtection);
    }
    if found(Finding::Unlisted) {
        return (Outcome::Deny, Reason::UnlistedServer);
    }
    if found(Finding::EnvelopeDenies) {
        return (Outcome::Deny, Reason::EnvelopeDeny);
    }
    if found(Finding::EnvelopeForces) {
        return (Outcome::PendingApproval, Reason::EnvelopeForceApproval);
    }
    // 2, 3, 4.
    if found(Finding::RuleDenies) {
        return (Outcome::Deny, Reason::ExplicitConfigDeny);
    }
    if found(Finding::RoleMissing) {
        return (Outcome::PendingApproval, Reason::NamedHumanRequired);
    }
    if found(Finding::NoPlan) {
        return (Outcome::Deny, Reason::GovernedBlocked);
    }
    // 5: grants mean nothing to routine calls.
    if tier != Tier::Routine {
        if found(Finding::GrantCovers) {
            return (Outcome::Allow, Reason::GrantAllow);
        }
        if found(Finding::GrantBelowTier) {
            return (Outcome::Deny, Reason::TierCapViolation);
        }
        if found(Finding::GrantAboveCeiling) {
            return (Outcome::Deny, Reason::GrantExceedsEnvelope);
        }
    }
    // 6 can only restrict.
    if found(Finding::EngineDenies) {
        return (Outcome::Deny, Reason::PdpDeny);
    }
    // 7.
    match tier {
        Tier::Routine => (Outcome::Allow, Reason::RoutineDefaultAllow),
        Tier::Sensitive if found(Finding::RuleAllows) => {
            (Outcome::Allow, Reason::ExplicitConfigAllow)
        }
        Tier::Sensitive => (Outcome::Deny, Reason::NoGrantSensitive),
        Tier::Critical => (Outcome::PendingApproval, Reason::NoGrantCritical),
    }
}
