//! From a draft to a scenario: whatever no platform could be asked to play is
//! refused here, with the field that says it.
//!
//! What a platform itself refuses while it runs (a message too big, a delay too
//! long, 101 messages in one call) is no fault of a scenario.

use std::collections::{BTreeMap, BTreeSet};

use super::{Action, Body, Call, Consumer, Draft, Input, QueueConfig, Rule, Script, Which};

/// Messages of a batch at most (批量上限).
pub const MAX_BATCH_SIZE: u32 = 100;
/// Seconds that a batch may wait at most.
pub const MAX_BATCH_TIMEOUT: u32 = 60;
/// Retries at most (重试次数上限).
pub const MAX_RETRIES: u32 = 100;
/// Seconds of a delay at most, 24 hours (延迟上限).
pub const MAX_DELAY: u32 = 86_400;
/// Concurrent invocations at most (并发上限).
pub const MAX_CONCURRENCY: u32 = 250;
/// Seconds that a queue keeps a message, at least and at most: 14 days (保留期).
pub const RETENTION: std::ops::RangeInclusive<u32> = 60..=1_209_600;

/// Queues of a scenario at most.
pub const MAX_QUEUES: usize = 100;
/// Messages of a scenario at most.
pub const MAX_MESSAGES: usize = 100_000;
/// Deliveries that a scenario may come to at most, if nothing is ever acknowledged.
pub const MAX_DELIVERIES: u64 = 2_000_000;
/// Bytes of all bodies of a scenario at most.
pub const MAX_BODIES: usize = 256 << 20;
/// Actions of one handler at most, calls inside `waitUntil` included.
pub const MAX_ACTIONS: usize = 256;
/// Characters of a name or a label at most.
pub const MAX_NAME: usize = 200;
/// Milliseconds that one step of a handler may take at most, one day.
pub const MAX_SLEEP: u64 = 86_400_000;
/// Milliseconds of a scenario at most, 60 days.
pub const MAX_UNTIL: u64 = 60 * 86_400_000;

/// A scenario that any platform can play.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(try_from = "Draft", into = "Draft"))]
pub struct Scenario {
    draft: Draft,
}

impl Scenario {
    /// Checks a draft.
    ///
    /// # Errors
    ///
    /// The first field that is impossible, and what it must be.
    pub fn new(draft: Draft) -> Result<Self, Invalid> {
        let named = |name: &str| name_of("compatibility_date", name);
        named(&draft.compatibility_date)?;
        if !is_date(&draft.compatibility_date) {
            return Err(Invalid::new("compatibility_date", "must be YYYY-MM-DD"));
        }
        at_most("until", draft.until, MAX_UNTIL)?;
        queues(&draft.queues)?;
        inputs(&draft)?;
        handlers(&draft)?;
        Ok(Self { draft })
    }

    /// The compatibility date, `YYYY-MM-DD`.
    pub fn compatibility_date(&self) -> &str {
        &self.draft.compatibility_date
    }

    /// The queues by name.
    pub fn queues(&self) -> &BTreeMap<String, QueueConfig> {
        &self.draft.queues
    }

    /// What is sent, in order of time.
    pub fn inputs(&self) -> &[Input] {
        &self.draft.inputs
    }

    /// The handler of a queue; `None` is one that returns at once.
    pub fn handler(&self, queue: &str) -> Option<&Script> {
        self.draft.handlers.get(queue)
    }

    /// When it ends, in milliseconds from its start.
    pub fn until(&self) -> u64 {
        self.draft.until
    }

    /// The draft again, to be changed.
    pub fn into_draft(self) -> Draft {
        self.draft
    }
}

impl TryFrom<Draft> for Scenario {
    type Error = Invalid;

    fn try_from(draft: Draft) -> Result<Self, Invalid> {
        Self::new(draft)
    }
}

impl From<Scenario> for Draft {
    fn from(scenario: Scenario) -> Self {
        scenario.draft
    }
}

/// Why a draft is no scenario.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{field}: {problem}")]
pub struct Invalid {
    /// Path of the field, as `queues.jobs.consumer.max_batch_size`.
    pub field: String,
    /// What it must be, and what it is.
    pub problem: String,
}

impl Invalid {
    fn new(field: impl Into<String>, problem: impl Into<String>) -> Self {
        Self { field: field.into(), problem: problem.into() }
    }
}

