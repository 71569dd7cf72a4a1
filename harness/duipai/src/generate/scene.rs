//! Scenes: any sequence of the five calls, in any event, on any batch.

use std::collections::BTreeMap;

use duipai_spec::event::EventKind;

use super::{
    BatchInput, Input, SendInput, Source, batch, describe,
    features::{Feature, Swarm},
    json::{self, JsonText},
    send,
};
use crate::plan::{Action, Batch, Binding, Body, EventPlan, Message, Scene, Step, Timestamp};

/// A scene of one to three events.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneInput {
    /// The scene.
    pub scene: Scene,
    /// What it may have.
    pub swarm: Swarm,
}

impl Input for SceneInput {
    fn draw(source: &mut Source<'_>) -> Self {
        let events = if source.has(Feature::Together, 4) { 2 + source.below(2) } else { 1 };
        let events = (0..events).map(|_| event(source)).collect();
        Self { scene: Scene { events }, swarm: source.swarm() }
    }

    fn describe(&self) -> String {
        describe::case(&self.scene, "candidate.event")
    }
}

/// A queue event in which messages are settled, each at most once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SettleInput {
    /// Messages of the batch.
    pub messages: usize,
    /// The index of a message, and the delay of its retry, if it is no ack.
    pub settled: Vec<(usize, Option<u32>)>,
    /// The same in another order.
    pub permuted: Vec<(usize, Option<u32>)>,
}

impl Input for SettleInput {
    fn draw(source: &mut Source<'_>) -> Self {
        let messages = 1 + source.below(8);
        let mut settled = Vec::new();
        for index in 0..messages {
            match source.below(4) {
                0 => settled.push((index, None)),
                1 => settled.push((index, Some(source.pick(&[0, 1, 30, 43_200])))),
                2 => settled.insert(source.below(settled.len() + 1), (index, None)),
                _ => {}
            }
        }
        let mut permuted = settled.clone();
        for last in (1..permuted.len()).rev() {
            permuted.swap(last, source.below(last + 1));
        }
        Self { messages, settled, permuted }
    }

    fn describe(&self) -> String {
        let [one, other] = self.scenes();
        format!(
            "{}\n{}",
            describe::case(&one, "candidate.settle.one"),
            describe::case(&other, "candidate.settle.other")
        )
    }
}

impl SettleInput {
    /// The scene of each order.
    pub fn scenes(&self) -> [Scene; 2] {
        let scene = |order: &[(usize, Option<u32>)]| {
            let action = |&(index, delay): &(usize, Option<u32>)| {
                let index = index as i64;
                match delay {
                    None => Action::Ack { index },
                    Some(delay) => Action::Retry { index, delay: delay.into() },
                }
            };
            let messages = (0..self.messages).map(|index| plain_message(format!("m{index}")));
            let batch = Batch { queue: "page".to_owned(), messages: messages.collect() };
            let steps = order.iter().map(|one| Step { action: action(one), caught: true });
            let plan = surroundings(EventKind::Queue, Some(batch), steps.collect());
            Scene { events: vec![plan] }
        };
        [scene(&self.settled), scene(&self.permuted)]
    }
}

impl SendInput {
    /// The scene of this one call.
    pub fn scene(&self) -> Scene {
        one_call(Action::Send {
            binding: self.binding.clone(),
            body: self.body.as_str().into(),
            delay: self.delay,
        })
    }
}

impl BatchInput {
    /// The scene of this one call.
    pub fn scene(&self) -> Scene {
        one_call(Action::SendBatch {
            binding: self.binding.clone(),
            items: self.items.as_str().into(),
        })
    }
}

/// The scene in which the program makes one call, in a plain request.
pub fn one_call(action: Action) -> Scene {
    let steps = vec![Step { action, caught: true }];
    Scene { events: vec![surroundings(EventKind::Fetch, None, steps)] }
}

/// An event with the bindings that generated inputs name: `PAGE_QUEUE` and
/// `OTHER` accept, `REFUSED` and `VALUE` reject, `ABSENT` is granted but not
/// configured, `UNGRANTED` is configured but not granted. `VALUE`, which not
/// every subject can have, is there only if a step names it.
pub fn surroundings(kind: EventKind, batch: Option<Batch>, steps: Vec<Step>) -> EventPlan {
    let owned = str::to_owned;
    let mut bindings = BTreeMap::from([
        (owned("PAGE_QUEUE"), Binding::Accepts),
        (owned("OTHER"), Binding::Accepts),
        (owned("REFUSED"), Binding::RejectsError(owned("Queue is full：\"满\"\n"))),
        (owned("UNGRANTED"), Binding::Accepts),
    ]);
    if steps.iter().any(|step| names_value(&step.action)) {
        bindings.insert(owned("VALUE"), Binding::RejectsValue(owned("[1,null]")));
    }
    let grants = ["PAGE_QUEUE", "OTHER", "REFUSED", "VALUE", "ABSENT"].map(owned).to_vec();
    EventPlan { kind, grants, bindings, batch, steps }
}

