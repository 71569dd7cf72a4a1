//! What producers send (生产).

use super::{Consumers, Engine, Ticket, Watch, ticket::Place};
use crate::history::Reason;

/// A message offered to a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offer {
    /// What the caller knows it by.
    pub source: u32,
    /// Bytes of its body.
    pub bytes: u32,
    /// Its own delay in seconds.
    pub delay: Option<i32>,
    /// Whether the broker can read its body.
    pub readable: bool,
}

/// Why a queue takes nothing, apart from what is wrong with what it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// More was sent in a second than it takes.
    TooFast,
    /// It holds as many bytes as it may.
    Full,
    /// It holds as many delayed messages as it may.
    TooManyDelayed,
    /// A body cannot be read.
    Unreadable,
}

impl<C: Consumers, W: Watch> Engine<'_, C, W> {
    /// Offers the messages of one call to a queue, now. Whatever is wrong with
    /// the call as such has been refused before.
    ///
    /// # Errors
    ///
    /// Why it is refused. Where the rules say so, the messages before the one
    /// that it is refused for have been taken.
    pub fn offer(
        &mut self,
        number: u32,
        offers: &[Offer],
        batch_delay: Option<i32>,
    ) -> Result<(), Refusal> {
        let queue = &self.queues[number as usize];
        if !queue.settings.consumed && !self.rules.keeps_without_consumer {
            for offer in offers {
                let ticket = self.ticket(number, offer);
                self.watch.dropped(self.now, number, &ticket, Reason::NoConsumer);
            }
            return Ok(());
        }
        self.spend(number, offers.len() as u64)?;
        let bytes = offers.iter().map(|offer| u64::from(offer.bytes)).sum::<u64>();
        let queue = &self.queues[number as usize];
        if self.rules.max_backlog_bytes.is_some_and(|most| queue.bytes + bytes > most) {
            return Err(Refusal::Full);
        }
        let delivery_delay = queue.settings.delivery_delay;
        let delay =
            |offer: &Offer| (self.parts.first_delay)(offer.delay, batch_delay, delivery_delay);
        let (part, result) = self.readable(number, offers, &delay);
        for offer in part {
            let seconds = (self.parts.first_delay)(offer.delay, batch_delay, delivery_delay);
            let ticket = self.ticket(number, offer);
            let index = self.tickets.add(ticket);
            self.enter(index, seconds);
        }
        result
    }

    /// The messages that are taken, and whether they are all.
    fn readable<'o>(
        &self,
        number: u32,
        offers: &'o [Offer],
        delay: &dyn Fn(&Offer) -> u32,
    ) -> (&'o [Offer], Result<(), Refusal>) {
        let mut delayed = self.queues[number as usize].delayed;
        for (offer, at) in offers.iter().zip(0..) {
            delayed += u64::from(delay(offer) > 0);
            let refusal = if !offer.readable {
                Refusal::Unreadable
            } else if self.rules.max_delayed.is_some_and(|most| delayed > most) {
                Refusal::TooManyDelayed
            } else {
                continue;
            };
            let taken = if self.rules.keeps_part_of_refused_batch { at } else { 0 };
            return (&offers[..taken], Err(refusal));
        }
        (offers, Ok(()))
    }

    fn ticket(&mut self, number: u32, offer: &Offer) -> Ticket {
        self.serials += 1;
        Ticket {
            source: offer.source,
            deliveries: 0,
            serial: self.serials,
            timestamp: self.now,
            bytes: offer.bytes,
            queue: number,
            arrived: self.now,
            ready_at: self.now,
            generation: 0,
            place: Place::Delayed,
        }
    }

    /// A queue takes so many messages a second; what it did not take in a
    /// second it does not take later.
    fn spend(&mut self, number: u32, messages: u64) -> Result<(), Refusal> {
        let Some(a_second) = self.rules.max_sends_a_second else { return Ok(()) };
        let queue = &mut self.queues[number as usize];
        let gained = (self.now - queue.budget_at).min(1_000) * a_second;
        queue.budget = (queue.budget + gained).min(a_second * 1_000);
        queue.budget_at = self.now;
        let Some(left) = queue.budget.checked_sub(messages * 1_000) else {
            return Err(Refusal::TooFast);
        };
        queue.budget = left;
        Ok(())
    }
}
