//! The confidence gate: may an answer stand without a person? Without a signal, it may not.

use knotrust_core::json::Value;
use thiserror::Error;

use crate::amount::Amount;
use crate::members::{Members, list, text};

/// How an answer is judged.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Criteria {
    /// The least confidence, from 0 to 1.
    pub threshold: Amount,
    /// How signals are put together.
    pub aggregate: Aggregate,
    /// How much is at stake; told, not weighed.
    pub severity: Option<String>,
    /// Whether the answer is searched for its own confidence.
    pub include_self_report: bool,
    /// The confidence its author gave, in place of what the text says.
    pub self_report: Option<Signal>,
    /// When it is judged.
    pub as_of: String,
}

/// How signals are put together.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Aggregate {
    /// The lowest counts.
    #[default]
    Min,
    /// Their mean counts.
    Mean,
}

/// One voice on how sure an answer is.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Signal {
    /// Whose.
    pub source: Source,
    /// How sure, from 0 to 1; nothing if it was no number.
    pub score: Option<Amount>,
    /// Why.
    pub reasoning: String,
}

/// Whose voice.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Source {
    /// The author's.
    Own,
    /// A judge's.
    Evaluator,
}

/// What a judge returned.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Judgement {
    /// A score.
    Scored(Signal),
    /// Nothing: it failed, with these words.
    Failed(String),
}

/// Whether an answer may stand.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Verdict {
    /// Whether it may.
    pub passed: bool,
    /// What was compared.
    pub threshold: Amount,
    /// How sure it is, all in all.
    pub score: Amount,
    /// The voices heard.
    pub signals: Vec<Signal>,
    /// Why.
    pub detail: String,
    /// How much is at stake.
    pub severity: Option<String>,
    /// When it was judged.
    pub as_of: String,
}

/// Why nothing can be judged.
#[derive(Clone, Debug, Eq, Error, PartialEq)]
pub enum CriteriaError {
    /// The threshold is no share.
    #[error("invalid threshold {threshold} — expected 0..1")]
    Threshold {
        /// As given.
        threshold: Amount,
    },
}

/// Judges an answer.
///
/// # Errors
///
/// The threshold does not lie between 0 and 1.
pub fn assess(
    answer: &str,
    criteria: &Criteria,
    judgement: Option<Judgement>,
) -> Result<Verdict, CriteriaError> {
    let threshold = criteria.threshold;
    if !is_share(threshold) {
        return Err(CriteriaError::Threshold { threshold });
    }
    let own = criteria.self_report.clone().or_else(|| {
        criteria
            .include_self_report
            .then(|| self_report(answer))
            .flatten()
    });
    let mut hearing = Hearing {
        criteria,
        signals: Vec::new(),
    };
    if let Some(signal) = own {
        let problem = out_of_range(&signal, "self-report");
        hearing.signals.push(signal);
        if let Some(problem) = problem {
            return Ok(hearing.closed(problem));
        }
    }
    match judgement {
        None => {}
        Some(Judgement::Failed(words)) => {
            return Ok(hearing.closed(format!("evaluator failed: {words} — fail-closed")));
        }
        Some(Judgement::Scored(signal)) => {
            let problem = out_of_range(&signal, "evaluator");
            hearing.signals.push(signal);
            if let Some(problem) = problem {
                return Ok(hearing.closed(problem));
            }
        }
    }
    Ok(hearing.decided())
}

/// The strictest of the thresholds that apply.
#[must_use]
pub fn strictest(configured: Amount, asked: Option<Amount>) -> Amount {
    asked.map_or(configured, |asked| asked.max(configured))
}

/// The signals heard so far.
struct Hearing<'a> {
    criteria: &'a Criteria,
    signals: Vec<Signal>,
}

