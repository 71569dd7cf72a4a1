//! Scenarios and what must be seen of them, in words.

use duipai_platform::scenario::{
    Action, Body, Call, Consumer, Message, Producer, QueueConfig, Rule, Scenario, Which,
};

use crate::{
    case::platform::{ExpectedDelivered, ExpectedSend, PlatformCase, PlatformExpectation},
    judge::{Shown, one_line},
};

/// Longest list of messages that is shown, in characters.
const LIST_CHARS: usize = 160;

/// What happens in the scenario, a line for each queue, input and rule.
pub(super) fn scenario(scenario: &Scenario) -> Vec<String> {
    let queues = scenario.queues().iter().map(|(name, queue)| self::queue(name, queue));
    let inputs = scenario.inputs().iter().map(|input| {
        let call = match &input.call {
            Producer::Send(message) => format!("send {}", self::message(message)),
            Producer::SendBatch { messages, delay } => {
                let list: Vec<_> = messages.iter().map(message).collect();
                let delay = delay.map(|delay| format!(" delay {delay} s")).unwrap_or_default();
                let list = one_line(&list.join(", "), LIST_CHARS);
                format!("send-batch of {} [{list}]{delay}", messages.len())
            }
        };
        format!("at {} ms to {}: {call}", input.at, Shown::new(&input.queue))
    });
    let rules = scenario.queues().keys().flat_map(|queue| {
        let rules = scenario.handler(queue).into_iter().flat_map(|script| &script.rules);
        rules.map(move |rule| format!("consumer of {}: {}", Shown::new(queue), self::rule(rule)))
    });
    let end = format!(
        "ends at {} ms, compatibility date {}",
        scenario.until(),
        scenario.compatibility_date()
    );
    queues.chain(inputs).chain(rules).chain([end]).collect()
}

/// What must be seen, profile by profile.
pub(super) fn expectations(case: &PlatformCase) -> Vec<(String, Vec<String>)> {
    let expected = case.expected.iter().map(|one| {
        let head = format!(
            "{}, {}: {}",
            one.profile.name(),
            one.basis.name(),
            one_line(&one.source, LIST_CHARS)
        );
        (head, expectation(one))
    });
    let none = case.not_shown.iter().map(|(profile, reason)| {
        let reason = one_line(reason, LIST_CHARS);
        (format!("{}, nothing is asked of it: {reason}", profile.name()), Vec::new())
    });
    expected.chain(none).collect()
}

fn expectation(expected: &PlatformExpectation) -> Vec<String> {
    let mut lines = Vec::new();
    for (sent, number) in expected.sends.iter().zip(1..) {
        match sent {
            ExpectedSend::Accepted => {}
            ExpectedSend::Refused(it) => {
                let text = Shown::new(&it.message);
                lines.push(format!("input {number} is refused with {} {text}", it.name));
            }
            ExpectedSend::RefusedCode(code) => {
                lines.push(format!("input {number} is refused with the code {code}"));
            }
        }
    }
    for delivery in &expected.deliveries {
        let (queue, at) = (Shown::new(&delivery.queue), delivery.at);
        lines.push(format!("{queue} delivers {} at {at} ms", messages(&delivery.messages)));
    }
    for dead in &expected.dead {
        let label = Shown::new(&dead.label);
        let (from, to) = (Shown::new(&dead.from), Shown::new(&dead.to));
        lines.push(format!("{label} moves from {from} to {to} after attempt {}", dead.attempts));
    }
    for lost in &expected.dropped {
        let (label, queue) = (Shown::new(&lost.label), Shown::new(&lost.queue));
        lines.push(format!("{label} is lost in {queue}: {:?}", lost.reason));
    }
    for (queue, count) in &expected.backlog {
        lines.push(format!("{count} messages wait in {} at the end", Shown::new(queue)));
    }
    lines
}