fn names_value(action: &Action) -> bool {
    match action {
        Action::Send { binding, .. } | Action::SendBatch { binding, .. } => binding == "VALUE",
        _ => false,
    }
}

fn event(source: &mut Source<'_>) -> EventPlan {
    let kind =
        source.pick(&[EventKind::Queue, EventKind::Queue, EventKind::Queue, EventKind::Fetch]);
    let kind = if source.one_in(16) { source.pick(&EventKind::ALL) } else { kind };
    let batch = (kind == EventKind::Queue).then(|| {
        let messages =
            (0..source.pick(&[3, 1, 2, 4, 0])).map(|index| message(source, index)).collect();
        let queue = source.pick(&["page", "", "页\"\\\n", "{\"$句柄\":\"1\"}", "\u{7f}\u{2028}"]);
        Batch { queue: queue.to_owned(), messages }
    });
    let count = batch.as_ref().map_or(0, |batch| batch.messages.len());
    let steps = (0..1 + source.below(6)).map(|_| step(source, count)).collect();
    let mut plan = surroundings(kind, batch, steps);
    if source.has(Feature::Bindings, 4) {
        plan.grants.truncate(source.below(plan.grants.len()));
    }
    plan
}

fn step(source: &mut Source<'_>, count: usize) -> Step {
    // Without messages most consumer calls are refused; a few are enough.
    let choice =
        if count == 0 && !source.one_in(4) { 9 + source.below(6) } else { source.below(16) };
    let action = match choice {
        0..3 => Action::ReadBatch,
        3..6 => Action::Ack { index: index(source, count) },
        6..9 => Action::Retry { index: index(source, count), delay: send::delay(source) },
        9..12 => Action::Send {
            binding: send::binding(source).to_owned(),
            delay: send::delay(source),
            body: JsonText::draw(source).text.into(),
        },
        12..14 => {
            let mut items = String::new();
            batch::array(source, &mut items);
            Action::SendBatch { binding: send::binding(source).to_owned(), items: items.into() }
        }
        14 => Action::Wait { seconds: source.pick(&[1, 10, 15, 30, 31, 3600]) },
        _ => {
            let action = Action::Raise { message: "坏".to_owned() };
            return Step { action, caught: false };
        }
    };
    let waits = matches!(action, Action::Wait { .. });
    Step { action, caught: waits || !source.one_in(6) }
}

/// An index, mostly of one of `count` messages.
fn index(source: &mut Source<'_>, count: usize) -> i64 {
    if source.has(Feature::Extremes, 2) {
        return source.pick(&[i64::MIN, i64::MAX, 1 << 32, (1 << 32) + 1, -(1 << 32)]);
    }
    if source.one_in(8) {
        return source.pick(&[-1, count as i64, count as i64 + 1]);
    }
    source.below(count) as i64
}

fn plain_message(id: String) -> Message {
    Message {
        id,
        attempts: 1,
        timestamp: Timestamp::Date(1_767_323_045_678),
        body: Body::Json("null".into()),
        ack_throws: None,
        retry_throws: None,
    }
}

/// Values that are not JSON, or that only seem not to be.
const FOREIGN: [&str; 17] = [
    r##"{"#minus-zero":true}"##,
    r##"{"#undefined":true}"##,
    r##"{"#nan":true}"##,
    r##"{"#infinity":1}"##,
    r##"[{"#infinity":-1}]"##,
    r##"{"#bigint":"9007199254740993"}"##,
    r##"{"#date":0}"##,
    r##"{"a":[{"#date":-1}]}"##,
    r##"{"#map":[[1,{"#set":[]}]]}"##,
    r##"{"#set":[1]}"##,
    r##"{"#bytes":"00ff"}"##,
    r##"[1,{"#buffer":""}]"##,
    r##"{"#class":{"x":1}}"##,
    r##"{"#symbol":"s"}"##,
    r##"{"#function":"f"}"##,
    r##"{"a":{"#undefined":true}}"##,
    r##"{"#a":1,"#b":{"#minus-zero":true}}"##,
];

fn message(source: &mut Source<'_>, index: usize) -> Message {
    let id = match source.below(6) {
        0..4 => format!("m{index}"),
        4 => {
            source.pick(&["", "\"", "\\", "\u{0}\n", "😀\u{2028}", "{\"$句柄\":\"1\"}"]).to_owned()
        }
        _ => "长".repeat(source.below(2000)),
    };
    let body = match source.has(Feature::Foreign, 3) {
        true => Body::Tagged(source.pick(&FOREIGN).into()),
        false => Body::Json(json::valid(source).into()),
    };
    let millis = source.pick(&[1_767_323_045_678, 0, 1, -86_400_000, 8_640_000_000_000_000]);
    let timestamp = match source.one_in(3) {
        true => Timestamp::Number(millis),
        false => Timestamp::Date(millis),
    };
    let throws = |yes: bool| yes.then(|| "平台出错".to_owned());
    Message {
        id,
        attempts: 1 + u32::from(source.byte() % 4),
        timestamp,
        body,
        ack_throws: throws(source.has(Feature::Foreign, 12)),
        retry_throws: throws(source.has(Feature::Foreign, 12)),
    }
}
