//! The model itself: a discrete-event simulation of queues in virtual time.
//!
//! Everything that happens is an event at a millisecond, events of one
//! millisecond come in a fixed order, and nothing reads a clock: the same input
//! gives the same history. What is sent at one time has arrived before a batch
//! leaves at that time.
//!
//! | module | holds |
//! | --- | --- |
//! | `ticket` | messages |
//! | `events` | what is going to happen |
//! | `queue` | queues and their settings |
//! | `intake` | what producers send |
//! | `dispatch` | when batches leave |
//! | `ending` | what becomes of a batch, and how concurrency follows |
//! | `chance` | what at-least-once permits, drawn from a seed |

mod chance;
mod dispatch;
mod ending;
mod events;
mod intake;
mod queue;
mod ticket;

pub use chance::Chance;
pub use intake::{Offer, Refusal};
pub use queue::{DeadLetters, Settings};
pub use ticket::Ticket;

use self::{
    events::{Event, Events},
    queue::Queue,
    ticket::{Place, Tickets},
};
use crate::{
    history::{Outcome, Reason},
    parts::Parts,
    rules::{Dispatch, Rules},
    script::Played,
};

/// A batch as a consumer gets it.
#[derive(Clone, Copy, Debug)]
pub struct Batch<'a> {
    /// When.
    pub at: u64,
    /// Index of the queue.
    pub queue: u32,
    /// Number of the invocation in its queue, from 1.
    pub invocation: u32,
    /// Told apart from the invocations that run at the same time.
    pub run: u32,
    /// The messages.
    pub messages: &'a [Shown],
}

/// A message as a consumer sees it.
#[derive(Clone, Copy, Debug)]
pub struct Shown {
    /// What the caller knows it by.
    pub source: u32,
    /// Its attempts.
    pub attempts: u32,
    /// What its id is made of.
    pub serial: u64,
    /// Its timestamp.
    pub timestamp: u64,
}

/// Who handles batches.
pub trait Consumers {
    /// Handles a batch; `played` is written anew.
    fn handle(&mut self, batch: Batch<'_>, played: &mut Played);
}

/// Who looks on.
pub trait Watch {
    /// A consumer has been given a batch.
    fn began(&mut self, batch: Batch<'_>);
    /// An invocation has ended.
    fn ended(&mut self, at: u64, run: u32, queue: u32, outcome: Outcome);
    /// A message has been acknowledged.
    fn acked(&mut self, at: u64, queue: u32, ticket: &Ticket);
    /// A message leaves one queue for another.
    fn buried(&mut self, at: u64, from: u32, to: u32, ticket: &Ticket);
    /// A message is gone.
    fn dropped(&mut self, at: u64, queue: u32, ticket: &Ticket, reason: Reason);
}

/// Queues, what is in them, and what is going to happen.
pub struct Engine<'a, C, W> {
    rules: &'a Rules,
    parts: &'a Parts,
    chance: Option<Chance>,
    /// Who handles batches.
    pub consumers: C,
    /// Who looks on.
    pub watch: W,
    queues: Vec<Queue>,
    tickets: Tickets,
    runs: Vec<Run>,
    idle_runs: Vec<u32>,
    events: Events,
    /// Queues to be looked at when all of this moment has happened.
    dirty: Vec<u32>,
    shown: Vec<Shown>,
    serials: u64,
    now: u64,
}

/// An invocation.
#[derive(Default)]
struct Run {
    queue: u32,
    tickets: Vec<u32>,
    played: Played,
    crashed: bool,
}

impl<'a, C: Consumers, W: Watch> Engine<'a, C, W> {
    /// Empty queues at time 0.
    pub fn new(
        rules: &'a Rules,
        parts: &'a Parts,
        queues: Vec<Settings>,
        consumers: C,
        watch: W,
    ) -> Self {
        Self {
            rules,
            parts,
            chance: None,
            consumers,
            watch,
            queues: queues.into_iter().map(|settings| Queue::new(rules, settings)).collect(),
            tickets: Tickets::default(),
            runs: Vec::new(),
            idle_runs: Vec::new(),
            events: Events::default(),
            dirty: Vec::new(),
            shown: Vec::new(),
            serials: 0,
            now: 0,
        }
    }

    /// From now on, what at-least-once permits happens as `chance` has it.
    #[must_use]
    pub fn with_chance(mut self, chance: Option<Chance>) -> Self {
        self.chance = chance;
        self
    }

