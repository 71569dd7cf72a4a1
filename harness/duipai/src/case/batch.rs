//! Message batches.

use std::sync::Arc;

use super::{
    error::Problem,
    fields::{Fields, Value},
    json, rows,
    text::text,
};
use crate::plan::{Batch, Body, Message, Timestamp};

const MESSAGE: [&str; 8] =
    ["id", "attempts", "timestamp", "timestamp_number", "json", "js", "ack_throws", "retry_throws"];

/// 2026-01-02T03:04:05.678Z, in Unix milliseconds.
const DEFAULT_TIMESTAMP: i64 = 1_767_323_045_678;

/// The batch that a table declares.
pub(crate) fn batch(value: Value<'_>) -> Result<Batch, Problem> {
    let fields = value.table()?.only(&["queue", "messages"])?;
    let queue = fields.required("queue")?.text()?.to_string();
    let messages = fields.required("messages")?;
    let messages = match messages.table() {
        Ok(fields) => counted(fields)?,
        Err(_) => messages
            .list()
            .map_err(|_| messages.expected("an array of messages, or a table with \"count\""))?
            .enumerate()
            .map(|(index, value)| message(value.table()?.only(&MESSAGE)?, index))
            .collect::<Result<_, _>>()?,
    };
    Ok(Batch { queue, messages })
}

/// `count` times the same message, but for `${i}`.
fn counted(fields: Fields<'_>) -> Result<Vec<Message>, Problem> {
    let known: Vec<&str> = MESSAGE.into_iter().chain(["count"]).collect();
    let fields = fields.only(&known)?;
    let count = fields.required("count")?;
    (0..count.number()?)
        .map(|index| {
            let message = message(fields, index)?;
            count.spend(size_of::<Message>() + message.id.len())?;
            Ok(message)
        })
        .collect()
}

fn message(fields: Fields<'_>, index: usize) -> Result<Message, Problem> {
    let string = |value: Value<'_>| Ok(rows::indexed(value.text()?, index));
    let id = match fields.optional("id") {
        Some(value) => string(value)?,
        None => format!("m{index}"),
    };
    let attempts = match fields.optional("attempts") {
        Some(value) => value.number()?,
        None => 1,
    };
    Ok(Message {
        id,
        attempts,
        timestamp: timestamp(fields)?,
        body: body(fields, index)?,
        ack_throws: fields.optional("ack_throws").map(string).transpose()?,
        retry_throws: fields.optional("retry_throws").map(string).transpose()?,
    })
}

fn timestamp(fields: Fields<'_>) -> Result<Timestamp, Problem> {
    let Some(number) = fields.optional("timestamp_number") else {
        return match fields.optional("timestamp") {
            Some(value) => value.integer().map(Timestamp::Date),
            None => Ok(Timestamp::Date(DEFAULT_TIMESTAMP)),
        };
    };
    fields.without(&["timestamp"], "beside \"timestamp_number\"")?;
    number.integer().map(Timestamp::Number)
}

fn body(fields: Fields<'_>, index: usize) -> Result<Body, Problem> {
    let Some(js) = fields.optional("js") else {
        let Some(value) = fields.optional("json") else {
            return Ok(Body::Json("null".into()));
        };
        let text = indexed(value, index)?;
        json::canonical(&text)
            .map_err(|error| value.problem(format!("the body is not JSON: {error}")))?;
        return Ok(Body::Json(text));
    };
    fields.without(&["json"], "beside \"js\"")?;
    let text = indexed(js, index)?;
    json::tagged(&text)
        .map_err(|error| js.problem(format!("the body is not tagged JSON: {error}")))?;
    Ok(Body::Tagged(text))
}

fn indexed(value: Value<'_>, index: usize) -> Result<Arc<str>, Problem> {
    let text = text(value)?;
    if !text.contains("${i}") {
        return Ok(text);
    }
    value.spend(rows::indexed_bytes(&text, index))?;
    Ok(rows::indexed(&text, index).into())
}
