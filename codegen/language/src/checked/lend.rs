//! The tables of a checked ruleset, borrowed from it.
//!
//! What a table points to must lie somewhere: each step of the way down owns what the next borrows.

use knotrust_core::{
    precedence::{self, Row},
    predicate::Step,
    resource::Mapping,
    ruleset::{self, Defaults, Floor, Ranks, Ruleset},
    targets::place::Places,
};

use super::Checked;
use crate::{
    rank::Ranked,
    resolved::{self, Bound, Resolved, Rule},
};

pub(super) fn lend<T>(checked: &Checked, read: impl FnOnce(&Ruleset<'_>) -> T) -> T {
    let resolved = &checked.resolved;
    let files: Vec<&str> = resolved.files.iter().map(String::as_str).collect();
    let words: Vec<Words<'_>> = resolved.servers.iter().map(Words::of).collect();
    let servers: Vec<ruleset::Server<'_>> = resolved
        .servers
        .iter()
        .zip(&words)
        .map(|(server, words)| words.server(server))
        .collect();
    let sayings: Vec<Saying<'_>> = checked.rules().map(Saying::of).collect();
    let rules: Vec<ruleset::Rule<'_>> = checked
        .rules()
        .zip(&sayings)
        .enumerate()
        .map(|(rank, (rule, saying))| saying.rule(rule, &checked.ranked, rank))
        .collect();
    let properties: Vec<Vec<(&str, &str)>> = resolved.resources.iter().map(properties).collect();
    let kinds: Vec<String> = resolved
        .resources
        .iter()
        .map(|resource| text(&resource.patterns))
        .collect();
    let resources: Vec<Mapping<'_>> = resolved
        .resources
        .iter()
        .zip(&kinds)
        .zip(&properties)
        .map(|((resource, text), properties)| mapping(resource, text, properties))
        .collect();
    let served: Vec<Vec<&str>> = resolved.domains.iter().map(urls).collect();
    let domains: Vec<ruleset::Domain<'_>> = resolved
        .domains
        .iter()
        .zip(&served)
        .map(|(domain, urls)| ruleset::Domain {
            name: &domain.name,
            floor: domain.floor,
            manifest: manifest(&domain.manifest),
            urls,
        })
        .collect();
    let having = Having::of(&resolved.gates);
    let ceiling = Ceiling::of(resolved);
    let asking = Asking::of(resolved);
    let approval_rules = asking.rules(resolved);
    let table = Ruleset {
        name: &resolved.name,
        version: u64::from(resolved.version),
        digest: &checked.digest,
        files: &files,
        servers: &servers,
        unlisted_servers: resolved.unlisted,
        defaults: Defaults {
            unknown_tool: resolved.unknown_tool,
            destructive_looking: resolved.destructive_looking,
        },
        rules: ruleset::Rules::Rows(&rules),
        resources: &resources,
        domains: &domains,
        gates: having.gates(&resolved.gates),
        envelope: ceiling.envelope(resolved),
        approvals: asking.approvals(resolved, &approval_rules),
        settings: resolved.settings,
        names: checked.names.lend(),
        places: Places::NONE,
        precedence: precedence::STANDARD,
    };
    let rows: Vec<Row> = precedence::reachable(&table).copied().collect();
    checked.places.lend(|places| {
        read(&Ruleset {
            precedence: &rows,
            places,
            ..table
        })
    })
}

/// The command line of a server.
struct Words<'a> {
    command: Vec<&'a str>,
    env: Option<Vec<&'a str>>,
}

impl<'a> Words<'a> {
    fn of(server: &'a resolved::Server) -> Self {
        match &server.launch {
            resolved::Launch::Command { command, env } => Self {
                command: command.iter().map(String::as_str).collect(),
                env: env
                    .as_ref()
                    .map(|names| names.iter().map(String::as_str).collect()),
            },
            resolved::Launch::Url(_) => Self {
                command: Vec::new(),
                env: None,
            },
        }
    }

