//! A queue platform (队列平台) in virtual time: what it does with a batch after
//! the consumer's event ended, what becomes of every message, and what a program
//! is told when it [refuses](Refusal) one.
//!
//! [`play`] plays a [`Scenario`] under the [`Rules`] of a [`Profile`] and gives
//! its [`History`]; [`redeliveries`] is the part of it that follows one event.
//!
//! | module | holds |
//! | --- | --- |
//! | [`scenario`] | queues, what is sent to them, and scripted handlers |
//! | [`history`] | what happened to the messages |
//! | [`rules`] | where platforms differ, and how we know |
//! | [`settle`] | what becomes of a batch when its event has ended |
//! | [`parts`] | the small rules that the model is put together from |
//! | [`engine`] | the simulation |
//! | [`script`] | playing a scripted handler |
//! | [`check`] | laws that every history keeps |
//! | [`mutants`] | wrong platforms |
//! | [`simulate`] | days of a queue, summed up |
//! | [`rng`] | numbers drawn from a seed |
//!
//! ```
//! use duipai_platform::{Profile, Rules, Scenario, play, scenario::*};
//!
//! let mut draft = Draft { until: 10_000, ..Draft::default() };
//! let jobs = QueueConfig { consumer: Some(Consumer::default()), ..QueueConfig::default() };
//! draft.queues.insert("jobs".into(), jobs);
//! let call = Producer::Send(Message::new("hello"));
//! draft.inputs.push(Input { at: 0, queue: "jobs".into(), call });
//!
//! let history = play(&Scenario::new(draft)?, &Rules::of(Profile::Miniflare));
//! assert_eq!(history.deliveries[0].at, 1_000);
//! assert_eq!(history.deliveries[0].messages[0].label, "hello");
//! # Ok::<(), Invalid>(())
//! ```

pub mod check;
pub mod engine;
pub mod history;
pub mod mutants;
pub mod parts;
mod play;
mod producer;
mod refusal;
pub mod rng;
pub mod rules;
pub mod scenario;
pub mod script;
pub mod settle;
pub mod simulate;

use duipai_spec::event::{Call, End};

pub use history::History;
pub use play::{play, play_with};
pub use refusal::{Producing, Refusal};
pub use rules::Rules;
pub use scenario::Scenario;
use settle::{Fate, Note, Verdict};

/// A queue platform whose behaviour is known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Profile {
    /// Cloudflare Queues as documented.
    #[default]
    Cloudflare,
    /// Miniflare's local queues as measured.
    Miniflare,
}

impl Profile {
    /// All profiles.
    pub const ALL: [Self; 2] = [Self::Cloudflare, Self::Miniflare];

    /// The name used in case files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cloudflare => "cloudflare",
            Self::Miniflare => "miniflare",
        }
    }

    /// The profile with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|profile| profile.name() == name)
    }
}

/// One message that the platform will deliver again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Redelivery {
    /// Index of the message in the batch, from 0.
    pub message: u32,
    /// What `attempts` will be at the next delivery.
    pub attempts: u32,
    /// Requested delay in seconds; `None` is the consumer's default.
    pub delay: Option<u32>,
}

/// The messages of a batch that `profile` delivers again, in batch order.
///
/// `attempts` holds, for each message, its attempts in the delivery that has
/// just ended; `calls` are the calls that took effect. Of ack and retry on one
/// message the first counts. Of several retries the first one's delay counts on
/// Cloudflare, whose documentation lets the first call win, and the last one's
/// on Miniflare, as measured. A call for a message that is not in the batch is
/// ignored.
pub fn redeliveries(
    profile: Profile,
    attempts: &[u32],
    calls: &[Call],
    end: &End,
) -> Vec<Redelivery> {
    let rules = Rules::of(profile);
    let mut verdict = Verdict::open(attempts.len());
    for call in calls {
        if let Some(call) = note_of(call) {
            settle::note(&rules, &mut verdict, call);
        }
    }
    let failed = !matches!(end, End::Fulfilled);
    attempts
        .iter()
        .zip(0..)
        .filter_map(|(attempts, message)| {
            match settle::decide(&rules, &verdict, message as usize, failed) {
                Fate::Acked => None,
                Fate::Again(delay) => Some(Redelivery {
                    message,
                    attempts: attempts.saturating_add(1),
                    delay: delay.and_then(|delay| u32::try_from(delay).ok()),
                }),
            }
        })
        .collect()
}

fn note_of(call: &Call) -> Option<Note> {
    Some(match call {
        Call::Send { .. } | Call::SendBatch { .. } => return None,
        Call::Ack { message } => Note::Ack(*message),
        Call::Retry { message, options } => Note::Retry(*message, delay_of(options.as_deref())),
        Call::AckAll => Note::AckAll,
        Call::RetryAll { options } => Note::RetryAll(delay_of(options.as_deref())),
    })
}

/// The delay in `{"delaySeconds":n}`, the only option there is.
fn delay_of(options: Option<&str>) -> Option<i32> {
    let text = options?.strip_prefix("{\"delaySeconds\":")?.strip_suffix('}')?;
    text.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn retry(message: u32, delay: Option<u32>) -> Call {
        let options = delay.map(|delay| format!("{{\"delaySeconds\":{delay}}}"));
        Call::Retry { message, options }
    }

    fn check(profile: Profile, calls: &[Call], end: &End, expected: &[(u32, Option<u32>)]) {
        let seen: Vec<_> = redeliveries(profile, &[1, 4, 1], calls, end)
            .into_iter()
            .map(|r| {
                assert_eq!(r.attempts, [2, 5, 2][r.message as usize]);
                (r.message, r.delay)
            })
            .collect();
        assert_eq!(seen, expected, "{profile:?} {calls:?} {end:?}");
    }

    #[test]
    fn normal_end_redelivers_only_what_was_retried() {
        for profile in Profile::ALL {
            check(profile, &[], &End::Fulfilled, &[]);
            let calls = [Call::Ack { message: 0 }, retry(1, Some(30))];
            check(profile, &calls, &End::Fulfilled, &[(1, Some(30))]);
        }
    }

    #[test]
    fn a_failed_event_redelivers_the_batch() {
        let calls = [Call::Ack { message: 0 }, retry(1, Some(30))];
        for end in [End::Rejected("坏".into()), End::Aborted("超时".into())] {
            let open = [(1, Some(30)), (2, None)];
            check(Profile::Cloudflare, &calls, &end, &open);
            let all = [(0, None), (1, Some(30)), (2, None)];
            check(Profile::Miniflare, &calls, &end, &all);
        }
    }

    #[test]
    fn first_of_ack_and_retry_counts() {
        let ack_first = [Call::Ack { message: 0 }, retry(0, Some(5))];
        check(Profile::Cloudflare, &ack_first, &End::Fulfilled, &[]);
        let retry_first = [retry(0, Some(5)), Call::Ack { message: 0 }];
        check(Profile::Cloudflare, &retry_first, &End::Fulfilled, &[(0, Some(5))]);
    }

    #[test]
    fn of_two_retries_the_profile_says_whose_delay_counts() {
        let twice = [retry(0, Some(9)), retry(0, None)];
        check(Profile::Cloudflare, &twice, &End::Fulfilled, &[(0, Some(9))]);
        check(Profile::Miniflare, &twice, &End::Fulfilled, &[(0, None)]);
    }

    #[test]
    fn calls_for_messages_outside_the_batch_are_ignored() {
        check(Profile::Cloudflare, &[retry(7, None)], &End::Fulfilled, &[]);
    }
}
