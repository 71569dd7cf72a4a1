//! What becomes of a batch when its event has ended (事件结束之后).

use super::{Consumers, DeadLetters, Engine, Run, Watch};
use crate::{
    history::{Outcome, Reason},
    rules::Dispatch,
    settle::Fate,
};

/// How many invocations the share of failed ones looks back, about.
const LOOKS_BACK: i64 = 16;

/// All, as a share.
const ALL: i64 = 1 << 16;

impl<C: Consumers, W: Watch> Engine<'_, C, W> {
    pub(super) fn end(&mut self, number: u32) {
        let mut run = std::mem::take(&mut self.runs[number as usize]);
        if run.crashed {
            // Nobody heard what the handler had called.
            run.played.verdict.reset(run.tickets.len());
            run.played.failed = true;
        }
        let outcome = match run.played.failed {
            _ if run.crashed => Outcome::Crashed,
            true => Outcome::Exception,
            false => Outcome::Ok,
        };
        self.watch.ended(self.now, number, run.queue, outcome);
        self.queues[run.queue as usize].running -= 1;
        match self.rules.dispatch {
            Dispatch::Slots => {
                self.scale(run.queue, run.played.failed);
                self.look_at(run.queue);
            }
            Dispatch::Flush => {
                let queue = &mut self.queues[run.queue as usize];
                if queue.flush.is_some_and(|flush| !flush.soon) {
                    queue.flush = None;
                }
                if queue.live > 0 {
                    self.ensure_flush(run.queue);
                }
            }
        }
        self.settle(&run);
        run.tickets.clear();
        self.runs[number as usize] = run;
        self.idle_runs.push(number);
    }

    fn settle(&mut self, run: &Run) {
        for (&index, message) in run.tickets.iter().zip(0..) {
            let fate =
                (self.parts.decide)(self.rules, &run.played.verdict, message, run.played.failed);
            match fate {
                Fate::Acked if self.chance.as_mut().is_some_and(super::Chance::duplicates) => {
                    self.again(index, None);
                }
                Fate::Acked => {
                    self.watch.acked(self.now, run.queue, &self.tickets[index]);
                    self.leave(index);
                    self.tickets.free(index);
                }
                Fate::Again(delay) => self.again(index, delay),
            }
        }
    }

    /// A message is retried, or has been retried as often as it may be.
    fn again(&mut self, index: u32, asked: Option<i32>) {
        let ticket = &self.tickets[index];
        let number = ticket.queue;
        let settings = &self.queues[number as usize].settings;
        if (self.parts.exhausted)(ticket.deliveries, settings.deliveries) {
            match settings.dead_letters {
                Some(DeadLetters::To(to)) => self.bury(index, to),
                Some(DeadLetters::Lost) => self.drop(index, Reason::DeadLetterLost),
                None => self.drop(index, Reason::Exhausted),
            }
            return;
        }
        if settings.keeps.is_some_and(|keeps| self.now >= ticket.arrived + keeps) {
            self.drop(index, Reason::Expired);
            return;
        }
        let seconds = (self.parts.retry_delay)(self.rules, asked, settings.retry_delay);
        (self.parts.requeue)(&mut self.tickets[index], self.now);
        self.arrive_after(index, seconds);
    }

    fn drop(&mut self, index: u32, reason: Reason) {
        let ticket = &self.tickets[index];
        self.watch.dropped(self.now, ticket.queue, ticket, reason);
        self.leave(index);
        self.tickets.free(index);
    }

    fn bury(&mut self, index: u32, to: u32) {
        let from = self.tickets[index].queue;
        self.watch.buried(self.now, from, to, &self.tickets[index]);
        self.leave(index);
        let ticket = &mut self.tickets[index];
        (self.parts.bury)(ticket, self.now);
        if !self.rules.dead_letter_keeps_identity {
            self.serials += 1;
            ticket.serial = self.serials;
            ticket.timestamp = self.now;
        }
        ticket.queue = to;
        let delay = self.queues[to as usize].settings.delivery_delay;
        let delay = delay.filter(|_| self.rules.dead_letter_is_delayed).unwrap_or(0);
        self.enter(index, delay);
    }

    /// How many invocations a queue has at a time from now on: more while every
    /// one allowed is used and another batch could leave, fewer when there is
    /// nothing to do or when too many fail. Only uncaught exceptions are
    /// failures; a retry is none.
    fn scale(&mut self, number: u32, failed: bool) {
        let rules = self.rules;
        let queue = &mut self.queues[number as usize];
        let seen = if failed { ALL } else { 0 };
        let share = i64::from(queue.failing);
        queue.failing = u32::try_from(share + (seen - share) / LOOKS_BACK).unwrap_or(0);
        let too_many = i64::from(rules.failures_that_shrink) * ALL / 100;
        let (limit, most) = (queue.limit, queue.settings.concurrency);
        let waits = match queue.front(&mut self.tickets) {
            Some(_) if queue.live >= queue.settings.batch_size as usize => true,
            Some(front) => self.tickets[front].ready_at + queue.settings.batch_timeout <= self.now,
            None => false,
        };
        queue.limit = if i64::from(queue.failing) >= too_many {
            limit.saturating_sub(1).max(1)
        } else if waits && queue.held_up {
            limit.saturating_add(rules.concurrency_growth).min(most)
        } else if waits {
            limit
        } else {
            limit.saturating_sub(1).max(1)
        };
    }
}
