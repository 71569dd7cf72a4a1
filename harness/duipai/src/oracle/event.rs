//! Whole scenes: any subject against the model, and against another subject.
//!
//! The model follows what was seen. Where the document leaves a choice, the
//! choice that was made is taken, and what comes after must fit it.

mod sending;
mod settle;
mod steps;

use std::time::Duration;

use duipai_platform::Profile;
use duipai_spec::event::End;

use super::{Checked, Disagreement, Held, broke, disagreement};
use crate::{
    case::needs,
    generate::describe,
    observation::{Observation, Outcome},
    plan::{EventPlan, Scene},
    subject::{Fault, Subject},
};
use steps::Walk;

/// A result of a step of the model.
type Step<T = ()> = Result<T, Box<Disagreement>>;

/// Time that a subject has for one scene.
pub const BUDGET: Duration = Duration::from_secs(30);

/// `subject` does in `scene` what the sentences ask for: every outcome, the
/// complete log of platform calls, the end, what is delivered again.
///
/// # Errors
///
/// When it does something else.
pub fn model(scene: &Scene, subject: &dyn Subject) -> Checked {
    model_as("event", scene, subject).map_err(|it| it.of(describe::case(scene, "candidate.event")))
}

/// [`model`] under the name of another oracle, without the input.
pub(super) fn model_as(oracle: &'static str, scene: &Scene, subject: &dyn Subject) -> Checked {
    if let Err(reason) = applicable(scene, subject) {
        return Ok(Held::NotApplicable(reason));
    }
    let profile = Profile::default();
    let seen = run(scene, subject).map_err(|fault| broke(oracle, &fault))?;
    let mut held = Held::Accepted;
    if seen.len() != scene.events.len() {
        let (expected, got) = (scene.events.len(), seen.len());
        let texts = [expected, got].map(|count| format!("{count} observations"));
        let [expected, got] = texts;
        return Err(disagreement(oracle, &["event.fresh-instance"], expected, got));
    }
    for (plan, seen) in scene.events.iter().zip(&seen) {
        match judge(oracle, plan, seen, profile)? {
            Held::Discarded(difference) => return Ok(Held::Discarded(difference)),
            Held::Refused => held = Held::Refused,
            _ => {}
        }
    }
    Ok(held)
}

/// Two subjects do the same in `scene`, but for what they print.
///
/// # Errors
///
/// When they differ.
pub fn alike(scene: &Scene, one: &dyn Subject, other: &dyn Subject) -> Checked {
    for subject in [one, other] {
        if let Err(reason) = applicable(scene, subject) {
            return Ok(Held::NotApplicable(reason));
        }
    }
    let of = |it: Box<Disagreement>| it.of(describe::case(scene, "candidate.event"));
    let [one, other] = [one, other].map(|subject| {
        let mut seen = run(scene, subject).map_err(|fault| of(broke("alike", &fault)))?;
        seen.iter_mut().for_each(|seen| seen.console.clear());
        Ok::<_, Box<Disagreement>>(seen)
    });
    let (one, other) = (one?, other?);
    if one == other {
        return Ok(held(&one));
    }
    let sentences = ["boundary.other-platforms"];
    Err(of(disagreement("alike", &sentences, format!("{one:#?}"), format!("{other:#?}"))))
}

/// Whether some step was refused.
fn held(seen: &[Observation]) -> Held {
    let mut outcomes = seen.iter().flat_map(|seen| &seen.outcomes);
    match outcomes.all(|outcome| matches!(outcome, Outcome::Returned { .. })) {
        true => Held::Accepted,
        false => Held::Refused,
    }
}

pub(super) fn run(scene: &Scene, subject: &dyn Subject) -> Result<Vec<Observation>, Fault> {
    subject.prepare();
    subject.run(scene, Profile::default(), BUDGET)
}

pub(super) fn applicable(scene: &Scene, subject: &dyn Subject) -> Result<(), String> {
    needs::of_scene(scene).into_iter().try_for_each(|capability| subject.supports(capability))?;
    subject.expresses(scene)
}

/// Judges one event.
fn judge(oracle: &'static str, plan: &EventPlan, seen: &Observation, profile: Profile) -> Checked {
    let mut walk = Walk::new(oracle, plan, seen);
    if let Some(difference) = walk.reading.differences.discarding() {
        return Ok(Held::Discarded(difference));
    }
    if seen.outcomes.len() != plan.steps.len() {
        let [expected, got] =
            [plan.steps.len(), seen.outcomes.len()].map(|count| format!("{count} outcomes"));
        return walk.fail(&["end.no-undo"], expected, got);
    }
    for (step, outcome) in plan.steps.iter().zip(&seen.outcomes) {
        if let Some(difference) = walk.step(step, outcome)? {
            return Ok(Held::Discarded(difference));
        }
    }
    walk.close(&seen.end)?;
    walk.redelivered(seen.redelivered.as_deref(), &seen.end, profile)?;
    Ok(if walk.refused { Held::Refused } else { Held::Accepted })
}

/// How the event must end.
#[derive(Clone, Debug, PartialEq)]
enum Over {
    /// An exception that nothing caught.
    Rejected(String),
    /// The host ended it.
    Aborted,
}

impl Walk<'_> {
    /// The end fits what happened, and every call was accounted for.
    fn close(&mut self, end: &End) -> Step {
        let fits = match (&self.over, end) {
            (None, End::Fulfilled) => true,
            // The time was up, but no step was left to be ended.
            (None, End::Aborted(_)) => self.overdue,
            (Some(Over::Rejected(message)), End::Rejected(reason)) => message == reason,
            (Some(Over::Rejected(_)), End::Aborted(_)) => self.overdue,
            (Some(Over::Aborted), End::Aborted(_)) => true,
            _ => false,
        };
        if !fits {
            let sentence = match &self.over {
                None => "end.normal",
                Some(Over::Rejected(_)) => "end.uncaught",
                Some(Over::Aborted) => "grant.uncatchable",
            };
            let expected = match &self.over {
                None => "the event is fulfilled".to_owned(),
                Some(Over::Rejected(message)) => format!("the event is rejected: {message}"),
                Some(Over::Aborted) => "the event is aborted".to_owned(),
            };
            return self.fail(&[sentence], expected, format!("{end:?}"));
        }
        match self.next_call() {
            None => Ok(()),
            Some(call) => {
                let got = format!("{call:?}");
                let sentences = ["errors.before-platform", "batch.all-or-nothing", "end.no-undo"];
                self.fail(&sentences, "no further platform call".to_owned(), got)
            }
        }
    }
}
