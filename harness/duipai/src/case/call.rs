//! The platform calls that must be seen.

use std::{cell::OnceCell, collections::BTreeMap, sync::Arc};

use serde::Deserialize;
use serde_json::value::RawValue;

use super::{
    ExpectedCall, ExpectedItem,
    error::{Problem, quoted},
    fields::{Fields, Value},
    json,
    text::text,
};
use crate::plan::{Action, EventPlan};

/// Decodes the calls of one event.
pub(crate) struct Calls<'a> {
    plan: &'a EventPlan,
    messages: u32,
    /// The canonical form of the event's only `send` body, or why there is
    /// none, once it was asked for: many calls may be of the same big body.
    sent: OnceCell<Result<Arc<str>, String>>,
}

impl<'a> Calls<'a> {
    /// For an event with this plan. `messages` is the greatest number of
    /// messages that its batch can have.
    pub(crate) fn new(plan: &'a EventPlan, messages: u32) -> Self {
        let sent = OnceCell::new();
        Self { plan, messages, sent }
    }

    /// The calls that `value` lists.
    pub(crate) fn decode(&self, value: Value<'_>) -> Result<Vec<ExpectedCall>, Problem> {
        value.list()?.map(|value| self.call(value)).collect()
    }

    fn call(&self, value: Value<'_>) -> Result<ExpectedCall, Problem> {
        let fields = value.table()?;
        let (method, target) = fields.one_of(&["send", "send_batch", "ack", "retry"])?;
        match method {
            "send" => {
                let fields = fields.only(&["send", "body", "options"])?;
                Ok(ExpectedCall::Send {
                    binding: target.text()?.to_string(),
                    body: self.body(fields.required("body")?)?,
                    options: options(fields.required("options")?)?,
                })
            }
            "send_batch" => {
                let fields = fields.only(&["send_batch", "items"])?;
                Ok(ExpectedCall::SendBatch {
                    binding: target.text()?.to_string(),
                    items: self.items(fields.required("items")?)?,
                })
            }
            "ack" => {
                fields.only(&["ack"])?;
                let message = message(target, self.messages)?;
                Ok(ExpectedCall::Ack { message })
            }
            _ => {
                let fields = fields.only(&["retry", "options"])?;
                Ok(ExpectedCall::Retry {
                    message: message(target, self.messages)?,
                    options: fields.optional("options").map(options).transpose()?,
                })
            }
        }
    }

    fn body(&self, value: Value<'_>) -> Result<Arc<str>, Problem> {
        match value.text() {
            Ok(text) if &**text == "step" => self.sent(value),
            _ => {
                let text = text(value)?;
                check_canonical(value, &text)?;
                Ok(text)
            }
        }
    }

    /// The canonical form of the body that the event's only `send` is given.
    fn sent(&self, value: Value<'_>) -> Result<Arc<str>, Problem> {
        match self.sent.get_or_init(|| self.canonical_body()) {
            Ok(canonical) => {
                value.spend(canonical.len())?;
                Ok(Arc::clone(canonical))
            }
            Err(message) => Err(value.problem(message)),
        }
    }

    fn canonical_body(&self) -> Result<Arc<str>, String> {
        let mut bodies = self.plan.steps.iter().filter_map(|step| match &step.action {
            Action::Send { body, .. } => Some(body),
            _ => None,
        });
        let (Some(body), None) = (bodies.next(), bodies.next()) else {
            return Err("\"step\" needs an event with exactly one \"send\" step".to_owned());
        };
        match json::canonical(body) {
            Ok(canonical) => Ok(canonical.into()),
            Err(error) => Err(format!("the step's body is not JSON: {error}")),
        }
    }

    fn items(&self, value: Value<'_>) -> Result<Vec<ExpectedItem>, Problem> {
        if let Ok(items) = value.list() {
            return items.map(|item| self.item(item.table()?)).collect();
        }
        let text = text(value)?;
        value.spend(text.len())?;
        check_canonical(value, &text)?;
        split(&text).map_err(|error| value.problem(format!("not a list of items: {error}")))
    }

    fn item(&self, fields: Fields<'_>) -> Result<ExpectedItem, Problem> {
        let fields = fields.only(&["body", "delay"])?;
        Ok(ExpectedItem {
            body: self.body(fields.required("body")?)?,
            delay: fields.optional("delay").map(|delay| delay.number()).transpose()?,
        })
    }
}

/// Calls are compared byte for byte, so that another spelling than the
/// canonical one could never be seen.
fn check_canonical(value: Value<'_>, text: &str) -> Result<(), Problem> {
    match json::canonical(text) {
        Ok(canonical) if canonical == text => Ok(()),
        Ok(canonical) => {
            let shown = quoted(&canonical);
            Err(value.problem(format!("not canonical JSON text, which is {shown}")))
        }
        Err(error) => Err(value.problem(format!("not JSON text: {error}"))),
    }
}

/// The index of one of `count` messages.
pub(crate) fn message(value: Value<'_>, count: u32) -> Result<u32, Problem> {
    let index = value.number()?;
    if index < count {
        return Ok(index);
    }
    let message = format!("no message {index}: the batch of the event has {count}");
    Err(value.problem(message))
}

fn options(value: Value<'_>) -> Result<String, Problem> {
    let text = value.text()?;
    match serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
        Ok(_) => Ok(text.to_string()),
        Err(error) => Err(value.problem(format!("the options are not a JSON object: {error}"))),
    }
}

/// An item in the text of a whole list. Bodies are kept as they are written.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct WrittenItem<'a> {
    #[serde(borrow)]
    body: &'a RawValue,
    content_type: Option<ContentType>,
    delay_seconds: Option<u32>,
}

/// The only content type there is; it may be left out.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum ContentType {
    Json,
}

fn split(text: &str) -> Result<Vec<ExpectedItem>, serde_json::Error> {
    let items: Vec<WrittenItem<'_>> = serde_json::from_str(text)?;
    Ok(items
        .into_iter()
        .map(|item| {
            let (None | Some(ContentType::Json)) = item.content_type;
            ExpectedItem { body: item.body.get().into(), delay: item.delay_seconds }
        })
        .collect())
}
