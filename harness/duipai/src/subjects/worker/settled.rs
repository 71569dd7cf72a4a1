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

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::plan::{Body, Message, Timestamp};

    fn batch(ids: &[&str]) -> Batch {
        let message = |id: &&str| Message {
            id: (*id).to_owned(),
            attempts: 1,
            timestamp: Timestamp::Date(0),
            body: Body::Json("1".into()),
            ack_throws: None,
            retry_throws: None,
        };
        Batch { queue: "q".to_owned(), messages: ids.iter().map(message).collect() }
    }

    fn ack(message: u32) -> Call {
        Call::Ack { message }
    }

    fn retry(message: u32, options: Option<&str>) -> Call {
        Call::Retry { message, options: options.map(str::to_owned) }
    }

    fn retry_all(options: Option<&str>) -> Call {
        Call::RetryAll { options: options.map(str::to_owned) }
    }

    /// Whether the calls on `m0`, `m1`, `m2` lead to this result; members that
    /// are not given are as when nothing was called.
    fn check(calls: &[Call], result: Value, expected: bool) {
        let mut whole = json!({
            "outcome": "ok", "ackAll": false, "retryBatch": { "retry": false },
            "explicitAcks": [], "retryMessages": [],
        });
        for (key, value) in result.as_object().unwrap() {
            whole[key] = value.clone();
        }
        let result = RunResult::deserialize(&whole).unwrap();
        let agreed = agree(&batch(&["m0", "m1", "m2"]), calls, &result);
        assert_eq!(agreed.is_ok(), expected, "{calls:?} {whole}: {agreed:?}");
    }

    const THIRTY: Option<&str> = Some("{\"delaySeconds\":30}");

    /// As measured.
    #[test]
    fn the_runtime_agrees() {
        check(&[], json!({}), true);
        check(
            &[ack(0), retry(1, None), retry(2, THIRTY)],
            json!({ "explicitAcks": ["m0"],
                "retryMessages": [{ "msgId": "m2", "delaySeconds": 30 }, { "msgId": "m1" }] }),
            true,
        );
        check(&[ack(0), retry(0, None)], json!({ "explicitAcks": ["m0"] }), true);
        check(&[retry(0, None), ack(0)], json!({ "retryMessages": [{ "msgId": "m0" }] }), true);
        check(
            &[retry(0, THIRTY), retry(0, None)],
            json!({ "retryMessages": [{ "msgId": "m0" }] }),
            true,
        );
        check(&[Call::AckAll, retry(0, None)], json!({ "ackAll": true }), true);
        check(
            &[retry(0, None), Call::AckAll],
            json!({ "ackAll": true, "retryMessages": [{ "msgId": "m0" }] }),
            true,
        );
        check(
            &[retry_all(THIRTY), retry_all(None), ack(0), Call::AckAll],
            json!({ "retryBatch": { "retry": true, "delaySeconds": 30 } }),
            true,
        );
        check(
            &[retry(0, Some("{\"delaySeconds\":2.9}"))],
            json!({ "retryMessages": [{ "msgId": "m0", "delaySeconds": 2 }] }),
            true,
        );
    }

    #[test]
    fn what_the_log_does_not_say_is_told() {
        check(&[], json!({ "explicitAcks": ["m0"] }), false);
        check(&[ack(0)], json!({}), false);
        check(&[ack(0)], json!({ "explicitAcks": ["m1"] }), false);
        check(&[], json!({ "retryMessages": [{ "msgId": "m0" }] }), false);
        check(&[retry(0, None)], json!({}), false);
        check(&[retry(0, THIRTY)], json!({ "retryMessages": [{ "msgId": "m0" }] }), false);
        check(
            &[retry(0, None)],
            json!({ "retryMessages": [{ "msgId": "m0", "delaySeconds": 0 }] }),
            false,
        );
        check(&[], json!({ "ackAll": true }), false);
        check(&[Call::AckAll], json!({}), false);
        check(&[], json!({ "retryBatch": { "retry": true } }), false);
        check(&[retry_all(THIRTY)], json!({ "retryBatch": { "retry": true } }), false);
    }

    #[test]
    fn messages_of_one_id_are_one() {
        let result = json!({ "outcome": "ok", "explicitAcks": ["m"] });
        let result = RunResult::deserialize(&result).unwrap();
        assert_eq!(agree(&batch(&["m", "m"]), &[ack(0), ack(1), retry(1, None)], &result), Ok(()));
    }
}
