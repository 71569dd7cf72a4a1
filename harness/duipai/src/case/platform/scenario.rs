//! The scenario of a platform case.

use std::collections::BTreeMap;

use duipai_platform::scenario::{
    Body, Consumer, ContentType, Draft, Input, Invalid, Message, Producer, QueueConfig, Scenario,
    Special,
};

use super::handler;
use crate::case::{
    error::Problem,
    fields::{Fields, Value},
};

/// The queue that is meant where none is named.
pub(super) const QUEUE: &str = "jobs";

/// What stands for the number of a message.
const INDEX: &str = "${i}";

/// Messages that one table stands for at most.
const MAX_COUNT: u32 = 10_000;

const MESSAGE: [&str; 4] = ["label", "body", "content_type", "delay"];

/// The scenario that the fields of a case describe.
pub(super) fn decode(fields: Fields<'_>) -> Result<Scenario, Problem> {
    let date = fields.optional("date").map(|date| date.text()).transpose()?;
    let mut draft = Draft {
        queues: by_name(fields.required("queues")?, queue)?,
        inputs: inputs(fields.required("inputs")?)?,
        handlers: BTreeMap::new(),
        until: fields.required("until")?.number()?,
        ..Draft::default()
    };
    if let Some(date) = date {
        draft.compatibility_date = date.to_string();
    }
    if let Some(handlers) = fields.optional("handlers") {
        draft.handlers = by_name(handlers, handler::script)?;
    }
    Scenario::new(draft).map_err(|invalid| at_field(fields, &invalid))
}

/// The problem where the file has it, as far as the path of the field leads.
fn at_field(fields: Fields<'_>, invalid: &Invalid) -> Problem {
    let mut place = None;
    let mut table = Some(fields);
    for name in invalid.field.split([' ', '.']) {
        let value = match (table, place) {
            (Some(table), _) => table.optional(name),
            (None, Some(list)) => item(list, name),
            (None, None) => None,
        };
        let Some(value) = value else { continue };
        table = value.table().ok();
        place = Some(value);
    }
    match place {
        Some(value) => value.problem(invalid.to_string()),
        None => fields.problem(invalid.to_string()),
    }
}

fn item<'a>(list: Value<'a>, index: &str) -> Option<Value<'a>> {
    list.list().ok()?.nth(index.parse().ok()?)
}

