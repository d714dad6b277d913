//! Proxying: the policy between a client and a server.

mod name;
mod notice;

use std::env;
use std::ffi::OsString;
use std::time::Duration;

use knotrust_core::request::{SubjectKind, SurfaceKind};
use knotrust_core::ruleset::{Launch as Listed, Mode, Ruleset, Server};
use knotrust_govern::caller::{Caller, LOCAL_USER, UNKNOWN_AGENT};
use knotrust_govern::governor::Governor;
use knotrust_govern::home::Home;
use knotrust_govern::keychain::Keychain;
use knotrust_govern::whereabouts::Whereabouts;
use knotrust_mcp::child::{Launch, Watcher};
use knotrust_mcp::stdio::{self, Limit, Options};
use knotrust_web::page::LocalPage;

use super::Done;
use crate::arguments::{Limits, Proxy, Run, Serve};
use crate::{exit, output};

/// `knotrust [--server NAME] -- COMMAND…`.
pub(super) fn command(ruleset: &'static Ruleset<'static>, proxy: Proxy) -> Done {
    if proxy.command.is_empty() {
        output::note(
            "there is no command to proxy: write it after `--`, as in `knotrust -- npx -y some-server`",
        );
        return Ok(exit::USAGE);
    }
    let named = name::of(ruleset, proxy.server.as_deref(), &proxy.command)?;
    if let Some(remark) = &named.remark {
        output::note(&format!("knotrust: {remark}"));
    }
    // The environment of a listed server is pinned with its command.
    let env = if named.is_listed_command {
        listed_environment(ruleset, &named.server)
    } else {
        None
    };
    let launch = Launch {
        command: proxy.command,
        env,
    };
    start(ruleset, named.server, launch, proxy.limits)
}

/// `knotrust run SERVER`.
pub(super) fn listed(ruleset: &'static Ruleset<'static>, run: &Run) -> Done {
    let Some(server) = ruleset.server(&run.server) else {
        return Ok(unlisted(ruleset, &run.server));
    };
    match pinned(ruleset, server) {
        Some(launch) => start(ruleset, server.name.to_owned(), launch, run.limits),
        None => {
            remote(server);
            Ok(exit::FAILED)
        }
    }
}

// A ruleset may list a server that ships in this program; it is then found wherever this program lies.
fn own_program(word: &str) -> OsString {
    let own = (word == "knotrust")
        .then(|| env::current_exe().ok())
        .flatten();
    own.map_or_else(|| word.into(), Into::into)
}

fn listed_environment(ruleset: &Ruleset<'_>, server: &str) -> Option<Vec<OsString>> {
    match ruleset.server(server)?.launch {
        Listed::Command { env, .. } => Some(env?.iter().map(Into::into).collect()),
        Listed::Url(_) => None,
    }
}

fn start(
    ruleset: &'static Ruleset<'static>,
    server: String,
    launch: Launch,
    limits: Limits,
) -> Done {
    let watcher = Watcher::start()?;
    let options = Options {
        server,
        launch,
        limit: limit(limits)?,
        hold: Duration::from_millis(ruleset.approvals.hold),
    };
    Ok(stdio::run(options, watcher, governor(ruleset)?))
}

/// `knotrust serve [SERVER…]`.
pub(super) fn serve(ruleset: &'static Ruleset<'static>, serve: &Serve) -> Done {
    for name in &serve.servers {
        if ruleset.server(name).is_none() {
            return Ok(unlisted(ruleset, name));
        }
    }
    let is_wanted = |server: &&Server<'_>| {
        serve.servers.is_empty() || serve.servers.iter().any(|name| name == server.name)
    };
    let mut servers = Vec::new();
    for server in ruleset.servers.iter().filter(is_wanted) {
        match pinned(ruleset, server) {
            Some(launch) => servers.push(stdio::serve::Server {
                name: server.name.to_owned(),
                launch,
            }),
            None => remote(server),
        }
    }
    if servers.is_empty() {
        output::note("there is no server to start");
        return Ok(exit::FAILED);
    }
    let options = stdio::serve::Options {
        servers,
        limit: limit(serve.limits)?,
        hold: Duration::from_millis(ruleset.approvals.hold),
    };
    Ok(stdio::serve::run(options, governor(ruleset)?))
}

fn unlisted(ruleset: &Ruleset<'_>, name: &str) -> u8 {
    let names: Vec<_> = ruleset.servers.iter().map(|server| server.name).collect();
    output::note(&format!(
        "the ruleset lists no server `{}`; it lists {}",
        output::inert(name),
        names.join(", ")
    ));
    exit::USAGE
}

/// The pinned launch of a server, if it is a program.
fn pinned(ruleset: &Ruleset<'_>, server: &Server<'_>) -> Option<Launch> {
    match server.launch {
        Listed::Command { command, .. } => Some(Launch {
            command: command.iter().map(|word| own_program(word)).collect(),
            env: listed_environment(ruleset, server.name),
        }),
        Listed::Url(_) => None,
    }
}

fn remote(server: &Server<'_>) {
    if let Listed::Url(url) = server.launch {
        output::note(&format!(
            "`{}` is reached at {url}, and this build proxies programs only",
            server.name
        ));
    }
}

fn limit(limits: Limits) -> Result<Limit, std::num::TryFromIntError> {
    Ok(Limit {
        bytes: usize::try_from(limits.max_message.saturating_mul(1 << 20))?,
        raised_with: "--max-message MIB",
    })
}

/// Who rules, with a page to ask on.
fn governor(
    ruleset: &'static Ruleset<'static>,
) -> Result<Governor<'static>, knotrust_govern::failure::StoreError> {
    if ruleset.settings.mode == Mode::Observe {
        output::note(
            "knotrust: mode observe: calls are decided and recorded, and nothing is withheld. This protects nobody.",
        );
    }
    let home = home()?;
    let caller = caller();
    let page = LocalPage::of(ruleset, &home, &caller);
    let governor = Governor::open(ruleset, &home, caller, Whereabouts::here())?;
    Ok(governor.with_page(Box::new(notice::Announced::new(page))))
}

/// Who calls: told by the environment, which whoever configures the client sets, and never by the client.
fn caller() -> Caller {
    let named = |name: &str, default: &str| {
        env::var(name)
            .ok()
            .filter(|value| !value.is_empty())
            .unwrap_or_else(|| default.to_owned())
    };
    Caller {
        subject: named("KNOTRUST_SUBJECT", LOCAL_USER),
        subject_kind: SubjectKind::User,
        agent: named("KNOTRUST_AGENT", UNKNOWN_AGENT),
        surface: SurfaceKind::StdioProxy,
        instance: format!("px_{}", std::process::id()),
        transport: "stdio",
    }
}

/// The home, as the environment says.
pub(super) fn home() -> Result<Home, knotrust_govern::failure::StoreError> {
    let chosen = env::var_os("KNOTRUST_HOME");
    let user = env::home_dir().map(OsString::from);
    let bus = env::var_os("DBUS_SESSION_BUS_ADDRESS");
    // Whoever wants the key in a file says so.
    let wanted = env::var_os("KNOTRUST_KEYCHAIN").is_none_or(|choice| choice != "none");
    let keychain = Keychain::on(bus.as_deref()).filter(|_| wanted);
    Ok(Home::open(chosen.as_deref(), user.as_deref())?.with(keychain))
}
