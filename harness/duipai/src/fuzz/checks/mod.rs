//! The targets' work: an input, and the oracle for it.
//!
//! | module | inputs |
//! | --- | --- |
//! | [`texts`] | JSON texts |
//! | [`plans`] | calls and whole events |
//! | [`files`] | files: guests, case files |

pub(super) mod files;
pub(super) mod plans;
pub(super) mod texts;

use crate::{
    fuzz::{
        input::Input,
        run::{Finding, Rejection, Run},
    },
    oracle::{Checked, Disagreement, Held},
    subject::Subject,
};

/// What a target does with an input that is of its form.
pub(super) type Check = fn(&Input, &dyn Subject) -> Run;

/// What an oracle's answer is to a target. `is_json` says whether an input that
/// was refused would have been one but for a rule.
fn run_of(checked: Checked, is_json: impl FnOnce() -> bool) -> Run {
    match checked {
        Ok(Held::Accepted) => Run::Accepted,
        Ok(Held::Refused) if is_json() => Run::Refused,
        Ok(Held::Refused) => Run::Rejected(Rejection::NotJson),
        Ok(Held::Discarded(_)) => Run::Rejected(Rejection::KnownDifference),
        Ok(Held::NotApplicable(_)) => Run::Rejected(Rejection::NotExpressible),
        Err(disagreement) => Run::Found(Box::new(found(*disagreement))),
    }
}

/// A disagreement as a finding. Two that come from one oracle and break the same
/// sentences are the same fault.
fn found(disagreement: Disagreement) -> Finding {
    let (expected, got) = disagreement.shown();
    Finding {
        fault: format!("oracle {} disagrees", disagreement.oracle),
        says: disagreement.sentences.into_iter().map(str::to_owned).collect(),
        detail: format!("expected: {expected}\ngot:      {got}"),
        input: disagreement.input,
    }
}

/// The first run, unless the second finds something.
fn beside(first: Run, second: impl FnOnce() -> Run) -> Run {
    match first {
        Run::Found(_) => first,
        Run::Accepted | Run::Refused | Run::Rejected(_) => match second() {
            found @ Run::Found(_) => found,
            Run::Accepted | Run::Refused | Run::Rejected(_) => first,
        },
    }
}
