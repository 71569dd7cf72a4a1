//! The complete ordered call log.

use std::fmt::{self, Write as _};

use duipai_host::{
    json,
    value::{Object, Value},
};
use duipai_spec::event::Call;

use super::{
    difference::{CallPart, Mismatch},
    text::{Shown, TextDifference, one_line},
    value,
};
use crate::{
    case::{ExactText, ExpectedCall, ExpectedItem},
    sha256,
};

/// Every difference between the expected and the seen call log.
pub(super) fn compare(expected: &[ExpectedCall], got: &[Call]) -> Vec<Mismatch> {
    if let Some(order) = other_order(expected, got) {
        return vec![order];
    }
    if expected.len() == got.len() {
        let pairs = expected.iter().zip(got).zip(1..);
        return pairs.flat_map(|((expected, got), call)| difference(expected, got, call)).collect();
    }
    // Calls that fit at both ends are set aside, so that one missing or extra
    // call is one difference and not a shifted log.
    let front = expected.iter().zip(got).take_while(|(e, g)| fits(e, g)).count();
    let (expected, got) = (&expected[front..], &got[front..]);
    let back = expected.iter().rev().zip(got.iter().rev()).take_while(|(e, g)| fits(e, g)).count();
    let (expected, got) = (&expected[..expected.len() - back], &got[..got.len() - back]);

    let pairs = expected.iter().zip(got).zip(front + 1..);
    let others = pairs.flat_map(|((expected, got), call)| difference(expected, got, call));
    let missing = expected.iter().zip(front + 1..).skip(got.len());
    let missing =
        missing.map(|(e, call)| Mismatch::MissingCall { call, expected: name_expected(e) });
    let extra = got.iter().zip(front + 1..).skip(expected.len());
    let extra = extra.map(|(g, call)| Mismatch::ExtraCall { call, got: name_seen(g) });
    others.chain(missing).chain(extra).collect()
}

/// The difference in order, if the logs hold the same calls in another order.
fn other_order(expected: &[ExpectedCall], got: &[Call]) -> Option<Mismatch> {
    if expected.len() != got.len() {
        return None;
    }
    let first = expected.iter().zip(got).position(|(e, g)| !fits(e, g))?;
    let mut left: Vec<&Call> = got[first..].iter().collect();
    for expected in &expected[first..] {
        let at = left.iter().position(|got| fits(expected, got))?;
        left.swap_remove(at);
    }
    Some(Mismatch::CallOrder {
        call: first + 1,
        expected: name_expected(&expected[first]),
        got: name_seen(&got[first]),
    })
}

fn fits(expected: &ExpectedCall, got: &Call) -> bool {
    difference(expected, got, 0).is_empty()
}

/// The differences between two calls at place `call` of their logs.
fn difference(expected: &ExpectedCall, got: &Call, call: usize) -> Vec<Mismatch> {
    let part = |item| CallPart { call, method: got.method(), item };
    match (expected, got) {
        (
            ExpectedCall::Send { binding, body, options },
            Call::Send { binding: got_binding, arguments: got },
        ) if binding == got_binding => {
            arguments(&send_text(body, options), got, part(None), |list| {
                send(body, options, list, part(None))
            })
        }
        (
            ExpectedCall::SendBatch { binding, items },
            Call::SendBatch { binding: got_binding, arguments: got },
        ) if binding == got_binding => {
            arguments(&batch_text(items), got, part(None), |list| send_batch(items, list, &part))
        }
        (ExpectedCall::Ack { message }, Call::Ack { message: got }) if message == got => Vec::new(),
        (
            ExpectedCall::Retry { message, options },
            Call::Retry { message: got_message, options: got_options },
        ) if message == got_message => {
            retry(options.as_deref(), got_options.as_deref(), part(None))
        }
        (
            ExpectedCall::Exact { method, binding, arguments: expected },
            Call::Send { binding: got_binding, arguments }
            | Call::SendBatch { binding: got_binding, arguments },
        ) if method == got.method() && binding == got_binding => {
            exact(expected, arguments, part(None))
        }
        _ => vec![Mismatch::Call { call, expected: name_expected(expected), got: name_seen(got) }],
    }
}

