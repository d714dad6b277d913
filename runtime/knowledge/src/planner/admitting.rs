//! The last three gates, passed in load order.

use crate::amount::Amount;
use crate::gate::max_units::Place;
use crate::gate::{Case, context_budget, money_budget};
use crate::manifest::Unit;
use crate::options::Budget;
use crate::planner::walk::Candidate;

/// What the last three gates said.
pub(crate) enum Admission {
    /// There was no place left.
    BeyondCap(Place),
    /// There was one, and the budgets were asked.
    Judged(Box<Judged>),
}

/// What the budgets said.
pub(crate) struct Judged {
    pub(crate) candidate: Candidate,
    pub(crate) place: Place,
    pub(crate) money: money_budget::Verdict,
    /// Nothing if money refused.
    pub(crate) context: Option<context_budget::Verdict>,
}

impl Judged {
    pub(crate) fn is_listed(&self) -> bool {
        self.context.is_some_and(|context| !context.refuses())
    }
}

/// What has been taken so far.
pub(super) struct Admitting<'a> {
    case: Case<'a>,
    listed: usize,
    money: Amount,
    tokens: Amount,
}

impl<'a> Admitting<'a> {
    pub(super) fn new(case: Case<'a>) -> Self {
        let budget = case.options.budget.as_ref();
        Self {
            case,
            listed: 0,
            money: budget.map(Budget::spent).unwrap_or_default(),
            tokens: Amount::ZERO,
        }
    }

    /// The next place.
    pub(super) const fn place(&self) -> Place {
        Place {
            position: self.listed + 1,
            cap: self.case.options.max_units,
        }
    }

    pub(super) fn judge(&mut self, unit: &Unit, candidate: Candidate) -> Judged {
        let options = self.case.options;
        let place = self.place();
        let eligible = candidate.is_eligible();
        let price = candidate.payment.price.as_ref().filter(|_| eligible);
        let money = money_budget::judge(options.budget.as_ref(), price, self.money);
        let context = (!money.refuses()).then(|| {
            context_budget::judge(
                options.context_budget,
                eligible,
                unit.tokens,
                self.tokens,
                options.strict,
            )
        });
        let judged = Judged {
            candidate,
            place,
            money,
            context,
        };
        self.take(&judged);
        judged
    }

    /// What isn't listed has cost nothing.
    fn take(&mut self, judged: &Judged) {
        if !judged.is_listed() {
            return;
        }
        self.listed += 1;
        if let money_budget::Verdict::Within { spent, .. } = judged.money {
            self.money = spent;
        }
        if let Some(context_budget::Verdict::Within { used, .. }) = judged.context {
            self.tokens = used;
        }
    }
}
