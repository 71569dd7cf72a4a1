//! What is going to happen, in order of time.

use std::{
    cmp::{Ordering, Reverse},
    collections::{BinaryHeap, HashMap, VecDeque},
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
///
/// Events that come the same time after they were put in stand in a lane, which
/// is in order by itself: of each lane only the first is in the heap. Messages
/// with a delay, of which there may be many, cost no search this way.
#[derive(Default)]
pub(super) struct Events {
    heap: BinaryHeap<Reverse<Entry>>,
    lanes: Vec<VecDeque<Entry>>,
    /// The lane of a delay.
    lane_of: HashMap<u32, u32>,
    count: u64,
}

#[derive(Clone, Copy)]
struct Entry {
    at: u64,
    order: u64,
    event: Event,
    /// Number of its lane; [`ALONE`] if it is in none.
    lane: u32,
}

const ALONE: u32 = u32::MAX;

impl Events {
    pub(super) fn push(&mut self, at: u64, event: Event) {
        self.heap.push(Reverse(Entry { at, order: self.count, event, lane: ALONE }));
        self.count += 1;
    }

    /// An event so many seconds from `now`, which never goes back.
    pub(super) fn push_after(&mut self, now: u64, seconds: u32, event: Event) {
        let lanes = &mut self.lanes;
        let lane = *self.lane_of.entry(seconds).or_insert_with(|| {
            lanes.push(VecDeque::new());
            u32::try_from(lanes.len() - 1).expect("there are not so many seconds")
        });
        let at = now + u64::from(seconds) * 1_000;
        let entry = Entry { at, order: self.count, event, lane };
        self.count += 1;
        let waiting = &mut self.lanes[lane as usize];
        if waiting.is_empty() {
            self.heap.push(Reverse(entry));
        }
        waiting.push_back(entry);
    }

    /// When the next one happens.
    pub(super) fn next_at(&self) -> Option<u64> {
        self.heap.peek().map(|Reverse(entry)| entry.at)
    }

    pub(super) fn pop(&mut self) -> Option<(u64, Event)> {
        let Reverse(entry) = self.heap.pop()?;
        if let Some(lane) = self.lanes.get_mut(entry.lane as usize) {
            lane.pop_front();
            if let Some(&next) = lane.front() {
                self.heap.push(Reverse(next));
            }
        }
        Some((entry.at, entry.event))
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
    fn lanes_and_single_events_keep_one_order() {
        let mut events = Events::default();
        events.push_after(0, 2, Event::Due(0));
        events.push(2_000, Event::Due(1));
        events.push_after(0, 2, Event::Due(2));
        events.push_after(0, 1, Event::Due(3));
        events.push_after(500, 1, Event::Due(4));
        events.push_after(1_000, 1, Event::Due(5));
        events.push(1_500, Event::Due(6));
        let order: Vec<_> = std::iter::from_fn(|| events.pop()).collect();
        let due = |at, ticket| (at, Event::Due(ticket));
        let expected = [
            due(1_000, 3),
            due(1_500, 4),
            due(1_500, 6),
            due(2_000, 0),
            due(2_000, 1),
            due(2_000, 2),
            due(2_000, 5),
        ];
        assert_eq!(order, expected);
        events.push_after(9_000, 2, Event::Due(7));
        assert_eq!(events.next_at(), Some(11_000));
    }

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
