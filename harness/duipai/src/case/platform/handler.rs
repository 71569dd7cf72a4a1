//! The scripts of consumers.

use duipai_platform::scenario::{Action, Call, Later, Rule, Script, Which};

use super::scenario::number;
use crate::case::{
    error::{Problem, quoted},
    fields::Value,
};

/// What stands for the messages of a rule.
const THESE: &str = "*";

/// A list of rules.
pub(super) fn script(value: Value<'_>) -> Result<Script, Problem> {
    Ok(Script { rules: value.list()?.map(rule).collect::<Result<_, _>>()? })
}

fn rule(value: Value<'_>) -> Result<Rule, Problem> {
    let fields = value.table()?.only(&["invocation", "label", "attempts", "actions"])?;
    let label = fields.optional("label").map(|label| label.text()).transpose()?;
    Ok(Rule {
        invocation: number(fields, "invocation")?,
        label: label.map(ToString::to_string),
        attempts: number(fields, "attempts")?,
        actions: fields.required("actions")?.list()?.map(action).collect::<Result<_, _>>()?,
    })
}

fn action(value: Value<'_>) -> Result<Action, Problem> {
    let Ok(fields) = value.table() else {
        return match &**value.text()? {
            "throw" => Ok(Action::Throw),
            "hang" => Ok(Action::Hang),
            _ => call(value).map(Action::Call),
        };
    };
    if let Some(millis) = fields.optional("sleep") {
        fields.only(&["sleep"])?;
        return Ok(Action::Sleep(millis.number()?));
    }
    if let Some(after) = fields.optional("wait_until") {
        fields.only(&["wait_until", "calls", "rejects"])?;
        let calls = match fields.optional("calls") {
            Some(calls) => calls.list()?.map(call).collect::<Result<_, _>>()?,
            None => Vec::new(),
        };
        let rejects = fields.optional("rejects").map(|it| it.boolean()).transpose()?;
        let after = after.number()?;
        return Ok(Action::WaitUntil(Later { after, calls, rejects: rejects.unwrap_or(false) }));
    }
    call(value).map(Action::Call)
}

/// A call on a batch or a message.
fn call(value: Value<'_>) -> Result<Call, Problem> {
    let Ok(fields) = value.table() else {
        return match &**value.text()? {
            "ack" => Ok(Call::Ack(Which::These)),
            "retry" => Ok(Call::Retry { which: Which::These, delay: None }),
            "ack_all" => Ok(Call::AckAll),
            "retry_all" => Ok(Call::RetryAll { delay: None }),
            other => {
                let other = quoted(other);
                Err(value.problem(format!("{other} is no action that can stand here")))
            }
        };
    };
    match fields.one_of(&["ack", "retry", "retry_all"])? {
        ("ack", which) => {
            fields.only(&["ack"])?;
            Ok(Call::Ack(self::which(which)?))
        }
        ("retry", which) => {
            fields.only(&["retry", "delay"])?;
            Ok(Call::Retry { which: self::which(which)?, delay: number(fields, "delay")? })
        }
        (_, delay) => {
            fields.only(&["retry_all"])?;
            Ok(Call::RetryAll { delay: Some(delay.number()?) })
        }
    }
}

fn which(value: Value<'_>) -> Result<Which, Problem> {
    if let Ok(index) = value.integer() {
        let index = u32::try_from(index);
        return index.map(Which::Index).map_err(|_| value.problem("no such index"));
    }
    match &**value.text()? {
        THESE => Ok(Which::These),
        label => Ok(Which::Label(label.to_owned())),
    }
}
