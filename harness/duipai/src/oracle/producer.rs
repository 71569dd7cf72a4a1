//! The producer (生产者) as the sentences have it: what is sent, or which rules
//! an input breaks. There is no order of checks here.

use duipai_spec::{
    limits::{
        MAX_BATCH_BYTES, MAX_BATCH_ITEMS, MAX_BATCH_TEXT_BYTES, MAX_BODY_BYTES, MAX_DELAY_SECONDS,
        MAX_DEPTH,
    },
    messages,
};
use serde_json::value::RawValue;

use super::{
    facts::Facts,
    known::Differences,
    value::{self, Json, Members},
};

/// A rule that an input breaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Broken {
    /// The message that reports it.
    pub message: &'static str,
    /// Id of the sentence that has the rule.
    pub sentence: &'static str,
}

/// What must become of a call of the producer.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Verdict {
    /// The rules that the input breaks. If there is one, nothing is sent.
    pub broken: Vec<Broken>,
    /// Rules that it breaks as some may read the document, and not as others.
    pub open: Vec<Broken>,
    /// What is sent, unless the input is refused.
    pub sent: Option<Sent>,
    /// Where serde_json and JavaScript differ over the text.
    pub differences: Differences,
}

/// What is sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Sent {
    /// One message.
    Message(Item),
    /// The items of a batch, in order.
    Batch(Vec<Item>),
}

/// One message as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Item {
    /// The body's canonical text.
    pub body: String,
    /// The delay in seconds.
    pub delay: u32,
}

impl Verdict {
    /// Whether the input keeps every rule, as all read the document.
    pub fn accepts(&self) -> bool {
        self.broken.is_empty() && self.open.is_empty()
    }

    /// The messages that may report the input.
    pub fn messages(&self) -> impl Iterator<Item = &'static str> {
        self.broken.iter().chain(&self.open).map(|broken| broken.message)
    }

    fn breaks(&mut self, broken: bool, message: &'static str, sentence: &'static str) {
        if broken {
            self.broken.push(Broken { message, sentence });
        }
    }

    fn may_break(&mut self, broken: bool, message: &'static str, sentence: &'static str) {
        if broken {
            self.open.push(Broken { message, sentence });
        }
    }

    /// A limit that is measured on the text as given or on the canonical one.
    fn measures(
        &mut self,
        [given, canonical]: [usize; 2],
        most: usize,
        message: &'static str,
        [both, only_given, only_canonical]: [&'static str; 3],
    ) {
        match (given > most, canonical > most) {
            (true, true) => self.breaks(true, message, both),
            (true, false) => self.may_break(true, message, only_given),
            (false, true) => self.may_break(true, message, only_canonical),
            (false, false) => {}
        }
    }
}

/// 发送队列消息.
pub fn send(binding: &str, body: &str, delay: i64) -> Verdict {
    let mut verdict = Verdict::default();
    verdict.breaks(binding.is_empty(), messages::BINDING_EMPTY, "grant.empty");
    verdict.breaks(delay < 0, messages::DELAY_RANGE, "send.delay.negative");
    let over = delay > i64::from(MAX_DELAY_SECONDS);
    verdict.breaks(over, messages::DELAY_RANGE, "send.delay.over");
    let large = messages::BODY_TOO_LARGE;
    verdict.breaks(body.len() > MAX_BODY_BYTES, large, "send.size.input");
    let Some((value, differences)) = value::read(body) else {
        verdict.breaks(true, messages::BODY_NOT_JSON, "send.not-json");
        return verdict;
    };
    verdict.differences = differences;
    let facts = Facts::of(&value);
    verdict.breaks(facts.depth > MAX_DEPTH, messages::BODY_TOO_DEEP, "send.depth.limit");
    verdict.breaks(facts.infinite, messages::BODY_MARKER, "send.marker.infinity");
    verdict.breaks(facts.marker, messages::BODY_MARKER, "send.marker.handle");
    verdict.may_break(facts.like_marker, messages::BODY_MARKER, "send.marker.first-key");
    verdict.may_break(facts.deeper, messages::BODY_MARKER, "send.marker.handle");
    let body = value::canonical(&value);
    let large_canonical = body.len() > MAX_BODY_BYTES;
    verdict.breaks(large_canonical, large, "send.size.canonical");
    verdict.may_break(facts.deeper, large, "send.size.canonical");
    if verdict.broken.is_empty() {
        // A delay out of range is a broken rule.
        let delay = u32::try_from(delay).unwrap_or_default();
        verdict.sent = Some(Sent::Message(Item { body, delay }));
    }
    verdict
}

