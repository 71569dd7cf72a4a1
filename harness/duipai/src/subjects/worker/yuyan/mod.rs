//! The protocol of the 豫言 project's own trial app, so that a deployment of
//! theirs can be judged as it is.
//!
//! | what | how it is asked for | what is seen |
//! | --- | --- | --- |
//! | `send` | `POST /send?b=BINDING&d=DELAY`, the body's text | 200 `成功`, 400 `失败：MESSAGE` |
//! | `send-batch` | `POST /batch?b=BINDING`, the array's text | the same |
//! | the consumer in a request | `/consume`, `/ack`, `/retry` | `捕获：MESSAGE` |
//! | `read-batch` | a batch of a queue `log…` | the text, printed |
//! | the same, caught | a batch of a queue `err…` | `捕获：MESSAGE`, printed |
//! | acts on the messages | a batch of the queue `plan:` with one letter a message | `捕获：MESSAGE`, printed, of those that are caught |
//!
//! An event of theirs has one step, or one letter for each message. Every other
//! plan is not applicable.

#[cfg(test)]
mod tests;

use std::{borrow::Cow, collections::BTreeMap};

use duipai_platform::Profile;
use duipai_spec::{
    event::{Call, End, EventKind},
    limits::MAX_DELAY_SECONDS,
};

use super::{
    driver::{EventRequest, Program, RawEvent, Request},
    observe::{self, finish},
};
use crate::{
    judge::one_line,
    observation::{Observation, Outcome},
    plan::{Action, Batch, Binding, Body, EventPlan, Step},
    subject::Fault,
};

/// What the app answers when a function returned.
const SENT: &str = "成功";

/// What comes before the message of an exception in an answer.
const FAILED: &str = "失败：";

/// What comes before the message of an exception that the program caught.
const CAUGHT: &str = "捕获：";

/// The binding that a deployment grants if it does not say which.
const GRANTED: &str = "PAGE_QUEUE";

/// Greatest size of all bodies of a batch that is printed: of what a Worker
/// prints, the driver keeps 1 MiB.
const MAX_PRINTED_BYTES: usize = 500_000;

/// Longest text of the app's in a reason, in characters.
const TOLD_CHARS: usize = 120;

/// The app, as far as it differs between deployments.
#[derive(Debug)]
pub(super) struct Yuyan {
    granted: Vec<String>,
}

/// What the app is asked for.
enum Asked {
    Request { method: &'static str, path: String, body: String },
    Read,
    Letters(String),
}

impl Yuyan {
    /// An app whose deployment has these queues; it grants them all.
    pub(super) fn new(queues: &[String]) -> Self {
        let granted = if queues.is_empty() { vec![GRANTED.to_owned()] } else { queues.to_vec() };
        Self { granted }
    }

    /// Asks for what throws in every request, so that the answer shows the
    /// protocol.
    pub(super) fn probe() -> EventRequest<'static> {
        fetch("GET", "/consume".to_owned(), String::new(), &NO_BINDINGS)
    }

    /// Whether the answer to the probe is the app's.
    pub(super) fn answers(raw: &RawEvent) -> bool {
        raw.response.as_ref().is_some_and(|response| response.body.starts_with(CAUGHT))
    }

    /// Whether the app can be asked for the plan.
    ///
    /// # Errors
    ///
    /// The reason.
    pub(super) fn expressible(&self, plan: &EventPlan) -> Result<(), String> {
        self.asked(plan).map(drop)
    }

    fn asked(&self, plan: &EventPlan) -> Result<Asked, String> {
        match plan.kind {
            EventKind::Fetch => self.request(plan),
            EventKind::Queue => in_queue(plan),
            kind => Err(format!("the trial app has no {kind} events")),
        }
    }

    fn request(&self, plan: &EventPlan) -> Result<Asked, String> {
        let [Step { action, caught: true }] = &*plan.steps else {
            return Err(String::from("the trial app takes one step in a request, and catches it"));
        };
        let request = |method, path: String, body: &str| {
            Ok(Asked::Request { method, path, body: body.to_owned() })
        };
        match action {
            Action::Send { binding, body, delay } => {
                self.grants(plan, binding)?;
                request("POST", format!("/send?b={}&d={delay}", percent(binding)), body)
            }
            Action::SendBatch { binding, items } => {
                self.grants(plan, binding)?;
                request("POST", format!("/batch?b={}", percent(binding)), items)
            }
            Action::ReadBatch => request("GET", "/consume".to_owned(), ""),
            Action::Ack { index: 0 } => request("GET", "/ack".to_owned(), ""),
            Action::Retry { index: 0, delay: 0 } => request("GET", "/retry".to_owned(), ""),
            Action::Ack { .. } | Action::Retry { .. } => {
                Err(String::from("in a request the trial app says itself which message it means"))
            }
            Action::Raise { .. } | Action::Wait { .. } => {
                Err(String::from("the trial app has no such step in a request"))
            }
        }
    }

