//! One case in full, for whoever wants to know what it asks for.

use std::fmt::Write as _;

use duipai_spec::ledger::SentenceId;

use super::{
    pretty::{describe, surroundings},
    scenario,
};
use crate::{
    case::{
        After, Case, ExactText, Expectation, ExpectedCall, ExpectedEnd, ExpectedMessage,
        ExpectedOutcome,
    },
    judge::{Shown, printable},
    ledger::Said,
    plan::EventPlan,
};

/// The case as text: its sentences, its events with their input, and everything
/// that must be observed.
pub fn render(case: &Case, sentence: &dyn Fn(&SentenceId) -> Option<Said>) -> String {
    let mut lines = Lines(String::new());
    lines.add(0, &format!("{}  ({})  {}", case.id, case.level, case.origin));
    lines.add(1, &case.title);
    for id in &case.says {
        let said = sentence(id).map(|said| format!(" ({}): {}", said.level, said.text));
        lines.add(1, &format!("says {id}{}", said.unwrap_or_default()));
    }
    if let Some(why) = &case.why {
        lines.add(1, &format!("why: {why}"));
    }
    if !case.was.is_empty() {
        lines.add(1, &format!("was {}", case.was.join(", ")));
    }
    if let Some(pair) = &case.pair {
        lines.add(1, &format!("twin with the opposite verdict: {}", pair.with));
    }
    for capability in &case.needs {
        lines.add(1, &format!("needs {capability}"));
    }
    if let Some(platform) = &case.platform {
        scenario::scenario(&platform.scenario).iter().for_each(|line| lines.add(1, line));
        for (head, expected) in scenario::expectations(platform) {
            lines.add(1, &head);
            expected.iter().for_each(|line| lines.add(2, line));
        }
    }
    for (event, number) in case.events.iter().zip(1..) {
        let from = if event.redelivered { ", with what was redelivered" } else { "" };
        let together = if case.together { " at the same time" } else { "" };
        lines.add(1, &format!("event {number}{together}: {}{from}", surroundings(&event.plan)));
        bindings(&mut lines, &event.plan);
        for permitted in &event.permitted {
            expectation(&mut lines, &event.plan, permitted);
        }
    }
    lines.0
}

fn bindings(lines: &mut Lines, plan: &EventPlan) {
    let grants: Vec<_> = plan.grants.iter().map(|name| Shown::new(name).to_string()).collect();
    lines.add(2, &format!("granted bindings: {}", grants.join(", ")));
    for (name, binding) in &plan.bindings {
        use crate::plan::Binding::{Accepts, Refuses, RejectsError, RejectsValue};
        let answer = match binding {
            Accepts => "accepts".to_owned(),
            RejectsError(text) => format!("rejects with the Error {}", Shown::new(text)),
            Refuses(refusal) => format!(
                "refuses with HTTP {} {}, code {}, cause {}, to a Worker of {}",
                refusal.status,
                Shown::new(&refusal.reason),
                Shown::new(&refusal.code),
                Shown::new(&refusal.cause),
                refusal.compatibility_date,
            ),
            RejectsValue(value) => format!("rejects with the value {}", Shown::new(value)),
        };
        lines.add(2, &format!("binding {}: {answer}", Shown::new(name)));
    }
    if let Some(batch) = &plan.batch {
        lines.add(2, &format!("batch of {}", Shown::new(&batch.queue)));
        for (message, index) in batch.messages.iter().zip(0..).take(MESSAGES) {
            let (id, attempts) = (Shown::new(&message.id), message.attempts);
            let (crate::plan::Body::Json(body) | crate::plan::Body::Tagged(body)) = &message.body;
            let time = message.timestamp.millis();
            let body = Shown::new(body);
            lines.add(3, &format!("{index}: {id} attempts {attempts} at {time} ms, body {body}"));
        }
        let more = batch.messages.len().saturating_sub(MESSAGES);
        if more > 0 {
            lines.add(3, &format!("and {more} more"));
        }
    }
}

/// Messages of a batch that are shown.
const MESSAGES: usize = 10;

