//! From what the driver saw of an event to an observation.
//!
//! The Worker's own report tells only what its steps came to. How the event
//! ended is what the runtime says; and what the runtime says about the batch
//! must agree with the calls that were seen, or the observation is worth
//! nothing.

use duipai_host::Closed;
use duipai_platform::{Profile, redeliveries};
use duipai_spec::event::{Call, End, EventKind};
use serde::Deserialize;

use super::{
    driver::{RawEvent, RunResult},
    settled,
};
use crate::{
    judge::one_line,
    observation::{Observation, Outcome},
    plan::{Batch, EventPlan},
    subject::Fault,
};

/// Longest text of the Worker's in a reason, in characters.
const TOLD_CHARS: usize = 160;

/// Greatest size of what is kept of the console, in UTF-8 bytes.
const MAX_CONSOLE_BYTES: usize = 65_536;

/// The only outcome of an event that did not fail.
const OK: &str = "ok";

/// The outcome of an event whose handler threw.
const EXCEPTION: &str = "exception";

/// What a Worker says it did.
#[derive(Debug, Deserialize)]
pub(super) struct Report {
    /// What the steps came to, in order.
    pub(super) outcomes: Vec<Outcome>,
    /// How the event is to end.
    pub(super) end: End,
}

/// The observation of an event of a Worker that reports on itself.
///
/// # Errors
///
/// When the Worker gave no report that can be read, or what the runtime says
/// does not agree with the calls.
pub(super) fn observe(
    plan: &EventPlan,
    raw: RawEvent,
    profile: Profile,
) -> Result<Observation, Fault> {
    if let Some(reason) = &raw.failed {
        return Err(Fault::Crashed(reason.clone()));
    }
    let report = report(&raw)?;
    let end = end(plan.kind, &raw, Some(&report.end));
    finish(plan, raw, report.outcomes, end, profile)
}

/// The observation of an event whose outcomes and end are known.
///
/// # Errors
///
/// When what the runtime says does not agree with the calls.
pub(super) fn finish(
    plan: &EventPlan,
    raw: RawEvent,
    outcomes: Vec<Outcome>,
    end: End,
    profile: Profile,
) -> Result<Observation, Fault> {
    let batch = plan.batch.as_ref().filter(|_| plan.kind == EventKind::Queue);
    let thrown = raw
        .calls
        .iter()
        .enumerate()
        .filter(|(_, seen)| seen.threw || batch.is_some_and(|batch| throws(batch, &seen.call)));
    let thrown = thrown.map(|(at, _)| at).collect();
    let calls = raw.calls.into_iter().map(|seen| seen.call).collect();
    let mut console = raw.console;
    console.truncate(console.floor_char_boundary(MAX_CONSOLE_BYTES));
    let closed = Closed { end, calls, thrown, console };
    let redelivered = batch.map(|batch| {
        let effective = closed.effective_calls();
        if let Some(result) = &raw.result {
            settled::agree(batch, &effective, result).map_err(Fault::Crashed)?;
        }
        let attempts: Vec<u32> = batch.messages.iter().map(|message| message.attempts).collect();
        Ok(redeliveries(profile, &attempts, &effective, &closed.end))
    });
    Ok(Observation {
        outcomes,
        redelivered: redelivered.transpose()?,
        calls: closed.calls,
        end: closed.end,
        console: closed.console,
    })
}

/// Whether the message was made so that this call throws.
fn throws(batch: &Batch, call: &Call) -> bool {
    let message = |index: &u32| batch.messages.get(*index as usize);
    match call {
        Call::Ack { message: index } => message(index).is_some_and(|it| it.ack_throws.is_some()),
        Call::Retry { message: index, .. } => {
            message(index).is_some_and(|it| it.retry_throws.is_some())
        }
        _ => false,
    }
}

fn report(raw: &RawEvent) -> Result<Report, Fault> {
    let Some(report) = &raw.report else {
        let instead = match (&raw.thrown, &raw.response) {
            (Some(thrown), _) => {
                let (name, message) = (&thrown.name, one_line(&thrown.message, TOLD_CHARS));
                format!("its handler threw {name}: {message}")
            }
            (None, Some(response)) => {
                let body = one_line(&response.body, TOLD_CHARS);
                format!("it answered {}: {body}", response.status)
            }
            (None, None) => String::from("its handler returned"),
        };
        return Err(Fault::Crashed(format!("the Worker did not report what it did; {instead}")));
    };
    Report::deserialize(report).map_err(|error| {
        let shown = one_line(&report.to_string(), TOLD_CHARS);
        Fault::Crashed(format!("the Worker's report cannot be read ({error}): {shown}"))
    })
}

/// How the event ended. Whether it failed is what the runtime saw; how it
/// failed is what the Worker claims, where that is a failure too.
pub(super) fn end(kind: EventKind, raw: &RawEvent, claimed: Option<&End>) -> End {
    let failure = match kind {
        EventKind::Fetch => match &raw.response {
            Some(response) if response.status == 200 => None,
            Some(response) => Some(format!("the Worker answered with status {}", response.status)),
            None => Some(thrown(raw)),
        },
        _ => match &raw.result {
            Some(RunResult { outcome, .. }) if outcome == OK => None,
            Some(RunResult { outcome, .. }) if outcome != EXCEPTION => {
                return End::Aborted(format!("the runtime ended the event: {outcome}"));
            }
            None if raw.thrown.is_none() => None,
            _ => Some(thrown(raw)),
        },
    };
    match (failure, claimed) {
        (None, _) => End::Fulfilled,
        (Some(_), Some(claimed @ (End::Rejected(_) | End::Aborted(_)))) => claimed.clone(),
        (Some(reason), _) => End::Rejected(reason),
    }
}

