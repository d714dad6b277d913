// @generated from governed.yaml by knotrust-codegen. Edits here are lost.

use knotrust_core::prelude::*;

// The policy. The tables below are its parts.
/// Everything the policy says.
pub(crate) static RULESET: Ruleset<'static> = Ruleset {
    name: "governed",
    version: 1,
    digest: "4de3060a8fd56731768ae2407ac5aa13afe40e51bd49a697a212b62c9e7e8750",
    files: &["governed.yaml"],
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
const RULES: Rules<'static> = Rules::Rows(&[]);

// From names to all that is said of them. Rows are for people, the index is for the machine.
const NAMES: Names<'static> = Names::indexed(
    &[
        NameRow::new("refund-*", &[Use::DomainSkill(0).id()]),
        NameRow::new("wiki.search", &[Use::DomainTool(0).id()]),
    ],
    include_bytes!("names.index"),
);

// The outer ceiling: nothing inside the policy, and no grant, exceeds it.
const ENVELOPE: Envelope<'static> = Envelope {
    deny: &[],
    force_tiers: Tiers::NONE,
    force_tools: &[],
    floors: &[],
    grant_ceiling: Tier::Critical,
};

// Precedence. The first row whose finding was made, at that tier, decides.
const PRECEDENCE: &[Row] = &[
    Row::deny(Finding::OwnPlace, Tiers::ALL, Reason::SelfProtection),
    Row::deny(Finding::Unlisted, Tiers::ALL, Reason::UnlistedServer),
    Row::deny(Finding::NoPlan, Tiers::ALL, Reason::GovernedBlocked),
    Row::allow(Finding::GrantCovers, Tiers::ABOVE_ROUTINE, Reason::GrantAllow),
    Row::deny(Finding::GrantBelowTier, Tiers::ABOVE_ROUTINE, Reason::TierCapViolation),
    Row::allow(Finding::Always, Tiers::ROUTINE, Reason::RoutineDefaultAllow),
    Row::deny(Finding::Always, Tiers::SENSITIVE, Reason::NoGrantSensitive),
    Row::pending(Finding::Always, Tiers::CRITICAL, Reason::NoGrantCritical),
];

// Servers, by name.
const SERVERS: &[Server<'static>] = &[
    Server {
        name: "files",
        launch: Launch::Command {
            command: &["files-mcp"],
            env: None,
        },
    },
];

// From arguments to resources: the first that matches, in file order.
const RESOURCES: &[Mapping<'static>] = &[];

// Governed knowledge. A manifest that is pinned stands here whole.
const DOMAINS: &[Domain<'static>] = &[
    Domain {
        name: "handbook",
        floor: Some(Tier::Sensitive),
        manifest: Manifest::pinned(
            "governed/knowledge.yaml",
            "1dafb136f853727b0ca658a7e52c87ae871e34d3ba39ffd996f376b85aeb71d3",
            "project: handbook\nversion: \"1\"\nunits:\n  - { id: refunds, path: refunds.md, intent: How refunds are paid }\n  - { id: \"salaries\", path: salaries.md, intent: \"Who earns \\\"what\\\"\", audience: [payroll] }\n",
        ),
        urls: &["https://docs.example.com/"],
    },
    Domain {
        name: "notes",
        floor: None,
        manifest: Manifest::live("governed/knowledge.yaml"),
        urls: &[],
    },
];

// Who the agent is and what it has, for the gates. Times are milliseconds.
const GATES: Gates<'static> = Gates {
    role: "payroll",
    env: Some("prod"),
    attestation_provider: None,
    attestation_required: false,
    payment_methods: &["free", "x402"],
    credentials: &["badge"],
    strict: false,
    max_units: 3,
    money: Some(Money {
        amount: "1.50",
        currency: "USDC",
    }),
    context_budget: Some(50000),
    confidence: Some(Confidence {
        threshold: "0.7",
        severity: Some("critical"),
        route: Some(Route {
            role: "owner",
            expires: Some(259200000),
            policy_ref: Some("POL-9.1"),
        }),
    }),
    conformance: None,
    signature_required: false,
    trusted_keys: &[],
    withheld_tools: &["harness_assess", "kcp_replay"],
};

// Governed paths, by where they start, and URLs. Rows are for people, slots are for the machine.
const PLACES: Places<'static> = Places {
    paths: &[
        PathTable::new(
            Anchor::Folder { up: 0 },
            Prefixes::new(
                &[
                    Prefix::new("handbook", Holder::Domain(0)),
                    Prefix::new("notes", Holder::Domain(1)),
                ],
                &[0, 0, 1855979521, 1083179010],
            ),
        ),
    ],
    urls: Prefixes::new(
        &[Prefix::new("docs.example.com", Holder::Domain(0))],
        &[0, 2282749953],
    ),
    holders: &[Holder::Domain(0), Holder::Domain(1)],
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
    reviewers: &[
        Reviewer {
            name: "ann",
            role: "owner",
            public_key: None,
        },
    ],
    rules: &[],
};
