//! The complete ordered call log.

use duipai_spec::event::Call;

use super::{
    difference::{CallPart, Mismatch},
    json,
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
            Call::Send { binding: got_binding, arguments },
        ) if binding == got_binding => send(body, options, arguments, part(None)),
        (
            ExpectedCall::SendBatch { binding, items },
            Call::SendBatch { binding: got_binding, arguments },
        ) if binding == got_binding => send_batch(items, arguments, &part),
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

fn send(body: &str, options: &str, arguments: &str, part: CallPart) -> Vec<Mismatch> {
    let Some(list) = json::elements(arguments) else {
        return vec![not_a_list(arguments, part)];
    };
    let [got_body, got_options] = list.as_slice() else {
        return vec![argument_count(2, list.len(), part)];
    };
    let body =
        TextDifference::between(body, got_body).map(|text| Mismatch::Body { call: part, text });
    let options = value::difference(options, got_options)
        .map(|value| Mismatch::Options { call: part, value });
    body.into_iter().chain(options).collect()
}

fn send_batch(
    items: &[ExpectedItem],
    arguments: &str,
    part: &dyn Fn(Option<usize>) -> CallPart,
) -> Vec<Mismatch> {
    let Some(list) = json::elements(arguments) else {
        return vec![not_a_list(arguments, part(None))];
    };
    let [got_items] = list.as_slice() else {
        return vec![argument_count(1, list.len(), part(None))];
    };
    let Some(got_items) = json::elements(got_items) else {
        return vec![not_a_list(got_items, part(None))];
    };
    if items.len() != got_items.len() {
        return vec![Mismatch::Arguments {
            call: part(None),
            expected: format!("{} items", items.len()),
            got: format!("{} items", got_items.len()),
        }];
    }
    let numbered = items.iter().zip(got_items).zip(1..);
    numbered.flat_map(|((expected, got), number)| item(expected, got, part(Some(number)))).collect()
}

/// Compares one item: the body byte for byte, the other fields by value.
fn item(expected: &ExpectedItem, got: &str, part: CallPart) -> Vec<Mismatch> {
    let fields = json::members(got).unwrap_or_default();
    let is_body = |(key, _): &&(&str, &str)| *key == "\"body\"";
    let Some((_, body)) = fields.iter().find(is_body) else {
        return vec![Mismatch::Arguments {
            call: part,
            expected: String::from("an object with a body"),
            got: Shown::new(got).to_string(),
        }];
    };
    let body = TextDifference::between(&expected.body, body)
        .map(|text| Mismatch::Body { call: part, text });
    let rest: Vec<_> = fields
        .iter()
        .filter(|field| !is_body(field))
        .map(|(key, value)| format!("{key}:{value}"))
        .collect();
    let delay = expected.delay.map(|delay| format!(",\"delaySeconds\":{delay}"));
    let options = format!("{{\"contentType\":\"json\"{}}}", delay.unwrap_or_default());
    let options = value::difference(&options, &format!("{{{}}}", rest.join(",")))
        .map(|value| Mismatch::Options { call: part, value });
    body.into_iter().chain(options).collect()
}

/// `retry()` and `retry({})` are different calls, as are their delays.
fn retry(expected: Option<&str>, got: Option<&str>, part: CallPart) -> Vec<Mismatch> {
    let found = match (expected, got) {
        (None, None) => None,
        (Some(expected), Some(got)) => {
            value::difference(expected, got).map(|value| Mismatch::Options { call: part, value })
        }
        (expected, got) => {
            let shown = |options: Option<&str>| {
                options.map_or_else(|| String::from("no argument"), |o| Shown::new(o).to_string())
            };
            Some(Mismatch::Arguments { call: part, expected: shown(expected), got: shown(got) })
        }
    };
    found.into_iter().collect()
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
                expected: format!("{bytes} bytes sha256:{}", one_line(digest, 12)),
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

fn argument_count(expected: usize, got: usize, part: CallPart) -> Mismatch {
    let arguments = |count: usize| match count {
        1 => String::from("1 argument"),
        _ => format!("{count} arguments"),
    };
    Mismatch::Arguments { call: part, expected: arguments(expected), got: arguments(got) }
}

/// Longest name of a binding that is shown, in characters.
const BINDING_CHARS: usize = 40;

fn name_expected(call: &ExpectedCall) -> String {
    match call {
        ExpectedCall::Send { binding, .. } => with_binding("send", binding),
        ExpectedCall::SendBatch { binding, .. } => with_binding("sendBatch", binding),
        ExpectedCall::Exact { method, binding, .. } => with_binding(method, binding),
        ExpectedCall::Ack { message } => format!("ack of message {message}"),
        ExpectedCall::Retry { message, options } => name_retry(*message, options.as_deref()),
    }
}

fn name_seen(call: &Call) -> String {
    match call {
        Call::Send { binding, .. } | Call::SendBatch { binding, .. } => {
            with_binding(call.method(), binding)
        }
        Call::Ack { message } => format!("ack of message {message}"),
        Call::Retry { message, options } => name_retry(*message, options.as_deref()),
        Call::AckAll => String::from("ackAll"),
        Call::RetryAll { .. } => String::from("retryAll"),
    }
}

fn with_binding(method: &str, binding: &str) -> String {
    format!("{} on `{}`", one_line(method, 20), one_line(binding, BINDING_CHARS))
}

fn name_retry(message: u32, options: Option<&str>) -> String {
    let options = options.map(|options| format!(" with {}", one_line(options, 40)));
    format!("retry of message {message}{}", options.unwrap_or_default())
}
