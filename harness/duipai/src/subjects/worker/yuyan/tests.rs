use serde::Deserialize as _;
use serde_json::{Value, json};

use super::*;
use crate::plan::{Message, Timestamp};

fn plan(kind: EventKind, steps: Vec<(Action, bool)>, messages: usize) -> EventPlan {
    let message = |number: usize| Message {
        id: format!("m{number}"),
        attempts: 1,
        timestamp: Timestamp::Date(0),
        body: Body::Json("1".into()),
        ack_throws: None,
        retry_throws: None,
    };
    let messages = (0..messages).map(message).collect();
    EventPlan {
        kind,
        grants: vec!["PAGE_QUEUE".to_owned()],
        bindings: BTreeMap::from([("PAGE_QUEUE".to_owned(), Binding::Accepts)]),
        batch: (kind == EventKind::Queue).then(|| Batch { queue: "甲".to_owned(), messages }),
        steps: steps.into_iter().map(|(action, caught)| Step { action, caught }).collect(),
    }
}

/// The path or the letters that a plan becomes, or why it becomes none.
fn asked(plan: &EventPlan) -> String {
    match Yuyan::new(&[]).asked(plan) {
        Ok(Asked::Request { method, path, .. }) => format!("{method} {path}"),
        Ok(Asked::Read) => "read".to_owned(),
        Ok(Asked::Letters(letters)) => letters,
        Err(reason) => reason,
    }
}

fn send(binding: &str) -> Action {
    Action::Send { binding: binding.to_owned(), body: "1".into(), delay: -1 }
}

fn ack(index: i64) -> Action {
    Action::Ack { index }
}

fn retry(index: i64, delay: i64) -> Action {
    Action::Retry { index, delay }
}

fn raise() -> Action {
    Action::Raise { message: "坏".to_owned() }
}

#[test]
fn a_request_has_one_step() {
    let check = |steps: Vec<(Action, bool)>, expected: &str| {
        let got = asked(&plan(EventKind::Fetch, steps, 0));
        assert!(got.contains(expected), "no `{expected}` in {got}");
    };
    check(vec![(send("PAGE_QUEUE"), true)], "POST /send?b=PAGE_QUEUE&d=-1");
    check(vec![(send(""), true)], "POST /send?b=&d=-1");
    check(vec![(Action::ReadBatch, true)], "GET /consume");
    check(vec![(ack(0), true)], "GET /ack");
    check(vec![(retry(0, 0), true)], "GET /retry");
    check(vec![(retry(0, 30), true)], "says itself");
    check(vec![(send("OTHER"), true)], "part of its deployment");
    check(vec![(send("PAGE_QUEUE"), false)], "one step");
    check(vec![(ack(0), true), (ack(0), true)], "one step");
    check(Vec::new(), "one step");
    assert_eq!(percent("甲&b=1"), "%E7%94%B2%26b%3D1");
}

#[test]
fn a_batch_has_one_letter_for_each_message() {
    let check = |steps: Vec<(Action, bool)>, expected: &str| {
        let got = asked(&plan(EventKind::Queue, steps, 3));
        assert!(got.contains(expected), "no `{expected}` in {got}");
    };
    check(Vec::new(), "sss");
    check(vec![(ack(0), true), (retry(1, 30), true)], "ads");
    check(vec![(retry(1, 0), true), (retry(2, 43_200), false)], "sry");
    check(vec![(ack(3), true), (ack(-1), true), (ack(2), true)], "xza");
    check(vec![(retry(0, -1), true), (retry(1, 43_201), true), (raise(), false)], "nlt");
    check(vec![(ack(1), true), (ack(0), true)], "in turn");
    check(vec![(ack(2), true), (raise(), false)], "in turn");
    check(vec![(ack(4), true)], "no letter");
    check(vec![(ack(3), false)], "no letter");
    check(vec![(raise(), true)], "no letter");
    check(vec![(send("PAGE_QUEUE"), true)], "no letter");
    check(vec![(Action::ReadBatch, false)], "read");
    check(vec![(Action::ReadBatch, true), (ack(0), true)], "no letter");
}

/// What is seen when the app answers every event with this.
fn seen(plan: &EventPlan, raws: &[Value]) -> Result<Observation, Fault> {
    let mut raws = raws.iter();
    let next =
        std::cell::RefCell::new(move || RawEvent::deserialize(raws.next().unwrap()).unwrap());
    Yuyan::new(&[]).run(plan, Profile::default(), |_| Ok((next.borrow_mut())()))
}

