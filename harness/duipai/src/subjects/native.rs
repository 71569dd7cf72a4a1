//! Subject `native`: a [`Package`] in this process, over the simulated host.

use std::{collections::BTreeMap, time::Duration};

use duipai_host::{
    Abort, BatchSetup, BindingSetup, Event, EventSetup, MessageSetup, TimestampSetup, json, tagged,
};
use duipai_platform::{Profile, redeliveries};
use duipai_spec::{bridge::Failure, event::EventKind, limits::EVENT_LIMIT_SECONDS};

use crate::{
    observation::{Observation, Outcome},
    package::{Package, Reference},
    plan::{Action, Batch, Binding, Body, EventPlan, Message, Scene, Step, Timestamp},
    subject::{Capability, Fault, Identity, Kind, Subject},
};

/// A native package under test; `make` makes a fresh one for every event.
pub struct Native<F> {
    identity: Identity,
    make: F,
}

impl Native<fn() -> Reference> {
    /// The reference implementation.
    pub fn reference() -> Self {
        Native::new("native", env!("CARGO_PKG_VERSION"), || Reference)
    }
}

impl<F, P> Native<F>
where
    F: Fn() -> P + Send + Sync,
    P: Package,
{
    /// The package that `make` makes, under this name and version.
    pub fn new(name: &str, version: &str, make: F) -> Self {
        let identity = Identity {
            name: name.to_owned(),
            kind: Kind::Native,
            version: version.to_owned(),
            engine: format!("simulated host {}", env!("CARGO_PKG_VERSION")),
        };
        Self { identity, make }
    }

    /// The same package, reported as another kind of subject.
    pub(crate) fn of_kind(mut self, kind: Kind) -> Self {
        self.identity.kind = kind;
        self
    }
}

impl<F, P> Subject for Native<F>
where
    F: Fn() -> P + Send + Sync,
    P: Package,
{
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn supports(&self, _: Capability) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, scene: &Scene, profile: Profile, _: Duration) -> Result<Vec<Observation>, Fault> {
        let open = |plan| Running::open(plan, (self.make)());
        let mut events = scene.events.iter().map(open).collect::<Result<Vec<_>, _>>()?;
        let rounds = scene.events.iter().map(|event| event.steps.len()).max().unwrap_or(0);
        for round in 0..rounds {
            for event in &mut events {
                event.step(round);
            }
        }
        Ok(events.into_iter().map(|event| event.close(profile)).collect())
    }
}

/// One open event: the host's side, the program's package, and what was seen.
struct Running<'a, P> {
    plan: &'a EventPlan,
    event: Event,
    package: P,
    outcomes: Vec<Outcome>,
    uncaught: Option<String>,
}

impl<'a, P: Package> Running<'a, P> {
    fn open(plan: &'a EventPlan, package: P) -> Result<Self, Fault> {
        let event = Event::open(setup(plan)?);
        let outcomes = Vec::with_capacity(plan.steps.len());
        Ok(Self { plan, event, package, outcomes, uncaught: None })
    }

    fn step(&mut self, round: usize) {
        let Some(step) = self.plan.steps.get(round) else { return };
        let outcome = if self.uncaught.is_some() || self.event.aborted().is_some() {
            Outcome::NotReached
        } else {
            self.act(step)
        };
        self.outcomes.push(outcome);
    }

    fn act(&mut self, step: &Step) -> Outcome {
        let outcome = match self.call(&step.action) {
            Ok(value) => Outcome::Returned { value },
            Err(Failure::Exception(message)) => Outcome::Threw { message },
            Err(Failure::Aborted(abort)) => Outcome::Aborted { reason: abort.to_string() },
        };
        if let Outcome::Threw { message } = &outcome
            && !step.caught
        {
            self.uncaught = Some(message.clone());
        }
        outcome
    }

    fn call(&mut self, action: &Action) -> Result<Option<String>, Failure<Abort>> {
        let (package, event) = (&mut self.package, &mut self.event);
        match action {
            Action::Send { binding, body, delay } => {
                package.send(event, binding, body, *delay).map(|()| None)
            }
            Action::SendBatch { binding, items } => {
                package.send_batch(event, binding, items).map(|()| None)
            }
            Action::ReadBatch => package.read_batch(event).map(Some),
            Action::Ack { index } => package.ack(event, *index).map(|()| None),
            Action::Retry { index, delay } => package.retry(event, *index, *delay).map(|()| None),
            Action::Raise { message } => Err(Failure::exception(message.as_str())),
            Action::Wait { seconds } => {
                event.advance(Duration::from_secs(*seconds));
                match event.aborted() {
                    Some(abort) => Err(Failure::Aborted(abort.clone())),
                    None => Ok(None),
                }
            }
        }
    }

    fn close(self, profile: Profile) -> Observation {
        let closed = self.event.close(self.uncaught);
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
