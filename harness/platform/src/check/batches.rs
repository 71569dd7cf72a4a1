//! The batches of each queue (批次).

use std::collections::{BTreeMap, HashSet};

use super::{Court, Invocation, Law, journey::Journey};
use crate::rules::Dispatch;

impl Court<'_> {
    /// Bounds, numbers, and how many run at a time.
    pub(super) fn batches(&mut self, events: &[Invocation<'_>]) {
        let mut numbers: BTreeMap<u32, u32> = BTreeMap::new();
        let mut before = 0;
        for event in events {
            let delivery = event.delivery;
            let (at, queue) = (delivery.at, &delivery.queue);
            let settings = &self.settings[event.queue as usize];
            let (size, most) = (delivery.messages.len(), settings.batch_size);
            let consumed = settings.consumed;
            if !consumed {
                self.broken(Law::Batch, at, format!("a batch of {queue}, which has no consumer"));
            }
            if size == 0 || size > most as usize {
                let text = format!("a batch of {size} messages of {queue}, not 1 to {most}");
                self.broken(Law::Batch, at, text);
            }
            let different: HashSet<_> = event.sources.iter().flatten().collect();
            if different.len() < event.sources.iter().flatten().count() {
                let text = format!("a message stands twice in a batch of {queue}");
                self.broken(Law::Batch, at, text);
            }
            let number = numbers.entry(event.queue).or_default();
            *number += 1;
            if delivery.invocation != *number {
                let (seen, number) = (delivery.invocation, *number);
                let text = format!("invocation {seen} of {queue} is its number {number}");
                self.broken(Law::Batch, at, text);
            }
            if at < before || event.end() < at {
                let text = format!("a batch of {queue} is out of its time");
                self.broken(Law::Batch, at, text);
            }
            before = at;
        }
        for number in 0..self.settings.len() {
            let number = u32::try_from(number).unwrap_or(u32::MAX);
            self.concurrency(number, events);
        }
    }

    fn concurrency(&mut self, number: u32, events: &[Invocation<'_>]) {
        let most = self.settings[number as usize].concurrency;
        let mut changes: Vec<_> = events
            .iter()
            .filter(|event| event.queue == number)
            // One that ends makes room for one that begins.
            .flat_map(|event| [(event.end(), false), (event.delivery.at, true)])
            .collect();
        // An invocation that ends when it begins has made room already.
        changes.retain(|&(at, _)| at < u64::MAX);
        changes.sort_unstable();
        let mut running = 0_i64;
        for (at, begins) in changes {
            running += if begins { 1 } else { -1 };
            if running > i64::from(most) {
                let queue = self.stage.queue(number);
                let text = format!("{running} invocations of {queue} at a time, at most {most}");
                self.broken(Law::Concurrency, at, text);
                return;
            }
        }
    }

    /// A batch that is not full leaves when its first message has waited; and no
    /// message waits longer in a queue that does nothing.
    pub(super) fn batch_timeouts(&mut self, events: &[Invocation<'_>], journeys: &[Journey]) {
        let mut first_due = vec![u64::MAX; events.len()];
        for journey in journeys {
            for &(event, due) in &journey.waits {
                first_due[event] = first_due[event].min(due);
            }
        }
        let mut before = vec![Before::default(); self.settings.len()];
        for (index, (event, &due)) in events.iter().zip(&first_due).enumerate() {
            let seen = before[event.queue as usize];
            before[event.queue as usize].add(event);
            if due == u64::MAX {
                continue;
            }
            let at = event.delivery.at;
            let queue = &event.delivery.queue;
            let settings = &self.settings[event.queue as usize];
            let timeout = settings.batch_timeout;
            let partial = event.delivery.messages.len() < settings.batch_size as usize;
            let next = events[index + 1..].iter().take_while(|next| next.delivery.at == at);
            let beside = seen.end.is_some_and(|end| end >= at)
                || next.clone().any(|next| next.queue == event.queue);
            let alone = match self.rules.dispatch {
                Dispatch::Slots => true,
                // A flush that ends forgets the timer that another has set, which
                // then goes off before its time.
                Dispatch::Flush => !beside && !seen.overlapped,
            };
            if partial && alone && at + self.tolerance.early < due + timeout {
                let text = format!("a batch of {queue} that is not full left before its timeout");
                self.broken(Law::Batch, at, text);
            }
            // Whatever ended before may have started the wait anew.
            let since = due.max(seen.end.unwrap_or(0));
            if !beside && at > since + timeout + self.tolerance.late {
                let text = format!("a batch of {queue} left {} ms late", at - since - timeout);
                self.broken(Law::Batch, at, text);
            }
        }
    }
}

/// The invocations of a queue that have begun so far.
#[derive(Clone, Copy, Default)]
struct Before {
    /// When the last one of them ends.
    end: Option<u64>,
    /// Whether two of them ran at the same time.
    overlapped: bool,
}

impl Before {
    fn add(&mut self, event: &Invocation<'_>) {
        self.overlapped |= self.end.is_some_and(|end| event.delivery.at <= end);
        self.end = self.end.max(Some(event.end()));
    }
}
