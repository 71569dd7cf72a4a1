//! What one step came to. Returned, threw, aborted and not reached are never
//! confused with each other.

use std::fmt::Write as _;

use duipai_host::json;

use super::{
    difference::{Mismatch, StepName},
    text::{Shown, TextDifference, one_line},
    value, wording,
};
use crate::{
    case::{ExpectedMessage, ExpectedOutcome},
    observation::Outcome,
    plan::{Action, Batch, Body},
};

/// Compares the outcome of step `number`, from 1. On success, the message seen where several are
/// permitted.
pub(super) fn compare<'a>(
    number: usize,
    action: &Action,
    expected: &ExpectedOutcome,
    got: &'a Outcome,
    batch: Option<&Batch>,
) -> Result<Option<&'a str>, Mismatch> {
    let step = StepName { number, op: action.op() };
    match (expected, got) {
        (ExpectedOutcome::Returned, Outcome::Returned { value })
            if value.is_some() == reads(step) =>
        {
            // Only `read-batch` has a result.
            return Ok(None);
        }
        (ExpectedOutcome::ReturnedText(text), Outcome::Returned { value: Some(got) }) => {
            let text = TextDifference::between(text, got);
            return text.map_or(Ok(None), |text| Err(Mismatch::Text { step, text }));
        }
        (ExpectedOutcome::ReturnedJson(json), Outcome::Returned { value: Some(got) }) => {
            return same_value(step, json, got);
        }
        (ExpectedOutcome::ReturnedBatch, Outcome::Returned { value: Some(got) }) => {
            // Without a batch there is nothing that `read-batch` may return.
            if let Some(batch) = batch {
                return same_value(step, &batch_text(batch), got);
            }
        }
        (ExpectedOutcome::Threw(expected), Outcome::Threw { message: got }) => {
            return message(step, action, expected, got);
        }
        (ExpectedOutcome::Aborted, Outcome::Aborted { .. })
        | (ExpectedOutcome::NotReached, Outcome::NotReached) => return Ok(None),
        _ => {}
    }
    Err(Mismatch::Outcome { step, expected: name_expected(step, expected), got: name_seen(got) })
}

fn reads(step: StepName) -> bool {
    step.op == "read-batch"
}

fn same_value<'a>(step: StepName, expected: &str, got: &str) -> Result<Option<&'a str>, Mismatch> {
    match value::difference(expected, got) {
        None => Ok(None),
        Some(value) => Err(Mismatch::Value { step, value }),
    }
}

fn message<'a>(
    step: StepName,
    action: &Action,
    expected: &ExpectedMessage,
    got: &'a str,
) -> Result<Option<&'a str>, Mismatch> {
    match expected {
        ExpectedMessage::Any { .. } => match wording::fault(action, got) {
            None => Ok(None),
            Some(fault) => Err(Mismatch::Outcome {
                step,
                expected: String::from("threw an explanation of the fault in Chinese"),
                got: format!("threw {fault}: {}", Shown::new(got)),
            }),
        },
        ExpectedMessage::Exact(exact) => match TextDifference::between(exact, got) {
            None => Ok(None),
            Some(text) => Err(Mismatch::Message { step, text, others: 0 }),
        },
        ExpectedMessage::Prefix { prefix, .. } => {
            // As many code points as the prefix has, so that only the fixed
            // part is compared.
            let cut = got.char_indices().nth(prefix.chars().count());
            let start = &got[..cut.map_or(got.len(), |(at, _)| at)];
            match TextDifference::between(prefix, start) {
                None => Ok(None),
                Some(text) => Err(Mismatch::MessagePrefix { step, text }),
            }
        }
        ExpectedMessage::AnyOf(list) => {
            // The nearest one is the one that agrees longest.
            let differences: Option<Vec<_>> =
                list.iter().map(|one| TextDifference::between(one, got)).collect();
            let Some(differences) = differences else {
                return Ok(Some(got));
            };
            let others = differences.len().saturating_sub(1);
            match differences.into_iter().rev().max_by_key(|text| text.at) {
                Some(text) => Err(Mismatch::Message { step, text, others }),
                // No message is permitted at all.
                None => Err(Mismatch::Outcome {
                    step,
                    expected: String::from("no message"),
                    got: Shown::new(got).to_string(),
                }),
            }
        }
    }
}

/// The JSON text that `read-batch` must return for `batch`
/// (队列名、消息标识、投递次数、入队时刻的 Unix 毫秒、JSON 值).
fn batch_text(batch: &Batch) -> String {
    let quote = |text: &str| serde_json::Value::from(text).to_string();
    let mut text = format!("{{\"queue\":{},\"messages\":[", quote(&batch.queue));
    for (at, message) in batch.messages.iter().enumerate() {
        let comma = if at == 0 { "" } else { "," };
        // A tagged body is here only if it is plain JSON; a tag in it is then
        // compared as the data it looks like, and differs.
        let (Body::Json(body) | Body::Tagged(body)) = &message.body;
        // What the package writes is canonical: it holds no -0, for one.
        let body = json::canonical(body).unwrap_or_else(|_| body.to_string());
        // Writing to a string cannot fail.
        let _ = write!(
            text,
            "{comma}{{\"id\":{},\"attempts\":{},\"timestamp\":{},\"body\":{body}}}",
            quote(&message.id),
            message.attempts,
            message.timestamp.millis(),
        );
    }
    text + "]}"
}

fn name_expected(step: StepName, expected: &ExpectedOutcome) -> String {
    let name = match expected {
        ExpectedOutcome::Returned if reads(step) => "returned with a text",
        ExpectedOutcome::Returned => "returned without a value",
        ExpectedOutcome::ReturnedJson(_) => "returned with a JSON text",
        ExpectedOutcome::ReturnedText(_) => "returned with a text",
        ExpectedOutcome::ReturnedBatch => "returned with the batch",
        ExpectedOutcome::Threw(ExpectedMessage::Exact(message)) => {
            return format!("threw {}", Shown::new(message));
        }
        ExpectedOutcome::Threw(ExpectedMessage::AnyOf(messages)) => {
            return format!("threw one of `{}`", one_line(&messages.join("`, `"), 90));
        }
        ExpectedOutcome::Threw(ExpectedMessage::Prefix { prefix, .. }) => {
            return format!("threw a message that begins {}", Shown::new(prefix));
        }
        ExpectedOutcome::Threw(ExpectedMessage::Any { .. }) => "threw",
        ExpectedOutcome::Aborted => "aborted",
        ExpectedOutcome::NotReached => "not reached",
    };
    String::from(name)
}

fn name_seen(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Returned { value: None } => String::from("returned without a value"),
        Outcome::Returned { value: Some(text) } => format!("returned with {}", Shown::new(text)),
        Outcome::Threw { message } => format!("threw {}", Shown::new(message)),
        Outcome::Aborted { reason } => format!("aborted with {}", Shown::new(reason)),
        Outcome::NotReached => String::from("not reached"),
    }
}
