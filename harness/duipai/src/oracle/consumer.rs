//! The consumer (消费者) as the sentences have it: what is read of a batch.

use duipai_spec::limits::BRIDGE_DEPTH;

use super::{
    facts::Facts,
    known::Differences,
    value::{self, Json},
};
use crate::plan::{Batch, Body, Message};

/// What must become of 读取队列批次.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The text, with every body as it was sent.
    pub text: String,
    /// Indices of messages whose body is not a JSON value.
    pub not_json: Vec<u32>,
    /// Indices of messages whose body has the form of a host marker, and may
    /// pass for one.
    pub lookalikes: Vec<u32>,
    /// Some body is nested deeper than the bridge carries.
    pub too_deep: bool,
    /// Some body is, if its empty innermost level counts.
    pub may_be_too_deep: bool,
    /// Where serde_json and JavaScript differ over the bodies.
    pub differences: Differences,
}

/// What is read of `batch`.
pub fn reading(batch: &Batch) -> Reading {
    let mut reading = Reading::default();
    reading.text.push_str("{\"queue\":");
    value::quote(batch.queue.as_bytes(), &mut reading.text);
    reading.text.push_str(",\"messages\":[");
    for (index, message) in (0..).zip(&batch.messages) {
        if index > 0 {
            reading.text.push(',');
        }
        reading.text.push_str("{\"id\":");
        value::quote(message.id.as_bytes(), &mut reading.text);
        let millis = value::number_text(message.timestamp.millis() as f64);
        let attempts = message.attempts;
        let body = reading.body(index, message);
        reading.text.push_str(&format!(
            ",\"attempts\":{attempts},\"timestamp\":{millis},\"body\":{body}}}"
        ));
    }
    reading.text.push_str("]}");
    reading
}

impl Reading {
    /// The canonical text of a message's body, as far as it has one.
    fn body(&mut self, index: u32, message: &Message) -> String {
        let (Body::Json(text) | Body::Tagged(text)) = &message.body;
        let Some((mut value, differences)) = value::read(text) else {
            self.not_json.push(index);
            return "null".to_owned();
        };
        differences.iter().for_each(|difference| self.differences.note(difference));
        let foreign = matches!(message.body, Body::Tagged(_)) && untag(&mut value);
        let facts = Facts::of(&value);
        if foreign || facts.infinite {
            self.not_json.push(index);
        } else if facts.marker || facts.like_marker {
            self.lookalikes.push(index);
        }
        self.too_deep |= facts.lowest > BRIDGE_DEPTH;
        self.may_be_too_deep |= facts.depth > BRIDGE_DEPTH;
        value::canonical(&value)
    }
}

/// Puts the values in place of their tags; says whether one of them is not a
/// JSON value.
fn untag(value: &mut Json) -> bool {
    match value {
        Json::Array(items) => items.iter_mut().fold(false, |foreign, item| untag(item) | foreign),
        Json::Object(members) => {
            if let [(key, _)] = members.as_slice()
                && key.starts_with(b"#")
            {
                let minus_zero = key == b"#minus-zero";
                *value = Json::Number(-0.0);
                return !minus_zero;
            }
            members.iter_mut().fold(false, |foreign, (_, value)| untag(value) | foreign)
        }
        _ => false,
    }
}
