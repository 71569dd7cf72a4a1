//! What becomes of each message of a batch when its event has ended (结算).
//!
//! Two steps, as with the real thing: the runtime [notes](note) the handler's
//! calls, of which some are ignored, and the platform [decides](decide) on what
//! was noted and on whether the event failed.

use crate::rules::Rules;

/// A call that reached the runtime; messages are indices into the batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Note {
    /// `message.ack()`.
    Ack(u32),
    /// `message.retry({delaySeconds})`.
    Retry(u32, Option<i32>),
    /// `batch.ackAll()`.
    AckAll,
    /// `batch.retryAll({delaySeconds})`.
    RetryAll(Option<i32>),
}

/// What was noted of one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mark {
    /// Nothing.
    #[default]
    Open,
    /// It was acknowledged.
    Acked,
    /// It is to be retried, after so many seconds if they were given.
    Retried(Option<i32>),
}

/// What was noted of a batch: the result of its event, as the platform gets it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    /// What was noted of each message.
    pub marks: Vec<Mark>,
    /// Whether all were acknowledged.
    pub ack_all: bool,
    /// Whether all are to be retried, and the delay given.
    pub retry_all: Option<Option<i32>>,
}

impl Verdict {
    /// A batch of so many messages of which nothing has been noted.
    pub fn open(messages: usize) -> Self {
        let mut verdict = Self::default();
        verdict.reset(messages);
        verdict
    }

    /// Forgets everything, for another batch.
    pub fn reset(&mut self, messages: usize) {
        self.marks.clear();
        self.marks.resize(messages, Mark::Open);
        self.ack_all = false;
        self.retry_all = None;
    }
}

/// Notes a call.
///
/// A call on a message counts unless the message, or the whole batch, has been
/// settled the other way before; of two retries of one message the rules say
/// which one's delay counts. A call on the batch leaves what was noted message
/// by message. A call on a message that is not in the batch is ignored.
pub fn note(rules: &Rules, verdict: &mut Verdict, note: Note) {
    match note {
        Note::Ack(message) => {
            let Some(mark) = verdict.marks.get_mut(message as usize) else { return };
            if verdict.retry_all.is_none() && !verdict.ack_all && *mark == Mark::Open {
                *mark = Mark::Acked;
            }
        }
        Note::Retry(message, delay) => {
            let Some(mark) = verdict.marks.get_mut(message as usize) else { return };
            let counts = match *mark {
                Mark::Open => !verdict.ack_all,
                Mark::Acked => false,
                Mark::Retried(_) => rules.later_retry_counts,
            };
            if counts {
                *mark = Mark::Retried(delay);
            }
        }
        Note::AckAll => verdict.ack_all |= verdict.retry_all.is_none(),
        Note::RetryAll(delay) => {
            verdict.retry_all = match verdict.retry_all {
                None if verdict.ack_all => None,
                None => Some(delay),
                Some(first) if rules.later_retry_all_counts => Some(delay.or(first)),
                first => first,
            };
        }
    }
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It is done with.
    Acked,
    /// It is retried, after so many seconds if the handler said.
    Again(Option<i32>),
}

/// What becomes of the message at an index of the batch, when its event has
/// failed or not.
pub fn decide(rules: &Rules, verdict: &Verdict, message: usize, failed: bool) -> Fate {
    let mark = verdict.marks.get(message).copied().unwrap_or_default();
    let all = verdict.retry_all;
    match mark {
        Mark::Retried(delay) => Fate::Again(delay.or(all.flatten())),
        Mark::Acked if failed && !rules.ack_survives_failure => Fate::Again(all.flatten()),
        Mark::Acked if all.is_some() && !rules.ack_survives_retry_all => Fate::Again(all.flatten()),
        Mark::Acked => Fate::Acked,
        Mark::Open if verdict.ack_all && failed && !rules.ack_all_survives_failure => {
            Fate::Again(None)
        }
        Mark::Open if verdict.ack_all => Fate::Acked,
        Mark::Open => match all {
            Some(delay) => Fate::Again(delay),
            None if failed => Fate::Again(None),
            None => Fate::Acked,
        },
    }
}

