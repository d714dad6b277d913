//! The ruleset's own tests, through the real decision.

use std::{path::Path, time::SystemTime};

use knotrust_core::{
    case::Case,
    decide::decide,
    decision::Decision,
    evidence::Evidence,
    json::{Object, Text, Value},
    request::{
        Action, Agent, AgentKind, Context, DecisionRequest, Environment, Resource, Subject,
        SubjectKind, Surface, SurfaceKind, Untrusted,
    },
    ruleset::Ruleset,
    surroundings::{Naming, NoLinks, Os, Surroundings},
    targets::{ground::Ground, own::Own},
    time::Timestamp,
};

use knotrust_knowledge::{
    date::IsoDate,
    governing::{
        Domain, Session, Unusable,
        call::{Call, Gated, Placed},
    },
    manifest::Manifest,
    options::Options,
};

use crate::{
    checked::Checked,
    problem::{Code, Problem, shown},
    resolved::{self, Test},
};

/// What became of a test.
#[derive(Clone, Debug)]
pub struct Trial<'a> {
    /// The test.
    pub test: &'a Test,
    /// What was decided.
    pub decision: Decision,
}

/// Tries all tests of a ruleset, in the order of the text.
pub fn run(checked: &Checked) -> Vec<Trial<'_>> {
    let tests = &checked.resolved().tests;
    checked.lend(|ruleset| {
        tests
            .iter()
            .map(|test| Trial {
                test,
                decision: decided(checked, ruleset, test),
            })
            .collect()
    })
}

impl Trial<'_> {
    /// What is otherwise than expected: what, as expected, as decided.
    pub fn differences(&self) -> Vec<(&'static str, &str, &'static str)> {
        let Test {
            outcome,
            tier,
            reason,
            ..
        } = self.test;
        let asked = [
            ("outcome", *outcome, self.decision.outcome.as_str()),
            (
                "tier",
                tier.map(|tier| tier.as_str()),
                self.decision.tier.as_str(),
            ),
            ("reason", reason.as_deref(), self.decision.reason.code()),
        ];
        let asked = asked
            .into_iter()
            .filter_map(|(what, expected, decided)| Some((what, expected?, decided)));
        asked
            .filter(|(_, expected, decided)| expected != decided)
            .collect()
    }
}

/// The problems of all tests that fail.
pub(crate) fn problems(checked: &Checked) -> Vec<Problem> {
    run(checked)
        .iter()
        .filter_map(|trial| problem(checked, trial))
        .collect()
}

fn problem(checked: &Checked, trial: &Trial<'_>) -> Option<Problem> {
    let differences = trial.differences();
    let said: Vec<String> = differences
        .iter()
        .map(|(what, expected, decided)| {
            format!("{what} is `{decided}`, not `{}`", shown(expected))
        })
        .collect();
    if said.is_empty() {
        return None;
    }
    let decision = &trial.decision;
    let message = format!(
        "the test `{}` fails: its {}",
        shown(&trial.test.name),
        said.join(", its ")
    );
    let reason = format!(
        "{}, tier {} ({})",
        decision.reason.for_people(),
        decision.tier,
        decision.tier_source.as_str()
    );
    let problem = Problem::new(Code::TestFailed, message).at(trial.test.span, "this test");
    let rule = decision
        .rule
        .or(decision.tier_source.rule())
        .and_then(|rank| checked.rules().nth(rank as usize));
    let problem = match rule {
        Some(rule) => problem.at(rule.span, "this rule decides"),
        None => problem,
    };
    Some(problem.help(format!("decided by the layer {}: {reason}", decision.layer)))
}

fn decided(checked: &Checked, ruleset: &Ruleset<'_>, test: &Test) -> Decision {
    let tool = Text::from(test.tool.as_str());
    let name = format!("{}.{}", test.server, test.tool);
    let mut request = DecisionRequest {
        request_id: "".into(),
        timestamp: MOMENT,
        subject: Subject {
            kind: SubjectKind::User,
            id: "test".into(),
            properties: None,
        },
        action: Action {
            name: Text::from(name.as_str()),
            properties: None,
        },
        resource: Resource {
            kind: Text::from(test.server.as_str()),
            id: tool.clone(),
            properties: None,
        },
        context: Context {
            agent: Agent {
                id: test.agent.as_deref().unwrap_or("test").into(),
                kind: AgentKind::AiAgent,
                client_id: None,
                model: None,
            },
            env: Environment {
                time: MOMENT,
                surface_local: true,
                more: Object::default(),
            },
            arguments: test.arguments.as_ref().and_then(Value::as_object).cloned(),
        },
        surface: Surface {
            kind: SurfaceKind::Sdk,
            instance_id: "test".into(),
            server: Some(test.server.as_str().into()),
            spec_version: None,
            transport: None,
        },
        annotations: test.annotations.as_ref().map(Untrusted::read),
    };
    let ground = Ground::lay(ruleset.places, &Own::NOTHING, &AROUND);
    let arguments = request.arguments();
    let (case, classification) = Case::on(&ground, ruleset, &request, &arguments, false, &AROUND);
    request.resource = case.resource(&test.server, &tool, &arguments);
    let call = Call {
        case: &case,
        classification: &classification,
        tool: &test.tool,
        arguments: &arguments,
        naming: AROUND.naming,
    };
    let evidence = Evidence {
        plan: gated(checked, ruleset, &call).plan,
        ..Evidence::none(MOMENT)
    };
    decide(&case, &evidence)
}

/// What the gates say, in a session that has asked for nothing yet, on the day of the test.
fn gated(checked: &Checked, ruleset: &Ruleset<'_>, call: &Call<'_>) -> Gated {
    let today = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let today = today.map_or(0, |since| i64::try_from(since.as_secs()).unwrap_or(0));
    let today = IsoDate::day_of(Timestamp::from_seconds(today));
    let options = Options::of_gates(&ruleset.gates, today);
    let touched: Vec<_> = call
        .case
        .domains
        .iter()
        .filter_map(|index| {
            let at = usize::try_from(*index).ok()?;
            let (declared, written) = (
                ruleset.domains.get(at)?,
                checked.resolved().domains.get(at)?,
            );
            let text = match &written.manifest {
                resolved::Manifest::Pinned { text, .. } => Some(text.as_str()),
                resolved::Manifest::Live { text, .. } => text.as_deref(),
            };
            let manifest = text.and_then(|text| Manifest::read(text).ok());
            let folder = Path::new(AROUND.cwd).join(declared.manifest.path);
            let folder = folder
                .parent()
                .map(|folder| folder.to_string_lossy().into_owned());
            Some((
                *index,
                declared,
                manifest,
                folder.into_iter().collect::<Vec<_>>(),
            ))
        })
        .collect();
    let placed: Vec<_> = touched
        .iter()
        .map(|(index, declared, manifest, folders)| {
            let domain = Domain {
                name: declared.name,
                manifest: manifest.as_ref().ok_or(Unusable::Unreadable),
                urls: declared.urls,
                options: &options,
            };
            (*index, Placed { domain, folders })
        })
        .collect();
    call.ask(&placed, &mut Session::default())
}

/// Where a test's call happens. Relative paths are seen from here, and nothing is a link.
const AROUND: Surroundings<'static> = Surroundings {
    cwd: "/project",
    home: "/home/user",
    os: Os::Linux,
    naming: Naming::CASED,
    links: &NoLinks,
};

/// A decision about a policy alone is the same at every time.
const MOMENT: Timestamp = Timestamp::from_millis(0);
