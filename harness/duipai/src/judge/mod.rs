//! Says whether what was seen is what a case asks for.
//!
//! The judge compares every outcome, the whole ordered call log, the end of
//! the event, and what the platform redelivers. It does not know which subject
//! it judges. The rules of comparison are those of the [case format](crate::case).

mod calls;
mod difference;
mod outcome;
mod platform;
#[cfg(test)]
mod tests;
mod text;
mod value;
mod wording;

use duipai_platform::Profile;
use duipai_spec::event::End;

pub use difference::{CallPart, Difference, LINE_CHARS, Mismatch, StepName, Words};
pub use platform::judge_platform;
pub(crate) use text::is_printable;
pub use text::{Shown, TextDifference, one_line, printable};
pub use value::ValueDifference;

use crate::{
    case::{Case, EventCase, Expectation, ExpectedEnd},
    observation::Observation,
    plan::EventPlan,
};

/// Most differences that a verdict lists one by one.
pub const MOST: usize = 16;

/// What the judge says of one case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Everything seen is permitted.
    Passed {
        /// Which of the permitted behaviours was seen, where there is a choice;
        /// those of several events are joined with `; `.
        behaviour: Option<String>,
    },
    /// Something is not.
    Failed(Differences),
}

/// One difference or more, in the order of the events, and in each of them
/// outcomes, calls, end, redelivery.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Differences(Vec<Difference>);

impl Differences {
    /// The differences in `list`, of which the first [`MOST`] are kept and the
    /// others counted; `None` if it is empty.
    fn new(mut list: Vec<Difference>) -> Option<Self> {
        let others = list.split_off(MOST.min(list.len()));
        if !others.is_empty() {
            let lines: Vec<_> = others.iter().map(ToString::to_string).collect();
            let (count, digest) = (others.len(), text::digest(&lines.join("\n")));
            list.push(Difference { event: None, mismatch: Mismatch::More { count, digest } });
        }
        (!list.is_empty()).then_some(Self(list))
    }

    /// The differences, first to last.
    pub fn iter(&self) -> impl Iterator<Item = &Difference> {
        self.0.iter()
    }
}

impl From<Difference> for Differences {
    fn from(only: Difference) -> Self {
        Self(vec![only])
    }
}

/// The lines of all differences, joined by `; `.
impl std::fmt::Display for Differences {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (at, difference) in self.iter().enumerate() {
            let joint = if at == 0 { "" } else { "; " };
            write!(f, "{joint}{difference}")?;
        }
        Ok(())
    }
}

/// Judges `observations` of the events `run`, which are the plans of `case`
/// with every redelivered batch filled in.
pub fn judge(
    run: &[EventPlan],
    case: &Case,
    observations: &[Observation],
    profile: Profile,
) -> Verdict {
    if observations.len() != run.len() || run.len() != case.events.len() {
        return Verdict::Failed(Differences::from(Difference {
            event: None,
            mismatch: Mismatch::Observations {
                expected: case.events.len(),
                got: observations.len(),
            },
        }));
    }
    let several = case.events.len() > 1;
    let mut found = Vec::new();
    let mut behaviours = Vec::new();
    for (at, ((event, plan), seen)) in case.events.iter().zip(run).zip(observations).enumerate() {
        match judge_event(event, plan, seen, profile) {
            Ok(behaviour) => behaviours.extend(behaviour),
            Err(mismatches) => {
                let event = several.then_some(at + 1);
                found.extend(mismatches.into_iter().map(|mismatch| Difference { event, mismatch }));
            }
        }
    }
    match Differences::new(found) {
        Some(differences) => Verdict::Failed(differences),
        None if behaviours.is_empty() => Verdict::Passed { behaviour: None },
        None => Verdict::Passed { behaviour: Some(behaviours.join("; ")) },
    }
}

