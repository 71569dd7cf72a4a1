//! Faults of the host and of the platform: what the program is told, what is
//! passed on of what it did, and how long its instance lives.

use std::sync::{Arc, Mutex, PoisonError};

use duipai_host::Abort;
use duipai_platform::{Profile, redeliveries};
use duipai_spec::{
    bridge::Failure,
    event::{Call, End, EventKind},
};

use crate::{
    mutants::{Fault, Mutant},
    observation::{Observation, Outcome},
    package::{Host, Package, Reference},
    plan::{Action, EventPlan, Timestamp},
};

/// The mutants.
pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "grants-ignored",
        breaks: "grant.unauthorised",
        does: "lets a program use every configured binding",
        fault: Fault::Plan(|plan| plan.grants = plan.bindings.keys().cloned().collect()),
    },
    Mutant {
        name: "first-binding-always",
        breaks: "grant.own-queue",
        does: "sends to the first configured queue, whichever is named",
        fault: Fault::Plan(|plan| {
            let Some(first) = plan.bindings.keys().next().cloned() else { return };
            for step in &mut plan.steps {
                if let Action::Send { binding, .. } | Action::SendBatch { binding, .. } =
                    &mut step.action
                {
                    binding.clone_from(&first);
                }
            }
        }),
    },
    Mutant {
        name: "queue-event-as-fetch",
        breaks: "consumer.queue-event",
        does: "tells the program of a queue event that it is a fetch event",
        fault: Fault::Plan(|plan| {
            if plan.kind == EventKind::Queue {
                plan.kind = EventKind::Fetch;
            }
        }),
    },
    Mutant {
        name: "attempts-from-zero",
        breaks: "read.attempts",
        does: "counts attempts from 0",
        fault: Fault::Plan(|plan| {
            for message in plan.batch.iter_mut().flat_map(|batch| &mut batch.messages) {
                message.attempts = message.attempts.saturating_sub(1);
            }
        }),
    },
    Mutant {
        name: "queue-name-lost",
        breaks: "read.queue",
        does: "does not say which queue the batch comes from",
        fault: Fault::Plan(|plan| {
            if let Some(batch) = &mut plan.batch {
                batch.queue.clear();
            }
        }),
    },
    Mutant {
        name: "queue-names-mixed-up",
        breaks: "read.queue",
        does: "reports the queue of another event that is open",
        fault: Fault::Scene(|plans| {
            let mut batches = plans.iter().filter_map(|plan| plan.batch.as_ref());
            let Some(last) = batches.next_back().map(|batch| batch.queue.clone()) else { return };
            for batch in plans.iter_mut().filter_map(|plan| plan.batch.as_mut()) {
                batch.queue.clone_from(&last);
            }
        }),
    },
    Mutant {
        name: "ids-cut",
        breaks: "read.id",
        does: "cuts ids after 32 characters",
        fault: Fault::Plan(|plan| {
            for message in plan.batch.iter_mut().flat_map(|batch| &mut batch.messages) {
                message.id = message.id.chars().take(32).collect();
            }
        }),
    },
    Mutant {
        name: "timestamps-in-seconds",
        breaks: "read.timestamp",
        does: "gives enqueue times in seconds",
        fault: Fault::Plan(|plan| {
            for message in plan.batch.iter_mut().flat_map(|batch| &mut batch.messages) {
                message.timestamp = Timestamp::Number(message.timestamp.millis() / 1000);
            }
        }),
    },
    Mutant {
        name: "batch-reversed",
        breaks: "read.order",
        does: "gives the messages in reverse order",
        fault: Fault::Plan(|plan| {
            if let Some(batch) = &mut plan.batch {
                batch.messages.reverse();
            }
        }),
    },
    Mutant {
        name: "time-limit-ignored",
        breaks: "end.time-limit",
        does: "lets an event run as long as it likes",
        fault: Fault::Plan(|plan| {
            for step in &mut plan.steps {
                if let Action::Wait { seconds } = &mut step.action {
                    *seconds = 0;
                }
            }
        }),
    },
    Mutant {
        name: "uncaught-swallowed",
        breaks: "end.uncaught",
        does: "fulfils the event although the program threw",
        fault: Fault::Observation(|plan, profile, observation| {
            if matches!(observation.end, End::Rejected(_)) {
                end_with(End::Fulfilled, plan, profile, observation);
            }
        }),
    },
    Mutant {
        name: "abort-swallowed",
        breaks: "grant.uncatchable",
        does: "fulfils the event although the host ended it",
        fault: Fault::Observation(|plan, profile, observation| {
            if matches!(observation.end, End::Aborted(_)) {
                end_with(End::Fulfilled, plan, profile, observation);
            }
        }),
    },
    Mutant {
        name: "abort-catchable",
        breaks: "grant.uncatchable",
        does: "turns the host's refusal of a binding into an exception",
        fault: Fault::Observation(|_, _, observation| {
            for outcome in &mut observation.outcomes {
                if let Outcome::Aborted { reason } = outcome {
                    *outcome = Outcome::Threw { message: reason.clone() };
                }
            }
        }),
    },
    Mutant {
        name: "exception-uncatchable",
        breaks: "errors.catchable",
        does: "ends the event where the package should throw",
        fault: Fault::Observation(|_, _, observation| {
            for outcome in &mut observation.outcomes {
                if let Outcome::Threw { message } = outcome {
                    *outcome = Outcome::Aborted { reason: message.clone() };
                }
            }
        }),
    },
    Mutant {
        name: "calls-undone-by-exception",
        breaks: "end.no-undo",
        does: "takes back acks and retries when the program throws",
        fault: Fault::Observation(|plan, profile, observation| {
            if matches!(observation.end, End::Rejected(_)) {
                observation
                    .calls
                    .retain(|call| matches!(call, Call::Send { .. } | Call::SendBatch { .. }));
                end_with(observation.end.clone(), plan, profile, observation);
            }
        }),
    },
    Mutant {
        name: "ack-all-at-end",
        breaks: "end.no-batch-calls",
        does: "calls ackAll when a queue event ends normally",
        fault: Fault::Observation(|plan, _, observation| {
            if plan.kind == EventKind::Queue && observation.end == End::Fulfilled {
                observation.calls.push(Call::AckAll);
            }
        }),
    },
    Mutant {
        name: "redelivery-keeps-attempts",
        breaks: "read.attempts-grow",
        does: "does not count a new delivery",
        fault: Fault::Observation(|_, _, observation| {
            for redelivery in observation.redelivered.iter_mut().flatten() {
                redelivery.attempts -= 1;
            }
        }),
    },
    Mutant {
        name: "redelivery-after-success",
        breaks: "end.no-ack-needed",
        does: "redelivers what was not acknowledged although the event ended normally",
        fault: Fault::Observation(|plan, profile, observation| {
            if observation.end == End::Fulfilled {
                end_with(End::Rejected(String::new()), plan, profile, observation);
                observation.end = End::Fulfilled;
            }
        }),
    },
    Mutant {
        name: "redelivery-without-delay",
        breaks: "platform.redeliver.retried",
        does: "forgets the delay of a retry",
        fault: Fault::Observation(|_, _, observation| {
            for redelivery in observation.redelivered.iter_mut().flatten() {
                redelivery.delay = None;
            }
        }),
    },
    Mutant {
        name: "nothing-redelivered",
        breaks: "end.redelivered",
        does: "loses the batch of a failed event",
        fault: Fault::Observation(|_, _, observation| {
            if observation.end != End::Fulfilled
                && let Some(redelivered) = &mut observation.redelivered
            {
                redelivered.clear();
            }
        }),
    },
    Mutant {
        name: "instance-kept",
        breaks: "event.fresh-instance",
        does: "keeps the program instance, and with it the first batch that it read",
        fault: Fault::KeptInstance,
    },
];

