//! The one table of what platforms do differently, with the basis of each value
//! (平台参数).

use crate::Profile;

/// What the measurements were made with.
pub const MEASURED_WITH: &str = "miniflare 5.20261117.0-beta, workerd 2026-11-17";

/// Where a value is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// The platform's documentation says so.
    Documented,
    /// Seen on the platform, with [`MEASURED_WITH`].
    Measured,
    /// Read in the platform's source, not seen.
    Read,
    /// The documentation leaves it open or contradicts itself; holds what else
    /// is permitted.
    Ambiguous(&'static str),
    /// Nothing is published; holds why the model does it like this.
    Chosen(&'static str),
}

/// How batches leave a queue (派发).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dispatch {
    /// As many invocations at a time as the queue's concurrency allows. The
    /// timeout runs from the arrival of the message that has waited longest.
    Slots,
    /// One flush at a time, except that a batch that fills up while a flush
    /// after a timeout still runs is dispatched beside it. What is left over
    /// waits a whole timeout from the end of the flush.
    Flush,
}

/// A parameter of the model.
#[derive(Clone, Copy)]
pub struct Parameter {
    /// Name of the field of [`Rules`].
    pub name: &'static str,
    /// What it says.
    pub says: &'static str,
    /// Basis of the value for Cloudflare.
    pub cloudflare: Basis,
    /// Basis of the value for Miniflare.
    pub miniflare: Basis,
    /// The value, as text.
    pub value: fn(&Rules) -> String,
}

impl Parameter {
    /// The basis of a profile's value.
    pub fn basis(&self, profile: Profile) -> Basis {
        match profile {
            Profile::Cloudflare => self.cloudflare,
            Profile::Miniflare => self.miniflare,
        }
    }
}

