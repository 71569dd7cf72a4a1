//! When batches leave a queue (派发).

use super::{
    Batch, Consumers, Engine, Run, Shown, Watch, events::Event, queue::Flush, ticket::Place,
};
use crate::{parts::Clock, rules::Dispatch};

impl<C: Consumers, W: Watch> Engine<'_, C, W> {
    /// All of this moment has happened: what may leave leaves.
    pub(super) fn look_at_queues(&mut self) {
        let mut dirty = std::mem::take(&mut self.dirty);
        for number in dirty.drain(..) {
            self.queues[number as usize].dirty = false;
            match self.rules.dispatch {
                Dispatch::Slots => self.fill_slots(number),
                Dispatch::Flush => {
                    if std::mem::take(&mut self.queues[number as usize].at_once) {
                        self.flush(number);
                    }
                }
            }
        }
        // Nothing was put in meanwhile, unless it has a place of its own.
        dirty.append(&mut self.dirty);
        self.dirty = dirty;
    }

    /// A timer has gone off.
    pub(super) fn timeout(&mut self, number: u32, timer: u32) {
        let queue = &mut self.queues[number as usize];
        match self.rules.dispatch {
            Dispatch::Slots => {
                queue.timer = None;
                self.look_at(number);
            }
            Dispatch::Flush => {
                if let Some(at) = queue.called_off.iter().position(|&off| off == timer) {
                    queue.called_off.swap_remove(at);
                    return;
                }
                if let Some(flush) = &mut queue.flush
                    && flush.timer == timer
                {
                    flush.fired = true;
                    flush.soon = true;
                }
                queue.at_once = true;
                self.look_at(number);
            }
        }
    }

    /// [`Dispatch::Slots`].
    fn fill_slots(&mut self, number: u32) {
        loop {
            let queue = &mut self.queues[number as usize];
            queue.held_up = queue.running >= queue.limit;
            if queue.held_up {
                return;
            }
            let Some(front) = queue.front(&mut self.tickets) else { return };
            let since = match self.parts.clock {
                Clock::First => Some(front),
                Clock::Last => queue.ready.back().copied(),
            };
            let since = since.map_or(self.now, |ticket| self.tickets[ticket].ready_at);
            let deadline = since + queue.settings.batch_timeout;
            if queue.live < queue.settings.batch_size as usize && deadline > self.now {
                if queue.timer.is_none_or(|at| at > deadline) {
                    queue.timer = Some(deadline);
                    self.events.push(deadline, Event::Timeout(number, 0));
                }
                return;
            }
            self.begin(number);
        }
    }

    /// [`Dispatch::Flush`]: a flush is going to be made, at once if a batch is
    /// full.
    pub(super) fn ensure_flush(&mut self, number: u32) {
        let queue = &mut self.queues[number as usize];
        let has_space = queue.live < queue.settings.batch_size as usize;
        let restarts = self.parts.clock == Clock::Last;
        if let Some(flush) = &mut queue.flush {
            if flush.soon {
                // What is sent in a moment has arrived before a batch leaves in it.
                flush.immediate |= !has_space;
                return;
            }
            if flush.immediate || (has_space && (flush.fired || !restarts)) {
                return;
            }
            if !flush.fired {
                queue.called_off.push(flush.timer);
            }
        }
        queue.timers = queue.timers.wrapping_add(1);
        let timer = queue.timers;
        let wait = if has_space { queue.settings.batch_timeout } else { 0 };
        let now = wait == 0;
        queue.flush = Some(Flush { timer, immediate: now, fired: now, soon: now });
        if now {
            queue.at_once = true;
            self.look_at(number);
        } else {
            self.events.push(self.now + wait, Event::Timeout(number, timer));
        }
    }

    /// A flush is made. One that finds nothing, because another took it all, is
    /// over at once.
    fn flush(&mut self, number: u32) {
        let queue = &mut self.queues[number as usize];
        if queue.front(&mut self.tickets).is_none() {
            queue.flush = None;
            return;
        }
        if let Some(flush) = &mut queue.flush {
            flush.soon = false;
        }
        self.begin(number);
    }

    /// A batch leaves. The queue is not empty.
    fn begin(&mut self, number: u32) {
        let run = self.idle_runs.pop().unwrap_or_else(|| {
            self.runs.push(Run::default());
            u32::try_from(self.runs.len() - 1).expect("fewer than 2^32 invocations at a time")
        });
        let queue = &mut self.queues[number as usize];
        queue.invocations = queue.invocations.wrapping_add(1);
        queue.running += 1;
        let slot = &mut self.runs[run as usize];
        slot.queue = number;
        self.shown.clear();
        while slot.tickets.len() < queue.settings.batch_size as usize {
            let Some(index) = queue.front(&mut self.tickets) else { break };
            queue.ready.pop_front();
            queue.live -= 1;
            let ticket = &mut self.tickets[index];
            ticket.place = Place::Running;
            ticket.deliveries = ticket.deliveries.saturating_add(1);
            slot.tickets.push(index);
            self.shown.push(Shown {
                source: ticket.source,
                attempts: (self.parts.attempts)(ticket.deliveries),
                serial: ticket.serial,
                timestamp: ticket.timestamp,
            });
        }
        let batch = Batch {
            at: self.now,
            queue: number,
            invocation: queue.invocations,
            run,
            messages: &self.shown,
        };
        self.consumers.handle(batch, &mut slot.played);
        slot.crashed = self.chance.as_mut().is_some_and(super::Chance::crashes);
        self.watch.began(batch);
        self.events.push(self.now.saturating_add(slot.played.duration), Event::End(run));
    }
}
