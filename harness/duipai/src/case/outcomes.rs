//! The course of an event: what its steps come to one after the other, and how
//! it therefore ends.

use super::{
    ExpectedEnd, ExpectedMessage, ExpectedOutcome,
    error::Problem,
    fields::Value,
    step::{WrittenStep, outcome},
};
use crate::plan::Action;

/// What the steps of an event come to.
pub(crate) struct Course {
    pub(crate) outcomes: Vec<ExpectedOutcome>,
    /// How the event ends if nothing else is said.
    pub(crate) end: ExpectedEnd,
}

/// The course that `expects` describes, one entry for each step. `batch` says
/// whether the event has one.
pub(crate) fn course(
    steps: &[WrittenStep<'_>],
    expects: &[Option<Value<'_>>],
    batch: bool,
) -> Result<Course, Problem> {
    let mut outcomes = Vec::with_capacity(steps.len());
    let mut end = ExpectedEnd::Fulfilled;
    for (written, expect) in steps.iter().zip(expects) {
        let over = end != ExpectedEnd::Fulfilled;
        // A `raise` has no `expect` of its own, however often it is expected.
        if let Action::Raise { message } = &written.step.action {
            written.fields.spend(size_of::<ExpectedOutcome>() + message.len())?;
        }
        let outcome = match (&written.step.action, expect) {
            (Action::Raise { .. }, _) if over => ExpectedOutcome::NotReached,
            (Action::Raise { message }, _) => {
                ExpectedOutcome::Threw(ExpectedMessage::Exact(message.clone()))
            }
            (action, Some(value)) => {
                let outcome = outcome(*value, action)?;
                check(*value, &outcome, over, batch)?;
                outcome
            }
            (_, None) => return Err(written.fields.problem("missing field \"expect\"")),
        };
        match outcome {
            ExpectedOutcome::Aborted => end = ExpectedEnd::Aborted,
            ExpectedOutcome::Threw(_) if !written.step.caught => end = ExpectedEnd::Rejected,
            _ => {}
        }
        outcomes.push(outcome);
    }
    Ok(Course { outcomes, end })
}

fn check(
    value: Value<'_>,
    outcome: &ExpectedOutcome,
    over: bool,
    batch: bool,
) -> Result<(), Problem> {
    match outcome {
        ExpectedOutcome::NotReached if !over => {
            Err(value.problem("no step before this one ends the event, so it is reached"))
        }
        ExpectedOutcome::NotReached => Ok(()),
        _ if over => Err(value.problem(
            "a step before this one ends the event, so \"not-reached\" is all it can come to",
        )),
        ExpectedOutcome::ReturnedBatch if !batch => {
            Err(value.problem("\"batch\" needs an event with a batch"))
        }
        _ => Ok(()),
    }
}