pub(super) fn by_name<T>(
    value: Value<'_>,
    decode: impl Fn(Value<'_>) -> Result<T, Problem>,
) -> Result<BTreeMap<String, T>, Problem> {
    value.table()?.iter().map(|value| Ok((value.name().to_owned(), decode(value)?))).collect()
}

fn queue(value: Value<'_>) -> Result<QueueConfig, Problem> {
    let fields =
        value.table()?.only(&["delivery_delay", "message_retention_period", "consumer"])?;
    Ok(QueueConfig {
        delivery_delay: number(fields, "delivery_delay")?,
        message_retention_period: number(fields, "message_retention_period")?,
        consumer: fields.optional("consumer").map(consumer).transpose()?,
    })
}

fn consumer(value: Value<'_>) -> Result<Consumer, Problem> {
    let fields = value.table()?.only(&[
        "max_batch_size",
        "max_batch_timeout",
        "max_retries",
        "retry_delay",
        "dead_letter_queue",
        "max_concurrency",
    ])?;
    let dead = fields.optional("dead_letter_queue");
    Ok(Consumer {
        max_batch_size: number(fields, "max_batch_size")?,
        max_batch_timeout: number(fields, "max_batch_timeout")?,
        max_retries: number(fields, "max_retries")?,
        retry_delay: number(fields, "retry_delay")?,
        dead_letter_queue: dead.map(|name| name.text()).transpose()?.map(ToString::to_string),
        max_concurrency: number(fields, "max_concurrency")?,
    })
}

pub(super) fn number<T: TryFrom<i64>>(
    fields: Fields<'_>,
    name: &str,
) -> Result<Option<T>, Problem> {
    fields.optional(name).map(|value| value.number()).transpose()
}

/// The queue that a table is about.
pub(super) fn queue_name(fields: Fields<'_>, field: &str) -> Result<String, Problem> {
    match fields.optional(field) {
        Some(name) => Ok(name.text()?.to_string()),
        None => Ok(QUEUE.to_owned()),
    }
}

fn inputs(value: Value<'_>) -> Result<Vec<Input>, Problem> {
    let all: Vec<Vec<Input>> = value.list()?.map(input).collect::<Result<_, _>>()?;
    Ok(all.into_iter().flatten().collect())
}

/// One input, or one that is made several times.
fn input(value: Value<'_>) -> Result<Vec<Input>, Problem> {
    let fields = value.table()?;
    let (name, call) = fields.one_of(&["send", "send_batch"])?;
    let delay: &[&str] = if name == "send_batch" { &["delay"] } else { &[] };
    let known = ["at", "queue", "times", name];
    let fields = fields.only(&[&known, delay].concat())?;
    let at = number(fields, "at")?.unwrap_or(0);
    let queue = queue_name(fields, "queue")?;
    let (times, several) = match fields.optional("times") {
        None => (1, false),
        Some(times) => match times.number()? {
            count @ 2..=MAX_COUNT => (count, true),
            _ => return Err(times.problem(format!("\"times\" is 2 to {MAX_COUNT}"))),
        },
    };
    let delay = number(fields, "delay")?;
    let mut first = 0;
    let mut all = Vec::new();
    for _ in 0..times {
        let call = match name {
            "send" => {
                let mut message = message(call)?;
                if several {
                    call.spend(message.label.len())?;
                    message.label = message.label.replace(INDEX, &first.to_string());
                }
                Producer::Send(message)
            }
            _ => Producer::SendBatch { messages: messages(call, first)?, delay },
        };
        first += u32::try_from(call.messages().len()).unwrap_or(u32::MAX);
        all.push(Input { at, queue: queue.clone(), call });
    }
    Ok(all)
}

/// The messages of a batch, numbered from `first` where they are numbered.
fn messages(value: Value<'_>, first: u32) -> Result<Vec<Message>, Problem> {
    let Ok(fields) = value.table() else {
        return value.list()?.map(message).collect();
    };
    let known: Vec<&str> = MESSAGE.into_iter().chain(["count"]).collect();
    let one = message_of(fields.only(&known)?)?;
    let label = fields.required("label")?;
    let numbered = |label: String| Message { label, ..one.clone() };
    Ok(labels(fields, label, first)?.into_iter().map(numbered).collect())
}

/// The labels that `count` and `label` of a table stand for, numbered from
/// `first`.
pub(super) fn labels(
    fields: Fields<'_>,
    label: Value<'_>,
    first: u32,
) -> Result<Vec<String>, Problem> {
    let count = fields.required("count")?;
    let text = label.text()?;
    match count.number()? {
        0..=1 => Err(count.problem("\"count\" is 2 at the least; a single message is a list")),
        _ if !text.contains(INDEX) => {
            Err(label.problem(format!("\"label\" of several messages holds {INDEX}")))
        }
        count if count <= MAX_COUNT => {
            label.spend(text.len().saturating_mul(count as usize))?;
            let last = first.saturating_add(count);
            Ok((first..last).map(|index| text.replace(INDEX, &index.to_string())).collect())
        }
        _ => Err(count.problem(format!("\"count\" is {MAX_COUNT} at the most"))),
    }
}

fn message(value: Value<'_>) -> Result<Message, Problem> {
    match value.table() {
        Ok(fields) => message_of(fields.only(&MESSAGE)?),
        Err(_) => value.text().map(|label| Message::new(&**label)),
    }
}

fn message_of(fields: Fields<'_>) -> Result<Message, Problem> {
    let content_type = fields.optional("content_type").map(|value| value.text()).transpose()?;
    Ok(Message {
        label: fields.required("label")?.text()?.to_string(),
        body: fields.optional("body").map(body).transpose()?,
        content_type: content_type.map(|name| ContentType::from(name.to_string())),
        delay: number(fields, "delay")?,
    })
}

fn body(value: Value<'_>) -> Result<Body, Problem> {
    let Ok(fields) = value.table() else {
        return Ok(Body::Json(value.text()?.to_string()));
    };
    let fields = fields.only(&["letters", "bytes", "special"])?;
    match fields.one_of(&["letters", "bytes", "special"])? {
        ("letters", value) => Ok(Body::Letters(value.number()?)),
        ("bytes", value) => {
            Ok(Body::Bytes(value.list()?.map(|byte| byte.number()).collect::<Result<_, _>>()?))
        }
        (_, value) => {
            let all = ["undefined", "function", "symbol", "big_int", "circular"];
            let special = value.choice(&all, |name| match name {
                "undefined" => Some(Special::Undefined),
                "function" => Some(Special::Function),
                "symbol" => Some(Special::Symbol),
                "big_int" => Some(Special::BigInt),
                "circular" => Some(Special::Circular),
                _ => None,
            })?;
            Ok(Body::Special(special))
        }
    }
}