fn expectation(lines: &mut Lines, plan: &EventPlan, permitted: &Expectation) {
    if let Some(behaviour) = &permitted.behaviour {
        lines.add(2, &format!("permitted: {behaviour}"));
    }
    for ((step, outcome), number) in plan.steps.iter().zip(&permitted.outcomes).zip(1..) {
        let uncaught = if step.caught { "" } else { " (uncaught)" };
        lines.add(2, &format!("{number}. {}{uncaught}", describe(&step.action)));
        lines.add(3, &format!("must have {}", outcome_words(outcome)));
    }
    if permitted.calls.is_empty() {
        lines.add(2, "the platform is not called");
    }
    for call in &permitted.calls {
        lines.add(2, &format!("the platform sees {}", call_words(call)));
    }
    let end = match permitted.end {
        ExpectedEnd::Fulfilled => "fulfilled",
        ExpectedEnd::Rejected => "rejected",
        ExpectedEnd::Aborted => "aborted by the host",
    };
    lines.add(2, &format!("the event ends {end}"));
    for after in &permitted.after {
        lines.add(2, &after_words(after));
    }
}

fn outcome_words(outcome: &ExpectedOutcome) -> String {
    match outcome {
        ExpectedOutcome::Returned => "returned".to_owned(),
        ExpectedOutcome::ReturnedJson(text) => {
            format!("returned the JSON value {}", Shown::new(text))
        }
        ExpectedOutcome::ReturnedText(text) => format!("returned the text {}", Shown::new(text)),
        ExpectedOutcome::ReturnedBatch => "returned the batch above".to_owned(),
        ExpectedOutcome::Threw(message) => message_words(message),
        ExpectedOutcome::Aborted => "been ended by the host, uncatchably".to_owned(),
        ExpectedOutcome::NotReached => "not been reached".to_owned(),
    }
}

fn message_words(message: &ExpectedMessage) -> String {
    match message {
        ExpectedMessage::Exact(text) => format!("thrown {}", Shown::new(text)),
        ExpectedMessage::AnyOf(texts) => {
            let texts: Vec<_> = texts.iter().map(|text| Shown::new(text).to_string()).collect();
            format!("thrown one of {}", texts.join(", "))
        }
        ExpectedMessage::Prefix { prefix, reason } => {
            format!("thrown a message that begins {} ({reason})", Shown::new(prefix))
        }
        ExpectedMessage::Any { reason } => format!("thrown some message ({reason})"),
    }
}

fn call_words(call: &ExpectedCall) -> String {
    match call {
        ExpectedCall::Send { binding, body, options } => {
            let body = Shown::new(body);
            format!("send on {} with {body} and {options}", Shown::new(binding))
        }
        ExpectedCall::SendBatch { binding, items } => {
            let count = items.len();
            let first = items.first().map(|item| format!(", the first {}", Shown::new(&item.body)));
            let first = first.unwrap_or_default();
            format!("sendBatch on {} with {count} items{first}", Shown::new(binding))
        }
        ExpectedCall::Ack { message } => format!("ack of message {message}"),
        ExpectedCall::Retry { message, options: None } => format!("retry of message {message}"),
        ExpectedCall::Retry { message, options: Some(options) } => {
            format!("retry of message {message} with {options}")
        }
        ExpectedCall::Exact { method, binding, arguments } => {
            let arguments = match arguments {
                ExactText::Text(text) => Shown::new(text).to_string(),
                ExactText::Digest { sha256, bytes } => format!("{bytes} bytes sha256:{sha256}"),
            };
            format!("{method} on {} with exactly {arguments}", Shown::new(binding))
        }
    }
}

fn after_words(after: &After) -> String {
    let messages: Vec<_> = after
        .redelivered
        .iter()
        .map(|one| {
            let delay = one.delay.map(|seconds| format!(" after {seconds} s")).unwrap_or_default();
            format!("message {} with attempts {}{delay}", one.message, one.attempts)
        })
        .collect();
    let messages = if messages.is_empty() { "nothing".to_owned() } else { messages.join(", ") };
    format!("{} redelivers {messages} ({})", after.profile.name(), after.basis.name())
}

/// Lines with an indent.
struct Lines(String);

impl Lines {
    fn add(&mut self, indent: usize, text: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "{:1$}{2}", "", indent * 2, printable(text));
    }
}
