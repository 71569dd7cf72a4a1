//! Compares what was seen of a scenario with what must be seen.

use std::collections::BTreeMap;

use duipai_platform::history::{Delivered, Delivery, Reason, Sent};

use super::{Difference, Differences, Mismatch, Shown, Verdict, one_line};
use crate::{
    case::platform::{
        ExpectedDelivered, ExpectedDelivery, ExpectedSend, PlatformCase, PlatformExpectation,
    },
    observation::{Clock, Seen},
};

/// How much earlier than asked for a real clock may show something, in
/// milliseconds: timers may ring before a clock of another process is there.
const EARLY: u64 = 50;

/// Longest text of a message list in a difference, in characters.
const LIST_CHARS: usize = 110;

/// Judges what was seen of `case` by `expected`, one of its expectations.
pub fn judge_platform(case: &PlatformCase, expected: &PlatformExpectation, seen: &Seen) -> Verdict {
    let mut found = Vec::new();
    sends(&mut found, case, expected, &seen.history.sends);
    deliveries(&mut found, expected, seen);
    identity(&mut found, &seen.history.deliveries);
    losses(&mut found, expected, seen);
    for (queue, count) in &expected.backlog {
        let got = seen.backlog.get(queue).copied().unwrap_or_default();
        if got != *count {
            let place = format!("messages that wait in {}", Shown::new(queue));
            found.push(mismatch(place, count.to_string(), got.to_string()));
        }
    }
    let differences = found.into_iter().map(|mismatch| Difference { event: None, mismatch });
    match Differences::new(differences.collect()) {
        Some(differences) => Verdict::Failed(differences),
        None => Verdict::Passed { behaviour: None },
    }
}

fn mismatch(place: String, expected: String, got: String) -> Mismatch {
    Mismatch::Platform { place, expected, got }
}

fn sends(
    found: &mut Vec<Mismatch>,
    case: &PlatformCase,
    expected: &PlatformExpectation,
    seen: &[Sent],
) {
    let inputs = case.scenario.inputs();
    if seen.len() != inputs.len() {
        let (expected, got) = (inputs.len().to_string(), seen.len().to_string());
        found.push(mismatch(String::from("calls of producers"), expected, got));
        return;
    }
    for ((expected, seen), number) in expected.sends.iter().zip(seen).zip(1..) {
        let refused = seen.refused.as_ref();
        let (right, words) = match expected {
            ExpectedSend::Accepted => (refused.is_none(), String::from("accepted")),
            ExpectedSend::Refused(it) => {
                let words = format!("refused with {} {}", it.name, Shown::new(&it.message));
                (refused == Some(it), words)
            }
            ExpectedSend::RefusedCode(code) => {
                let end = format!(" ({code})");
                let right = refused.is_some_and(|got| got.message.ends_with(&end));
                (right, format!("refused with the code {code}"))
            }
        };
        if !right {
            let got = match refused {
                None => String::from("accepted"),
                Some(it) => {
                    let name = one_line(&it.name, 40);
                    format!("refused with {name} {}", Shown::new(&it.message))
                }
            };
            found.push(mismatch(format!("input {number}"), words, got));
        }
    }
}

/// Queues are compared one by one: what happens in two of them at the same time
/// has no order.
fn deliveries(found: &mut Vec<Mismatch>, expected: &PlatformExpectation, seen: &Seen) {
    let mut queues: BTreeMap<&str, (Vec<&ExpectedDelivery>, Vec<&Delivery>)> = BTreeMap::new();
    for delivery in &expected.deliveries {
        queues.entry(&delivery.queue).or_default().0.push(delivery);
    }
    for delivery in &seen.history.deliveries {
        queues.entry(&delivery.queue).or_default().1.push(delivery);
    }
    for (queue, (expected_ones, got_ones)) in queues {
        let place = |number: usize| format!("delivery {number} of {}", Shown::new(queue));
        for index in 0..expected_ones.len().max(got_ones.len()) {
            let place = place(index + 1);
            match (expected_ones.get(index), got_ones.get(index)) {
                (Some(one), Some(other)) => {
                    delivery(found, &place, one, other, expected.late, seen.clock);
                }
                (Some(one), None) => {
                    let words = format!("{} at {} ms", labels(&one.messages), one.at);
                    found.push(mismatch(place, words, String::from("no delivery")));
                }
                (None, Some(other)) => {
                    let got = format!("{} at {} ms", seen_labels(&other.messages), other.at);
                    found.push(mismatch(place, String::from("no delivery"), got));
                }
                (None, None) => {}
            }
        }
    }
}