fn thrown(raw: &RawEvent) -> String {
    let message = raw.thrown.as_ref().map(|thrown| thrown.message.clone());
    message.unwrap_or_else(|| String::from("the event failed outside of its handler"))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        plan::{Body, Message, Timestamp},
        subjects::worker::request::probe,
    };

    fn plan(kind: EventKind) -> EventPlan {
        let message = Message {
            id: "m0".to_owned(),
            attempts: 3,
            timestamp: Timestamp::Date(0),
            body: Body::Json("1".into()),
            ack_throws: Some("no".to_owned()),
            retry_throws: None,
        };
        let batch = Batch { queue: "q".to_owned(), messages: vec![message] };
        let batch = (kind == EventKind::Queue).then_some(batch);
        EventPlan { kind, batch, ..probe() }
    }

    fn seen(kind: EventKind, raw: Value) -> Result<Observation, Fault> {
        let raw = RawEvent::deserialize(raw).unwrap();
        observe(&plan(kind), raw, Profile::default())
    }

    fn report(end: Value) -> Value {
        json!({ "outcomes": [], "end": end })
    }

    fn fulfilled() -> Value {
        report(json!({ "end": "fulfilled" }))
    }

    fn check_end(kind: EventKind, raw: Value, expected: End) {
        assert_eq!(seen(kind, raw.clone()).unwrap().end, expected, "{raw}");
    }

    #[test]
    fn the_end_is_what_the_runtime_saw() {
        let response = |status: u16| json!({ "status": status, "body": "" });
        let aborted = || report(json!({ "end": "aborted", "reason": "中止" }));
        let fetch = |status, report: Value, expected| {
            let raw = json!({ "response": response(status), "report": report });
            check_end(EventKind::Fetch, raw, expected);
        };
        fetch(200, fulfilled(), End::Fulfilled);
        fetch(200, aborted(), End::Fulfilled);
        fetch(500, aborted(), End::Aborted("中止".to_owned()));
        let status = "the Worker answered with status 500".to_owned();
        fetch(500, fulfilled(), End::Rejected(status));
        let queue = |outcome: &str, report: Value, expected| {
            let thrown = json!({ "name": "Error", "message": "坏" });
            let raw =
                json!({ "result": { "outcome": outcome }, "thrown": thrown, "report": report });
            check_end(EventKind::Queue, raw, expected);
        };
        queue("ok", aborted(), End::Fulfilled);
        queue("exception", aborted(), End::Aborted("中止".to_owned()));
        queue("exception", fulfilled(), End::Rejected("坏".to_owned()));
        let ended = "the runtime ended the event: exceededCpu".to_owned();
        queue("exceededCpu", fulfilled(), End::Aborted(ended));
        check_end(EventKind::Scheduled, json!({ "report": fulfilled() }), End::Fulfilled);
    }

    #[test]
    fn a_call_that_threw_settles_nothing() {
        let raw = |threw: bool| {
            let calls = json!([
                { "method": "ack", "message": 0 },
                { "method": "retry", "message": 0, "options": null, "threw": threw },
            ]);
            let retried = if threw { json!([]) } else { json!([{ "msgId": "m0" }]) };
            let result = json!({ "outcome": "ok", "retryMessages": retried });
            json!({ "calls": calls, "result": result, "report": fulfilled() })
        };
        for (threw, redelivered) in [(true, 0), (false, 1)] {
            let seen = seen(EventKind::Queue, raw(threw)).unwrap();
            assert_eq!((seen.calls.len(), seen.redelivered.unwrap().len()), (2, redelivered));
        }
    }

    #[test]
    fn what_cannot_be_judged_is_a_crash() {
        let check = |kind, raw: Value, part: &str| match seen(kind, raw) {
            Err(Fault::Crashed(told)) => assert!(told.contains(part), "no `{part}` in {told}"),
            other => panic!("{other:?}"),
        };
        let fetch = EventKind::Fetch;
        check(fetch, json!({ "failed": "too long", "report": fulfilled() }), "too long");
        check(fetch, json!({ "response": { "status": 200, "body": "hi\n" } }), "200: hi\\n");
        let thrown = json!({ "name": "TypeError", "message": "x" });
        check(fetch, json!({ "thrown": thrown }), "its handler threw TypeError: x");
        check(EventKind::Queue, json!({ "result": { "outcome": "ok" } }), "its handler returned");
        check(fetch, json!({ "report": { "outcomes": 1, "end": 2 } }), "cannot be read");
        let acked = json!({ "outcome": "ok", "explicitAcks": ["m0"] });
        check(
            EventKind::Queue,
            json!({ "result": acked, "report": fulfilled() }),
            "does not agree",
        );
    }

    #[test]
    fn the_console_is_clipped() {
        let raw = json!({ "console": "é".repeat(40_000), "report": fulfilled() });
        assert_eq!(seen(EventKind::Scheduled, raw).unwrap().console.len(), MAX_CONSOLE_BYTES);
    }
}
