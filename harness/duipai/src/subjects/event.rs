//! Playing events: what all subjects over the simulated host share, however
//! they reach the package.

use std::{collections::BTreeMap, time::Duration};

use duipai_host::{
    Abort, BatchSetup, BindingSetup, Event, EventSetup, MessageSetup, TimestampSetup, json, tagged,
};
use duipai_platform::{Producing, Profile, redeliveries};
use duipai_spec::{bridge::Failure, event::EventKind, limits::EVENT_LIMIT_SECONDS};

use crate::{
    observation::{Observation, Outcome},
    plan::{Action, Batch, Binding, Body, EventPlan, Message, Scene, Step, Timestamp},
    subject::Fault,
};

/// A program instance with the event that it was started for.
pub(super) trait Program {
    /// The host's side.
    fn event(&mut self) -> &mut Event;

    /// The host's side, when the program is done.
    fn into_event(self) -> Event;

    /// 发送队列消息.
    fn send(&mut self, binding: &str, body: &str, delay: i64) -> Result<(), Failure<Ended>>;

    /// 批量发送队列消息.
    fn send_batch(&mut self, binding: &str, items: &str) -> Result<(), Failure<Ended>>;

    /// 读取队列批次.
    fn read_batch(&mut self) -> Result<String, Failure<Ended>>;

    /// 确认队列消息.
    fn ack(&mut self, index: i64) -> Result<(), Failure<Ended>>;

    /// 重试队列消息.
    fn retry(&mut self, index: i64, delay: i64) -> Result<(), Failure<Ended>>;
}

/// Why the program does not run on.
#[derive(Debug)]
pub(super) enum Ended {
    /// The host ended the event.
    Abort(Abort),
    /// The program broke; one in this process has no way to say so.
    #[cfg(feature = "wasm")]
    Fault(Fault),
}

/// Plays the events of `scene` by turns, each on the program that `start` makes
/// for it.
pub(super) fn play<P: Program>(
    scene: &Scene,
    profile: Profile,
    start: impl Fn(Event) -> Result<P, Fault>,
) -> Result<Vec<Observation>, Fault> {
    let open = |plan| Running::open(plan, &start);
    let mut events = scene.events.iter().map(open).collect::<Result<Vec<_>, _>>()?;
    let rounds = scene.events.iter().map(|event| event.steps.len()).max().unwrap_or(0);
    for round in 0..rounds {
        for event in &mut events {
            event.step(round).map_err(|fault| with_console(fault, event.program.event()))?;
        }
    }
    Ok(events.into_iter().map(|event| event.close(profile)).collect())
}

/// What the program printed before it broke is what its author looks for.
fn with_console(fault: Fault, event: &Event) -> Fault {
    match (fault, event.console().trim_end()) {
        (Fault::Crashed(reason), printed) if !printed.is_empty() => {
            let from = printed.ceil_char_boundary(printed.len().saturating_sub(LAST_WORDS));
            Fault::Crashed(format!("{reason}; it printed {:?}", &printed[from..]))
        }
        (fault, _) => fault,
    }
}

/// Console text that is given with a crash, from its end, in bytes.
const LAST_WORDS: usize = 500;

/// One open event and what was seen of it.
struct Running<'a, P> {
    plan: &'a EventPlan,
    program: P,
    outcomes: Vec<Outcome>,
    uncaught: Option<String>,
}

impl<'a, P: Program> Running<'a, P> {
    fn open(
        plan: &'a EventPlan,
        start: &impl Fn(Event) -> Result<P, Fault>,
    ) -> Result<Self, Fault> {
        let program = start(Event::open(setup(plan)?))?;
        let outcomes = Vec::with_capacity(plan.steps.len());
        Ok(Self { plan, program, outcomes, uncaught: None })
    }

    fn step(&mut self, round: usize) -> Result<(), Fault> {
        let Some(step) = self.plan.steps.get(round) else { return Ok(()) };
        let outcome = if self.uncaught.is_some() || self.program.event().aborted().is_some() {
            Outcome::NotReached
        } else {
            self.act(step)?
        };
        self.outcomes.push(outcome);
        Ok(())
    }