    /// Lets everything happen that happens before `to`, which is not before the
    /// time reached already.
    pub fn advance(&mut self, to: u64) {
        loop {
            let next = self.events.next_at();
            let moment_is_over = next.is_none_or(|at| at > self.now);
            if moment_is_over && !self.dirty.is_empty() {
                if self.now >= to {
                    return;
                }
                self.look_at_queues();
                continue;
            }
            match next {
                Some(at) if at < to => {
                    let Some((at, event)) = self.events.pop() else { return };
                    self.now = at;
                    self.happen(event);
                }
                _ => {
                    self.now = self.now.max(to);
                    return;
                }
            }
        }
    }

    /// The time reached.
    pub fn now(&self) -> u64 {
        self.now
    }

    /// The messages that are in a queue, those in invocations included, with
    /// the index of the queue.
    pub fn waiting(&self) -> impl Iterator<Item = (u32, &Ticket)> {
        self.tickets.alive().map(|ticket| (ticket.queue, ticket))
    }

    /// Messages in a queue, those in invocations included.
    pub fn backlog(&self, queue: u32) -> usize {
        self.queues[queue as usize].held
    }

    /// Invocations of a queue that run now.
    pub fn running(&self, queue: u32) -> u32 {
        self.queues[queue as usize].running
    }

    fn happen(&mut self, event: Event) {
        match event {
            Event::Due(index) => {
                let queue = self.tickets[index].queue;
                self.queues[queue as usize].delayed -= 1;
                if self.tickets[index].place == Place::Corpse {
                    self.tickets.free(index);
                } else {
                    self.arrive(index);
                }
            }
            Event::Timeout(queue, timer) => self.timeout(queue, timer),
            Event::End(run) => self.end(run),
            Event::Expire(queue) => self.expire(queue),
        }
    }

    /// A message waits for a batch from now on.
    fn arrive(&mut self, index: u32) {
        let ticket = &mut self.tickets[index];
        ticket.place = Place::Ready;
        ticket.ready_at = self.now;
        let number = ticket.queue;
        let queue = &mut self.queues[number as usize];
        queue.ready.push_back(index);
        queue.live += 1;
        if let Some(chance) = &mut self.chance {
            chance.overtake(&mut queue.ready, &mut self.tickets);
        }
        if self.queues[number as usize].settings.consumed {
            match self.rules.dispatch {
                Dispatch::Slots => self.look_at(number),
                Dispatch::Flush => self.ensure_flush(number),
            }
        }
    }

    /// A message waits for a batch after so many seconds.
    fn arrive_after(&mut self, index: u32, seconds: u32) {
        if seconds == 0 {
            self.arrive(index);
            return;
        }
        let ticket = &mut self.tickets[index];
        ticket.place = Place::Delayed;
        self.queues[ticket.queue as usize].delayed += 1;
        self.events.push_after(self.now, seconds, Event::Due(index));
    }

    /// A message comes to the queue that it names.
    fn enter(&mut self, index: u32, seconds: u32) {
        let ticket = &mut self.tickets[index];
        ticket.arrived = self.now;
        let number = ticket.queue;
        let queue = &mut self.queues[number as usize];
        queue.bytes += u64::from(ticket.bytes);
        if let Some(at) = queue.keep(&self.tickets, index) {
            self.events.push(at, Event::Expire(number));
        }
        self.arrive_after(index, seconds);
    }

    /// A message is in its queue no more.
    fn leave(&mut self, index: u32) {
        let ticket = &mut self.tickets[index];
        let queue = &mut self.queues[ticket.queue as usize];
        queue.bytes -= u64::from(ticket.bytes);
        queue.held -= 1;
        ticket.generation = ticket.generation.wrapping_add(1);
    }

    fn expire(&mut self, number: u32) {
        while let Some(index) = self.queues[number as usize].expired(&self.tickets, self.now) {
            let place = self.tickets[index].place;
            // One in an invocation is looked at when it comes back.
            if place == Place::Running {
                continue;
            }
            self.watch.dropped(self.now, number, &self.tickets[index], Reason::Expired);
            self.leave(index);
            self.tickets[index].place = Place::Corpse;
            if place == Place::Ready {
                self.queues[number as usize].live -= 1;
            }
        }
        if let Some(at) = self.queues[number as usize].watch_again() {
            self.events.push(at, Event::Expire(number));
        }
    }

    /// Looks at a queue when all of this moment has happened.
    fn look_at(&mut self, number: u32) {
        let queue = &mut self.queues[number as usize];
        if !std::mem::replace(&mut queue.dirty, true) {
            self.dirty.push(number);
        }
    }
}
