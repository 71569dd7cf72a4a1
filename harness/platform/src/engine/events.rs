//! What is going to happen, in order of time.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

/// Something that is going to happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Event {
    /// The delay of a message has passed.
    Due(u32),
    /// A queue's batch has waited long enough; the timer's number.
    Timeout(u32, u32),
    /// An invocation ends.
    End(u32),
    /// A queue looks for messages that have been kept long enough.
    Expire(u32),
}

/// Events that have not happened; those of one time in the order in which they
/// were put in.
#[derive(Default)]
pub(super) struct Events {
    heap: BinaryHeap<Reverse<Entry>>,
    count: u64,
}

struct Entry {
    at: u64,
    order: u64,
    event: Event,
}

impl Events {
    pub(super) fn push(&mut self, at: u64, event: Event) {
        self.heap.push(Reverse(Entry { at, order: self.count, event }));
        self.count += 1;
    }

    /// When the next one happens.
    pub(super) fn next_at(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.at)
    }

    pub(super) fn pop(&mut self) -> Option<(u64, Event)> {
        self.heap.pop().map(|Reverse(entry)| (entry.at, entry.event))
    }
}

impl Entry {
    fn key(&self) -> (u64, u64) {
        (self.at, self.order)
    }
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Entry {}

impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Entry {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_come_in_order_of_time_and_then_of_entry() {
        let mut events = Events::default();
        for (at, ticket) in [(5, 0), (3, 1), (5, 2), (3, 3)] {
            events.push(at, Event::Due(ticket));
        }
        assert_eq!(events.next_at(), Some(3));
        let order: Vec<_> = std::iter::from_fn(|| events.pop()).collect();
        let due = |at, ticket| (at, Event::Due(ticket));
        assert_eq!(order, [due(3, 1), due(3, 3), due(5, 0), due(5, 2)]);
    }
}
