// @generated from small.yaml by knotrust-codegen. Edits here are lost.

use knotrust_core::prelude::*;

// The policy. The tables below are its parts.
/// Everything the policy says.
pub(crate) static RULESET: Ruleset<'static> = Ruleset {
    name: "small",
    version: 2,
    digest: "2763e386df96db63f25fa5dd3f1b2d248bf9e473203e437fbfd3c7493632498f",
    files: &["small.yaml"],
    unlisted_servers: Unlisted::Deny,
    defaults: Defaults {
        unknown_tool: Tier::Sensitive,
        destructive_looking: Tier::Critical,
    },
    settings: Settings {
        scope: Scope::Personal,
        mode: Mode::Enforce,
        cache: CacheTimes {
            routine: 300000,
            sensitive: 60000,
        },
        listing: Listing::Passthrough,
        mark_critical: false,
        respond: Respond::Governed,
        capture_arguments: false,
        audit_all_calls: true,
    },
    rules: RULES,
    names: NAMES,
    envelope: ENVELOPE,
    precedence: PRECEDENCE,
    servers: SERVERS,
    resources: RESOURCES,
    domains: DOMAINS,
    gates: GATES,
    places: PLACES,
    approvals: APPROVALS,
};
const _: () = assert!(RULESET.is_sound());

// Rules in rank order: of those that match a call, and that no narrower one beats, the first decides.
const RULES: Rules<'static> = Rules::Rows(
    &[
        Rule::deny("github.delete_repo", 15),
        Rule::tier(Tier::Critical, "stripe.create_refund", 13),
        Rule::tier(Tier::Sensitive, "github.*", 11),
        Rule::tier(Tier::Sensitive, "stripe.create_refund", 14)
            .when(&[Step::At("/amount", Test::Lt("500"))])
            .within(&[1]),
        Rule::tier(Tier::Routine, "github.list_*", 12).within(&[2]),
    ],
);

// From names to all that is said of them. Rows are for people, the index is for the machine.
const NAMES: Names<'static> = Names::indexed(
    &[
        NameRow::new("*.drop_database", &[Use::EnvelopeDeny(0).id()]),
        NameRow::new("github.*", &[Use::Rule(2).id()]),
        NameRow::new("github.delete_repo", &[Use::Rule(0).id()]),
        NameRow::new("github.list_*", &[Use::Rule(4).id()]),
        NameRow::new("notes.*", &[Use::Floor(0).id()]),
        NameRow::new("stripe.*refund*", &[Use::Resource(0).id()]),
        NameRow::new("stripe.create_refund", &[Use::Rule(1).id(), Use::Rule(3).id()]),
    ],
    include_bytes!("names.index"),
);

// The outer ceiling: nothing inside the policy, and no grant, exceeds it.
const ENVELOPE: Envelope<'static> = Envelope {
    deny: &[Bound::new("*.drop_database", 19)],
    force_tiers: Tiers::NONE,
    force_tools: &[],
    floors: &[Floor::new(Tier::Sensitive, "notes.*", 20)],
    grant_ceiling: Tier::Critical,
};

// Precedence. The first row whose finding was made, at that tier, decides.
const PRECEDENCE: &[Row] = &[
    Row::deny(Finding::OwnPlace, Tiers::ALL, Reason::SelfProtection),
    Row::deny(Finding::Unlisted, Tiers::ALL, Reason::UnlistedServer),
    Row::deny(Finding::EnvelopeDenies, Tiers::ALL, Reason::EnvelopeDeny),
    Row::deny(Finding::RuleDenies, Tiers::ALL, Reason::ExplicitConfigDeny),
    Row::allow(Finding::GrantCovers, Tiers::ABOVE_ROUTINE, Reason::GrantAllow),
    Row::deny(Finding::GrantBelowTier, Tiers::ABOVE_ROUTINE, Reason::TierCapViolation),
    Row::allow(Finding::Always, Tiers::ROUTINE, Reason::RoutineDefaultAllow),
    Row::deny(Finding::Always, Tiers::SENSITIVE, Reason::NoGrantSensitive),
    Row::pending(Finding::Always, Tiers::CRITICAL, Reason::NoGrantCritical),
];

// Servers, by name.
const SERVERS: &[Server<'static>] = &[
    Server {
        name: "notes",
        launch: Launch::Command {
            command: &["notes-mcp", "--stdio"],
            env: Some(&["HOME"]),
        },
    },
    Server {
        name: "stripe",
        launch: Launch::Url("https://mcp.stripe.com"),
    },
];

// From arguments to resources: the first that matches, in file order.
const RESOURCES: &[Mapping<'static>] = &[
    Mapping {
        bound: Bound::new("stripe.*refund*", 17),
        kind: Some("stripe_charge"),
        id: Some("/charge"),
        properties: &[("amount", "/amount")],
    },
];

// Governed knowledge. A manifest that is pinned stands here whole.
const DOMAINS: &[Domain<'static>] = &[];

// Who the agent is and what it has, for the gates. Times are milliseconds.
const GATES: Gates<'static> = Gates::DEFAULT;

// Governed paths, by where they start, and URLs. Rows are for people, slots are for the machine.
const PLACES: Places<'static> = Places {
    paths: &[],
    urls: Prefixes::new(&[], &[]),
    holders: &[],
};

// How a person is asked. Times are milliseconds.
const APPROVALS: Approvals<'static> = Approvals {
    channels: &[
        Channel::InputRequired,
        Channel::ElicitationUrl,
        Channel::ElicitationForm,
        Channel::BlockAndWait,
    ],
    hold: 50000,
    expires: 900000,
    approver: Approver::None,
    require_signed: false,
    reviewers: &[],
    rules: &[],
};