fn delivery(
    found: &mut Vec<Mismatch>,
    place: &str,
    expected: &ExpectedDelivery,
    got: &Delivery,
    late: u64,
    clock: Clock,
) {
    let (words, seen) = (labels(&expected.messages), seen_labels(&got.messages));
    if words != seen {
        found.push(mismatch(format!("{place}, messages"), words, seen));
        return;
    }
    let (early, late) = match clock {
        Clock::Virtual => (0, 0),
        Clock::Real { lost } => (EARLY, late.saturating_add(lost)),
    };
    let permitted = expected.at.saturating_sub(early)..=expected.at.saturating_add(late);
    if !permitted.contains(&got.at) {
        let words = match clock {
            Clock::Virtual => format!("{} ms", expected.at),
            Clock::Real { .. } => format!("{} to {} ms", permitted.start(), permitted.end()),
        };
        found.push(mismatch(format!("{place}, time"), words, format!("{} ms", got.at)));
    }
    for (expected, got) in expected.messages.iter().zip(&got.messages) {
        let Some(body) = &expected.body else { continue };
        if got.body.as_deref() != Some(&**body) {
            let place = format!("{place}, body of {}", Shown::new(&expected.label));
            let seen = got.body.as_ref().map(|body| Shown::new(body).to_string());
            let seen = seen.unwrap_or_else(|| String::from("no JSON value"));
            found.push(mismatch(place, Shown::new(body).to_string(), seen));
        }
    }
}

/// Labels and attempts, from which batches are told apart.
fn labels(messages: &[ExpectedDelivered]) -> String {
    list(messages.iter().map(|message| (&*message.label, message.attempts)))
}

fn seen_labels(messages: &[Delivered]) -> String {
    list(messages.iter().map(|message| (&*message.label, message.attempts)))
}

fn list<'a>(messages: impl Iterator<Item = (&'a str, u32)>) -> String {
    let one = |(label, attempts)| format!("{label} attempts {attempts}");
    let all: Vec<String> = messages.map(one).collect();
    match &*all {
        [] => String::from("an empty batch"),
        all => super::text::exact_line(&all.join(", "), LIST_CHARS),
    }
}

/// Id and timestamp stay with their message, and the id is its own.
fn identity(found: &mut Vec<Mismatch>, deliveries: &[Delivery]) {
    let mut by_label: BTreeMap<&str, &Delivered> = BTreeMap::new();
    let mut by_id: BTreeMap<&str, &Delivered> = BTreeMap::new();
    for message in deliveries.iter().flat_map(|delivery| &delivery.messages) {
        let label = Shown::new(&message.label);
        let first = by_label.entry(&message.label).or_insert(message);
        if first.id != message.id {
            let (expected, got) = (Shown::new(&first.id), Shown::new(&message.id));
            found.push(mismatch(format!("id of {label}"), expected.to_string(), got.to_string()));
        }
        if first.timestamp != message.timestamp {
            let (expected, got) = (first.timestamp.to_string(), message.timestamp.to_string());
            found.push(mismatch(format!("timestamp of {label}"), expected, got));
        }
        let owner = by_id.entry(&message.id).or_insert(message);
        if owner.label != message.label {
            let got = format!("that of {}", Shown::new(&owner.label));
            found.push(mismatch(format!("id of {label}"), String::from("its own"), got));
        }
    }
}

fn losses(found: &mut Vec<Mismatch>, expected: &PlatformExpectation, seen: &Seen) {
    let dead = |from: &str, to: &str, label: &str, attempts: u32| {
        format!("{label} from {from} to {to} after attempt {attempts}")
    };
    let mut wanted: Vec<String> =
        expected.dead.iter().map(|it| dead(&it.from, &it.to, &it.label, it.attempts)).collect();
    let mut got: Vec<String> =
        seen.dead.iter().map(|it| dead(&it.from, &it.to, &it.label, it.attempts)).collect();
    same(found, "dead letters", &mut wanted, &mut got);
    // A real platform tells of what it gives up, and is silent on what it forgets.
    let told = |reason: Reason| {
        let gives_up = matches!(reason, Reason::Exhausted | Reason::DeadLetterLost);
        gives_up || seen.clock == Clock::Virtual
    };
    let lost = |queue: &str, label: &str, reason: Reason| {
        let reason = match reason {
            Reason::Exhausted => "its retries are used up",
            Reason::DeadLetterLost => "its dead-letter queue takes nothing",
            Reason::Expired => "it was kept long enough",
            Reason::NoConsumer => "nobody reads the queue",
        };
        format!("{label} of {queue}: {reason}")
    };
    let wanted = expected.dropped.iter().filter(|it| told(it.reason));
    let mut wanted: Vec<_> = wanted.map(|it| lost(&it.queue, &it.label, it.reason)).collect();
    let got = seen.dropped.iter().filter(|it| told(it.reason));
    let mut got: Vec<_> = got.map(|it| lost(&it.queue, &it.label, it.reason)).collect();
    same(found, "lost messages", &mut wanted, &mut got);
}

/// The same entries in whatever order.
fn same(found: &mut Vec<Mismatch>, place: &str, expected: &mut Vec<String>, got: &mut Vec<String>) {
    expected.sort();
    got.sort();
    if expected != got {
        let words = |list: &[String]| match list {
            [] => String::from("none"),
            list => super::text::exact_line(&list.join(", "), LIST_CHARS),
        };
        found.push(mismatch(place.to_owned(), words(expected), words(got)));
    }
}
