//! From a fuzzer's bytes to the input of a target, and back.
//!
//! The first byte decides. A control byte that no JSON text can begin with
//! ([`is_generated`]) hands the rest to the generator. Everything else is the
//! input itself, so that seeds are texts to read: a JSON text, a call, or a plan
//! written as JSON. Any input can be written in that form, and findings are.

use std::sync::Arc;

use duipai_host::{json, tagged};
use duipai_spec::event::EventKind;
use serde::{Deserialize, Serialize};

use crate::{
    fuzz::run::Rejection,
    generate::{describe, scene::one_call},
    plan::{Action, Binding, Body, Scene},
};

/// The first byte of generated inputs, where one is written.
pub const GENERATED: u8 = 0x01;

/// The binding that a call is made on where it does not say.
const BINDING: &str = "PAGE_QUEUE";

/// Most events of a scene.
const MAX_EVENTS: usize = 4;

/// Most steps of an event.
const MAX_STEPS: usize = 64;

/// Most messages of a batch.
const MAX_MESSAGES: usize = 128;

/// What a target reads its bytes as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A JSON text.
    Text,
    /// The text of a batch's array.
    Items,
    /// A call of 发送队列消息: its body, after a line with what else it is given.
    Send,
    /// A call of 批量发送队列消息, likewise.
    Batch,
    /// Events and their steps.
    Scene,
    /// Bytes as they are.
    Bytes,
}

/// An input of a target.
#[derive(Clone, Debug, PartialEq)]
pub enum Input {
    /// A JSON text.
    Text(Arc<str>),
    /// One call of a producer.
    Call(ProducerCall),
    /// Events and their steps.
    Scene(Scene),
    /// Bytes as they are.
    Bytes(Vec<u8>),
}

/// One call of a producer, in an event of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProducerCall {
    /// Which producer: a batch, or a single message.
    pub batch: bool,
    /// Name of the binding.
    pub binding: String,
    /// Delay in seconds, of a single message.
    pub delay: i64,
    /// The text of the body or of the array.
    pub text: Arc<str>,
}

/// The line before the text of a call that is not the plainest.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    #[serde(default = "binding", skip_serializing_if = "is_usual")]
    binding: String,
    #[serde(default, skip_serializing_if = "is_zero")]
    delay: i64,
}

fn binding() -> String {
    BINDING.to_owned()
}

fn is_usual(binding: &str) -> bool {
    binding == BINDING
}

fn is_zero(delay: &i64) -> bool {
    *delay == 0
}

/// Begins the line before a call's text; no JSON text begins so.
const HEAD: u8 = b'#';

/// Whether the bytes are for the generator, but for the first.
pub fn is_generated(bytes: &[u8]) -> bool {
    bytes.first().is_some_and(|&byte| byte < b' ' && !matches!(byte, b'\t' | b'\n' | b'\r'))
}

impl Input {
    /// The input that `bytes` are, read as `form`.
    ///
    /// # Errors
    ///
    /// Why they are none.
    pub fn read(form: Form, bytes: &[u8]) -> Result<Self, Rejection> {
        if form == Form::Bytes {
            return Ok(Self::Bytes(bytes.to_vec()));
        }
        if is_generated(bytes) {
            return super::generated::input(form, &bytes[1..]);
        }
        let text = std::str::from_utf8(bytes).map_err(|_| Rejection::NotUtf8)?;
        match form {
            Form::Text | Form::Items | Form::Bytes => Ok(Self::Text(text.into())),
            Form::Send => call(false, text).map(Self::Call),
            Form::Batch => call(true, text).map(Self::Call),
            Form::Scene => {
                let scene = serde_json::from_str(text).map_err(|_| Rejection::NotAPlan)?;
                checked(&scene)?;
                Ok(Self::Scene(scene))
            }
        }
    }

    /// The input in the form that can be read by people.
    pub fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.as_bytes().to_vec(),
            Self::Bytes(bytes) => bytes.clone(),
            Self::Call(call) => call.to_text().into_bytes(),
            // A plan is made of texts, numbers and lists.
            Self::Scene(scene) => serde_json::to_vec_pretty(scene).unwrap_or_default(),
        }
    }

    /// The input to be pasted: a case, or a literal.
    pub fn describe(&self) -> String {
        match self {
            Self::Text(text) => describe::literal(text),
            Self::Call(call) => describe::case(&call.scene(), "candidate.call"),
            Self::Scene(scene) => describe::case(scene, "candidate.scene"),
            Self::Bytes(bytes) => format!("b\"{}\"", bytes.escape_ascii()),
        }
    }

    /// The input as events to be played; none where a target plays no events.
    pub fn scene(&self) -> Option<Scene> {
        match self {
            Self::Call(call) => Some(call.scene()),
            Self::Scene(scene) => Some(scene.clone()),
            Self::Text(_) | Self::Bytes(_) => None,
        }
    }
}

fn call(batch: bool, text: &str) -> Result<ProducerCall, Rejection> {
    let (head, text) = match text.split_once('\n') {
        Some((line, rest)) if line.as_bytes().first() == Some(&HEAD) => {
            let head = serde_json::from_str(&line[1..]).map_err(|_| Rejection::NotOfTheKind)?;
            (head, rest)
        }
        _ => (Head { binding: binding(), delay: 0 }, text),
    };
    if batch && head.delay != 0 {
        return Err(Rejection::NotOfTheKind);
    }
    Ok(ProducerCall { batch, binding: head.binding, delay: head.delay, text: text.into() })
}