/// 批量发送队列消息.
pub fn send_batch(binding: &str, items: &str) -> Verdict {
    let mut verdict = Verdict::default();
    verdict.breaks(binding.is_empty(), messages::BINDING_EMPTY, "grant.empty");
    let large = items.len() > MAX_BATCH_TEXT_BYTES;
    verdict.breaks(large, messages::BATCH_TEXT_TOO_LARGE, "batch.size.text");
    let Some((value, differences)) = value::read(items) else {
        verdict.breaks(true, messages::BATCH_NOT_JSON, "batch.not-json");
        return verdict;
    };
    verdict.differences = differences;
    let facts = Facts::of(&value);
    verdict.may_break(facts.depth > MAX_DEPTH, messages::BATCH_TOO_DEEP, "batch.depth.scope");
    let marked = facts.infinite || facts.marker || facts.like_marker || facts.deeper;
    verdict.may_break(marked, messages::BATCH_MARKER, "batch.marker");
    let raw_items = serde_json::from_str::<Vec<&RawValue>>(items).ok();
    let (Json::Array(values), Some(raw_items)) = (&value, raw_items) else {
        verdict.breaks(true, messages::BATCH_NOT_ARRAY, "batch.array");
        return verdict;
    };
    verdict.breaks(values.is_empty(), messages::BATCH_EMPTY, "batch.count.least");
    let many = values.len() > MAX_BATCH_ITEMS;
    verdict.breaks(many, messages::BATCH_TOO_MANY, "batch.count.most");
    let mut sent = Vec::new();
    let mut total = [0, 0];
    for (value, raw) in values.iter().zip(raw_items) {
        if let Some((item, given)) = item(value, raw.get(), &mut verdict) {
            total = [total[0] + given, total[1] + item.body.len()];
            sent.push(item);
        }
    }
    verdict.measures(
        total,
        MAX_BATCH_BYTES,
        messages::BATCH_TOTAL_TOO_LARGE,
        ["batch.size.total", "batch.size.total-input", "batch.size.total-canonical"],
    );
    if verdict.broken.is_empty() {
        verdict.sent = Some(Sent::Batch(sent));
    }
    verdict
}

/// One item, and the bytes of its body as given; `None` when it has none.
fn item(value: &Json, raw: &str, verdict: &mut Verdict) -> Option<(Item, usize)> {
    let members = serde_json::from_str::<Members<'_>>(raw);
    let (Json::Object(object), Ok(Members(members))) = (value, members) else {
        verdict.breaks(true, messages::ITEM_NOT_OBJECT, "batch.item.object");
        return None;
    };
    let known = |key: &[u8]| key == b"body" || key == b"delaySeconds";
    let unknown = !object.iter().all(|(key, _)| known(key));
    verdict.breaks(unknown, messages::ITEM_UNKNOWN_FIELD, "batch.item.no-other-fields");
    let value_of =
        |name: &str| object.iter().find(|(key, _)| key == name.as_bytes()).map(|(_, value)| value);
    // Of a repeated key the last value counts.
    let raw_of = |name: &str| {
        let named = |(key, _): &&(&RawValue, &RawValue)| {
            let key = value::read(key.get());
            key.is_some_and(|(key, _)| key == Json::String(name.into()))
        };
        members.iter().rfind(named).map_or("", |(_, value)| value.get())
    };
    let delay = value_of("delaySeconds")
        .and_then(|value| delay(value, raw_of("delaySeconds"), verdict))
        .unwrap_or_default();
    let Some(body) = value_of("body") else {
        verdict.breaks(true, messages::ITEM_NO_BODY, "batch.item.body");
        return None;
    };
    let facts = Facts::of(body);
    verdict.breaks(facts.depth > MAX_DEPTH, messages::BATCH_TOO_DEEP, "batch.depth.limit");
    verdict.breaks(facts.infinite || facts.marker, messages::BATCH_MARKER, "batch.marker");
    let body = value::canonical(body);
    let given = raw_of("body").len();
    let large = messages::ITEM_BODY_TOO_LARGE;
    verdict.measures(
        [given, body.len()],
        MAX_BODY_BYTES,
        large,
        ["batch.size.body", "batch.size.body-input", "batch.size.body-canonical"],
    );
    Some((Item { body, delay }, given))
}

/// The delay of an item, in seconds; `None` when it breaks a rule.
fn delay(value: &Json, raw: &str, verdict: &mut Verdict) -> Option<u32> {
    let message = messages::ITEM_DELAY;
    match value {
        Json::Number(delay) if delay.fract() == 0.0 => {
            let range = 0.0..=f64::from(MAX_DELAY_SECONDS);
            verdict.breaks(!range.contains(delay), message, "batch.item.delay-range");
            let plain = raw.bytes().all(|byte| byte.is_ascii_digit());
            verdict.may_break(!plain, message, "batch.item.delay-spelling");
            Some(*delay as u32)
        }
        _ => {
            verdict.breaks(true, message, "batch.item.delay-integer");
            None
        }
    }
}

/// Id of the sentence that has the wording of a message.
pub fn wording(message: &str) -> &'static str {
    match message {
        messages::BINDING_EMPTY => "message.binding-empty",
        messages::DELAY_RANGE => "message.delay-range",
        messages::BODY_TOO_LARGE => "message.send-too-large",
        messages::BODY_NOT_JSON => "message.send-not-json",
        messages::BODY_TOO_DEEP => "message.send-too-deep",
        messages::BODY_MARKER => "message.send-marker",
        messages::BATCH_TEXT_TOO_LARGE => "message.batch-text-too-large",
        messages::BATCH_NOT_JSON => "message.batch-not-json",
        messages::BATCH_TOO_DEEP => "message.batch-too-deep",
        messages::BATCH_MARKER => "message.batch-marker",
        messages::BATCH_NOT_ARRAY => "message.batch-not-array",
        messages::BATCH_EMPTY => "message.batch-empty",
        messages::BATCH_TOO_MANY => "message.batch-too-many",
        messages::ITEM_NOT_OBJECT => "message.item-not-object",
        messages::ITEM_NO_BODY => "message.item-no-body",
        messages::ITEM_UNKNOWN_FIELD => "message.item-unknown-field",
        messages::ITEM_DELAY => "message.item-delay",
        messages::ITEM_BODY_TOO_LARGE => "message.item-body-too-large",
        messages::BATCH_TOTAL_TOO_LARGE => "message.batch-total-too-large",
        _ => "errors.fixed-text",
    }
}
