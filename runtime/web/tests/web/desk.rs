//! A process that holds calls, and its page.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::Arc;

use knotrust_core::exact;
use knotrust_core::json::parse;
use knotrust_core::names::Names;
use knotrust_core::precedence::STANDARD;
use knotrust_core::reason::Reason;
use knotrust_core::request::{self, SubjectKind, SurfaceKind};
use knotrust_core::ruleset::{
    Approvals as Asking, Defaults, Envelope, Gates, Rules, Ruleset, Settings, Unlisted,
};
use knotrust_core::targets::place::Places;
use knotrust_core::tier::Tier;
use knotrust_govern::approvals::{Approvals, Asked, Limits, Question, Settled, Ticket};
use knotrust_govern::caller::Caller;
use knotrust_govern::clock;
use knotrust_govern::clock::ulid::Ulids;
use knotrust_govern::home::Home;
use knotrust_govern::page::Page as _;
use knotrust_web::page::LocalPage;
use tempfile::TempDir;

/// A policy without rules.
pub(crate) static RULESET: Ruleset<'static> = Ruleset {
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
    rules: Rules::Rows(&[]),
    resources: &[],
    domains: &[],
    gates: Gates::DEFAULT,
    places: Places::NONE,
    envelope: Envelope::NONE,
    approvals: Asking::DEFAULT,
    settings: Settings::DEFAULT,
    names: Names::NONE,
    precedence: STANDARD,
};

/// A process that holds calls.
pub(crate) struct Holder {
    _folder: TempDir,
    pub(crate) home: Home,
    approvals: Approvals<'static>,
    page: LocalPage,
    ids: Ulids,
    asked: usize,
}

/// A held call, and where its page is.
pub(crate) struct Held {
    pub(crate) ticket: Arc<Ticket>,
    pub(crate) port: u16,
    pub(crate) token: String,
}

/// An answer of the page.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Holder {
    pub(crate) fn new(ruleset: &'static Ruleset<'static>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(None, Some(folder.path().as_os_str())).unwrap();
        let caller = Caller {
            subject: "dev".to_owned(),
            subject_kind: SubjectKind::User,
            agent: "claude-code".to_owned(),
            surface: SurfaceKind::StdioProxy,
            instance: "px_1".to_owned(),
            transport: "stdio",
        };
        let many = Limits {
            waiting: 10_000,
            a_minute: 10_000,
        };
        let now = clock::now().wall;
        let (approvals, _) =
            Approvals::open(&home, &ruleset.approvals, &caller.instance, many, now).unwrap();
        Self {
            page: LocalPage::of(ruleset, &home, &caller),
            _folder: folder,
            home,
            approvals,
            ids: Ulids::default(),
            asked: 0,
        }
    }

    /// Holds a call of `notes.wipe`, which is like no call before.
    pub(crate) fn hold_any(&mut self) -> Held {
        self.asked += 1;
        let arguments = format!(r#"{{"path":"notes.txt","n":{}}}"#, self.asked);
        self.hold(&arguments, 60_000)
    }

    /// Holds a call with those arguments, for so many milliseconds.
    pub(crate) fn hold(&mut self, arguments: &str, expires: u64) -> Held {
        self.hold_as(arguments, expires, &[])
    }

    /// Holds a call that somebody of that role must answer.
    pub(crate) fn hold_for(&mut self, role: &str) -> Held {
        self.hold_as("{}", 60_000, &[role])
    }

    fn hold_as(&mut self, arguments: &str, expires: u64, roles: &[&str]) -> Held {
        let text = format!(
            r#"{{"contractVersion":"1.0","requestId":"1","timestamp":"2027-01-15T08:00:00Z",
            "subject":{{"type":"user","id":"dev"}},"action":{{"name":"notes.wipe"}},
            "resource":{{"type":"tool","id":"wipe"}},
            "context":{{"agent":{{"id":"claude-code","type":"ai_agent"}},"arguments":{arguments},
              "env":{{"time":"2027-01-15T08:00:00Z","surfaceLocal":true}}}},
            "surface":{{"kind":"stdio_proxy","instanceId":"px_1","server":"notes"}}}}"#
        );
        let value = parse(text.as_bytes()).unwrap();
        let request = request::read(&value).unwrap();
        let now = clock::now().wall;
        let id = self.ids.next(now).unwrap().to_string();
        let hash = request.call_hash().ok();
        let question = Question {
            request: &request,
            exact: &exact::call_hash(&request),
            hash: hash.as_deref(),
            tier: Tier::Critical,
            reason: Reason::NoGrantCritical,
            roles: roles.iter().map(|role| (*role).to_owned()).collect(),
            expires,
        };
        let Asked::New(ticket) = self.approvals.ask(&question, &id, now).unwrap() else {
            panic!("the call is not a new one");
        };
        let address = self.page.show(&ticket).unwrap();
        let token = address.url.rsplit('/').next().unwrap().to_owned();
        Held {
            ticket,
            port: address.port,
            token,
        }
    }

    /// What has ended since the last look.
    pub(crate) fn settled(&mut self) -> Vec<Settled> {
        self.approvals.poll(clock::now().wall).unwrap()
    }

    /// The reasons of the violations in the log.
    pub(crate) fn violations(&self) -> Vec<String> {
        let folder = self.home.at("audit");
        let Ok(files) = std::fs::read_dir(folder) else {
            return Vec::new();
        };
        let texts = files.map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap());
        let reason = |line: &str| {
            let event = parse(line.as_bytes()).ok()?;
            let is_one = event.get("type")?.as_str()? == "approval_channel_violation";
            is_one.then(|| event.get("reason").unwrap().as_str().unwrap().to_owned())
        };
        texts
            .flat_map(|text| text.lines().filter_map(reason).collect::<Vec<_>>())
            .collect()
    }
}

