//! One queue of the model.

use std::collections::VecDeque;

use super::ticket::{Place, Tickets};
use crate::{parts::Parts, rules::Rules, scenario::QueueConfig};

/// What a queue is configured with, in the model's units.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether it has a consumer.
    pub consumed: bool,
    /// Seconds before the first delivery of a message that asks for none.
    pub delivery_delay: Option<u32>,
    /// Messages of a batch at most.
    pub batch_size: u32,
    /// Milliseconds that a batch waits to fill.
    pub batch_timeout: u64,
    /// Deliveries of a message at most.
    pub deliveries: u32,
    /// Seconds before a retry that asks for none.
    pub retry_delay: Option<u32>,
    /// Where exhausted messages go; `None` is nowhere.
    pub dead_letters: Option<DeadLetters>,
    /// Milliseconds that a message is kept; `None` is for ever.
    pub keeps: Option<u64>,
    /// Invocations at a time at most.
    pub concurrency: u32,
}

/// A dead-letter queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeadLetters {
    /// The queue at this index.
    To(u32),
    /// One that takes nothing.
    Lost,
}

impl Settings {
    /// The settings of a queue under `rules`.
    pub fn new(
        rules: &Rules,
        parts: &Parts,
        config: &QueueConfig,
        dead_letters: Option<DeadLetters>,
    ) -> Self {
        let consumer = config.consumer.clone().unwrap_or_default();
        let retries = consumer.max_retries.unwrap_or(rules.default_retries);
        let own = config.message_retention_period.filter(|_| rules.honours_retention);
        let most = rules.max_concurrency.unwrap_or(u32::MAX);
        let asked = consumer.max_concurrency.filter(|_| rules.honours_max_concurrency);
        let size = consumer.max_batch_size.unwrap_or(rules.default_batch_size);
        let timeout = consumer.max_batch_timeout.unwrap_or(rules.default_batch_timeout);
        Self {
            consumed: config.consumer.is_some(),
            delivery_delay: config.delivery_delay,
            batch_size: (parts.batch_size)(size),
            batch_timeout: (parts.batch_timeout)(timeout),
            deliveries: (retries + rules.deliveries_beyond_retries).max(1),
            retry_delay: consumer.retry_delay,
            dead_letters: dead_letters.filter(|_| parts.buries),
            keeps: own.or(rules.retention).map(parts.keeps),
            concurrency: (parts.concurrency)(asked.unwrap_or(most).min(most)),
        }
    }
}

/// A flush that has been asked for and has not ended, as Miniflare keeps it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Flush {
    /// Number of its timer.
    pub(super) timer: u32,
    /// Whether it was asked for because a batch was full.
    pub(super) immediate: bool,
    /// Whether its timer has gone off.
    pub(super) fired: bool,
    /// Whether it has gone off in this moment and the batch has not left.
    pub(super) soon: bool,
}

pub(super) struct Queue {
    pub(super) settings: Settings,
    /// Messages that wait for a batch, and corpses among them.
    pub(super) ready: VecDeque<u32>,
    /// Messages that wait for a batch.
    pub(super) live: usize,
    /// Messages whose delay has not passed.
    pub(super) delayed: u64,
    /// Bytes of all bodies in the queue, those in invocations included.
    pub(super) bytes: u64,
    /// By when messages expire, in order; an entry whose generation is not the
    /// message's has lost its meaning.
    kept: VecDeque<Kept>,
    /// Messages in the queue, those in invocations included.
    pub(super) held: usize,
    /// Whether an event to look at `kept` is on its way.
    watching: bool,

    pub(super) invocations: u32,
    pub(super) running: u32,
    /// Invocations at a time for now.
    pub(super) limit: u32,
    /// Whether messages wait only because of `limit`.
    pub(super) held_up: bool,
    /// Share of failed invocations lately, of 65536.
    pub(super) failing: u32,
    /// Sends that the queue takes now, in thousandths.
    pub(super) budget: u64,
    pub(super) budget_at: u64,

    /// When a timeout is going to be looked at.
    pub(super) timer: Option<u64>,
    pub(super) flush: Option<Flush>,
    /// Timers whose flush was called off before they went off.
    pub(super) called_off: Vec<u32>,
    pub(super) timers: u32,
    /// Whether a flush is to be made in this moment.
    pub(super) at_once: bool,
    /// Whether the queue waits to be looked at.
    pub(super) dirty: bool,
}

struct Kept {
    until: u64,
    ticket: u32,
    generation: u32,
}

impl Queue {
    pub(super) fn new(rules: &Rules, settings: Settings) -> Self {
        Self {
            settings,
            ready: VecDeque::new(),
            live: 0,
            delayed: 0,
            bytes: 0,
            kept: VecDeque::new(),
            held: 0,
            watching: false,
            invocations: 0,
            running: 0,
            limit: 1,
            held_up: false,
            failing: 0,
            budget: rules.max_sends_a_second.unwrap_or(0) * 1_000,
            budget_at: 0,
            timer: None,
            flush: None,
            called_off: Vec::new(),
            timers: 0,
            at_once: false,
            dirty: false,
        }
    }

    /// The message that has waited longest; corpses before it are buried.
    pub(super) fn front(&mut self, tickets: &mut Tickets) -> Option<u32> {
        loop {
            let &index = self.ready.front()?;
            if tickets[index].place == Place::Ready {
                return Some(index);
            }
            self.ready.pop_front();
            tickets.free(index);
        }
    }

    /// Begins to keep a message that has just come; whether somebody must look
    /// for expired ones at the time given.
    pub(super) fn keep(&mut self, tickets: &Tickets, index: u32) -> Option<u64> {
        self.held += 1;
        let until = tickets[index].arrived + self.settings.keeps?;
        // Messages mostly leave long before they expire.
        if self.kept.len() > 64 + 2 * self.held {
            self.kept.retain(|kept| kept.is_current(tickets));
        }
        self.kept.push_back(Kept { until, ticket: index, generation: tickets[index].generation });
        (!std::mem::replace(&mut self.watching, true)).then_some(until)
    }

    /// The next message that has been kept long enough.
    pub(super) fn expired(&mut self, tickets: &Tickets, now: u64) -> Option<u32> {
        while let Some(kept) = self.kept.front() {
            let (current, index) = (kept.is_current(tickets), kept.ticket);
            if current && kept.until > now {
                return None;
            }
            self.kept.pop_front();
            if current {
                return Some(index);
            }
        }
        None
    }

    /// When to look for expired messages again.
    pub(super) fn watch_again(&mut self) -> Option<u64> {
        let next = self.kept.front().map(|kept| kept.until);
        self.watching = next.is_some();
        next
    }
}

impl Kept {
    fn is_current(&self, tickets: &Tickets) -> bool {
        let ticket = &tickets[self.ticket];
        ticket.place != Place::Free && ticket.generation == self.generation
    }
}