fn queues(queues: &BTreeMap<String, QueueConfig>) -> Result<(), Invalid> {
    at_most("queues", queues.len() as u64, MAX_QUEUES as u64)?;
    for (name, queue) in queues {
        let field = format!("queues.{name}");
        name_of(&field, name)?;
        range(&field, "delivery_delay", queue.delivery_delay, 0, MAX_DELAY)?;
        let (least, most) = (*RETENTION.start(), *RETENTION.end());
        range(&field, "message_retention_period", queue.message_retention_period, least, most)?;
        if let Some(settings) = &queue.consumer {
            consumer(&format!("{field}.consumer"), settings)?;
        }
    }
    for name in queues.keys() {
        if let Some(last) = chain(queues, name).find(|&next| next == name) {
            let field = format!("queues.{name}.consumer.dead_letter_queue");
            let problem = format!("dead letters must not come back to the queue {last:?}");
            return Err(Invalid::new(field, problem));
        }
    }
    Ok(())
}

fn consumer(field: &str, consumer: &Consumer) -> Result<(), Invalid> {
    let Consumer { max_batch_size, max_batch_timeout, max_retries, retry_delay, .. } = consumer;
    range(field, "max_batch_size", *max_batch_size, 1, MAX_BATCH_SIZE)?;
    range(field, "max_batch_timeout", *max_batch_timeout, 0, MAX_BATCH_TIMEOUT)?;
    range(field, "max_retries", *max_retries, 0, MAX_RETRIES)?;
    range(field, "retry_delay", *retry_delay, 0, MAX_DELAY)?;
    range(field, "max_concurrency", consumer.max_concurrency, 1, MAX_CONCURRENCY)?;
    match &consumer.dead_letter_queue {
        Some(name) => name_of(&format!("{field}.dead_letter_queue"), name),
        None => Ok(()),
    }
}

/// The queues that dead letters of `name` come to, one after the other; no more
/// than there are queues, for they may go in a circle.
fn chain<'a>(
    queues: &'a BTreeMap<String, QueueConfig>,
    name: &'a str,
) -> impl Iterator<Item = &'a str> {
    let next = |name: &&'a str| queues.get(*name)?.consumer.as_ref()?.dead_letter_queue.as_deref();
    std::iter::successors(Some(name), next).skip(1).take(queues.len())
}

fn inputs(draft: &Draft) -> Result<(), Invalid> {
    let count = draft.inputs.iter().map(|input| input.call.messages().len()).sum::<usize>();
    at_most("inputs", count.max(draft.inputs.len()) as u64, MAX_MESSAGES as u64)?;
    let (mut labels, mut bytes, mut deliveries, mut last) = (BTreeSet::new(), 0_usize, 0_u64, 0);
    for (input, index) in draft.inputs.iter().zip(0..) {
        let field = format!("inputs.{index}");
        at_most(&format!("{field}.at"), input.at, draft.until)?;
        if input.at < last {
            let problem = format!("must not be before the input in front of it, at {last}");
            return Err(Invalid::new(format!("{field}.at"), problem));
        }
        last = input.at;
        if !draft.queues.contains_key(&input.queue) {
            let problem = format!("no queue {:?} is configured", input.queue);
            return Err(Invalid::new(format!("{field}.queue"), problem));
        }
        let each = deliveries_of(&draft.queues, &input.queue);
        for (message, item) in input.call.messages().iter().zip(0..) {
            let field = format!("{field}.messages.{item}");
            name_of(&format!("{field}.label"), &message.label)?;
            if !labels.insert(message.label.as_str()) {
                let problem = format!("another message is called {:?} too", message.label);
                return Err(Invalid::new(format!("{field}.label"), problem));
            }
            if let Some(body) = &message.body {
                bytes = bytes.saturating_add(size(&format!("{field}.body"), body)?);
            }
            deliveries += each;
        }
        at_most("inputs (bytes of all bodies)", bytes as u64, MAX_BODIES as u64)?;
        at_most("inputs (deliveries at worst)", deliveries, MAX_DELIVERIES)?;
    }
    Ok(())
}

