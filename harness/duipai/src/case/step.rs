//! Steps, and what they must come to.

use std::collections::BTreeSet;

use super::{
    ExpectedMessage, ExpectedOutcome,
    error::{Problem, quoted},
    fields::{Fields, Value},
    json,
    text::text,
};
use crate::{
    oracle::rules,
    plan::{Action, Step},
};

/// The binding that steps use and deployments have unless told otherwise.
pub(crate) const DEFAULT_BINDING: &str = "PAGE_QUEUE";

const OPS: [&str; 7] = ["send", "send-batch", "read-batch", "ack", "retry", "raise", "wait"];

const OUTCOMES: [&str; 4] = ["returned", "batch", "aborts", "not-reached"];

/// A step as it is written: what is done, and what is expected of it.
pub(crate) struct WrittenStep<'a> {
    pub(crate) fields: Fields<'a>,
    pub(crate) step: Step,
    pub(crate) expect: Option<Value<'a>>,
}

impl<'a> WrittenStep<'a> {
    pub(crate) fn decode(value: Value<'a>) -> Result<Self, Problem> {
        let fields = value.table()?;
        let op = fields.required("op")?;
        let op = op.choice(&OPS, |name| OPS.into_iter().find(|op| *op == name))?;
        let own: &[&str] = match op {
            "send" => &["op", "caught", "expect", "binding", "body", "delay"],
            "send-batch" => &["op", "caught", "expect", "binding", "items"],
            "ack" => &["op", "caught", "expect", "index"],
            "retry" => &["op", "caught", "expect", "index", "delay"],
            "raise" => &["op", "message"],
            "wait" => &["op", "expect", "seconds"],
            _ => &["op", "caught", "expect"],
        };
        if op == "raise" {
            fields.without(&["expect"], "in \"raise\": that it throws is all it does")?;
        }
        let fields = fields.only(own)?;
        let action = action(op, fields)?;
        let caught = match fields.optional("caught") {
            Some(value) => value.boolean()?,
            None => !matches!(action, Action::Raise { .. }),
        };
        Ok(Self { fields, step: Step { action, caught }, expect: fields.optional("expect") })
    }

    /// Whether the step's outcome is for the case to say.
    pub(crate) fn takes_expect(&self) -> bool {
        !matches!(self.step.action, Action::Raise { .. })
    }
}

fn action(op: &str, fields: Fields<'_>) -> Result<Action, Problem> {
    let binding = || match fields.optional("binding") {
        Some(value) => value.text().map(ToString::to_string),
        None => Ok(DEFAULT_BINDING.to_owned()),
    };
    let delay = || fields.optional("delay").map_or(Ok(0), |value| value.integer());
    Ok(match op {
        "send" => Action::Send {
            binding: binding()?,
            body: text(fields.required("body")?)?,
            delay: delay()?,
        },
        "send-batch" => {
            Action::SendBatch { binding: binding()?, items: text(fields.required("items")?)? }
        }
        "ack" => Action::Ack { index: fields.required("index")?.integer()? },
        "retry" => Action::Retry { index: fields.required("index")?.integer()?, delay: delay()? },
        "raise" => Action::Raise { message: fields.required("message")?.text()?.to_string() },
        "wait" => Action::Wait { seconds: fields.required("seconds")?.number()? },
        _ => Action::ReadBatch,
    })
}

/// The expectation in `value`, of a step that does `action`.
pub(crate) fn outcome(value: Value<'_>, action: &Action) -> Result<ExpectedOutcome, Problem> {
    let outcome = match value.table() {
        Ok(fields) => table(fields, action)?,
        Err(_) => name(value)?,
    };
    let reads = matches!(action, Action::ReadBatch);
    let fits = match &outcome {
        ExpectedOutcome::ReturnedJson(_)
        | ExpectedOutcome::ReturnedText(_)
        | ExpectedOutcome::ReturnedBatch => reads,
        ExpectedOutcome::Threw(_) => !matches!(action, Action::Wait { .. }),
        _ => true,
    };
    if !fits {
        let message = format!("\"{}\" cannot come to this", action.op());
        return Err(value.problem(message));
    }
    Ok(outcome)
}

fn name(value: Value<'_>) -> Result<ExpectedOutcome, Problem> {
    let Ok(name) = value.text() else {
        return Err(value.expected("a string or a table"));
    };
    match &**name {
        "returned" => Ok(ExpectedOutcome::Returned),
        "batch" => Ok(ExpectedOutcome::ReturnedBatch),
        "aborts" => Ok(ExpectedOutcome::Aborted),
        "not-reached" => Ok(ExpectedOutcome::NotReached),
        // The easiest mistake, which would leave the message unsaid.
        "throws" => Err(value.problem(
            "a throw needs its message, { throws = \"…\" }, or a reason, { throws_any = \"…\" }",
        )),
        other => {
            let names = OUTCOMES.join(", ");
            let found = quoted(other);
            Err(value.problem(format!("\"expect\" is {found}, expected one of {names}")))
        }
    }
}

fn table(fields: Fields<'_>, action: &Action) -> Result<ExpectedOutcome, Problem> {
    const FORMS: [&str; 6] =
        ["json", "text", "throws", "throws_any_of", "throws_prefix", "throws_any"];
    let (form, value) = fields.one_of(&FORMS)?;
    let fields = match form {
        "throws_prefix" => fields.only(&[form, "reason"])?,
        _ => fields.only(&[form])?,
    };
    let message = match form {
        "json" => {
            let text = text(value)?;
            json::canonical(&text)
                .map_err(|error| value.problem(format!("the value is not JSON: {error}")))?;
            return Ok(ExpectedOutcome::ReturnedJson(text));
        }
        "text" => return text(value).map(ExpectedOutcome::ReturnedText),
        "throws" => ExpectedMessage::Exact(value.text()?.to_string()),
        "throws_any_of" => {
            let messages = value.texts()?;
            if messages.len() < 2 {
                let message = "\"throws_any_of\" lists two messages at the least";
                return Err(value.problem(message));
            }
            any_of(value, action)?;
            ExpectedMessage::AnyOf(messages)
        }
        "throws_prefix" => ExpectedMessage::Prefix {
            prefix: value.words()?.to_string(),
            reason: fields.required("reason")?.words()?.to_string(),
        },
        _ => ExpectedMessage::Any { reason: value.words()?.to_string() },
    };
    Ok(ExpectedOutcome::Threw(message))
}

/// Several messages are for inputs that break several rules: each listed one
/// is of a rule that a producer's input does break.
fn any_of(value: Value<'_>, action: &Action) -> Result<(), Problem> {
    let broken = match action {
        Action::Send { binding, body, delay } => {
            // Several permitted behaviours may ask it of the same body.
            value.spend(body.len())?;
            rules::broken_by_send(binding, body, *delay)
        }
        Action::SendBatch { binding, items } => {
            value.spend(items.len())?;
            rules::broken_by_batch(binding, items)
        }
        _ => return Ok(()),
    };
    let mut listed = BTreeSet::new();
    for value in value.list()? {
        let message = value.text()?;
        if !broken.contains(&**message) {
            let broken: Vec<&str> = broken.iter().copied().collect();
            let known = if broken.is_empty() { "none".to_owned() } else { broken.join(", ") };
            let message = quoted(message);
            return Err(
                value.problem(format!("the input breaks no rule of {message}; it breaks: {known}"))
            );
        }
        if !listed.insert(message) {
            return Err(value.problem(format!("{} is listed twice", quoted(message))));
        }
    }
    Ok(())
}
