//! Planning: manifest, task and options in, plan out. The same in gives the same out, always.

mod admitting;
mod walk;

pub(crate) use admitting::{Admission, Judged};
pub(crate) use walk::{Candidate, Course, End, Walk};

use crate::amount::Amount;
use crate::gate::{Case, Sought};
use crate::manifest::{Manifest, Unit};
use crate::options::Options;
use crate::plan::{Covering, Plan};
use crate::terms::Terms;

/// Plans which units of a manifest serve a task.
///
/// ```
/// use knotrust_knowledge::date::IsoDate;
/// use knotrust_knowledge::manifest::Manifest;
/// use knotrust_knowledge::options::Options;
/// use knotrust_knowledge::planner::plan;
///
/// let manifest = Manifest::read(
///     "project: yard\nunits:\n- {id: crane, path: crane.md, intent: Lift with the crane}",
/// )?;
/// let options = Options::as_of(IsoDate::read("2026-07-06").ok_or("a date")?);
/// let plan = plan(&manifest, "how do I lift a container?", &options);
/// assert!(plan.selected("crane").is_some_and(|unit| unit.load_eligible));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn plan(manifest: &Manifest, task: &str, options: &Options) -> Plan {
    let terms = Terms::of(task);
    let case = Case {
        manifest,
        options,
        terms: &terms,
        sought: Sought::Task,
    };
    Plan::of(case, task, &Walk::of(case, manifest.units()))
}

/// Plans the one unit of that name, which is asked for by name: nothing competes with it.
#[must_use]
pub fn plan_unit(manifest: &Manifest, id: &str, options: &Options) -> Plan {
    let unit = manifest.unit(id);
    let intent = unit.map(|unit| unit.intent.as_str()).unwrap_or_default();
    let plan = plan_things(manifest, unit.as_slice(), intent, intent, options);
    Plan {
        covering: Some(Covering::Unit(id.to_owned())),
        ..plan
    }
}

/// Plans the units whose content lies at a path, seen from the manifest's folder. What else is there does not compete with
/// them for places.
#[must_use]
pub fn plan_path(manifest: &Manifest, path: &str, options: &Options) -> Plan {
    let task = format!("access {path}");
    let units: Vec<&Unit> = manifest.units_at(path).collect();
    let plan = plan_things(manifest, &units, &task, path, options);
    Plan {
        covering: Some(Covering::Path(path.to_owned())),
        ..plan
    }
}

/// What loading a unit costs that is asked for by name and may be loaded, as [`plan_unit`] would find; nothing if it may
/// not.
pub(crate) fn admission(manifest: &Manifest, unit: &Unit, options: &Options) -> Option<Cost> {
    let terms = Terms::of(&unit.path);
    let case = Case {
        manifest,
        options,
        terms: &terms,
        sought: Sought::Thing,
    };
    match Walk::of(case, [unit]).order.first() {
        Some((_, Admission::Judged(judged)))
            if judged.is_listed() && judged.candidate.is_eligible() =>
        {
            let terms = &judged.candidate.payment;
            Some(Cost {
                method: terms.method.clone(),
                price: terms
                    .price
                    .as_ref()
                    .map(|price| (price.amount, price.currency.clone())),
            })
        }
        Some((_, Admission::Judged(_) | Admission::BeyondCap(_))) | None => None,
    }
}

/// What loading a unit costs.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Cost {
    /// How it is paid for.
    pub(crate) method: String,
    /// The price and its currency, if there is one.
    pub(crate) price: Option<(Amount, String)>,
}

fn plan_things(
    manifest: &Manifest,
    units: &[&Unit],
    task: &str,
    about: &str,
    options: &Options,
) -> Plan {
    let terms = Terms::of(about);
    let case = Case {
        manifest,
        options,
        terms: &terms,
        sought: Sought::Thing,
    };
    let walk = Walk::of(case, units.iter().copied());
    Plan::of(case, task, &walk)
}
