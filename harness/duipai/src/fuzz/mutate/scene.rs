//! Changes to a plan, and to what a call is given beside its text.

use std::sync::Arc;

use duipai_spec::event::EventKind;

use super::{random::Random, text};
use crate::{
    fuzz::input::{Input, ProducerCall},
    plan::{Action, Batch, Binding, Body, EventPlan, Message, Scene, Step, Timestamp},
};

const NAMES: &[&str] = &["PAGE_QUEUE", "OTHER", "", "队列", "a\"b"];
const DELAYS: &[i64] = &[0, 1, 5, 43_200, 43_201, -1, i64::MAX, i64::MIN];
const INDICES: &[i64] = &[0, 1, 2, -1, 100, i64::MAX];
const WORDS: &[&str] = &["", "满", "Queue send failed: x", "消息体超过 128000 字节", "a\nb"];

/// A plan to begin with.
pub(super) fn first() -> Vec<u8> {
    let call = ProducerCall {
        batch: false,
        binding: "PAGE_QUEUE".to_owned(),
        delay: 0,
        text: "{\"a\":1}".into(),
    };
    Input::Scene(call.scene()).to_bytes()
}

/// Changes what a call is given beside its text.
pub(super) fn change_call(call: &mut ProducerCall, random: &mut Random) {
    if call.batch || random.below(2) == 0 {
        call.binding = name(random);
    } else {
        call.delay = delay(random);
    }
}

/// Changes one thing of `scene`, or a few.
pub(super) fn change(scene: &mut Scene, random: &mut Random) {
    for _ in 0..=random.below(3) {
        once(scene, random);
    }
}

fn once(scene: &mut Scene, random: &mut Random) {
    let at = random.place(scene.events.len());
    match random.below(24) {
        0 if scene.events.len() < 3 => {
            let another = scene.events[at].clone();
            scene.events.push(another);
        }
        1 if scene.events.len() > 1 => drop(scene.events.remove(at)),
        _ => {
            if let Some(event) = scene.events.get_mut(at) {
                change_event(event, random);
            }
        }
    }
}

fn change_event(event: &mut EventPlan, random: &mut Random) {
    match random.below(16) {
        0 => set_kind(event, random),
        1 => toggle(&mut event.grants, name(random)),
        2 => {
            let binding = binding(random);
            event.bindings.insert(name(random), binding);
        }
        3 => {
            event.bindings.remove(&name(random));
        }
        4..=6 => match &mut event.batch {
            Some(batch) => change_batch(batch, random),
            None => set_kind(event, random),
        },
        _ => change_steps(&mut event.steps, random),
    }
}

fn set_kind(event: &mut EventPlan, random: &mut Random) {
    // A queue event in every other change: only there the consumer works.
    let kinds = [EventKind::Queue, EventKind::Fetch, EventKind::Queue, EventKind::Scheduled];
    event.kind = random.pick(&kinds).copied().unwrap_or_default();
    event.batch = match (event.kind, event.batch.take()) {
        (EventKind::Queue, None) => {
            Some(Batch { queue: "q".to_owned(), messages: vec![message(0, random)] })
        }
        (EventKind::Queue, batch) => batch,
        _ => None,
    };
}

fn toggle(names: &mut Vec<String>, name: String) {
    match names.iter().position(|known| *known == name) {
        Some(at) => drop(names.remove(at)),
        None => names.push(name),
    }
}

fn binding(random: &mut Random) -> Binding {
    match random.below(4) {
        0 => Binding::RejectsError(word(random)),
        1 => Binding::RejectsValue("\"满\"".to_owned()),
        _ => Binding::Accepts,
    }
}

