//! Acks and retries, and what the platform delivers again.

use duipai_platform::{Profile, Redelivery};
use duipai_spec::{
    event::{Call, End, EventKind},
    limits::MAX_DELAY_SECONDS,
    messages,
};

use super::{Step, steps::Walk};
use crate::observation::Outcome;

/// How a message stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Settled {
    /// Nothing was done about it.
    Open,
    /// Acknowledged.
    Acked,
    /// To be delivered again. Of several retries the first or the last delay
    /// counts, as the platform has it.
    Retried { first: Option<u32>, last: Option<u32> },
}

impl Walk<'_> {
    /// Messages of an index or a delay that is out of range, where the event is
    /// of this kind.
    fn settle_refusals(&self, index: i64, delay: Option<i64>) -> Vec<&'static str> {
        let queue = self.plan().kind == EventKind::Queue;
        let in_batch = usize::try_from(index).is_ok_and(|index| index < self.settled.len());
        let rules = [
            (!queue, messages::NOT_QUEUE_EVENT),
            (if queue { !in_batch } else { index < 0 }, messages::INDEX_RANGE),
            (
                delay.is_some_and(|it| !(0..=i64::from(MAX_DELAY_SECONDS)).contains(&it)),
                messages::DELAY_RANGE,
            ),
        ];
        rules.into_iter().filter(|(broken, _)| *broken).map(|(_, message)| message).collect()
    }

    /// Whether the platform's call on this message throws.
    fn throws(&self, index: usize, retry: bool) -> bool {
        let message = self.plan().batch.as_ref().and_then(|batch| batch.messages.get(index));
        message.is_some_and(|message| match retry {
            true => message.retry_throws.is_some(),
            false => message.ack_throws.is_some(),
        })
    }

    /// An ack, or a retry if there is a delay.
    pub(super) fn settle(&mut self, index: i64, delay: Option<i64>, outcome: &Outcome) -> Step {
        let retry = delay.is_some();
        let refusals = self.settle_refusals(index, delay);
        if let Some(first) = refusals.first() {
            let sentences: &[&str] = match (*first, retry) {
                (messages::NOT_QUEUE_EVENT, false) => &["consumer.other-event.ack"],
                (messages::NOT_QUEUE_EVENT, true) => &["consumer.other-event.retry"],
                (messages::INDEX_RANGE, false) => &["ack.index"],
                (messages::INDEX_RANGE, true) => &["retry.index"],
                _ => &["retry.delay.refused", "retry.delay.range"],
            };
            return self.threw(&refusals, outcome, sentences);
        }
        // Both are in range, or there was a refusal.
        let message = u32::try_from(index).unwrap_or_default();
        let seconds = delay.and_then(|delay| u32::try_from(delay).ok()).filter(|it| *it > 0);
        let place = message as usize;
        let expected = match retry {
            false => Call::Ack { message },
            true => Call::Retry {
                message,
                options: seconds.map(|seconds| format!("{{\"delaySeconds\":{seconds}}}")),
            },
        };
        let before = self.settled[place];
        let called = self.next_call() == Some(&expected);
        if !called && before == Settled::Open {
            let sentences: &[&str] = match retry {
                false => &["ack.acks", "ack.arguments"],
                true => &["retry.retries", "retry.arguments", "retry.delay.default"],
            };
            let got = format!("{:?}", self.next_call());
            return self.fail(sentences, format!("{expected:?}"), got);
        }
        if called {
            self.take_call();
            if self.throws(place, retry) {
                return match outcome {
                    Outcome::Aborted { .. } => Ok(()),
                    _ => {
                        let expected = "an abort: the platform's call throws".to_owned();
                        self.fail(
                            &["adapter.promise", "end.uncaught"],
                            expected,
                            format!("{outcome:?}"),
                        )
                    }
                };
            }
            self.settled[place] = match before {
                Settled::Open if retry => Settled::Retried { first: seconds, last: seconds },
                Settled::Retried { first, .. } if retry => {
                    Settled::Retried { first, last: seconds }
                }
                Settled::Open => Settled::Acked,
                settled => settled,
            };
        }
        self.returned(None, outcome, if retry { "retry.retries" } else { "ack.acks" })
    }

    /// What the platform delivers again, where the subject can show it.
    pub(super) fn redelivered(
        &self,
        seen: Option<&[Redelivery]>,
        end: &End,
        profile: Profile,
    ) -> Step {
        let Some(seen) = seen else { return Ok(()) };
        let failed = *end != End::Fulfilled;
        let mut rest = seen.iter();
        for (message, (settled, attempts)) in (0..).zip(self.settled.iter().zip(&self.attempts)) {
            let delays: &[Option<u32>] = match settled {
                Settled::Retried { first, last } => &[*first, *last],
                Settled::Open if failed => &[None],
                Settled::Acked if failed && profile == Profile::Miniflare => &[None],
                Settled::Open | Settled::Acked => continue,
            };
            let expected =
                Redelivery { message, attempts: attempts.saturating_add(1), delay: delays[0] };
            let got = rest.next();
            let fits = got.is_some_and(|got| {
                got.message == message
                    && got.attempts == expected.attempts
                    && delays.contains(&got.delay)
            });
            if !fits {
                let sentences = ["end.redelivered", "retry.retries", "read.attempts-grow"];
                return self.fail(
                    &sentences,
                    format!("{expected:?}"),
                    format!("{got:?} of {seen:?}"),
                );
            }
        }
        match rest.next() {
            None => Ok(()),
            Some(more) => {
                let sentences = ["end.normal", "ack.not-retried"];
                self.fail(&sentences, "no further redelivery".to_owned(), format!("{more:?}"))
            }
        }
    }
}
