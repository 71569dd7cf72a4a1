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
            .map(|(index, value)| Template::decode(value.table()?.only(&MESSAGE)?)?.message(index))
            .collect::<Result<_, _>>()?,
    };
    Ok(Batch { queue, messages })
}

/// `count` times the same message, but for `${i}`.
fn counted(fields: Fields<'_>) -> Result<Vec<Message>, Problem> {
    let known: Vec<&str> = MESSAGE.into_iter().chain(["count"]).collect();
    let fields = fields.only(&known)?;
    let count = fields.required("count")?;
    let template = Template::decode(fields)?;
    (0..count.number()?)
        .map(|index| {
            count.spend(size_of::<Message>())?;
            template.message(index)
        })
        .collect()
}

/// A message whose `${i}` is yet to be filled in.
struct Template<'a> {
    id: Option<Value<'a>>,
    attempts: u32,
    timestamp: Timestamp,
    body: Option<WrittenBody<'a>>,
    ack_throws: Option<Value<'a>>,
    retry_throws: Option<Value<'a>>,
}

impl<'a> Template<'a> {
    fn decode(fields: Fields<'a>) -> Result<Self, Problem> {
        Ok(Self {
            id: fields.optional("id"),
            attempts: fields.optional("attempts").map_or(Ok(1), |value| value.number())?,
            timestamp: timestamp(fields)?,
            body: WrittenBody::decode(fields)?,
            ack_throws: fields.optional("ack_throws"),
            retry_throws: fields.optional("retry_throws"),
        })
    }

    fn message(&self, index: usize) -> Result<Message, Problem> {
        let string = |value: Value<'_>| indexed(value, value.text()?, index);
        Ok(Message {
            id: self.id.map_or_else(|| Ok(format!("m{index}")), string)?,
            attempts: self.attempts,
            timestamp: self.timestamp,
            body: match &self.body {
                Some(body) => body.indexed(index)?,
                None => Body::Json("null".into()),
            },
            ack_throws: self.ack_throws.map(string).transpose()?,
            retry_throws: self.retry_throws.map(string).transpose()?,
        })
    }
}

fn timestamp(fields: Fields<'_>) -> Result<Timestamp, Problem> {
    let Some(number) = fields.optional("timestamp_number") else {
        return match fields.optional("timestamp") {
            Some(value) => {
                let date = Timestamp::Date(value.integer()?);
                let most = Timestamp::MOST_DATE_MILLIS;
                let problem = || value.problem(format!("a Date is at most {most} ms from 1970"));
                date.is_time().then_some(date).ok_or_else(problem)
            }
            None => Ok(Timestamp::Date(DEFAULT_TIMESTAMP)),
        };
    };
    fields.without(&["timestamp"], "beside \"timestamp_number\"")?;
    number.integer().map(Timestamp::Number)
}

/// A body as it is written.
struct WrittenBody<'a> {
    value: Value<'a>,
    text: Arc<str>,
    kind: fn(Arc<str>) -> Body,
    /// The body of every message, where they all have the same.
    same: Option<Body>,
}

impl<'a> WrittenBody<'a> {
    fn decode(fields: Fields<'a>) -> Result<Option<Self>, Problem> {
        let (value, kind): (_, fn(Arc<str>) -> Body) = if let Some(js) = fields.optional("js") {
            fields.without(&["json"], "beside \"js\"")?;
            (js, Body::Tagged)
        } else if let Some(json) = fields.optional("json") {
            (json, Body::Json)
        } else {
            return Ok(None);
        };
        let text = text(value)?;
        let shared = (!rows::is_indexed(&text)).then(|| kind(Arc::clone(&text)));
        let same = shared.map(|body| checked(value, body)).transpose()?;
        Ok(Some(Self { value, text, kind, same }))
    }

    fn indexed(&self, index: usize) -> Result<Body, Problem> {
        match &self.same {
            Some(body) => {
                self.value.spend(self.text.len())?;
                Ok(body.clone())
            }
            None => {
                let text = indexed(self.value, &self.text, index)?;
                checked(self.value, (self.kind)(text.into()))
            }
        }
    }
}

/// A body whose text is what its kind asks for.
fn checked(value: Value<'_>, body: Body) -> Result<Body, Problem> {
    let wrong = match &body {
        Body::Json(text) => json::canonical(text).err().map(|error| format!("JSON: {error}")),
        Body::Tagged(text) => json::tagged(text).err().map(|error| format!("tagged JSON: {error}")),
    };
    match wrong {
        None => Ok(body),
        Some(wrong) => Err(value.problem(format!("the body is not {wrong}"))),
    }
}

/// `text`, which `value` is, for the message `index`. Every message counts.
fn indexed(value: Value<'_>, text: &str, index: usize) -> Result<String, Problem> {
    value.spend(rows::indexed_bytes(text, index))?;
    Ok(rows::indexed(text, index))
}
