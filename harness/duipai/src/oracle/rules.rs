//! Which producer rules an input breaks, judged by value and without an order.
//!
//! Written from the sentences of the interface, not from the reference: the
//! reference scans text and stops at the first broken rule, this looks at the
//! parsed value and asks every rule. Where an input breaks several, the
//! interface leaves open which message is thrown, and this is the permitted set.

use std::collections::BTreeSet;

use duipai_host::{Value, json, value::Object};
use duipai_spec::{
    limits::{
        BATCH_ENVELOPE_DEPTH, MAX_BATCH_BYTES, MAX_BATCH_ITEMS, MAX_BATCH_TEXT_BYTES,
        MAX_BODY_BYTES, MAX_DELAY_SECONDS, MAX_DEPTH,
    },
    markers, messages,
};

/// Messages of the rules that an input breaks; empty when it conforms.
pub type Broken = BTreeSet<&'static str>;

/// The rules that a `send` of `body` to `binding` breaks.
pub fn broken_by_send(binding: &str, body: &str, delay: i64) -> Broken {
    let mut broken = Broken::new();
    let mut rule = |holds: bool, message| {
        if !holds {
            broken.insert(message);
        }
    };
    rule(!binding.is_empty(), messages::BINDING_EMPTY);
    rule((0..=i64::from(MAX_DELAY_SECONDS)).contains(&delay), messages::DELAY_RANGE);
    rule(body.len() <= MAX_BODY_BYTES, messages::BODY_TOO_LARGE);
    match json::parse(body) {
        Err(_) => rule(false, messages::BODY_NOT_JSON),
        Ok(value) => {
            rule(value.depth() <= MAX_DEPTH, messages::BODY_TOO_DEEP);
            rule(!has_host_value(&value), messages::BODY_MARKER);
            rule(size(&value) <= MAX_BODY_BYTES, messages::BODY_TOO_LARGE);
        }
    }
    broken
}

/// The rules that a `send_batch` of `items` to `binding` breaks.
pub fn broken_by_batch(binding: &str, items: &str) -> Broken {
    let mut broken = Broken::new();
    if binding.is_empty() {
        broken.insert(messages::BINDING_EMPTY);
    }
    if items.len() > MAX_BATCH_TEXT_BYTES {
        broken.insert(messages::BATCH_TEXT_TOO_LARGE);
    }
    match json::parse(items) {
        Err(_) => {
            broken.insert(messages::BATCH_NOT_JSON);
        }
        Ok(value) => broken_by_batch_value(&value, &mut broken),
    }
    broken
}

fn broken_by_batch_value(value: &Value, broken: &mut Broken) {
    if value.depth() > MAX_DEPTH + BATCH_ENVELOPE_DEPTH {
        broken.insert(messages::BATCH_TOO_DEEP);
    }
    if has_host_value(value) {
        broken.insert(messages::BATCH_MARKER);
    }
    let Value::Array(items) = value else {
        broken.insert(messages::BATCH_NOT_ARRAY);
        return;
    };
    if items.is_empty() {
        broken.insert(messages::BATCH_EMPTY);
    }
    if items.len() > MAX_BATCH_ITEMS {
        broken.insert(messages::BATCH_TOO_MANY);
    }
    let mut total = 0;
    for item in items {
        match item {
            Value::Object(item) => total += broken_by_item(item, broken),
            _ => {
                broken.insert(messages::ITEM_NOT_OBJECT);
            }
        }
    }
    if total > MAX_BATCH_BYTES {
        broken.insert(messages::BATCH_TOTAL_TOO_LARGE);
    }
}

/// Adds the rules that one item breaks; returns its body's size in bytes.
fn broken_by_item(item: &Object, broken: &mut Broken) -> usize {
    let known = |key: &str| key == "body" || key == "delaySeconds";
    if !item.iter().all(|(key, _)| key.as_str().is_some_and(known)) {
        broken.insert(messages::ITEM_UNKNOWN_FIELD);
    }
    let in_range = |delay: &Value| match delay {
        Value::Number(delay) => {
            delay.fract() == 0.0 && (0.0..=f64::from(MAX_DELAY_SECONDS)).contains(delay)
        }
        _ => false,
    };
    if !item.get_str("delaySeconds").is_none_or(in_range) {
        broken.insert(messages::ITEM_DELAY);
    }
    let Some(body) = item.get_str("body") else {
        broken.insert(messages::ITEM_NO_BODY);
        return 0;
    };
    let bytes = size(body);
    if bytes > MAX_BODY_BYTES {
        broken.insert(messages::ITEM_BODY_TOO_LARGE);
    }
    bytes
}

/// UTF-8 bytes of the value's canonical text.
fn size(value: &Value) -> usize {
    json::stringify(value).map_or(0, |text| text.len())
}

/// Whether the value holds what would not be plain data on the host bridge: an
/// infinity, or an object whose first own key is a host marker.
fn has_host_value(value: &Value) -> bool {
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Number(number) if !number.is_finite() => return true,
            Value::Array(items) => open.extend(items),
            Value::Object(object) => {
                let first = object.iter().next().and_then(|(key, _)| key.as_str());
                if first.is_some_and(|key| markers::KEYS.contains(&key)) {
                    return true;
                }
                open.extend(object.iter().map(|(_, value)| value));
            }
            _ => {}
        }
    }
    false
}
