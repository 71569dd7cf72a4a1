//! What a history says of the inside of a platform, held against the journeys:
//! every message is in exactly one place.

use std::collections::HashMap;

use super::{
    Court, Law,
    journey::{Journey, State},
};
use crate::{
    engine::DeadLetters,
    history::{Inside, Reason},
};

/// What the inside says of one message.
#[derive(Default)]
struct Records<'h> {
    /// Queues that it waits in, and its attempts there.
    waiting: Vec<(&'h str, u32)>,
    /// When it was dropped, where and why.
    dropped: Vec<(u64, &'h str, Reason)>,
    /// When it moved, from where and to where.
    dead: Vec<(u64, &'h str, &'h str)>,
}

impl Court<'_> {
    pub(super) fn account(&mut self, inside: &Inside, journeys: &[Journey]) {
        let mut records: HashMap<&str, Records<'_>> = HashMap::new();
        for waiting in &inside.waiting {
            let place = (waiting.queue.as_str(), waiting.attempts);
            records.entry(&waiting.label).or_default().waiting.push(place);
        }
        for gone in &inside.dropped {
            let place = (gone.at, gone.queue.as_str(), gone.reason);
            records.entry(&gone.label).or_default().dropped.push(place);
        }
        for dead in &inside.dead {
            let place = (dead.at, dead.from.as_str(), dead.to.as_str());
            records.entry(&dead.label).or_default().dead.push(place);
        }
        for journey in journeys {
            let label = self.stage.label(journey.source);
            let records = records.remove(label).unwrap_or_default();
            self.of(label, journey, &records);
        }
        let mut strangers: Vec<_> = records.into_keys().collect();
        strangers.sort_unstable();
        for label in strangers {
            let text = format!("{label:?}, which nobody sent, is inside");
            self.broken(Law::Conservation, self.scenario.until(), text);
        }
    }

    fn of(&mut self, label: &str, journey: &Journey, records: &Records<'_>) {
        // After an acknowledgement that may not have been heard, anything may be.
        if journey.state == State::Maybe {
            return;
        }
        self.exhaustions(label, journey, records);
        let end = self.scenario.until();
        let expired: Vec<_> = records
            .dropped
            .iter()
            .filter(|(.., reason)| *reason == Reason::Expired)
            .map(|&(at, ..)| at)
            .collect();
        let places = records.waiting.len() + expired.len();
        let expected = match journey.state {
            State::Waiting | State::Running => 1,
            State::Nowhere | State::Maybe | State::Done | State::Exhausted => 0,
        };
        if places != expected {
            let text = format!("{label} is in {places} places at the end, not in {expected}");
            self.broken(Law::Conservation, end, text);
            return;
        }
        for &(queue, attempts) in &records.waiting {
            let there = self.stage.queue(journey.queue);
            if (queue, attempts) != (there, journey.legs) {
                let text = format!(
                    "{label} waits in {queue} after {attempts} deliveries, not in {there} after {}",
                    journey.legs
                );
                self.broken(Law::Conservation, end, text);
            }
        }
        let Some(keeps) = self.settings[journey.queue as usize].keeps else {
            if let Some(&at) = expired.first() {
                let text = format!("{label} was dropped from a queue that keeps messages for ever");
                self.broken(Law::Expiry, at, text);
            }
            return;
        };
        let until = journey.arrived + keeps;
        for &at in &expired {
            if at + self.tolerance.early < until {
                let text = format!("{label} was dropped, which is kept until {until}");
                self.broken(Law::Expiry, at, text);
            }
        }
        let overdue = end > until + self.tolerance.late;
        if !records.waiting.is_empty() && overdue && journey.state == State::Waiting {
            let text = format!("{label} still waits, which was kept until {until}");
            self.broken(Law::Expiry, end, text);
        }
    }

    /// Every message whose deliveries were used up was moved or dropped then, and
    /// no other.
    fn exhaustions(&mut self, label: &str, journey: &Journey, records: &Records<'_>) {
        let mut seen: Vec<_> = records.dead.clone();
        for &(at, queue, reason) in &records.dropped {
            match reason {
                Reason::Exhausted => seen.push((at, queue, "nowhere")),
                Reason::DeadLetterLost => seen.push((at, queue, "nothing")),
                Reason::Expired | Reason::NoConsumer => {}
            }
        }
        seen.sort_unstable();
        let expected = journey.exhausted.iter().map(|&(at, queue)| {
            let to = match self.settings[queue as usize].dead_letters {
                Some(DeadLetters::To(to)) => self.stage.queue(to),
                Some(DeadLetters::Lost) => "nothing",
                None => "nowhere",
            };
            (at, self.stage.queue(queue), to)
        });
        let expected: Vec<_> = expected.collect();
        let near = |(one, other): (&(u64, &str, &str), &(u64, &str, &str))| {
            let apart = one.0.abs_diff(other.0);
            apart <= self.tolerance.late.max(self.tolerance.early)
                && (one.1, one.2) == (other.1, other.2)
        };
        if seen.len() == expected.len() && seen.iter().zip(&expected).all(near) {
            return;
        }
        let at = seen.iter().chain(&expected).map(|&(at, ..)| at).min().unwrap_or(0);
        let text = format!("{label} left for {seen:?}, and was to leave for {expected:?}");
        self.broken(Law::DeadLetter, at, text);
    }
}