    /// What is granted is part of the deployment, and no plan changes it.
    fn grants(&self, plan: &EventPlan, binding: &str) -> Result<(), String> {
        let has = |names: &[String]| names.iter().any(|name| name == binding);
        let planned = has(&plan.grants) && plan.bindings.contains_key(binding);
        if binding.is_empty() || (planned && has(&self.granted)) {
            Ok(())
        } else {
            Err(String::from("which queues the trial app may use is part of its deployment"))
        }
    }

    /// Has the app do what the plan asks for, by events that `play` causes.
    ///
    /// # Errors
    ///
    /// What `play` does not survive, and answers that the protocol does not know.
    pub(super) fn run(
        &self,
        plan: &EventPlan,
        profile: Profile,
        play: impl Fn(EventRequest<'_>) -> Result<RawEvent, Fault>,
    ) -> Result<Observation, Fault> {
        let asked = self.asked(plan).map_err(Fault::Crashed)?;
        let empty = Batch { queue: String::new(), messages: Vec::new() };
        let batch = plan.batch.as_ref().unwrap_or(&empty);
        let play = |request: EventRequest<'_>| {
            let raw = play(request)?;
            raw.failed.clone().map_or(Ok(raw), |reason| Err(Fault::Crashed(reason)))
        };
        let deliver = |queue: String| {
            let batch = Batch { queue, messages: batch.messages.clone() };
            let request = EventRequest {
                kind: EventKind::Queue,
                request: None,
                plan: NOTHING,
                bindings: Cow::Borrowed(&plan.bindings),
                batch: Some(&batch),
            };
            play(request)
        };
        match asked {
            Asked::Request { method, path, body } => {
                let raw = play(fetch(method, path, body, &plan.bindings))?;
                let (outcome, end) = answered(&raw)?;
                finish(plan, raw, vec![outcome], end, profile)
            }
            Asked::Letters(letters) => {
                let raw = deliver(format!("plan:{letters}"))?;
                let (outcomes, end) = acted(plan, &raw);
                finish(plan, raw, outcomes, end, profile)
            }
            Asked::Read => {
                let queue = format!("log:{}", batch.queue);
                let raw = deliver(queue.clone())?;
                let end = observe::end(plan.kind, &raw, None);
                if end == End::Fulfilled {
                    let text = raw.console.strip_suffix('\n').unwrap_or(&raw.console);
                    let value = Some(renamed(text, &queue, &batch.queue));
                    return finish(plan, raw, vec![Outcome::Returned { value }], end, profile);
                }
                let again = deliver(format!("err:{}", batch.queue))?;
                let Some(message) = caught(&again.console).next() else {
                    // What the program cannot catch is the host's.
                    let reason = reason(&end);
                    let outcomes = vec![Outcome::Aborted { reason: reason.clone() }];
                    return finish(plan, raw, outcomes, End::Aborted(reason), profile);
                };
                let outcomes = vec![Outcome::Threw { message: message.to_owned() }];
                if plan.steps.iter().all(|step| step.caught) {
                    let end = observe::end(plan.kind, &again, None);
                    finish(plan, again, outcomes, end, profile)
                } else {
                    finish(plan, raw, outcomes, end, profile)
                }
            }
        }
    }
}

/// The app learns nothing of the plan but what it is asked for.
const NOTHING: Program<'static> = Program { grants: &[], steps: &[] };

static NO_BINDINGS: BTreeMap<String, Binding> = BTreeMap::new();

fn fetch<'a>(
    method: &'static str,
    path: String,
    body: String,
    bindings: &'a BTreeMap<String, Binding>,
) -> EventRequest<'a> {
    let request = Some(Request { method, path, body });
    EventRequest {
        kind: EventKind::Fetch,
        request,
        plan: NOTHING,
        bindings: Cow::Borrowed(bindings),
        batch: None,
    }
}

/// What a queue event can be asked for.
fn in_queue(plan: &EventPlan) -> Result<Asked, String> {
    let messages = plan.batch.as_ref().map_or(&[][..], |batch| &batch.messages);
    if let [Step { action: Action::ReadBatch, .. }] = &*plan.steps {
        let size = |body: &Body| match body {
            Body::Json(text) | Body::Tagged(text) => text.len(),
        };
        let bytes: usize = messages.iter().map(|message| size(&message.body)).sum();
        if bytes > MAX_PRINTED_BYTES {
            return Err(format!("the trial app prints the batch, which has {bytes} bytes"));
        }
        return Ok(Asked::Read);
    }
    let count = messages.len();
    let mut letters = vec!['s'; count];
    let mut free = 0;
    for step in &plan.steps {
        let (letter, message) = letter(step, count)
            .ok_or("the trial app has no letter for a step, or does not catch it as planned")?;
        let at = message.unwrap_or(free);
        match letters.get_mut(at) {
            Some(slot) if at >= free => *slot = letter,
            _ => return Err(String::from("the trial app takes one step for each message in turn")),
        }
        free = at + 1;
    }
    Ok(Asked::Letters(letters.into_iter().collect()))
}