impl Held {
    /// The head of a request, without its end. `PORT` and `TOKEN` are filled in.
    pub(crate) fn send(&self, head: &str, body: &[u8]) -> Answer {
        let head = head
            .replace("PORT", &self.port.to_string())
            .replace("TOKEN", &self.token);
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(b"\r\n").unwrap();
        // Whoever is refused may be hung up on before all is sent; the answer is there all the same.
        let _ = stream.write_all(body);
        let _ = stream.shutdown(Shutdown::Write);
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).unwrap();
        Answer::read(&bytes)
    }

    pub(crate) fn get(&self) -> Answer {
        self.send("GET /TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n", b"")
    }

    /// Sends a form as a browser does that shows the page.
    pub(crate) fn post(&self, form: &str) -> Answer {
        let origin = "Origin: http://127.0.0.1:PORT\r\nSec-Fetch-Site: same-origin\r\n";
        self.post_with(origin, form)
    }

    pub(crate) fn post_with(&self, headers: &str, form: &str) -> Answer {
        let head = format!(
            "POST /TOKEN HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n{headers}\
             Content-Type: application/x-www-form-urlencoded\r\nContent-Length: {}\r\n",
            form.len()
        );
        self.send(&head, form.as_bytes())
    }

    /// What the form of the page holds.
    pub(crate) fn secret(&self) -> String {
        let body = self.get().body;
        let start = "name=\"csrf\" value=\"";
        let rest = body.split(start).nth(1).expect("the page has a form");
        rest.split('"').next().unwrap().to_owned()
    }

    pub(crate) fn waits(&self) -> bool {
        let page = self.get();
        page.status == 200 && page.body.contains("name=\"action\"")
    }
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8(bytes.to_vec()).unwrap();
        let (head, body) = text.split_once("\r\n\r\n").expect("an answer");
        Self {
            status: head.split(' ').nth(1).unwrap().parse().unwrap(),
            head: head.to_owned(),
            body: body.to_owned(),
        }
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().filter_map(|line| line.split_once(": "));
        let mut named = lines.filter(|(known, _)| known.eq_ignore_ascii_case(name));
        named.next().map(|(_, value)| value)
    }
}