impl ProducerCall {
    fn to_text(&self) -> String {
        let head = Head { binding: self.binding.clone(), delay: self.delay };
        let plain = is_usual(&head.binding) && head.delay == 0;
        let begins_so = self.text.as_bytes().first() == Some(&HEAD);
        if plain && !begins_so && !is_generated(self.text.as_bytes()) {
            return self.text.to_string();
        }
        let head = serde_json::to_string(&head).unwrap_or_default();
        format!("#{head}\n{}", self.text)
    }

    /// The call as the only step of an event, with the bindings that
    /// [`surroundings`](crate::generate::scene::surroundings) tells of.
    pub fn scene(&self) -> Scene {
        let (binding, text) = (self.binding.clone(), Arc::clone(&self.text));
        one_call(if self.batch {
            Action::SendBatch { binding, items: text }
        } else {
            Action::Send { binding, body: text, delay: self.delay }
        })
    }
}

/// Whether a plan keeps to what the loader takes of case files, and is small.
pub(crate) fn checked(scene: &Scene) -> Result<(), Rejection> {
    let holds = |holds: bool| if holds { Ok(()) } else { Err(Rejection::NotAPlan) };
    holds((1..=MAX_EVENTS).contains(&scene.events.len()))?;
    for event in &scene.events {
        holds(event.steps.len() <= MAX_STEPS)?;
        holds(event.batch.is_some() == (event.kind == EventKind::Queue))?;
        for step in &event.steps {
            holds(!(step.caught && matches!(step.action, Action::Raise { .. })))?;
        }
        for binding in event.bindings.values() {
            match binding {
                Binding::RejectsValue(text) => holds(tagged::parse_tagged(text).is_ok())?,
                Binding::Refuses(_) => return Err(Rejection::NotAPlan),
                Binding::Accepts | Binding::RejectsError(_) => {}
            }
        }
        let messages = event.batch.as_ref().map_or(&[][..], |batch| &batch.messages);
        holds(messages.len() <= MAX_MESSAGES)?;
        for message in messages {
            holds(message.timestamp.is_time())?;
            holds(match &message.body {
                Body::Json(text) => json::parse(text).is_ok(),
                Body::Tagged(text) => tagged::parse_tagged(text).is_ok(),
            })?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    fn round(form: Form, bytes: &str) -> Input {
        let input = Input::read(form, bytes.as_bytes()).unwrap();
        assert_eq!(Input::read(form, &input.to_bytes()), Ok(input.clone()), "{bytes}");
        input
    }

    #[test]
    fn texts_are_themselves() {
        assert_eq!(round(Form::Text, " [1]"), Input::Text(" [1]".into()));
        assert_eq!(Input::read(Form::Text, b"\xff"), Err(Rejection::NotUtf8));
    }

    #[test]
    fn a_date_beyond_its_range_is_in_no_plan() {
        let plan = |millis: &str| {
            let message = format!(
                r#"{{"id":"m","attempts":1,"timestamp":{millis},"body":{{"json":"1"}},"ack_throws":null,"retry_throws":null}}"#
            );
            format!(
                r#"{{"events":[{{"kind":"queue","grants":[],"bindings":{{}},"batch":{{"queue":"q","messages":[{message}]}},"steps":[]}}]}}"#
            )
        };
        let read = |millis: &str| Input::read(Form::Scene, plan(millis).as_bytes());
        for within in [8_640_000_000_000_000_i64, -8_640_000_000_000_000] {
            assert!(read(&format!("{{\"date\":{within}}}")).is_ok(), "{within}");
            let beyond = within + within.signum();
            assert_eq!(read(&format!("{{\"date\":{beyond}}}")), Err(Rejection::NotAPlan));
            assert!(read(&format!("{{\"number\":{beyond}}}")).is_ok(), "{beyond}");
        }
    }

    #[test]
    fn calls_have_a_line_for_the_rest() {
        let Input::Call(plain) = round(Form::Send, "{\"a\":\n1}") else { panic!("a call") };
        assert_eq!((&*plain.binding, plain.delay, &*plain.text), (BINDING, 0, "{\"a\":\n1}"));
        let Input::Call(other) = round(Form::Send, "#{\"binding\":\"\",\"delay\":-1}\n#\n1") else {
            panic!("a call")
        };
        assert_eq!((&*other.binding, other.delay, &*other.text), ("", -1, "#\n1"));
        round(Form::Send, "#{}\n\u{1}");
        round(Form::Batch, "#{}\n#{}\n[]");
        for bytes in ["#{\"x\":1}\n1", "#\n1"] {
            assert_eq!(Input::read(Form::Send, bytes.as_bytes()), Err(Rejection::NotOfTheKind));
        }
        let delayed = Input::read(Form::Batch, b"#{\"delay\":1}\n[]");
        assert_eq!(delayed, Err(Rejection::NotOfTheKind));
    }

    #[test]
    fn plans_are_json() {
        let scene = Scene { events: vec![sample::plan(vec![sample::send("{\"a\":1}")])] };
        let bytes = Input::Scene(scene.clone()).to_bytes();
        assert_eq!(Input::read(Form::Scene, &bytes), Ok(Input::Scene(scene.clone())));
        let mut queue = scene.clone();
        queue.events[0].kind = EventKind::Queue;
        assert_eq!(checked(&queue), Err(Rejection::NotAPlan));
        queue.events[0].batch = Some(sample::batch(&["1"]));
        assert_eq!(checked(&queue), Ok(()));
        queue.events[0].batch = Some(sample::batch(&["["]));
        assert_eq!(checked(&queue), Err(Rejection::NotAPlan));
        assert_eq!(Input::read(Form::Scene, b"{\"events\":[]}"), Err(Rejection::NotAPlan));
    }
}