    fn server(&'a self, server: &'a resolved::Server) -> ruleset::Server<'a> {
        let launch = match &server.launch {
            resolved::Launch::Command { .. } => ruleset::Launch::Command {
                command: &self.command,
                env: self.env.as_deref(),
            },
            resolved::Launch::Url(url) => ruleset::Launch::Url(url),
        };
        ruleset::Server {
            name: &server.name,
            launch,
        }
    }
}

/// The texts and conditions of a rule.
struct Saying<'a> {
    text: String,
    when: Vec<Step<'a>>,
}

impl<'a> Saying<'a> {
    fn of(rule: &'a Rule) -> Self {
        let when = rule
            .condition
            .as_ref()
            .map(|condition| condition.tree.steps())
            .unwrap_or_default();
        Self {
            text: rule.text(),
            when,
        }
    }

    fn rule(&'a self, rule: &Rule, ranked: &'a Ranked, rank: usize) -> ruleset::Rule<'a> {
        ruleset::Rule {
            effect: rule.effect,
            pattern: &self.text,
            place: rule.place,
            source: rule.source,
            when: &self.when,
            wider: Ranks::Listed(ranked.wider(rank)),
        }
    }
}

fn text(bounds: &[Bound]) -> String {
    let texts: Vec<&str> = bounds.iter().map(|bound| bound.pattern.text()).collect();
    texts.join(", ")
}

fn properties(resource: &resolved::Resource) -> Vec<(&str, &str)> {
    resource
        .properties
        .iter()
        .map(|(name, pointer)| (name.as_str(), pointer.as_str()))
        .collect()
}

fn mapping<'a>(
    resource: &'a resolved::Resource,
    text: &'a str,
    properties: &'a [(&'a str, &'a str)],
) -> Mapping<'a> {
    let place = resource
        .patterns
        .first()
        .map_or(ruleset::Place { file: 0, line: 0 }, |bound| bound.place);
    Mapping {
        bound: ruleset::Bound {
            pattern: text,
            place,
        },
        kind: Some(&resource.kind),
        id: resource.id.as_deref(),
        properties,
    }
}

fn urls(domain: &resolved::Domain) -> Vec<&str> {
    domain.urls.iter().map(String::as_str).collect()
}

fn manifest(manifest: &resolved::Manifest) -> ruleset::Manifest<'_> {
    match manifest {
        resolved::Manifest::Pinned { path, text, digest } => {
            ruleset::Manifest::pinned(path, digest, text)
        }
        resolved::Manifest::Live { path, text: _ } => ruleset::Manifest::live(path),
    }
}

fn bound(bound: &Bound) -> ruleset::Bound<'_> {
    ruleset::Bound {
        pattern: bound.pattern.text(),
        place: bound.place,
    }
}

struct Ceiling<'a> {
    deny: Vec<ruleset::Bound<'a>>,
    force_tools: Vec<ruleset::Bound<'a>>,
    floors: Vec<Floor<'a>>,
}

impl<'a> Ceiling<'a> {
    fn of(resolved: &'a Resolved) -> Self {
        let envelope = &resolved.envelope;
        Self {
            deny: envelope.deny.iter().map(bound).collect(),
            force_tools: envelope.force_tools.iter().map(bound).collect(),
            floors: envelope
                .floors
                .iter()
                .map(|(pattern, tier)| Floor {
                    bound: bound(pattern),
                    tier: *tier,
                })
                .collect(),
        }
    }

    fn envelope(&'a self, resolved: &Resolved) -> ruleset::Envelope<'a> {
        ruleset::Envelope {
            deny: &self.deny,
            force_tiers: resolved.envelope.force_tiers,
            force_tools: &self.force_tools,
            floors: &self.floors,
            grant_ceiling: resolved.envelope.grant_ceiling,
        }
    }
}

struct Asking<'a> {
    passkeys: Vec<ruleset::Passkey<'a>>,
    reviewers: Vec<ruleset::Reviewer<'a>>,
    matches: Vec<(Vec<ruleset::Bound<'a>>, Vec<&'a str>)>,
}

