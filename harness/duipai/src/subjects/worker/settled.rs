//! What the runtime makes of the calls on a batch and its messages.

use std::collections::{BTreeMap, BTreeSet};

use duipai_spec::event::Call;
use serde::Deserialize;

use super::driver::RunResult;
use crate::plan::Batch;

/// Checks that the runtime's result is what the calls that took effect lead to,
/// so that the log of calls can be believed.
///
/// # Errors
///
/// What does not agree.
pub(super) fn agree(batch: &Batch, calls: &[Call], result: &RunResult) -> Result<(), String> {
    let expected = Settled::of(batch, calls);
    let differs = |what: &str, expected: &dyn std::fmt::Debug, got: &dyn std::fmt::Debug| {
        format!(
            "the runtime's result does not agree with the calls seen: {what} is {got:?} instead of {expected:?}"
        )
    };
    if expected.ack_all != result.ack_all {
        return Err(differs("ackAll", &expected.ack_all, &result.ack_all));
    }
    if expected.retry_all != result.retry_batch.retry {
        return Err(differs("retryBatch", &expected.retry_all, &result.retry_batch.retry));
    }
    if let Some(Delay::Seconds(delay)) = expected.retry_all_delay
        && result.retry_batch.delay_seconds != Some(delay)
    {
        return Err(differs("retryBatch.delaySeconds", &delay, &result.retry_batch.delay_seconds));
    }
    let acked: BTreeSet<&str> = result.explicit_acks.iter().map(String::as_str).collect();
    if expected.acked != acked {
        return Err(differs("explicitAcks", &expected.acked, &acked));
    }
    let retried: BTreeMap<&str, Option<i64>> =
        result.retry_messages.iter().map(|one| (one.msg_id.as_str(), one.delay_seconds)).collect();
    let same = |(id, delay): (&&str, &Delay)| match (retried.get(id), delay) {
        (None, _) => false,
        (Some(_), Delay::Converted) => true,
        (Some(got), Delay::Default) => got.is_none(),
        (Some(got), Delay::Seconds(delay)) => *got == Some(*delay),
    };
    if expected.retried.len() != retried.len() || !expected.retried.iter().all(same) {
        return Err(differs("retryMessages", &expected.retried, &retried));
    }
    Ok(())
}

/// What the calls lead to. The runtime goes by ids: messages of one id are one.
#[derive(Debug, Default)]
struct Settled<'a> {
    ack_all: bool,
    retry_all: bool,
    retry_all_delay: Option<Delay>,
    acked: BTreeSet<&'a str>,
    retried: BTreeMap<&'a str, Delay>,
}

/// The delay of a retry.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Delay {
    /// The consumer's default.
    Default,
    /// These seconds.
    Seconds(i64),
    /// What the runtime makes of a value that is not a whole number.
    Converted,
}

impl<'a> Settled<'a> {
    fn of(batch: &'a Batch, calls: &[Call]) -> Self {
        let mut settled = Self::default();
        let id = |index: &u32| batch.messages.get(*index as usize).map(|one| one.id.as_str());
        for call in calls {
            match call {
                Call::Send { .. } | Call::SendBatch { .. } => {}
                Call::Ack { message } => {
                    if let Some(id) = id(message)
                        && !(settled.ack_all || settled.retry_all)
                        && !settled.retried.contains_key(id)
                    {
                        settled.acked.insert(id);
                    }
                }
                Call::Retry { message, options } => {
                    // Of several retries the last one's delay counts.
                    if let Some(id) = id(message)
                        && !settled.ack_all
                        && !settled.acked.contains(id)
                    {
                        settled.retried.insert(id, delay(options.as_deref()));
                    }
                }
                Call::AckAll => settled.ack_all |= !settled.retry_all,
                Call::RetryAll { options } => {
                    if !settled.ack_all {
                        settled.retry_all = true;
                        let delay = delay(options.as_deref());
                        // A later call without a delay keeps the earlier one.
                        if delay != Delay::Default {
                            settled.retry_all_delay = Some(delay);
                        }
                    }
                }
            }
        }
        settled
    }
}

fn delay(options: Option<&str>) -> Delay {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Options {
        #[serde(default)]
        delay_seconds: Option<serde_json::Value>,
    }
    let Some(options) = options else { return Delay::Default };
    match serde_json::from_str(options) {
        Ok(Options { delay_seconds: None }) => Delay::Default,
        Ok(Options { delay_seconds: Some(value) }) => {
            value.as_i64().map_or(Delay::Converted, Delay::Seconds)
        }
        Err(_) => Delay::Converted,
    }
}