/// How often a message of a queue is delivered at worst, dead letters included.
fn deliveries_of(queues: &BTreeMap<String, QueueConfig>, name: &str) -> u64 {
    let of = |name: &str| {
        let consumer = queues.get(name).and_then(|queue| queue.consumer.as_ref());
        consumer.map_or(0, |consumer| u64::from(consumer.max_retries.unwrap_or(3)) + 1)
    };
    std::iter::once(name).chain(chain(queues, name)).map(of).sum()
}

/// The bytes of a body in the scenario.
fn size(field: &str, body: &Body) -> Result<usize, Invalid> {
    Ok(match body {
        Body::Json(text) => {
            if let Err(error) = duipai_host::json::parse(text) {
                return Err(Invalid::new(field, format!("no JSON text: {error}")));
            }
            text.len()
        }
        Body::Letters(letters) => *letters as usize,
        Body::Bytes(bytes) => bytes.len(),
        Body::Special(_) => 0,
    })
}

fn handlers(draft: &Draft) -> Result<(), Invalid> {
    for (queue, script) in &draft.handlers {
        let field = format!("handlers.{queue}");
        if draft.queues.get(queue).is_none_or(|queue| queue.consumer.is_none()) {
            return Err(Invalid::new(field, "no queue of this name has a consumer"));
        }
        let mut actions = 0;
        for (rule, index) in script.rules.iter().zip(0..) {
            rule_of(&format!("{field}.rules.{index}"), rule)?;
            actions += 1 + rule.actions.len() + rule.actions.iter().map(calls).sum::<usize>();
            at_most(&format!("{field}.rules (actions)"), actions as u64, MAX_ACTIONS as u64)?;
        }
    }
    Ok(())
}

fn calls(action: &Action) -> usize {
    match action {
        Action::WaitUntil(later) => later.calls.len(),
        Action::Call(_) | Action::Sleep(_) | Action::Throw | Action::Hang => 0,
    }
}

fn rule_of(field: &str, rule: &Rule) -> Result<(), Invalid> {
    range(field, "invocation", rule.invocation, 1, u32::MAX)?;
    if let Some(label) = &rule.label {
        name_of(&format!("{field}.label"), label)?;
    }
    for (action, index) in rule.actions.iter().zip(0..) {
        let field = format!("{field}.actions.{index}");
        match action {
            Action::Call(call) => call_of(&field, call)?,
            Action::Sleep(millis) => at_most(&field, *millis, MAX_SLEEP)?,
            Action::WaitUntil(later) => {
                at_most(&format!("{field}.after"), later.after, MAX_SLEEP)?;
                if later.after == 0 {
                    return Err(Invalid::new(format!("{field}.after"), "must be at least 1"));
                }
                later.calls.iter().try_for_each(|call| call_of(&field, call))?;
            }
            Action::Throw | Action::Hang => {}
        }
    }
    Ok(())
}

fn call_of(field: &str, call: &Call) -> Result<(), Invalid> {
    match call {
        Call::Ack(Which::Label(label)) | Call::Retry { which: Which::Label(label), .. } => {
            name_of(field, label)
        }
        Call::Ack(_) | Call::Retry { .. } | Call::AckAll | Call::RetryAll { .. } => Ok(()),
    }
}

fn range(table: &str, key: &str, value: Option<u32>, least: u32, most: u32) -> Result<(), Invalid> {
    match value {
        Some(value) if !(least..=most).contains(&value) => {
            let problem = format!("must be {least} to {most}, not {value}");
            Err(Invalid::new(format!("{table}.{key}"), problem))
        }
        _ => Ok(()),
    }
}

fn at_most(field: &str, value: u64, most: u64) -> Result<(), Invalid> {
    if value <= most {
        return Ok(());
    }
    Err(Invalid::new(field, format!("must be at most {most}, not {value}")))
}

fn name_of(field: &str, name: &str) -> Result<(), Invalid> {
    if name.is_empty() {
        return Err(Invalid::new(field, "must not be empty"));
    }
    at_most(&format!("{field} (characters)"), name.chars().count() as u64, MAX_NAME as u64)
}

fn is_date(text: &str) -> bool {
    text.len() == 10
        && text.bytes().zip(0..).all(|(byte, at)| match at {
            4 | 7 => byte == b'-',
            _ => byte.is_ascii_digit(),
        })
}

#[cfg(test)]
mod tests;