impl<'a> Asking<'a> {
    fn of(resolved: &'a Resolved) -> Self {
        let approvals = &resolved.approvals;
        let passkeys: &[resolved::Passkey] = match &approvals.approver {
            resolved::Approver::Passkey(passkeys) => passkeys,
            resolved::Approver::None | resolved::Approver::Pin { .. } => &[],
        };
        Self {
            passkeys: passkeys
                .iter()
                .map(|passkey| ruleset::Passkey {
                    credential: &passkey.credential,
                    public_key: &passkey.public_key,
                })
                .collect(),
            reviewers: approvals
                .reviewers
                .iter()
                .map(|reviewer| ruleset::Reviewer {
                    name: &reviewer.name,
                    role: &reviewer.role,
                    public_key: reviewer.public_key.as_deref(),
                })
                .collect(),
            matches: approvals
                .rules
                .iter()
                .map(|rule| {
                    (
                        rule.tools.iter().map(bound).collect(),
                        rule.paths.iter().map(|path| path.text()).collect(),
                    )
                })
                .collect(),
        }
    }

    fn rules(&'a self, resolved: &'a Resolved) -> Vec<ruleset::ApprovalRule<'a>> {
        let rules = resolved.approvals.rules.iter().zip(&self.matches);
        rules
            .map(|(rule, (tools, paths))| ruleset::ApprovalRule {
                tools,
                paths,
                required_role: &rule.required_role,
                expires: rule.expires,
                policy_ref: rule.policy_ref.as_deref(),
                line: rule.line,
            })
            .collect()
    }

    fn approvals(
        &'a self,
        resolved: &'a Resolved,
        rules: &'a [ruleset::ApprovalRule<'a>],
    ) -> ruleset::Approvals<'a> {
        let approvals = &resolved.approvals;
        ruleset::Approvals {
            channels: &approvals.channels,
            hold: approvals.hold,
            expires: approvals.expires,
            approver: match &approvals.approver {
                resolved::Approver::None => ruleset::Approver::None,
                resolved::Approver::Pin { salt, public_key } => {
                    ruleset::Approver::Pin { salt, public_key }
                }
                resolved::Approver::Passkey(_) => ruleset::Approver::Passkey(&self.passkeys),
            },
            require_signed: approvals.require_signed,
            reviewers: &self.reviewers,
            rules,
        }
    }
}

/// What the agent has.
struct Having<'a> {
    methods: Vec<&'a str>,
    credentials: Vec<&'a str>,
    keys: Vec<&'a str>,
    withheld: Vec<&'a str>,
}

impl<'a> Having<'a> {
    fn of(gates: &'a resolved::Gates) -> Self {
        let texts = |texts: &'a [String]| texts.iter().map(String::as_str).collect();
        Self {
            methods: gates
                .payment_methods
                .iter()
                .map(|method| method.as_str())
                .collect(),
            credentials: texts(&gates.credentials),
            keys: texts(&gates.trusted_keys),
            withheld: texts(&gates.withheld_tools),
        }
    }

    fn gates(&'a self, gates: &'a resolved::Gates) -> ruleset::Gates<'a> {
        ruleset::Gates {
            role: &gates.role,
            env: gates.env.as_deref(),
            attestation_provider: gates.attestation_provider.as_deref(),
            attestation_required: gates.attestation_required,
            payment_methods: &self.methods,
            credentials: &self.credentials,
            strict: gates.strict,
            max_units: gates.max_units,
            money: gates.money.as_ref().map(|money| ruleset::Money {
                amount: &money.amount,
                currency: &money.currency,
            }),
            context_budget: gates.context_budget,
            confidence: gates
                .confidence
                .as_ref()
                .map(|confidence| ruleset::Confidence {
                    threshold: &confidence.threshold,
                    severity: confidence.severity.as_deref(),
                    route: confidence.route.as_ref().map(route),
                }),
            conformance: gates.conformance.as_ref().map(route),
            signature_required: gates.signature_required,
            trusted_keys: &self.keys,
            withheld_tools: &self.withheld,
        }
    }
}

fn route(route: &resolved::Route) -> ruleset::Route<'_> {
    ruleset::Route {
        role: &route.role,
        expires: route.expires,
        policy_ref: route.policy_ref.as_deref(),
    }
}
