//! What is accepted and what is refused (生产者的限额).

use super::{Court, Law};
use crate::{
    history::{History, Sent},
    producer::{self, Wire},
    scenario::{Input, Producer},
};

/// A message of the scenario after its call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Accepted {
    /// When it was sent.
    pub(super) at: u64,
    /// The queue it was sent to.
    pub(super) queue: u32,
    /// Seconds until it may be delivered.
    pub(super) delay: u32,
    /// Whether it was taken.
    pub(super) taken: Taken,
}

/// Whether a queue took a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// It did.
    Yes,
    /// It did not.
    No,
    /// A part of the call was taken, and it is not known which.
    Maybe,
}

impl Court<'_> {
    /// The scenario's messages, each with what became of its call.
    pub(super) fn sends(&mut self, history: &History) -> Vec<Accepted> {
        let inputs = self.scenario.inputs();
        if history.sends.len() != inputs.len() {
            let (seen, made) = (history.sends.len(), inputs.len());
            self.broken(Law::Sends, 0, format!("{made} calls were made and {seen} were seen"));
        }
        let mut accepted = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let unseen = Sent { at: input.at, refused: None };
            let sent = history.sends.get(index).unwrap_or(&unseen);
            self.one(index, input, sent, &mut accepted);
        }
        accepted
    }

    fn one(&mut self, index: usize, input: &Input, sent: &Sent, accepted: &mut Vec<Accepted>) {
        let Some(queue) = self.stage.number(&input.queue) else { return };
        let date = self.scenario.compatibility_date();
        let unread = !self.settings[queue as usize].consumed && !self.rules.keeps_without_consumer;
        let wires = producer::serialise(&input.call, date);
        let admitted = match &wires {
            Ok(_) if unread => Ok(()),
            Ok(wires) => producer::admit(self.rules, &input.call, wires, date),
            Err(refused) => Err(refused.clone()),
        };
        let readable = |wires: &[Wire]| unread || wires.iter().all(|wire| wire.readable);
        let expected = admitted.clone().and_then(|()| match &wires {
            Ok(wires) if !readable(wires) => {
                let refusal = crate::engine::Refusal::Unreadable;
                Err(producer::turned_away(self.rules, &input.call, refusal, date))
            }
            _ => Ok(()),
        });
        match (&expected, &sent.refused) {
            (Err(refused), None) => {
                let text = format!("call {index} was accepted, not refused: {}", refused.message);
                self.broken(Law::Sends, sent.at, text);
            }
            (Ok(()), Some(refused)) if !self.may_be_full() => {
                let text = format!("call {index} was refused: {}", refused.message);
                self.broken(Law::Sends, sent.at, text);
            }
            _ => {}
        }
        let batch_delay = match &input.call {
            Producer::Send(_) => None,
            Producer::SendBatch { delay, .. } => *delay,
        };
        let delivery_delay = self.settings[queue as usize].delivery_delay;
        let refused = sent.refused.is_some();
        let wires = wires.unwrap_or_default();
        for (message, at) in input.call.messages().iter().zip(0..) {
            let delay = crate::parts::first_delay(message.delay, batch_delay, delivery_delay);
            let taken = match refused {
                false if unread => Taken::No,
                false => Taken::Yes,
                true if admitted.is_err() => Taken::No,
                true => self.part_taken(&wires, at),
            };
            accepted.push(Accepted { at: sent.at, queue, delay, taken });
        }
    }

    /// Whether a message of a call was taken that was refused on the way.
    fn part_taken(&self, wires: &[Wire], at: usize) -> Taken {
        if !self.rules.keeps_part_of_refused_batch {
            return Taken::No;
        }
        match wires.iter().position(|wire| !wire.readable) {
            Some(stop) if at < stop => Taken::Yes,
            Some(_) => Taken::No,
            // A queue that is full does not say where it stopped.
            None => Taken::Maybe,
        }
    }

    /// Whether the scenario's messages can reach a limit of a queue as a whole.
    fn may_be_full(&self) -> bool {
        let inputs = self.scenario.inputs();
        let messages = || inputs.iter().flat_map(|input| input.call.messages());
        let count = messages().count() as u64;
        let reached = |most: Option<u64>, sum: u64| most.is_some_and(|most| sum > most);
        reached(self.rules.max_sends_a_second, count)
            || reached(self.rules.max_delayed, count)
            || reached(self.rules.max_backlog_bytes, count * self.rules.max_body_bytes)
    }
}
