//! A producer's call up to the queue: what the runtime makes of the bodies, and
//! what is refused for what it is (生产者).

use std::sync::Arc;

use duipai_host::{
    Value,
    json::{self, NotText},
    value::Object,
};

use crate::{
    history::Refused,
    refusal::{Producing, Refusal},
    rules::Rules,
    scenario::{Body, ContentType, Message, Producer, Special},
};

/// From this compatibility date on an absent content type is `json`
/// (flag `queues_json_messages`); before it is `v8`.
const JSON_SINCE: &str = "2024-03-18";

/// A body on its way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wire {
    /// Its bytes.
    pub(crate) bytes: u64,
    /// Whether the broker can read it.
    pub(crate) readable: bool,
    /// `JSON.stringify` of what the consumer gets; `None` where that is no text.
    pub(crate) received: Option<Arc<str>>,
}

/// What the runtime makes of the messages of a call, for a Worker with this
/// compatibility date.
///
/// # Errors
///
/// What the call is rejected with before anything leaves the Worker.
pub(crate) fn serialise(call: &Producer, date: &str) -> Result<Vec<Wire>, Refused> {
    let is_send = matches!(call, Producer::Send(_));
    if call.messages().is_empty() {
        return Err(type_error("sendBatch() requires at least one message"));
    }
    call.messages().iter().map(|message| body(message, date, is_send)).collect()
}

/// What the broker refuses a call for, whatever else the queue holds.
///
/// # Errors
///
/// The error that the call is rejected with.
pub(crate) fn admit(
    rules: &Rules,
    call: &Producer,
    wires: &[Wire],
    date: &str,
) -> Result<(), Refused> {
    let refuse = |words: String, code| Err(refused(rules, call, date, words, code));
    let (most, total) = (rules.max_body_bytes, rules.max_batch_bytes);
    let sizes = || wires.iter().map(|wire| wire.bytes + rules.metadata_bytes);
    let largest = sizes().max().unwrap_or(0);
    let in_range = |delay: Option<i32>| {
        delay.is_none_or(|delay| (0..=rules.max_send_delay).contains(&i64::from(delay)))
    };
    if let Producer::SendBatch { delay, .. } = call {
        let (count, sum) = (wires.len() as u64, sizes().sum::<u64>());
        if count > rules.max_batch_messages {
            let limit = rules.max_batch_messages;
            return refuse(
                format!("batch message count of {count} exceeds limit of {limit}"),
                10206,
            );
        }
        if largest > most {
            let words = format!(
                "message in batch has length {largest} bytes which exceeds single message size limit of {most}"
            );
            return refuse(words, 10204);
        }
        if sum > total {
            return refuse(format!("batch size of {sum} bytes exceeds limit of {total}"), 10205);
        }
        if !in_range(*delay) {
            return refuse("Internal Server Error".into(), 10202);
        }
    } else if largest > most {
        return refuse(format!("message length of {largest} bytes exceeds limit of {most}"), 10204);
    }
    if call.messages().iter().all(|message| in_range(message.delay)) {
        return Ok(());
    }
    refuse("Internal Server Error".into(), 10203)
}

/// What a call is rejected with that the queue takes nothing of.
pub(crate) fn turned_away(
    rules: &Rules,
    call: &Producer,
    refusal: crate::engine::Refusal,
    date: &str,
) -> Refused {
    use crate::engine::Refusal as Why;
    let (words, code) = match refusal {
        Why::TooFast => ("Too Many Requests", 10250),
        Why::Full => ("Storage Limit Exceeded", 10251),
        Why::TooManyDelayed => ("Internal Server Error", 15000),
        Why::Unreadable => ("Internal Server Error", 10207),
    };
    refused(rules, call, date, words.into(), code)
}

fn refused(rules: &Rules, call: &Producer, date: &str, words: String, code: u32) -> Refused {
    let told = rules.refuses_with_code;
    let refusal = Refusal {
        status: 400,
        code: if told { code.to_string() } else { String::new() },
        cause: if told { words.clone() } else { String::new() },
        reason: words,
        compatibility_date: date.into(),
    };
    let producing = match call {
        Producer::Send(_) => Producing::Send,
        Producer::SendBatch { .. } => Producing::SendBatch,
    };
    Refused { name: "Error".into(), message: refusal.text(producing) }
}

fn type_error(message: impl Into<String>) -> Refused {
    Refused { name: "TypeError".into(), message: message.into() }
}