    fn act(&mut self, step: &Step) -> Result<Outcome, Fault> {
        let outcome = match self.call(&step.action) {
            Ok(value) => Outcome::Returned { value },
            Err(Failure::Exception(message)) => Outcome::Threw { message },
            Err(Failure::Aborted(Ended::Abort(abort))) => {
                Outcome::Aborted { reason: abort.to_string() }
            }
            #[cfg(feature = "wasm")]
            Err(Failure::Aborted(Ended::Fault(fault))) => return Err(fault),
        };
        if let Outcome::Threw { message } = &outcome
            && !step.caught
        {
            self.uncaught = Some(message.clone());
        }
        Ok(outcome)
    }

    fn call(&mut self, action: &Action) -> Result<Option<String>, Failure<Ended>> {
        let program = &mut self.program;
        match action {
            Action::Send { binding, body, delay } => {
                program.send(binding, body, *delay).map(|()| None)
            }
            Action::SendBatch { binding, items } => {
                program.send_batch(binding, items).map(|()| None)
            }
            Action::ReadBatch => program.read_batch().map(Some),
            Action::Ack { index } => program.ack(*index).map(|()| None),
            Action::Retry { index, delay } => program.retry(*index, *delay).map(|()| None),
            Action::Raise { message } => Err(Failure::exception(message.as_str())),
            Action::Wait { seconds } => {
                let event = program.event();
                event.advance(Duration::from_secs(*seconds));
                match event.aborted() {
                    Some(abort) => Err(Failure::Aborted(Ended::Abort(abort.clone()))),
                    None => Ok(None),
                }
            }
        }
    }

    fn close(self, profile: Profile) -> Observation {
        let closed = self.program.into_event().close(self.uncaught);
        let batch = self.plan.batch.as_ref().filter(|_| self.plan.kind == EventKind::Queue);
        let redelivered = batch.map(|batch| {
            let attempts: Vec<u32> = batch.messages.iter().map(|m| m.attempts).collect();
            redeliveries(profile, &attempts, &closed.effective_calls(), &closed.end)
        });
        Observation {
            outcomes: self.outcomes,
            calls: closed.calls,
            end: closed.end,
            redelivered,
            console: closed.console,
        }
    }
}

fn setup(plan: &EventPlan) -> Result<EventSetup, Fault> {
    let bindings = plan
        .bindings
        .iter()
        .map(|(name, binding)| Ok((name.clone(), binding_setup(binding)?)))
        .collect::<Result<BTreeMap<_, _>, Fault>>()?;
    Ok(EventSetup {
        kind: plan.kind,
        grants: plan.grants.clone(),
        bindings,
        batch: plan.batch.as_ref().map(batch_setup).transpose()?,
        limit: Duration::from_secs(EVENT_LIMIT_SECONDS),
    })
}

fn binding_setup(binding: &Binding) -> Result<BindingSetup, Fault> {
    Ok(match binding {
        Binding::Accepts => BindingSetup::Accepts,
        Binding::RejectsError(text) => BindingSetup::RejectsError(text.clone()),
        Binding::Refuses(refusal) => BindingSetup::Refuses {
            send: refusal.text(Producing::Send),
            send_batch: refusal.text(Producing::SendBatch),
        },
        Binding::RejectsValue(value) => {
            BindingSetup::RejectsValue(tagged::parse_tagged(value).map_err(unusable)?)
        }
    })
}

fn batch_setup(batch: &Batch) -> Result<BatchSetup, Fault> {
    let messages = batch.messages.iter().map(message_setup).collect::<Result<_, _>>()?;
    Ok(BatchSetup { queue: batch.queue.clone(), messages })
}

fn message_setup(message: &Message) -> Result<MessageSetup, Fault> {
    let body = match &message.body {
        Body::Json(text) => json::parse(text).map_err(unusable)?,
        Body::Tagged(text) => tagged::parse_tagged(text).map_err(unusable)?,
    };
    Ok(MessageSetup {
        id: message.id.clone(),
        attempts: message.attempts,
        timestamp: match message.timestamp {
            Timestamp::Date(millis) => TimestampSetup::Date(millis),
            Timestamp::Number(millis) => TimestampSetup::Number(millis),
        },
        body,
        ack_throws: message.ack_throws.clone(),
        retry_throws: message.retry_throws.clone(),
    })
}

/// A plan whose texts do not parse cannot come from the loader, which checks
/// them; it may come from a caller of the library.
fn unusable(error: impl std::fmt::Display) -> Fault {
    Fault::Crashed(format!("the plan cannot be set up: {error}"))
}