/// The letter for a step of a batch of `count` messages, and the message that it
/// must stand for, if not any.
fn letter(step: &Step, count: usize) -> Option<(char, Option<usize>)> {
    let valid = |index: i64| usize::try_from(index).ok().filter(|index| *index < count);
    let most = i64::from(MAX_DELAY_SECONDS);
    Some(match (&step.action, step.caught) {
        (Action::Raise { .. }, false) => ('t', None),
        (Action::Ack { index: -1 }, true) => ('z', None),
        (Action::Ack { index }, true) if usize::try_from(*index) == Ok(count) => ('x', None),
        (Action::Ack { index }, _) => ('a', Some(valid(*index)?)),
        (Action::Retry { index, delay: -1 }, true) => ('n', Some(valid(*index)?)),
        (Action::Retry { index, delay }, true) if *delay == most + 1 => ('l', Some(valid(*index)?)),
        (Action::Retry { index, delay: 0 }, _) => ('r', Some(valid(*index)?)),
        (Action::Retry { index, delay: 30 }, _) => ('d', Some(valid(*index)?)),
        (Action::Retry { index, delay }, _) if *delay == most => ('y', Some(valid(*index)?)),
        _ => return None,
    })
}

/// What an answer to a request means.
fn answered(raw: &RawEvent) -> Result<(Outcome, End), Fault> {
    let Some(response) = &raw.response else {
        let reason = reason(&observe::end(EventKind::Fetch, raw, None));
        return Ok((Outcome::Aborted { reason: reason.clone() }, End::Aborted(reason)));
    };
    let body = &response.body;
    let threw = |prefix| body.strip_prefix(prefix).map(str::to_owned);
    let outcome = match (response.status, threw(FAILED), threw(CAUGHT)) {
        (200, ..) if body == SENT => Outcome::Returned { value: None },
        (400, Some(message), _) | (200, _, Some(message)) => Outcome::Threw { message },
        (status, ..) => {
            let body = one_line(body, TOLD_CHARS);
            let reason =
                format!("the trial app answered {status}, which its protocol has not: {body}");
            return Err(Fault::Crashed(reason));
        }
    };
    Ok((outcome, End::Fulfilled))
}

/// What the steps of a `plan:` came to. The letters do not say so one by one:
/// those that are caught print a line, the others show as calls.
fn acted(plan: &EventPlan, raw: &RawEvent) -> (Vec<Outcome>, End) {
    let end = observe::end(plan.kind, raw, None);
    let count = plan.batch.as_ref().map_or(0, |batch| batch.messages.len());
    let mut caught = caught(&raw.console);
    let settling = |call: &Call| matches!(call, Call::Ack { .. } | Call::Retry { .. });
    let mut calls = raw.calls.iter().filter(|seen| settling(&seen.call));
    let mut ended = false;
    let outcome = |step: &Step| {
        if ended {
            return Outcome::NotReached;
        }
        let returned = Outcome::Returned { value: None };
        match (letter(step, count), &step.action) {
            (Some(('t', _)), Action::Raise { message }) => {
                ended = true;
                Outcome::Threw { message: message.clone() }
            }
            (Some(('x' | 'z' | 'n' | 'l', _)), _) => match caught.next() {
                Some(message) => Outcome::Threw { message: message.to_owned() },
                None => returned,
            },
            _ if calls.next().is_none() && end != End::Fulfilled => {
                ended = true;
                Outcome::Threw { message: reason(&end) }
            }
            _ => returned,
        }
    };
    (plan.steps.iter().map(outcome).collect(), end)
}

fn reason(end: &End) -> String {
    match end {
        End::Fulfilled => String::new(),
        End::Rejected(reason) | End::Aborted(reason) => reason.clone(),
    }
}

/// The messages of caught exceptions among what was printed.
fn caught(console: &str) -> impl Iterator<Item = &str> {
    console.lines().filter_map(|line| line.strip_prefix(CAUGHT))
}

/// The batch's text with the queue's name as the plan has it. The queue had to
/// be given another for the app to know what to do.
fn renamed(text: &str, from: &str, to: &str) -> String {
    let member = |name: &str| format!("{{\"queue\":{}", serde_json::Value::from(name));
    match text.strip_prefix(&member(from)) {
        Some(rest) => member(to) + rest,
        None => text.to_owned(),
    }
}

/// A text as it stands in a query.
fn percent(text: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let encoded = text.bytes().map(|byte| match plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    encoded.collect()
}
