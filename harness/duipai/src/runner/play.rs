//! One case from plan to ending.

use std::time::{Duration, Instant};

use duipai_platform::Profile;

use super::Ending;
use crate::{
    case::{Case, platform::PlatformCase},
    judge::{Difference, Differences, Mismatch, Verdict, judge, judge_platform, one_line},
    observation::Observation,
    plan::{Batch, EventPlan, Message, Scene},
    subject::{Fault, Subject},
};

/// Longest reason of a crash or of a missing capability, in characters.
const REASON_CHARS: usize = 300;

/// What came of a case, and what its program wrote to the console.
pub(super) struct Played {
    pub(super) ending: Ending,
    pub(super) console: Vec<String>,
}

/// Runs `case` and judges it.
pub(super) fn play(
    case: &Case,
    subject: &dyn Subject,
    profile: Profile,
    timeout: Duration,
) -> Played {
    if let Some(platform) = &case.platform {
        let lacking = lacking(case, subject).map_or(Ok(()), Err);
        let ending = lacking.and_then(|()| scenario(platform, subject, profile, timeout));
        return Played { ending: ending.unwrap_or_else(|ending| ending), console: Vec::new() };
    }
    let mut seen = Vec::new();
    let ending = lacking(case, subject)
        .map_or_else(|| run(case, subject, profile, timeout, &mut seen), Err)
        .map_or_else(
            |ending| ending,
            |run| match judge(&run, case, &seen, profile) {
                Verdict::Passed { behaviour } => Ending::Passed { behaviour },
                Verdict::Failed(differences) => Ending::Failed(differences),
            },
        );
    Played { ending, console: seen.into_iter().map(|observation| observation.console).collect() }
}

/// Has the platform play its scenario, and judges it.
fn scenario(
    case: &PlatformCase,
    subject: &dyn Subject,
    profile: Profile,
    timeout: Duration,
) -> Result<Ending, Ending> {
    let expected = case
        .expected_of(profile)
        .map_err(|reason| Ending::NotApplicable { reason: one_line(reason, REASON_CHARS) })?;
    let seen = subject.play(&case.scenario, timeout).map_err(broken)?;
    Ok(match judge_platform(case, expected, &seen) {
        Verdict::Passed { behaviour } => Ending::Passed { behaviour },
        Verdict::Failed(differences) => Ending::Failed(differences),
    })
}

/// The ending of a case that broke the subject.
fn broken(fault: Fault) -> Ending {
    match fault {
        Fault::TimedOut => Ending::TimedOut,
        Fault::Crashed(reason) => Ending::Crashed { reason: one_line(&reason, REASON_CHARS) },
    }
}

/// Why the subject cannot run the case, if so.
fn lacking(case: &Case, subject: &dyn Subject) -> Option<Ending> {
    case.needs.iter().find_map(|capability| {
        let reason = subject.supports(*capability).err()?;
        let reason = format!("{capability}: {}", one_line(&reason, REASON_CHARS));
        Some(Ending::NotApplicable { reason })
    })
}

/// Runs the events of `case`, one after the other or at the same time. Returns
/// their plans with every redelivered batch filled in; the observations go to
/// `seen`.
fn run(
    case: &Case,
    subject: &dyn Subject,
    profile: Profile,
    timeout: Duration,
    seen: &mut Vec<Observation>,
) -> Result<Vec<EventPlan>, Ending> {
    let start = Instant::now();
    let scene = |events: Vec<EventPlan>, seen: &mut Vec<Observation>| {
        let scene = Scene { events };
        if let Err(reason) = subject.expresses(&scene) {
            return Err(Ending::NotApplicable { reason: one_line(&reason, REASON_CHARS) });
        }
        let budget = timeout.saturating_sub(start.elapsed());
        let observations = subject.run(&scene, profile, budget).map_err(broken)?;
        let (expected, got) = (scene.events.len(), observations.len());
        seen.extend(observations);
        if expected != got {
            let mismatch = Mismatch::Observations { expected, got };
            return Err(Ending::Failed(Differences::from(Difference { event: None, mismatch })));
        }
        Ok(scene.events)
    };
    let planned = case.events.iter();
    if case.together {
        return scene(planned.map(|event| event.plan.clone()).collect(), seen);
    }
    let mut run: Vec<EventPlan> = Vec::with_capacity(case.events.len());
    for event in planned {
        let mut plan = event.plan.clone();
        if event.redelivered {
            plan.batch = Some(redelivered(&plan, run.last(), seen.last()));
        }
        run.extend(scene(vec![plan], seen)?);
    }
    Ok(run)
}

/// The batch that the platform makes of what it redelivers from the event
/// `before`; empty if that is nothing, which the judge then sees.
fn redelivered(plan: &EventPlan, before: Option<&EventPlan>, seen: Option<&Observation>) -> Batch {
    let before = before.and_then(|plan| plan.batch.as_ref());
    let again = seen.and_then(|seen| seen.redelivered.as_deref()).unwrap_or_default();
    let messages = again.iter().filter_map(|redelivery| {
        let message = before?.messages.get(redelivery.message as usize)?;
        Some(Message { attempts: redelivery.attempts, ..message.clone() })
    });
    let queue = before.or(plan.batch.as_ref()).map(|batch| batch.queue.clone());
    Batch { queue: queue.unwrap_or_default(), messages: messages.collect() }
}
