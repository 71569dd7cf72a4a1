//! What must be observed of a scene, by the model: never what the reference
//! happens to do.

use duipai_platform::Profile;
use duipai_spec::event::{Call, End};

use crate::{
    observation::{Observation, Outcome},
    oracle::{
        Held, event,
        producer::{self, Item, Sent, Verdict},
    },
    plan::{Action, Scene},
    subject::{Capability, Fault, Identity, Subject},
    subjects::native::Native,
};

/// What must be observed, and what else is permitted.
pub(super) struct Expected {
    pub(super) seen: Vec<Observation>,
    /// Messages that are permitted in place of the first step's, that one
    /// included; none where only one is.
    pub(super) messages: Vec<String>,
}

/// What the model asks of `scene`; `None` where it cannot tell, or the document
/// leaves a choice.
pub(super) fn of(scene: &Scene) -> Option<Expected> {
    let made = match scene.events.as_slice() {
        [event] => match event.steps.as_slice() {
            [step] => of_call(&step.action),
            _ => None,
        },
        _ => None,
    };
    // Of more than one call, what the reference does, if the model has nothing
    // against it.
    let expected = match made {
        Some(expected) => expected,
        None => Expected { seen: reference(scene)?, messages: Vec::new() },
    };
    // Said and done are held against each other: the model must take it.
    let said = Said(&expected.seen);
    matches!(event::model(scene, &said), Ok(Held::Accepted | Held::Refused)).then_some(expected)
}

fn reference(scene: &Scene) -> Option<Vec<Observation>> {
    event::model(scene, &Native::reference()).ok()?;
    Native::reference().run(scene, Profile::default(), event::BUDGET).ok()
}

/// What the model says of one call whose binding accepts.
fn of_call(action: &Action) -> Option<Expected> {
    let (binding, verdict) = match action {
        Action::Send { binding, body, delay } => (binding, producer::send(binding, body, *delay)),
        Action::SendBatch { binding, items } => (binding, producer::send_batch(binding, items)),
        _ => return None,
    };
    let Verdict { broken, open, sent, differences } = verdict;
    if !open.is_empty() || differences.discarding().is_some() {
        return None;
    }
    let mut messages: Vec<String> = broken.iter().map(|it| it.message.to_owned()).collect();
    messages.sort();
    messages.dedup();
    let (outcome, calls) = match (messages.first(), sent) {
        (Some(message), _) => (Outcome::Threw { message: message.clone() }, Vec::new()),
        (None, Some(sent)) => (Outcome::Returned { value: None }, vec![call(binding, &sent)]),
        (None, None) => return None,
    };
    let seen = Observation {
        outcomes: vec![outcome],
        calls,
        end: End::Fulfilled,
        redelivered: None,
        console: String::new(),
    };
    if messages.len() < 2 {
        messages.clear();
    }
    Some(Expected { seen: vec![seen], messages })
}

fn call(binding: &str, sent: &Sent) -> Call {
    let binding = binding.to_owned();
    match sent {
        Sent::Message(Item { body, delay }) => {
            let arguments = format!("[{body},{{\"contentType\":\"json\"{}}}]", seconds(*delay));
            Call::Send { binding, arguments }
        }
        Sent::Batch(items) => {
            let items: Vec<String> = items
                .iter()
                .map(|Item { body, delay }| {
                    format!("{{\"body\":{body},\"contentType\":\"json\"{}}}", seconds(*delay))
                })
                .collect();
            Call::SendBatch { binding, arguments: format!("[[{}]]", items.join(",")) }
        }
    }
}

fn seconds(delay: u32) -> String {
    if delay == 0 { String::new() } else { format!(",\"delaySeconds\":{delay}") }
}

/// A subject that did what is said.
struct Said<'a>(&'a [Observation]);

impl Subject for Said<'_> {
    fn identity(&self) -> Identity {
        Native::reference().identity()
    }

    fn supports(&self, _: Capability) -> Result<(), String> {
        Ok(())
    }

    fn run(
        &self,
        _: &Scene,
        _: Profile,
        _: std::time::Duration,
    ) -> Result<Vec<Observation>, Fault> {
        Ok(self.0.to_vec())
    }
}