/// Compares argument lists. Equal texts are equal lists, whatever their size;
/// others are read, and compared by `each`.
fn arguments(
    expected: &str,
    got: &str,
    part: CallPart,
    each: impl FnOnce(&[Value]) -> Vec<Mismatch>,
) -> Vec<Mismatch> {
    if expected == got {
        return Vec::new();
    }
    let Ok(value) = json::parse(got) else {
        return vec![not_a_list(got, part)];
    };
    let Value::Array(list) = &value else {
        return vec![not_a_list(got, part)];
    };
    if value::text(&value) == got {
        return each(list);
    }
    // Not what `JSON.stringify` writes: a key that is there twice, say, of
    // which reading has kept one.
    let text = TextDifference::between(expected, got);
    text.map(|text| Mismatch::Body { call: part, text }).into_iter().collect()
}

fn send(body: &str, options: &str, list: &[Value], part: CallPart) -> Vec<Mismatch> {
    let [got_body, got_options] = list else {
        return vec![argument_count(2, list, part)];
    };
    body_and_fields(body, options, got_body, got_options, part)
}

fn send_batch(
    items: &[ExpectedItem],
    list: &[Value],
    part: &dyn Fn(Option<usize>) -> CallPart,
) -> Vec<Mismatch> {
    let [got_items] = list else {
        return vec![argument_count(1, list, part(None))];
    };
    let Value::Array(got) = got_items else {
        return vec![not_a_list(&value::text(got_items), part(None))];
    };
    if items.len() != got.len() {
        return vec![Mismatch::Arguments {
            call: part(None),
            expected: count(items.len(), "item"),
            got: counted(got.len(), "item", got_items),
        }];
    }
    let numbered = items.iter().zip(got).zip(1..);
    numbered.flat_map(|((expected, got), number)| item(expected, got, part(Some(number)))).collect()
}

/// Compares one item: the body byte for byte, the other fields by value.
fn item(expected: &ExpectedItem, got: &Value, part: CallPart) -> Vec<Mismatch> {
    let fields = match got {
        Value::Object(fields) => fields.get_str("body").map(|body| (body, fields)),
        _ => None,
    };
    let Some((body, fields)) = fields else {
        return vec![Mismatch::Arguments {
            call: part,
            expected: String::from("an object with a body"),
            got: Shown::new(&value::text(got)).to_string(),
        }];
    };
    let rest = fields.iter().filter(|(key, _)| **key != *"body");
    let rest: Object = rest.map(|(key, value)| (key.clone(), value.clone())).collect();
    let options = format!("{{{}}}", fields_text(expected));
    body_and_fields(&expected.body, &options, body, &Value::Object(rest), part)
}

/// Compares a body as canonical text, and what stands beside it by value.
fn body_and_fields(
    body: &str,
    fields: &str,
    got_body: &Value,
    got_fields: &Value,
    part: CallPart,
) -> Vec<Mismatch> {
    let body = TextDifference::between(body, &value::text(got_body))
        .map(|text| Mismatch::Body { call: part, text });
    let fields =
        value::against(fields, got_fields).map(|value| Mismatch::Options { call: part, value });
    body.into_iter().chain(fields).collect()
}

/// `retry()` and `retry({})` are different calls, as are their delays.
fn retry(expected: Option<&str>, got: Option<&str>, part: CallPart) -> Vec<Mismatch> {
    if expected == got {
        return Vec::new();
    }
    if let (Some(expected), Some(got)) = (expected, got)
        && json::canonical(got).is_ok_and(|canonical| canonical == got)
    {
        let value = value::difference(expected, got);
        return value.map(|value| Mismatch::Options { call: part, value }).into_iter().collect();
    }
    let shown = |options: Option<&str>| {
        options.map_or_else(|| String::from("no argument"), |o| Shown::new(o).to_string())
    };
    vec![Mismatch::Arguments { call: part, expected: shown(expected), got: shown(got) }]
}

