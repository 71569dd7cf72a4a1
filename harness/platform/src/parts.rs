//! The parts that the model is put together from, each one small rule.
//!
//! [`Parts::RIGHT`] is the model; a mutant swaps one of them,
//! so that the model's own paths hold no switch for a fault.

use crate::{
    engine::Ticket,
    rules::Rules,
    settle::{self, Fate, Note, Verdict},
};

/// From when a batch's timeout runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clock {
    /// From the first message that waits.
    First,
    /// From the last one.
    Last,
}

/// The parts.
#[derive(Clone, Copy)]
pub struct Parts {
    /// Messages of a batch at most, from what is configured.
    pub batch_size: fn(u32) -> u32,
    /// From when a batch's timeout runs.
    pub clock: Clock,
    /// Milliseconds that a batch waits to fill, from the seconds configured.
    pub batch_timeout: fn(u32) -> u64,
    /// Seconds before the first delivery, from the message's option, the batch's
    /// option and the queue's delivery delay.
    pub first_delay: fn(Option<i32>, Option<i32>, Option<u32>) -> u32,
    /// What a consumer sees as attempts, from the deliveries so far, this one
    /// included.
    pub attempts: fn(u32) -> u32,
    /// What the runtime notes of a call.
    pub note: fn(&Rules, &mut Verdict, Note),
    /// What becomes of a message.
    pub decide: fn(&Rules, &Verdict, usize, bool) -> Fate,
    /// Seconds before a retry, from the handler's delay and the consumer's.
    pub retry_delay: fn(&Rules, Option<i32>, Option<u32>) -> u32,
    /// Whether a message that is to be retried has been delivered as often as
    /// it may be, from the deliveries so far and the most allowed.
    pub exhausted: fn(u32, u32) -> bool,
    /// What happens to a message that goes back to its queue, at a time.
    pub requeue: fn(&mut Ticket, u64),
    /// What happens to a message that becomes a dead letter, at a time.
    pub bury: fn(&mut Ticket, u64),
    /// Whether exhausted messages go to the dead-letter queue.
    pub buries: bool,
    /// Milliseconds that a message is kept, from the seconds configured.
    pub keeps: fn(u32) -> u64,
    /// Invocations at a time at most, from what is configured.
    pub concurrency: fn(u32) -> u32,
}

impl Parts {
    /// The right ones.
    pub const RIGHT: Self = Self {
        batch_size: |configured| configured,
        clock: Clock::First,
        batch_timeout: |seconds| u64::from(seconds) * 1_000,
        first_delay,
        attempts: |deliveries| deliveries,
        note: settle::note,
        decide: settle::decide,
        retry_delay: settle::retry_delay,
        exhausted: |deliveries, allowed| deliveries >= allowed,
        requeue: |_, _| {},
        bury: |ticket, _| ticket.deliveries = 0,
        buries: true,
        keeps: |seconds| u64::from(seconds) * 1_000,
        concurrency: |configured| configured,
    };
}

/// The message's own delay, else the batch's, else the queue's; an explicit 0 is
/// a delay.
pub fn first_delay(message: Option<i32>, batch: Option<i32>, queue: Option<u32>) -> u32 {
    let asked = message.or(batch).map(|asked| u32::try_from(asked).unwrap_or(0));
    asked.or(queue).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_delay_counts() {
        assert_eq!(first_delay(Some(1), Some(2), Some(3)), 1);
        assert_eq!(first_delay(None, Some(2), Some(3)), 2);
        assert_eq!(first_delay(None, None, Some(3)), 3);
        assert_eq!(first_delay(None, None, None), 0);
    }

    #[test]
    fn an_explicit_0_is_a_delay() {
        assert_eq!(first_delay(Some(0), Some(2), Some(3)), 0);
        assert_eq!(first_delay(None, Some(0), Some(3)), 0);
    }
}