fn change_batch(batch: &mut Batch, random: &mut Random) {
    let at = random.place(batch.messages.len());
    let count = batch.messages.len();
    match random.below(8) {
        0 => batch.queue = name(random),
        1 | 2 if count < 12 => batch.messages.push(message(count, random)),
        3 if count > 0 => drop(batch.messages.remove(at)),
        _ => {
            let Some(message) = batch.messages.get_mut(at) else { return };
            match random.below(8) {
                0 => message.id = word(random),
                1 => message.attempts = [1, 2, 3, u32::MAX][random.place(4)],
                2 => message.timestamp = Timestamp::Number(delay(random)),
                3 => message.ack_throws = (random.below(2) == 0).then(|| word(random)),
                4 => message.retry_throws = (random.below(2) == 0).then(|| word(random)),
                _ => {
                    if let Body::Json(old) = &message.body {
                        let new = text::change(old, random);
                        // A message's body is a value, so its text is JSON.
                        if duipai_host::json::parse(&new).is_ok() {
                            message.body = Body::Json(new.into());
                        }
                    }
                }
            }
        }
    }
}

fn message(at: usize, random: &mut Random) -> Message {
    Message {
        id: format!("m{at}"),
        attempts: 1,
        timestamp: Timestamp::Date(1_767_323_045_678),
        body: Body::Json(text::value(random).into()),
        ack_throws: None,
        retry_throws: None,
    }
}

fn change_steps(steps: &mut Vec<Step>, random: &mut Random) {
    let at = random.place(steps.len());
    match random.below(8) {
        0 if steps.len() > 1 => drop(steps.remove(at)),
        1 | 2 if steps.len() < 24 => {
            let at = random.place(steps.len() + 1);
            steps.insert(at, step(random));
        }
        3 if steps.len() > 1 => {
            let other = random.place(steps.len());
            steps.swap(at, other);
        }
        _ => match steps.get_mut(at) {
            Some(step) => change_step(step, random),
            None => steps.push(step(random)),
        },
    }
}

fn step(random: &mut Random) -> Step {
    let action = match random.below(12) {
        0..=2 => Action::Send { binding: name(random), body: text::value(random).into(), delay: 0 },
        3 => Action::SendBatch {
            binding: name(random),
            items: format!("[{{\"body\":{}}}]", text::value(random)).into(),
        },
        4 => Action::ReadBatch,
        5..=7 => Action::Ack { index: index(random) },
        8 | 9 => Action::Retry { index: index(random), delay: delay(random) },
        10 => Action::Wait { seconds: [0, 1, 30, 31][random.place(4)] },
        _ => Action::Raise { message: word(random) },
    };
    let caught = !matches!(action, Action::Raise { .. }) && random.below(8) > 0;
    Step { action, caught }
}

fn change_step(step: &mut Step, random: &mut Random) {
    let changed =
        |old: &Arc<str>, random: &mut Random| -> Arc<str> { text::change(old, random).into() };
    match &mut step.action {
        Action::Send { binding, body, delay: seconds } => match random.below(6) {
            0 => *binding = name(random),
            1 => *seconds = delay(random),
            _ => *body = changed(body, random),
        },
        Action::SendBatch { binding, items } => match random.below(6) {
            0 => *binding = name(random),
            _ => *items = changed(items, random),
        },
        Action::Ack { index: at } => *at = index(random),
        Action::Retry { index: at, delay: seconds } => match random.below(2) {
            0 => *at = index(random),
            _ => *seconds = delay(random),
        },
        Action::Raise { message } => *message = word(random),
        Action::Wait { seconds } => *seconds = random.below(40),
        Action::ReadBatch => step.caught = !step.caught,
    }
}

fn name(random: &mut Random) -> String {
    // The usual name in every other case, so that calls get through.
    match random.below(2) {
        0 => "PAGE_QUEUE".to_owned(),
        _ => random.pick(NAMES).copied().unwrap_or_default().to_owned(),
    }
}

fn word(random: &mut Random) -> String {
    random.pick(WORDS).copied().unwrap_or_default().to_owned()
}

fn delay(random: &mut Random) -> i64 {
    random.pick(DELAYS).copied().unwrap_or_default()
}

fn index(random: &mut Random) -> i64 {
    random.pick(INDICES).copied().unwrap_or_default()
}