fn exact(expected: &ExactText, got: &str, part: CallPart) -> Vec<Mismatch> {
    let found = match expected {
        ExactText::Text(expected) => {
            TextDifference::between(expected, got).map(|text| Mismatch::Body { call: part, text })
        }
        ExactText::Digest { sha256: digest, bytes } => {
            let same = got.len() == *bytes && sha256::hex(got) == *digest;
            (!same).then(|| Mismatch::Arguments {
                call: part,
                expected: exact_words(expected),
                got: Shown::new(got).to_string(),
            })
        }
    };
    found.into_iter().collect()
}

fn not_a_list(text: &str, part: CallPart) -> Mismatch {
    let expected = String::from("a JSON array");
    Mismatch::Arguments { call: part, expected, got: Shown::new(text).to_string() }
}

fn argument_count(expected: usize, got: &[Value], part: CallPart) -> Mismatch {
    let got = counted(got.len(), "argument", &Value::Array(got.to_vec()));
    Mismatch::Arguments { call: part, expected: count(expected, "argument"), got }
}

/// How many there are, and which.
fn counted(number: usize, what: &str, list: &Value) -> String {
    format!("{}: {}", count(number, what), Shown::new(&value::text(list)))
}

fn count(number: usize, what: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {what}{plural}")
}

/// The argument list of a `send`, with its options as they are written.
fn send_text(body: &str, options: &str) -> String {
    format!("[{body},{options}]")
}

/// The argument list of a `sendBatch`.
fn batch_text(items: &[ExpectedItem]) -> String {
    let mut text = String::from("[[");
    for (at, item) in items.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        // Writing to a string cannot fail.
        let _ = write!(text, "{comma}{{\"body\":{},{}}}", item.body, fields_text(item));
    }
    text + "]]"
}

/// The fields of an item beside its body.
fn fields_text(item: &ExpectedItem) -> String {
    let delay = item.delay.map(|delay| format!(",\"delaySeconds\":{delay}"));
    format!("\"contentType\":\"json\"{}", delay.unwrap_or_default())
}

/// A call in words, with all that the platform must see of it.
fn name_expected(call: &ExpectedCall) -> String {
    match call {
        ExpectedCall::Send { binding, body, options } => {
            name_send("send", binding, Shown::new(&send_text(body, options)))
        }
        ExpectedCall::SendBatch { binding, items } => {
            name_send("sendBatch", binding, Shown::new(&batch_text(items)))
        }
        ExpectedCall::Exact { method, binding, arguments } => {
            name_send(&one_line(method, METHOD_CHARS), binding, exact_words(arguments))
        }
        ExpectedCall::Ack { message } => format!("ack of message {message}"),
        ExpectedCall::Retry { message, options } => {
            format!("retry of message {message}{}", with_options(options.as_deref()))
        }
    }
}

/// A call in words, with all that the platform saw of it.
fn name_seen(call: &Call) -> String {
    match call {
        Call::Send { binding, arguments } | Call::SendBatch { binding, arguments } => {
            name_send(call.method(), binding, Shown::new(arguments))
        }
        Call::Ack { message } => format!("ack of message {message}"),
        Call::Retry { message, options } => {
            format!("retry of message {message}{}", with_options(options.as_deref()))
        }
        Call::AckAll => String::from("ackAll"),
        Call::RetryAll { options } => format!("retryAll{}", with_options(options.as_deref())),
    }
}

/// Longest name of a method that is shown, in characters.
const METHOD_CHARS: usize = 20;

fn name_send(method: &str, binding: &str, arguments: impl fmt::Display) -> String {
    format!("{method} on {} with {arguments}", Shown::new(binding))
}

fn with_options(options: Option<&str>) -> String {
    options.map(|options| format!(" with {}", Shown::new(options))).unwrap_or_default()
}

fn exact_words(arguments: &ExactText) -> String {
    match arguments {
        ExactText::Text(text) => Shown::new(text).to_string(),
        ExactText::Digest { sha256, bytes } => {
            format!("{bytes} bytes sha256:{}", one_line(sha256, 12))
        }
    }
}