impl Hearing<'_> {
    fn decided(self) -> Verdict {
        let scores: Vec<Amount> = self
            .signals
            .iter()
            .filter_map(|signal| signal.score)
            .collect();
        let Some(lowest) = scores.iter().min().copied() else {
            return self.closed(
                "no confidence signal obtainable (no self-report in answer, no evaluator) — fail-closed".to_owned(),
            );
        };
        let sum = scores.iter().copied().fold(Amount::ZERO, Amount::plus);
        let threshold = self.criteria.threshold;
        // A mean is compared as the sum it comes from: no division rounds an answer over the threshold.
        let needed = scores
            .iter()
            .fold(Amount::ZERO, |needed, _| needed.plus(threshold));
        let (passed, score) = match self.criteria.aggregate {
            Aggregate::Min => (lowest >= threshold, lowest),
            Aggregate::Mean => (sum >= needed, sum.divided_by(scores.len())),
        };
        let score = score.at_six_places();
        let stakes = self
            .criteria
            .severity
            .as_ref()
            .map(|severity| format!(" on {severity} task"))
            .unwrap_or_default();
        let how = match self.criteria.aggregate {
            Aggregate::Min => "min",
            Aggregate::Mean => "mean",
        };
        let plural = if scores.len() == 1 { "" } else { "s" };
        let detail = if passed {
            format!(
                "confidence {score} >= threshold {threshold}{stakes} ({how} of {} signal{plural})",
                scores.len()
            )
        } else {
            let lowest = self
                .signals
                .iter()
                .find(|signal| signal.score == Some(lowest));
            let named =
                lowest.map(|signal| format!(" — {}: {}", signal.source.name(), signal.reasoning));
            format!(
                "confidence {score} < threshold {threshold}{stakes}{}",
                named.unwrap_or_default()
            )
        };
        self.verdict(passed, score, detail)
    }

    fn closed(self, detail: String) -> Verdict {
        self.verdict(false, Amount::ZERO, detail)
    }

    fn verdict(self, passed: bool, score: Amount, detail: String) -> Verdict {
        Verdict {
            passed,
            threshold: self.criteria.threshold,
            score,
            signals: self.signals,
            detail,
            severity: self.criteria.severity.clone(),
            as_of: self.criteria.as_of.clone(),
        }
    }
}

fn out_of_range(signal: &Signal, what: &str) -> Option<String> {
    match signal.score {
        Some(score) if is_share(score) => None,
        Some(score) => Some(format!("{what} score {score} out of range — fail-closed")),
        None => Some(format!("{what} score null out of range — fail-closed")),
    }
}

fn is_share(amount: Amount) -> bool {
    !amount.is_negative() && amount <= Amount::from(1)
}

/// The last confidence that an answer states: `confidence: 0.82`, `Confidence 82 %`.
fn self_report(answer: &str) -> Option<Signal> {
    let folded = answer.to_ascii_lowercase();
    let last = folded.rmatch_indices(WORD).find_map(|(at, _)| {
        let rest = folded.get(at + WORD.len()..)?;
        let number = rest
            .trim_start_matches(|character: char| character == ':' || character.is_whitespace());
        if number.len() == rest.len() {
            return None;
        }
        let (digits, score) = leading_number(number)?;
        let after = number.get(digits..)?;
        let percent = after.trim_start().starts_with('%');
        let sign = if percent {
            after.len() - after.trim_start().len() + 1
        } else {
            0
        };
        let end = at + WORD.len() + (rest.len() - number.len()) + digits + sign;
        Some((score, percent, answer.get(at..end)?))
    });
    let (score, percent, quote) = last?;
    let share = if percent || score > Amount::from(1) {
        score.divided_by(100)
    } else {
        score
    };
    let score = share.min(Amount::from(1));
    Some(Signal {
        source: Source::Own,
        score: Some(score),
        reasoning: format!("self-reported: \"{quote}\""),
    })
}

/// The number at the start of a text and how long it is. `.75` is one, `1.` ends before the point.
fn leading_number(text: &str) -> Option<(usize, Amount)> {
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let whole = digits(text);
    let fraction = text
        .get(whole..)?
        .strip_prefix('.')
        .map(digits)
        .filter(|count| *count > 0);
    let length = whole + fraction.map_or(0, |count| count + 1);
    let number = text.get(..length)?;
    let padded = if number.starts_with('.') {
        format!("0{number}")
    } else {
        number.to_owned()
    };
    Some((length, Amount::read(&padded)?))
}

impl Source {
    const fn name(self) -> &'static str {
        match self {
            Self::Own => "self",
            Self::Evaluator => "evaluator",
        }
    }
}

impl Verdict {
    /// The verdict as it is told and recorded.
    #[must_use]
    pub fn to_json(&self) -> Value<'static> {
        let signal = |signal: &Signal| {
            Members::new()
                .text("source", signal.source.name())
                .set("score", signal.score.map_or(Value::Null, Amount::to_json))
                .text("reasoning", &signal.reasoning)
                .done()
        };
        Members::new()
            .text("gate", "confidence")
            .flag("passed", self.passed)
            .set("threshold", self.threshold.to_json())
            .set("score", self.score.to_json())
            .set("signals", list(self.signals.iter().map(signal)))
            .text("detail", &self.detail)
            .maybe("severity", self.severity.as_deref().map(text))
            .text("asOf", &self.as_of)
            .done()
    }
}

const WORD: &str = "confidence";