/// Ends the event so, and has the platform draw its conclusions.
fn end_with(end: End, plan: &EventPlan, profile: Profile, observation: &mut Observation) {
    if let (Some(batch), Some(redelivered)) = (&plan.batch, &mut observation.redelivered) {
        let attempts: Vec<u32> = batch.messages.iter().map(|message| message.attempts).collect();
        *redelivered = redeliveries(profile, &attempts, &observation.calls, &end);
    }
    observation.end = end;
}

/// A package that remembers the batch it read, as a program may that keeps
/// global state; harmless only as long as every event has its own instance.
#[derive(Clone, Debug, Default)]
pub struct Kept {
    batch: Arc<Mutex<Option<String>>>,
}

impl Package for Kept {
    fn send(
        &mut self,
        host: &mut Host<'_>,
        binding: &str,
        body: &str,
        delay: i64,
    ) -> Result<(), Failure<Abort>> {
        Reference.send(host, binding, body, delay)
    }

    fn send_batch(
        &mut self,
        host: &mut Host<'_>,
        binding: &str,
        items: &str,
    ) -> Result<(), Failure<Abort>> {
        Reference.send_batch(host, binding, items)
    }

    fn read_batch(&mut self, host: &mut Host<'_>) -> Result<String, Failure<Abort>> {
        let mut kept = self.batch.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(text) = &*kept {
            return Ok(text.clone());
        }
        let text = Reference.read_batch(host)?;
        *kept = Some(text.clone());
        Ok(text)
    }

    fn ack(&mut self, host: &mut Host<'_>, index: i64) -> Result<(), Failure<Abort>> {
        Reference.ack(host, index)
    }

    fn retry(&mut self, host: &mut Host<'_>, index: i64, delay: i64) -> Result<(), Failure<Abort>> {
        Reference.retry(host, index, delay)
    }
}