#[test]
fn answers_are_outcomes() {
    let plan = plan(EventKind::Fetch, vec![(send("PAGE_QUEUE"), true)], 0);
    let check = |status: u16, body: &str| {
        let raw = json!({ "response": { "status": status, "body": body } });
        seen(&plan, &[raw]).map(|mut seen| (seen.outcomes.remove(0), seen.end))
    };
    let returned = Outcome::Returned { value: None };
    assert_eq!(check(200, "成功"), Ok((returned, End::Fulfilled)));
    let threw = Outcome::Threw { message: "甲".to_owned() };
    assert_eq!(check(400, "失败：甲"), Ok((threw, End::Fulfilled)));
    for (status, body) in [(200, "失败：甲"), (400, "成功"), (500, "x"), (200, "")] {
        assert!(matches!(check(status, body), Err(Fault::Crashed(_))), "{status} {body}");
    }
    let thrown = json!({ "thrown": { "name": "Error", "message": "未授权" } });
    assert_eq!(seen(&plan, &[thrown]).unwrap().end, End::Aborted("未授权".to_owned()));
}

#[test]
fn what_is_printed_is_what_was_read() {
    let read = |caught| plan(EventKind::Queue, vec![(Action::ReadBatch, caught)], 1);
    let ok = |console: &str| json!({ "console": console, "result": { "outcome": "ok" } });
    let thrown = json!({ "thrown": { "name": "Error", "message": "丙" },
        "result": { "outcome": "exception" } });
    let printed = ok("{\"queue\":\"log:甲\",\"messages\":[\"log:甲\"]}\n");
    let value = Some("{\"queue\":\"甲\",\"messages\":[\"log:甲\"]}".to_owned());
    let seen_of = |caught, raws: &[Value]| {
        let mut seen = seen(&read(caught), raws).unwrap();
        (seen.outcomes.remove(0), seen.end)
    };
    assert_eq!(seen_of(true, &[printed]), (Outcome::Returned { value }, End::Fulfilled));
    let threw = Outcome::Threw { message: "乙".to_owned() };
    let both = [thrown.clone(), ok("捕获：乙\n")];
    assert_eq!(seen_of(true, &both), (threw.clone(), End::Fulfilled));
    assert_eq!(seen_of(false, &both), (threw, End::Rejected("丙".to_owned())));
    let aborted = Outcome::Aborted { reason: "丙".to_owned() };
    assert_eq!(seen_of(true, &[thrown.clone(), thrown]), (aborted, End::Aborted("丙".to_owned())));
}

#[test]
fn acts_show_as_calls_and_as_lines() {
    let steps = vec![(ack(0), true), (ack(4), true), (retry(2, 30), true), (raise(), false)];
    let plan = plan(EventKind::Queue, steps, 4);
    let raw = json!({
        "console": "捕获：越界\n",
        "calls": [
            { "method": "ack", "message": 0 },
            { "method": "retry", "message": 2, "options": "{\"delaySeconds\":30}" },
        ],
        "thrown": { "name": "Error", "message": "试验异常" },
        "result": { "outcome": "exception", "explicitAcks": ["m0"],
            "retryMessages": [{ "msgId": "m2", "delaySeconds": 30 }] },
    });
    let seen = seen(&plan, &[raw]).unwrap();
    let returned = Outcome::Returned { value: None };
    let threw = |message: &str| Outcome::Threw { message: message.to_owned() };
    assert_eq!(seen.outcomes, [returned.clone(), threw("越界"), returned, threw("坏")]);
    assert_eq!(seen.end, End::Rejected("试验异常".to_owned()));
}

/// An act that was not to throw, but did.
#[test]
fn an_act_without_a_call_has_thrown() {
    let steps = vec![(ack(0), true), (ack(1), true), (ack(2), true)];
    let plan = plan(EventKind::Queue, steps, 3);
    let raw = json!({
        "calls": [{ "method": "ack", "message": 0 }],
        "thrown": { "name": "Error", "message": "坏" },
        "result": { "outcome": "exception", "explicitAcks": ["m0"] },
    });
    let seen = seen(&plan, &[raw]).unwrap();
    let threw = Outcome::Threw { message: "坏".to_owned() };
    let returned = Outcome::Returned { value: None };
    assert_eq!(seen.outcomes, [returned, threw, Outcome::NotReached]);
}
