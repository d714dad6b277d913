//! A proxy for the tests: `mcp_test_proxy [--limit BYTES] [--hold MILLISECONDS] [--strict] [--page] [--serve] [--] command…`.
//!
//! Its policy: `echo` and `read_*` are routine, `write_note` is sensitive, `wipe` is critical, everything else is unknown
//! and so sensitive; with `--strict` what begins with `drop_` is denied and hidden, critical tools are marked, results say
//! what was decided, and a pin approves. With `--page` there is a page, which nobody serves.
//! With `--serve` the command, with that name as one more argument, is `fake` as well as `other`, whose tools are routine. Its
//! home is the folder named by `KNOTRUST_HOME`.

use std::ffi::OsString;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use knotrust_core::names::{self, Names};
use knotrust_core::precedence::STANDARD;
use knotrust_core::request::SurfaceKind;
use knotrust_core::ruleset::{
    Approvals, Approver, Bound, Defaults, Domain, Envelope, Gates, Listing, Manifest, Place,
    Respond, Rule, Rules, Ruleset, Settings, Unlisted, Use,
};
use knotrust_core::targets::place::Places;
use knotrust_core::tier::Tier;
use knotrust_govern::approvals::Ticket;
use knotrust_govern::caller::{Caller, LOCAL_USER, UNKNOWN_AGENT};
use knotrust_govern::governor::Governor;
use knotrust_govern::home::Home;
use knotrust_govern::page::{Address, Page};
use knotrust_govern::whereabouts::Whereabouts;
use knotrust_mcp::child::{Launch, Watcher};
use knotrust_mcp::stdio::{self, Limit, Options, serve};

/// The same policy, which also denies `drop_*`, shows no tool that it denies, and marks what it shows.
static STRICT: Ruleset<'static> = Ruleset {
    envelope: Envelope {
        deny: &[Bound {
            pattern: "fake.drop_*",
            place: Place { file: 0, line: 5 },
        }],
        ..Envelope::NONE
    },
    approvals: Approvals {
        approver: Approver::Pin {
            salt: "no salt",
            public_key: "no key",
        },
        ..Approvals::DEFAULT
    },
    settings: Settings {
        listing: Listing::HideDenied,
        mark_critical: true,
        respond: Respond::Always,
        ..Settings::DEFAULT
    },
    names: Names::listed(&[
        names::Row::new("fake.drop_*", const { &[Use::EnvelopeDeny(0).id()] }),
        names::Row::new("fake.echo", const { &[Use::Rule(2).id()] }),
        names::Row::new("fake.read_*", const { &[Use::Rule(3).id()] }),
        names::Row::new("fake.wipe", const { &[Use::Rule(0).id()] }),
        names::Row::new("fake.write_note", const { &[Use::Rule(1).id()] }),
        names::Row::new("other.*", const { &[Use::Rule(4).id()] }),
    ]),
    ..RULESET
};

static RULESET: Ruleset<'static> = Ruleset {
    name: "test",
    version: 1,
    digest: "0000000000000000000000000000000000000000000000000000000000000000",
    files: &["test.yaml"],
    servers: &[],
    unlisted_servers: Unlisted::Allow,
    defaults: Defaults {
        unknown_tool: Tier::Sensitive,
        destructive_looking: Tier::Critical,
    },
    rules: Rules::Rows(&[
        Rule::tier(Tier::Critical, "fake.wipe", 1),
        Rule::tier(Tier::Sensitive, "fake.write_note", 2),
        Rule::tier(Tier::Routine, "fake.echo", 3),
        Rule::tier(Tier::Routine, "fake.read_*", 4),
        Rule::tier(Tier::Routine, "other.*", 5),
    ]),
    resources: &[],
    domains: &[Domain {
        name: "handbook",
        floor: None,
        manifest: Manifest::live("knowledge.yaml"),
        urls: &[],
    }],
    gates: Gates::DEFAULT,
    places: Places::NONE,
    envelope: Envelope::NONE,
    approvals: Approvals::DEFAULT,
    settings: Settings::DEFAULT,
    names: Names::listed(&[
        names::Row::new("fake.echo", const { &[Use::Rule(2).id()] }),
        names::Row::new("fake.handbook/open", const { &[Use::DomainTool(0).id()] }),
        names::Row::new("fake.read_*", const { &[Use::Rule(3).id()] }),
        names::Row::new("fake.wipe", const { &[Use::Rule(0).id()] }),
        names::Row::new("fake.write_note", const { &[Use::Rule(1).id()] }),
        names::Row::new("other.*", const { &[Use::Rule(4).id()] }),
    ]),
    precedence: STANDARD,
};

fn main() -> ExitCode {
    let Ok(watcher) = Watcher::start() else {
        return ExitCode::from(70);
    };
    let Some(governor) = governor() else {
        return ExitCode::from(70);
    };
    let options = options();
    if std::env::args().any(|argument| argument == "--serve") {
        return ExitCode::from(serve::run(several(&options), governor));
    }
    ExitCode::from(stdio::run(options, watcher, governor))
}

#[derive(Debug)]
struct NoPage;

impl Page for NoPage {
    fn show(&self, ticket: &Arc<Ticket>) -> Option<Address> {
        let url = format!("http://127.0.0.1:9/{}", ticket.code);
        Some(Address { url, port: 9 })
    }
}

fn governor() -> Option<Governor<'static>> {
    let home = Home::open(std::env::var_os("KNOTRUST_HOME").as_deref(), None).ok()?;
    let caller = Caller {
        subject: LOCAL_USER.to_owned(),
        subject_kind: knotrust_core::request::SubjectKind::User,
        agent: UNKNOWN_AGENT.to_owned(),
        surface: SurfaceKind::StdioProxy,
        instance: "test".to_owned(),
        transport: "stdio",
    };
    let is_strict = std::env::args().any(|argument| argument == "--strict");
    let ruleset = if is_strict { &STRICT } else { &RULESET };
    let governor = Governor::open(ruleset, &home, caller, Whereabouts::here()).ok()?;
    let has_page = std::env::args().any(|argument| argument == "--page");
    Some(if has_page {
        governor.with_page(Box::new(NoPage))
    } else {
        governor
    })
}

fn several(options: &Options) -> serve::Options {
    let server = |name: &str| {
        let mut launch = options.launch.clone();
        launch.command.push(name.into());
        serve::Server {
            name: name.to_owned(),
            launch,
        }
    };
    serve::Options {
        servers: vec![server("fake"), server("other")],
        limit: options.limit,
        hold: options.hold,
    }
}

fn options() -> Options {
    let mut options = Options {
        server: "fake".to_owned(),
        launch: Launch {
            command: Vec::new(),
            env: None,
        },
        limit: Limit {
            bytes: Limit::DEFAULT_BYTES,
            raised_with: "`--limit`",
        },
        hold: Duration::from_secs(50),
    };
    let mut arguments = std::env::args_os().skip(1).peekable();
    while let Some(argument) =
        arguments.next_if(|argument| argument.to_string_lossy().starts_with("--"))
    {
        let number = |argument: Option<OsString>| argument?.to_str()?.parse::<u64>().ok();
        match argument.to_str() {
            Some("--limit") => {
                let limit = number(arguments.next()).and_then(|limit| limit.try_into().ok());
                options.limit.bytes = limit.unwrap_or_default();
            }
            Some("--hold") => {
                options.hold = Duration::from_millis(number(arguments.next()).unwrap_or_default());
            }
            Some("--strict" | "--page" | "--serve") => {}
            Some(_) | None => break,
        }
    }
    options.launch.command = arguments.collect();
    options
}
