//! Hand-made cases and observations for the tests of this crate.

use std::{collections::BTreeMap, sync::Arc};

use duipai_spec::{
    event::{Call, End, EventKind},
    ledger::{Level, SentenceId},
};

use crate::{
    case::{
        Case, EventCase, Expectation, ExpectedCall, ExpectedEnd, ExpectedMessage, ExpectedOutcome,
        Origin,
    },
    observation::{Observation, Outcome},
    plan::{Action, Batch, Binding, Body, EventPlan, Message, Step, Timestamp},
    subject::{Identity, Kind},
};

pub(crate) fn identity() -> Identity {
    Identity {
        name: String::from("stub"),
        kind: Kind::Native,
        version: String::from("1.2.3"),
        engine: String::from("rust"),
    }
}

/// One fetch event that sends `{"a":1}`, with one platform call.
pub(crate) fn case(id: &str) -> Case {
    let expectation =
        expectation(vec![ExpectedOutcome::Returned], vec![expected_send("{\"a\":1}")]);
    Case {
        id: Arc::from(id),
        was: Vec::new(),
        says: vec![SentenceId::parse("send.object").unwrap()],
        level: Level::Must,
        title: String::from("投递一个对象"),
        why: None,
        pair: None,
        origin: Origin { file: Arc::from("cases/send.toml"), line: 7, column: 1 },
        events: vec![event(plan(vec![send("{\"a\":1}")]), expectation)],
        together: false,
        platform: None,
        needs: std::collections::BTreeSet::new(),
    }
}

/// The same, with these outcomes, calls and end expected of `steps`.
pub(crate) fn case_of(steps: Vec<Step>, expectation: Expectation) -> Case {
    Case { events: vec![event(plan(steps), expectation)], ..case("a.case") }
}

pub(crate) fn event(plan: EventPlan, expectation: Expectation) -> EventCase {
    EventCase { plan, redelivered: false, permitted: vec![expectation] }
}

pub(crate) fn plan(steps: Vec<Step>) -> EventPlan {
    EventPlan {
        kind: EventKind::Fetch,
        grants: vec![String::from("PAGE_QUEUE")],
        bindings: BTreeMap::from([(String::from("PAGE_QUEUE"), Binding::Accepts)]),
        batch: None,
        steps,
    }
}

pub(crate) fn step(action: Action) -> Step {
    Step { action, caught: true }
}

pub(crate) fn send(body: &str) -> Step {
    step(Action::Send { binding: String::from("PAGE_QUEUE"), body: Arc::from(body), delay: 0 })
}

pub(crate) fn batch(bodies: &[&str]) -> Batch {
    let message = |(at, body): (usize, &&str)| Message {
        id: format!("m{at}"),
        attempts: 1,
        timestamp: Timestamp::Date(1_767_323_045_678),
        body: Body::Json(Arc::from(*body)),
        ack_throws: None,
        retry_throws: None,
    };
    let messages = bodies.iter().enumerate().map(message).collect();
    Batch { queue: String::from("q"), messages }
}

pub(crate) fn expectation(outcomes: Vec<ExpectedOutcome>, calls: Vec<ExpectedCall>) -> Expectation {
    let end = ExpectedEnd::Fulfilled;
    Expectation { behaviour: None, outcomes, calls, end, after: Vec::new() }
}

pub(crate) fn throws(message: &str) -> ExpectedOutcome {
    ExpectedOutcome::Threw(ExpectedMessage::Exact(message.to_owned()))
}

pub(crate) fn expected_send(body: &str) -> ExpectedCall {
    ExpectedCall::Send {
        binding: String::from("PAGE_QUEUE"),
        body: Arc::from(body),
        options: String::from("{\"contentType\":\"json\"}"),
    }
}

pub(crate) fn sent(arguments: &str) -> Call {
    Call::Send { binding: String::from("PAGE_QUEUE"), arguments: arguments.to_owned() }
}

/// What the case of [`case`] asks for.
pub(crate) fn seen() -> Observation {
    let calls = vec![sent("[{\"a\":1},{\"contentType\":\"json\"}]")];
    observation(vec![returned()], calls)
}

pub(crate) fn observation(outcomes: Vec<Outcome>, calls: Vec<Call>) -> Observation {
    let (end, console) = (End::Fulfilled, String::new());
    Observation { outcomes, calls, end, redelivered: None, console }
}

pub(crate) fn returned() -> Outcome {
    Outcome::Returned { value: None }
}

pub(crate) fn returned_text(text: &str) -> Outcome {
    Outcome::Returned { value: Some(text.to_owned()) }
}

pub(crate) fn threw(message: &str) -> Outcome {
    Outcome::Threw { message: message.to_owned() }
}

pub(crate) fn aborted(reason: &str) -> Outcome {
    Outcome::Aborted { reason: reason.to_owned() }
}
