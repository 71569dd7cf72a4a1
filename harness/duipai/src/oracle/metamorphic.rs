//! What must not change when an input changes in form only. No model has a part
//! in this, but for what the document leaves open.

use duipai_spec::{
    event::Call,
    limits::{MAX_BODY_BYTES, MAX_DEPTH},
};
use serde_json::value::RawValue;

use super::{
    Checked, Disagreement, Held, broke, disagreement,
    event::{applicable, run},
    facts::Facts,
    value,
};
use crate::{
    generate::{BatchInput, Input, Respelt, SendInput, SettleInput},
    observation::{Observation, Outcome},
    plan::Scene,
    subject::Subject,
};

/// Two spellings of one value come to the same.
///
/// # Errors
///
/// When they do not.
pub fn spellings(input: &Respelt, subject: &dyn Subject) -> Checked {
    let both = match both("spellings", &input.scenes(), subject, &|| input.describe())? {
        Ok(both) => both,
        Err(reason) => return Ok(Held::NotApplicable(reason)),
    };
    let [one, other] = both;
    if one == other {
        return Ok(held(&one));
    }
    let sentences: &[&str] = match input.batch {
        true => &["batch.canonical"],
        false => &["send.canonical.whitespace", "send.canonical.escapes", "send.canonical.numbers"],
    };
    let it = disagreement("spellings", sentences, format!("{one:?}"), format!("{other:?}"));
    Err(it.of(input.describe()))
}

/// A body that is sent alone, and as the only item of a batch, arrives the same,
/// or not at all.
///
/// # Errors
///
/// When it does not.
pub fn send_as_batch(input: &SendInput, subject: &dyn Subject) -> Checked {
    let delay =
        if input.delay == 0 { String::new() } else { format!(",\"delaySeconds\":{}", input.delay) };
    let batch = BatchInput {
        binding: input.binding.clone(),
        items: format!("[{{\"body\":{}{delay}}}]", input.body),
        swarm: input.swarm,
    };
    let describe = || format!("{}\n{}", input.describe(), batch.describe());
    let scenes = [input.scene(), batch.scene()];
    let [send, batch] = match both("send-as-batch", &scenes, subject, &describe)? {
        Ok(both) => both,
        Err(reason) => return Ok(Held::NotApplicable(reason)),
    };
    let (sent, batched) = (sent(&send), sent_in_batch(&batch));
    // A text may be JSON only inside of another one, and not alone.
    let Some((value, _)) = value::read(&input.body) else { return Ok(Held::Refused) };
    // Whether a batch gives each body its own 24 levels is open, and so is the
    // text that a body of it is measured on.
    let may_refuse = Facts::of(&value).depth + 2 > MAX_DEPTH;
    let may_accept = input.body.len() > MAX_BODY_BYTES;
    let fits = match (&sent, &batched) {
        (Some(_), None) => may_refuse,
        (None, Some(_)) => may_accept,
        (sent, batched) => sent == batched,
    };
    if fits {
        return Ok(if sent.is_some() { Held::Accepted } else { Held::Refused });
    }
    let sentences = ["batch.canonical", "batch.item.body-exact", "batch.item.delay-range"];
    let it = disagreement("send-as-batch", &sentences, format!("{sent:?}"), format!("{batched:?}"));
    Err(it.of(describe()))
}

/// Messages that are settled in another order are settled the same.
///
/// # Errors
///
/// When they are not.
pub fn permuted(input: &SettleInput, subject: &dyn Subject) -> Checked {
    let both = match both("permuted", &input.scenes(), subject, &|| input.describe())? {
        Ok(both) => both,
        Err(reason) => return Ok(Held::NotApplicable(reason)),
    };
    let [one, other] = both.map(|mut seen| {
        seen.calls.sort_by_key(|call| match call {
            Call::Ack { message } | Call::Retry { message, .. } => *message,
            _ => u32::MAX,
        });
        seen.outcomes.sort_by_key(|outcome| format!("{outcome:?}"));
        seen
    });
    if one == other {
        return Ok(held(&one));
    }
    let sentences = ["ack.acks", "retry.retries"];
    let it = disagreement("permuted", &sentences, format!("{one:?}"), format!("{other:?}"));
    Err(it.of(input.describe()))
}

/// What is seen of one event in each scene, or why the subject does not run it.
type Both = Result<[Observation; 2], String>;

fn both(
    oracle: &'static str,
    scenes: &[Scene; 2],
    subject: &dyn Subject,
    describe: &dyn Fn() -> String,
) -> Result<Both, Box<Disagreement>> {
    let mut seen = Vec::new();
    for scene in scenes {
        if let Err(reason) = applicable(scene, subject) {
            return Ok(Err(reason));
        }
        let events = run(scene, subject).map_err(|fault| broke(oracle, &fault).of(describe()))?;
        seen.extend(events.into_iter().map(|mut event| {
            event.console.clear();
            event
        }));
    }
    <[Observation; 2]>::try_from(seen).map(Ok).map_err(|seen| {
        let got = format!("{} observations", seen.len());
        disagreement(oracle, &["event.fresh-instance"], "2 observations".to_owned(), got)
            .of(describe())
    })
}

fn held(seen: &Observation) -> Held {
    let returned = |outcome: &Outcome| matches!(outcome, Outcome::Returned { .. });
    if seen.outcomes.iter().all(returned) { Held::Accepted } else { Held::Refused }
}

/// The body that a `send` was called with, and its delay.
fn sent(seen: &Observation) -> Option<(String, Option<u32>)> {
    let [Call::Send { arguments, .. }] = seen.calls.as_slice() else { return None };
    let [body, options] =
        <[&RawValue; 2]>::try_from(serde_json::from_str::<Vec<&RawValue>>(arguments).ok()?).ok()?;
    Some((body.get().to_owned(), delay_in(options.get())))
}

/// The body of the only item that a `sendBatch` was called with, and its delay.
fn sent_in_batch(seen: &Observation) -> Option<(String, Option<u32>)> {
    let [Call::SendBatch { arguments, .. }] = seen.calls.as_slice() else { return None };
    let [items] = <[Vec<&RawValue>; 1]>::try_from(
        serde_json::from_str::<Vec<Vec<&RawValue>>>(arguments).ok()?,
    )
    .ok()?;
    let [item] = items.as_slice() else { return None };
    let value::Members(members) = serde_json::from_str(item.get()).ok()?;
    let body = members.iter().find(|(key, _)| key.get() == "\"body\"")?.1.get().to_owned();
    Some((body, delay_in(item.get())))
}

/// A delay above 0 among the members of an object.
fn delay_in(object: &str) -> Option<u32> {
    let value::Members(members) = serde_json::from_str(object).ok()?;
    let (_, delay) = members.iter().find(|(key, _)| key.get() == "\"delaySeconds\"")?;
    serde_json::from_str(delay.get()).ok().filter(|delay| *delay > 0)
}