/// Seconds that a retry is delayed: what the handler said, 0 included, else what
/// the consumer is configured with, else the platform's default. A negative
/// delay is none.
pub fn retry_delay(rules: &Rules, asked: Option<i32>, configured: Option<u32>) -> u32 {
    let delay = match asked {
        Some(asked) => u32::try_from(asked).unwrap_or(0),
        None => configured.unwrap_or(rules.default_retry_delay),
    };
    rules.max_retry_delay.map_or(delay, |most| delay.min(most))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    const CLOUDFLARE: Rules = Rules::of(Profile::Cloudflare);
    const MINIFLARE: Rules = Rules::of(Profile::Miniflare);

    const ACKED: Fate = Fate::Acked;

    fn again(delay: i32) -> Fate {
        Fate::Again(Some(delay))
    }

    const PLAIN: Fate = Fate::Again(None);

    /// A batch of two: what becomes of them under both profiles.
    #[track_caller]
    fn check(notes: &[Note], failed: bool, cloudflare: [Fate; 2], miniflare: [Fate; 2]) {
        for (rules, expected) in [(CLOUDFLARE, cloudflare), (MINIFLARE, miniflare)] {
            let mut verdict = Verdict::open(2);
            for &call in notes {
                note(&rules, &mut verdict, call);
            }
            let seen = [0, 1].map(|message| decide(&rules, &verdict, message, failed));
            assert_eq!(seen, expected, "{notes:?}, failed: {failed}");
        }
    }

    #[test]
    fn nothing_said_is_acknowledged_unless_the_event_fails() {
        check(&[], false, [ACKED; 2], [ACKED; 2]);
        check(&[], true, [PLAIN; 2], [PLAIN; 2]);
    }

    #[test]
    fn what_was_acknowledged_before_a_failure() {
        check(&[Note::Ack(0)], true, [ACKED, PLAIN], [PLAIN; 2]);
        check(&[Note::AckAll], true, [ACKED; 2], [PLAIN; 2]);
        let retried = [Note::Retry(0, Some(2))];
        check(&retried, true, [again(2), PLAIN], [again(2), PLAIN]);
    }

    #[test]
    fn the_first_of_ack_and_retry_counts() {
        let both = |notes: &[Note], fates| check(notes, false, fates, fates);
        both(&[Note::Ack(0), Note::Retry(0, None)], [ACKED; 2]);
        both(&[Note::Retry(0, None), Note::Ack(0)], [PLAIN, ACKED]);
    }

    #[test]
    fn of_two_retries_the_rules_say_whose_delay_counts() {
        let twice = |first, second| [Note::Retry(0, first), Note::Retry(0, second)];
        check(&twice(Some(9), Some(4)), false, [again(9), ACKED], [again(4), ACKED]);
        check(&twice(Some(9), None), false, [again(9), ACKED], [PLAIN, ACKED]);
        let all = |first, second| [Note::RetryAll(first), Note::RetryAll(second)];
        check(&all(Some(9), None), false, [again(9); 2], [again(9); 2]);
        check(&all(Some(9), Some(4)), false, [again(9); 2], [again(4); 2]);
        check(&all(None, Some(4)), false, [PLAIN; 2], [again(4); 2]);
    }

    #[test]
    fn calls_on_the_batch_leave_what_was_said_of_messages() {
        check(&[Note::Ack(0), Note::RetryAll(None)], false, [ACKED, PLAIN], [PLAIN; 2]);
        let fates = [PLAIN, ACKED];
        check(&[Note::Retry(0, None), Note::AckAll], false, fates, fates);
        let notes = [Note::Retry(0, Some(0)), Note::RetryAll(Some(2))];
        check(&notes, false, [again(0), again(2)], [again(0), again(2)]);
        let notes = [Note::Retry(0, None), Note::RetryAll(Some(2))];
        check(&notes, false, [again(2); 2], [again(2); 2]);
    }

    #[test]
    fn calls_after_one_on_the_batch() {
        let both = |notes: &[Note], fates| check(notes, false, fates, fates);
        both(&[Note::RetryAll(None), Note::Ack(0)], [PLAIN; 2]);
        both(&[Note::RetryAll(Some(3)), Note::Retry(0, Some(1))], [again(1), again(3)]);
        both(&[Note::AckAll, Note::Retry(0, None)], [ACKED; 2]);
        both(&[Note::AckAll, Note::RetryAll(None)], [ACKED; 2]);
        both(&[Note::RetryAll(None), Note::AckAll], [PLAIN; 2]);
    }

    #[test]
    fn messages_that_are_not_there_are_ignored() {
        check(&[Note::Ack(2), Note::Retry(9, None)], false, [ACKED; 2], [ACKED; 2]);
    }

    #[test]
    fn the_delay_of_a_retry() {
        assert_eq!(retry_delay(&MINIFLARE, None, Some(3)), 3);
        assert_eq!(retry_delay(&MINIFLARE, Some(0), Some(3)), 0);
        assert_eq!(retry_delay(&MINIFLARE, Some(-1), Some(3)), 0);
        assert_eq!(retry_delay(&MINIFLARE, None, None), 0);
        assert_eq!(retry_delay(&MINIFLARE, Some(86_401), None), 86_401);
        assert_eq!(retry_delay(&CLOUDFLARE, Some(86_401), None), 86_400);
    }
}