/// The behaviours seen in one event, or how it differs from the nearest
/// permitted one.
fn judge_event(
    event: &EventCase,
    plan: &EventPlan,
    seen: &Observation,
    profile: Profile,
) -> Result<Vec<String>, Vec<Mismatch>> {
    if seen.outcomes.len() != plan.steps.len() {
        let (expected, got) = (plan.steps.len(), seen.outcomes.len());
        return Err(vec![Mismatch::Outcomes { expected, got }]);
    }
    let mut nearest: Option<(&Expectation, Vec<Mismatch>)> = None;
    for permitted in &event.permitted {
        let (behaviours, mismatches) = compare(permitted, plan, seen, profile);
        if mismatches.is_empty() {
            return Ok(behaviours);
        }
        if nearest.as_ref().is_none_or(|(_, fewest)| mismatches.len() < fewest.len()) {
            nearest = Some((permitted, mismatches));
        }
    }
    // A case without a permitted behaviour forbids everything.
    let (permitted, mismatches) = nearest
        .map(|(nearest, mismatches)| (nearest.behaviour.clone(), mismatches))
        .unwrap_or_default();
    if event.permitted.len() == 1 {
        return Err(mismatches);
    }
    let none_of = Mismatch::NoneOf {
        permitted: event.permitted.iter().filter_map(|one| one.behaviour.clone()).collect(),
        nearest: permitted.unwrap_or_default(),
    };
    Err(std::iter::once(none_of).chain(mismatches).collect())
}

/// The behaviours seen if `permitted` is met, and every difference from it.
fn compare(
    permitted: &Expectation,
    plan: &EventPlan,
    seen: &Observation,
    profile: Profile,
) -> (Vec<String>, Vec<Mismatch>) {
    let mut behaviours: Vec<_> = permitted.behaviour.iter().cloned().collect();
    let mut found = Vec::new();
    if permitted.outcomes.len() != seen.outcomes.len() {
        let (expected, got) = (permitted.outcomes.len(), seen.outcomes.len());
        found.push(Mismatch::Outcomes { expected, got });
    }
    let expected = permitted.outcomes.iter().zip(&seen.outcomes);
    for ((step, (expected, got)), number) in plan.steps.iter().zip(expected).zip(1..) {
        match outcome::compare(number, &step.action, expected, got, plan.batch.as_ref()) {
            Ok(behaviour) => behaviours.extend(behaviour.map(str::to_owned)),
            Err(mismatch) => found.push(mismatch),
        }
    }
    found.extend(calls::compare(&permitted.calls, &seen.calls));
    found.extend(end(permitted.end, &seen.end));
    found.extend(redelivered(permitted, seen, profile));
    (behaviours, found)
}

fn end(expected: ExpectedEnd, got: &End) -> Option<Mismatch> {
    let expected = match (expected, got) {
        (ExpectedEnd::Fulfilled, End::Fulfilled)
        | (ExpectedEnd::Rejected, End::Rejected(_))
        | (ExpectedEnd::Aborted, End::Aborted(_)) => return None,
        (ExpectedEnd::Fulfilled, _) => "fulfilled",
        (ExpectedEnd::Rejected, _) => "rejected",
        (ExpectedEnd::Aborted, _) => "aborted",
    };
    let got = match got {
        End::Fulfilled => String::from("fulfilled"),
        End::Rejected(text) => format!("rejected with {}", Shown::new(text)),
        End::Aborted(text) => format!("aborted with {}", Shown::new(text)),
    };
    Some(Mismatch::End { expected, got })
}

/// Compares the redeliveries if the case judges them under `profile`.
fn redelivered(permitted: &Expectation, seen: &Observation, profile: Profile) -> Option<Mismatch> {
    let after = permitted.after.iter().find(|after| after.profile == profile)?;
    (seen.redelivered.as_ref() != Some(&after.redelivered)).then(|| Mismatch::Redelivered {
        profile,
        expected: after.redelivered.clone(),
        got: seen.redelivered.clone(),
    })
}