fn messages(list: &[ExpectedDelivered]) -> String {
    let one = |message: &ExpectedDelivered| {
        let body = message.body.as_ref().map(|body| format!(" body {}", Shown::new(body)));
        let (label, attempts) = (Shown::new(&message.label), message.attempts);
        format!("{label} attempts {attempts}{}", body.unwrap_or_default())
    };
    let list: Vec<_> = list.iter().map(one).collect();
    one_line(&list.join(", "), LIST_CHARS)
}

fn queue(name: &str, queue: &QueueConfig) -> String {
    let mut text = format!("queue {}", Shown::new(name));
    let mut add = |name: &str, value: Option<u32>| {
        if let Some(value) = value {
            text.push_str(&format!(", {name} {value}"));
        }
    };
    add("delivery_delay", queue.delivery_delay);
    add("message_retention_period", queue.message_retention_period);
    let Some(consumer) = &queue.consumer else { return text + ", no consumer" };
    let Consumer { max_batch_size, max_batch_timeout, max_retries, retry_delay, .. } = consumer;
    add("max_batch_size", *max_batch_size);
    add("max_batch_timeout", *max_batch_timeout);
    add("max_retries", *max_retries);
    add("retry_delay", *retry_delay);
    add("max_concurrency", consumer.max_concurrency);
    match &consumer.dead_letter_queue {
        Some(dead) => text + &format!(", dead_letter_queue {}", Shown::new(dead)),
        None => text,
    }
}

fn message(message: &Message) -> String {
    let mut text = message.label.clone();
    match &message.body {
        None => {}
        Some(Body::Json(body)) => text.push_str(&format!(" {}", one_line(body, 60))),
        Some(Body::Letters(count)) => text.push_str(&format!(" ({count} letters)")),
        Some(Body::Bytes(bytes)) => text.push_str(&format!(" ({} bytes)", bytes.len())),
        Some(Body::Special(special)) => text.push_str(&format!(" ({special:?})")),
    }
    if let Some(content_type) = &message.content_type {
        text.push_str(&format!(" as {}", content_type.name()));
    }
    if let Some(delay) = message.delay {
        text.push_str(&format!(" delay {delay} s"));
    }
    text
}

fn rule(rule: &Rule) -> String {
    let mut when = Vec::new();
    when.extend(rule.invocation.map(|number| format!("invocation {number}")));
    when.extend(rule.label.as_ref().map(|label| format!("message {}", Shown::new(label))));
    when.extend(rule.attempts.map(|attempts| format!("attempts {attempts}")));
    let when = if when.is_empty() { String::from("always") } else { when.join(", ") };
    let actions: Vec<_> = rule.actions.iter().map(action).collect();
    format!("{when}: {}", actions.join(", "))
}

fn action(action: &Action) -> String {
    match action {
        Action::Call(call) => self::call(call),
        Action::Sleep(millis) => format!("sleep {millis} ms"),
        Action::Throw => String::from("throw"),
        Action::Hang => String::from("hang"),
        Action::WaitUntil(later) => {
            let calls: Vec<_> = later.calls.iter().map(call).collect();
            let end = if later.rejects { "rejects" } else { "is fulfilled" };
            format!("waitUntil [{}] that {end} after {} ms", calls.join(", "), later.after)
        }
    }
}

fn call(call: &Call) -> String {
    let of = |which: &Which| match which {
        Which::These => String::new(),
        Which::Label(label) => format!(" {}", Shown::new(label)),
        Which::Index(index) => format!(" message {index}"),
    };
    let after =
        |delay: &Option<i32>| delay.map(|delay| format!(" delay {delay} s")).unwrap_or_default();
    match call {
        Call::Ack(which) => format!("ack{}", of(which)),
        Call::Retry { which, delay } => format!("retry{}{}", of(which), after(delay)),
        Call::AckAll => String::from("ackAll"),
        Call::RetryAll { delay } => format!("retryAll{}", after(delay)),
    }
}