macro_rules! rules {
    ($(
        $(#[doc = $doc:literal])+
        $name:ident: $type:ty {
            cloudflare: $cloudflare:expr, $documented:expr;
            miniflare: $miniflare:expr, $measured:expr;
        }
    )+) => {
        /// What a platform does where platforms differ.
        #[derive(Clone, Debug, PartialEq)]
        pub struct Rules {
            $( $(#[doc = $doc])+ pub $name: $type, )+
        }

        impl Rules {
            /// The rules of a profile.
            pub const fn of(profile: Profile) -> Self {
                match profile {
                    Profile::Cloudflare => Self { $( $name: $cloudflare, )+ },
                    Profile::Miniflare => Self { $( $name: $miniflare, )+ },
                }
            }
        }

        /// Every field of [`Rules`], in order.
        pub const PARAMETERS: &[Parameter] = {
            use Basis::{Ambiguous, Chosen, Documented, Measured, Read};
            &[$( Parameter {
                name: stringify!($name),
                says: concat!($($doc),+),
                cloudflare: $documented,
                miniflare: $measured,
                value: |rules| format!("{:?}", rules.$name),
            }, )+]
        };
    };
}

rules! {
    /// Bytes of one serialised body at most.
    max_body_bytes: u64 {
        cloudflare: 128_000, Documented;
        miniflare: 128_000, Measured;
    }
    /// Bytes that the platform adds to each body before it is held to the limit.
    metadata_bytes: u64 {
        cloudflare: 0, Ambiguous("up to about 100");
        miniflare: 0, Measured;
    }
    /// Messages of one sendBatch at most.
    max_batch_messages: u64 {
        cloudflare: 100, Documented;
        miniflare: 100, Measured;
    }
    /// Bytes of all bodies of one sendBatch at most.
    max_batch_bytes: u64 {
        cloudflare: 256_000, Documented;
        miniflare: 288_000, Measured;
    }
    /// Seconds of a delay on sending at most.
    max_send_delay: i64 {
        cloudflare: 86_400, Documented;
        miniflare: 86_400, Measured;
    }
    /// Whether a refusal carries the broker's own words and code; otherwise a
    /// new Worker is told of an unknown error and an old one the words.
    refuses_with_code: bool {
        cloudflare: true, Ambiguous("the codes are documented, the words are not");
        miniflare: false, Measured;
    }
    /// Whether the items before one that cannot be read stay enqueued although
    /// the batch is refused.
    keeps_part_of_refused_batch: bool {
        cloudflare: false, Ambiguous("true");
        miniflare: true, Measured;
    }
    /// Whether a queue that nobody reads checks and keeps what it is sent.
    keeps_without_consumer: bool {
        cloudflare: true, Documented;
        miniflare: false, Measured;
    }
    /// Delayed messages of a queue at most.
    max_delayed: Option<u64> {
        cloudflare: None, Documented;
        miniflare: Some(10_000), Measured;
    }
    /// Messages a second that a queue takes at most.
    max_sends_a_second: Option<u64> {
        cloudflare: Some(5_000), Documented;
        miniflare: None, Read;
    }
    /// Bytes of bodies that a queue holds at most.
    max_backlog_bytes: Option<u64> {
        cloudflare: Some(25_000_000_000), Documented;
        miniflare: None, Read;
    }
    /// Seconds that a message is kept if the queue does not say; `None` is for ever.
    retention: Option<u32> {
        cloudflare: Some(345_600), Documented;
        miniflare: None, Read;
    }
    /// Whether the queue's own retention period is honoured.
    honours_retention: bool {
        cloudflare: true, Documented;
        miniflare: false, Read;
    }

    /// How batches leave a queue.
    dispatch: Dispatch {
        cloudflare: Dispatch::Slots, Documented;
        miniflare: Dispatch::Flush, Measured;
    }
    /// Messages of a batch at most if the consumer does not say.
    default_batch_size: u32 {
        cloudflare: 10, Documented;
        miniflare: 5, Measured;
    }
    /// Seconds that a batch waits to fill if the consumer does not say.
    default_batch_timeout: u32 {
        cloudflare: 5, Documented;
        miniflare: 1, Measured;
    }
    /// Retries if the consumer does not say.
    default_retries: u32 {
        cloudflare: 3, Documented;
        miniflare: 2, Measured;
    }
    /// Deliveries beyond the retries.
    deliveries_beyond_retries: u32 {
        cloudflare: 1, Ambiguous("0: a page lets attempts that reach max_retries be the last");
        miniflare: 1, Measured;
    }
    /// Seconds before a retry if neither handler nor consumer says.
    default_retry_delay: u32 {
        cloudflare: 0, Ambiguous("any short time");
        miniflare: 0, Measured;
    }
    /// Seconds that a retry is delayed at most; more is cut.
    max_retry_delay: Option<u32> {
        cloudflare: Some(86_400), Ambiguous("the call throws");
        miniflare: None, Measured;
    }

    /// Whether a retry after a retry of one message replaces its delay.
    later_retry_counts: bool {
        cloudflare: false, Documented;
        miniflare: true, Measured;
    }
    /// Whether a retryAll with a delay after a retryAll replaces its delay.
    later_retry_all_counts: bool {
        cloudflare: false, Ambiguous("true");
        miniflare: true, Measured;
    }
    /// Whether an acknowledged message stays acknowledged when its event fails.
    ack_survives_failure: bool {
        cloudflare: true, Documented;
        miniflare: false, Measured;
    }
    /// Whether ackAll holds when its event fails.
    ack_all_survives_failure: bool {
        cloudflare: true, Documented;
        miniflare: false, Measured;
    }
    /// Whether an acknowledged message stays acknowledged when retryAll follows.
    ack_survives_retry_all: bool {
        cloudflare: true, Documented;
        miniflare: false, Measured;
    }
    /// Milliseconds that an invocation may take before it fails.
    max_wall_time: Option<u64> {
        cloudflare: Some(900_000), Documented;
        miniflare: None, Measured;
    }

    /// Whether a dead letter keeps its id and its timestamp.
    dead_letter_keeps_identity: bool {
        cloudflare: true, Ambiguous("false: only that it is an ordinary queue is said");
        miniflare: true, Measured;
    }
    /// Whether a dead letter waits for the delivery delay of the queue it comes to.
    dead_letter_is_delayed: bool {
        cloudflare: false, Ambiguous("true");
        miniflare: true, Read;
    }

    /// Invocations of a consumer at a time at most; `None` is no limit.
    max_concurrency: Option<u32> {
        cloudflare: Some(250), Documented;
        miniflare: None, Read;
    }
    /// Whether the consumer's own limit on invocations at a time is honoured.
    honours_max_concurrency: bool {
        cloudflare: true, Documented;
        miniflare: false, Measured;
    }
    /// By how much concurrency grows when a batch ends and a backlog is left.
    concurrency_growth: u32 {
        cloudflare: 1, Chosen("doubles in the time of one invocation, as nothing is published");
        miniflare: 0, Measured;
    }
    /// Failed invocations of a hundred from which on concurrency shrinks instead.
    failures_that_shrink: u32 {
        cloudflare: 50, Chosen("that the ratio matters is documented, its threshold is not");
        miniflare: 100, Measured;
    }
    /// Whether an acknowledged message may be delivered again although nothing failed.
    may_duplicate: bool {
        cloudflare: true, Documented;
        miniflare: false, Measured;
    }
    /// Whether messages may overtake each other.
    may_reorder: bool {
        cloudflare: true, Documented;
        miniflare: false, Measured;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_parameter_says_what_it_is() {
        for parameter in PARAMETERS {
            assert!(parameter.says.trim().ends_with('.'), "{}", parameter.name);
            for profile in Profile::ALL {
                if let Basis::Ambiguous(text) | Basis::Chosen(text) = parameter.basis(profile) {
                    assert!(!text.is_empty(), "{}", parameter.name);
                }
                assert!(!(parameter.value)(&Rules::of(profile)).is_empty());
            }
        }
    }

    #[test]
    fn what_a_local_run_shows_was_measured_or_read() {
        for parameter in PARAMETERS {
            let basis = parameter.miniflare;
            assert!(matches!(basis, Basis::Measured | Basis::Read), "{}", parameter.name);
        }
    }
}