fn body(message: &Message, date: &str, is_send: bool) -> Result<Wire, Refused> {
    let label = || Value::String(message.label.as_str().into());
    let value = match &message.body {
        None => label(),
        // A scenario's bodies are JSON texts.
        Some(Body::Json(text)) => json::parse(text).unwrap_or(Value::Null),
        Some(Body::Letters(count)) => Value::String("x".repeat(*count as usize).into()),
        Some(Body::Bytes(bytes)) => Value::Bytes(bytes.clone()),
        Some(Body::Special(special)) => match special {
            Special::Undefined => return Err(type_error("Message body cannot be undefined")),
            Special::Function => Value::Function("".into()),
            Special::Symbol => Value::Symbol("".into()),
            Special::BigInt => Value::BigInt("1".into()),
            // Told apart by the message, since no value here can hold itself.
            Special::Circular => Value::Object(Object::new()),
        },
    };
    let circular = message.body == Some(Body::Special(Special::Circular));
    match content_type(message.content_type.as_ref(), date, is_send)? {
        ContentType::Json if circular => Err(type_error(CIRCULAR)),
        ContentType::Json => as_json(&value),
        ContentType::Text => match &value {
            Value::String(text) => {
                let text = text.to_string_lossy();
                // What arrives of a text ends at its first U+0000, as measured with Miniflare.
                let text = text.split('\0').next().unwrap_or_default();
                Ok(Wire {
                    bytes: text.len() as u64,
                    readable: true,
                    received: Some(json::quote(&text.into()).into()),
                })
            }
            other => Err(wrong_type("text", "string", other)),
        },
        ContentType::Bytes => match &value {
            Value::Bytes(bytes) => {
                Ok(Wire { bytes: bytes.len() as u64, readable: true, received: None })
            }
            other => Err(wrong_type("bytes", "ArrayBufferView", other)),
        },
        ContentType::V8 => as_v8(&value, circular),
        ContentType::Other(name) => Err(unsupported(&name)),
    }
}

/// V8's message for an object whose property `self` is the object.
const CIRCULAR: &str = "Converting circular structure to JSON\n    \
    --> starting at object with constructor 'Object'\n    \
    --- property 'self' closes the circle";

fn unsupported(name: &str) -> Refused {
    type_error(format!("Unsupported queue message content type: {name}"))
}

/// `send` takes the names in any case, `sendBatch` does not.
fn content_type(
    asked: Option<&ContentType>,
    date: &str,
    is_send: bool,
) -> Result<ContentType, Refused> {
    match asked {
        None if date >= JSON_SINCE => Ok(ContentType::Json),
        None => Ok(ContentType::V8),
        Some(ContentType::Other(name)) => {
            let folded = ContentType::from(name.to_ascii_lowercase());
            match folded {
                ContentType::Other(_) => Err(unsupported(name)),
                known if is_send => Ok(known),
                _ => Err(unsupported(name)),
            }
        }
        Some(known) => Ok(known.clone()),
    }
}

fn wrong_type(content_type: &str, wanted: &str, value: &Value) -> Refused {
    let received = match value {
        Value::Undefined => "undefined",
        Value::Bool(_) => "boolean",
        Value::Number(_) => "number",
        Value::BigInt(_) => "bigint",
        Value::String(_) => "string",
        Value::Symbol(_) => "symbol",
        Value::Function(_) => "function",
        _ => "object",
    };
    type_error(format!(
        "Content Type \"{content_type}\" requires a value of type {wanted}, but received: {received}"
    ))
}

fn as_json(value: &Value) -> Result<Wire, Refused> {
    match json::stringify(value) {
        Ok(text) => {
            // What is read of it is written again alike, as it is canonical.
            Ok(Wire { bytes: text.len() as u64, readable: true, received: Some(text.into()) })
        }
        // The text `undefined`, which leaves the Worker and is no JSON.
        Err(NotText::Undefined) => Ok(Wire { bytes: 9, readable: false, received: None }),
        Err(NotText::BigInt) => Err(type_error("Do not know how to serialize a BigInt")),
    }
}

fn as_v8(value: &Value, circular: bool) -> Result<Wire, Refused> {
    let not_cloned = match value {
        Value::Function(_) => "()=>1",
        Value::Symbol(_) => "Symbol()",
        _ => {
            let received = json::stringify(value).ok().filter(|_| !circular).map(Into::into);
            return Ok(Wire { bytes: v8_bytes(value), readable: true, received });
        }
    };
    Err(Refused {
        name: "DataCloneError".into(),
        message: format!("{not_cloned} could not be cloned."),
    })
}

/// Bytes of a value in V8's own format, to within the odd byte of padding.
fn v8_bytes(value: &Value) -> u64 {
    /// A string is one byte a character if all are Latin-1, else two.
    fn string(text: &str) -> u64 {
        let characters = text.encode_utf16().count() as u64;
        let wide = text.chars().any(|char| u32::from(char) > 0xff);
        let bytes = if wide { 2 * characters } else { characters };
        1 + varint(bytes) + bytes
    }
    fn varint(number: u64) -> u64 {
        u64::from((64 - number.leading_zeros()).div_ceil(7).max(1))
    }
    let mut sum = 2;
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        sum += match value {
            Value::String(text) => string(&text.to_string_lossy()),
            Value::Number(number) if number.fract() == 0.0 && number.abs() < 1e9 => {
                1 + varint(2 * number.abs() as u64)
            }
            Value::Number(_) => 9,
            Value::Array(items) => {
                open.extend(items);
                3 + 2 * varint(items.len() as u64)
            }
            Value::Object(object) => {
                let keys = object.iter().map(|(key, _)| string(&key.to_string_lossy()));
                let keys: u64 = keys.sum();
                open.extend(object.iter().map(|(_, value)| value));
                2 + keys + varint(object.len() as u64)
            }
            Value::Bytes(bytes) => 7 + bytes.len() as u64,
            Value::BigInt(_) => 10,
            _ => 1,
        };
    }
    sum
}
