//! What is refused, and with which field.

use super::*;
use crate::scenario::{Message, Producer};

fn draft() -> Draft {
    let jobs = QueueConfig { consumer: Some(Consumer::default()), ..QueueConfig::default() };
    Draft {
        queues: BTreeMap::from([("jobs".into(), jobs)]),
        inputs: vec![Input {
            at: 5,
            queue: "jobs".into(),
            call: Producer::Send(Message::new("a")),
        }],
        until: 10,
        ..Draft::default()
    }
}

fn refused(change: impl FnOnce(&mut Draft)) -> String {
    let mut draft = draft();
    change(&mut draft);
    Scenario::new(draft).unwrap_err().to_string()
}

fn consumer_with(change: impl FnOnce(&mut Consumer)) -> String {
    refused(|draft| {
        let queue = draft.queues.get_mut("jobs").unwrap();
        change(queue.consumer.as_mut().unwrap());
    })
}

#[test]
fn settings_out_of_range_are_named() {
    let expect = |text: String, field: &str, problem: &str| {
        assert_eq!(text, format!("queues.jobs.{field}: {problem}"));
    };
    let size = |size| consumer_with(|consumer| consumer.max_batch_size = Some(size));
    expect(size(0), "consumer.max_batch_size", "must be 1 to 100, not 0");
    expect(size(101), "consumer.max_batch_size", "must be 1 to 100, not 101");
    let text = consumer_with(|consumer| consumer.max_batch_timeout = Some(61));
    expect(text, "consumer.max_batch_timeout", "must be 0 to 60, not 61");
    let text = consumer_with(|consumer| consumer.max_retries = Some(101));
    expect(text, "consumer.max_retries", "must be 0 to 100, not 101");
    let text = consumer_with(|consumer| consumer.retry_delay = Some(86_401));
    expect(text, "consumer.retry_delay", "must be 0 to 86400, not 86401");
    let text = consumer_with(|consumer| consumer.max_concurrency = Some(0));
    expect(text, "consumer.max_concurrency", "must be 1 to 250, not 0");
    let delay = |draft: &mut Draft| {
        draft.queues.get_mut("jobs").unwrap().delivery_delay = Some(86_401);
    };
    expect(refused(delay), "delivery_delay", "must be 0 to 86400, not 86401");
    let retention = |draft: &mut Draft| {
        draft.queues.get_mut("jobs").unwrap().message_retention_period = Some(59);
    };
    let problem = "must be 60 to 1209600, not 59";
    expect(refused(retention), "message_retention_period", problem);
}

#[test]
fn dead_letters_must_not_go_in_a_circle() {
    let field = "queues.jobs.consumer.dead_letter_queue";
    let problem = "dead letters must not come back to the queue \"jobs\"";
    let dead = |name: &str| Some(String::from(name));
    let own = consumer_with(|consumer| consumer.dead_letter_queue = dead("jobs"));
    assert_eq!(own, format!("{field}: {problem}"));
    let two = refused(|draft| {
        let mut back = draft.queues["jobs"].clone();
        back.consumer.as_mut().unwrap().dead_letter_queue = dead("jobs");
        let jobs = draft.queues.get_mut("jobs").unwrap();
        jobs.consumer.as_mut().unwrap().dead_letter_queue = dead("worse");
        draft.queues.insert("worse".into(), back);
    });
    assert_eq!(two, format!("{field}: {problem}"));
}

#[test]
fn inputs_are_in_time_and_for_queues_that_exist() {
    let text = refused(|draft| draft.until = 4);
    assert_eq!(text, "inputs.0.at: must be at most 4, not 5");
    let text = refused(|draft| draft.inputs[0].queue = "nowhere".into());
    assert_eq!(text, "inputs.0.queue: no queue \"nowhere\" is configured");
    let text = refused(|draft| {
        draft.inputs.push(draft.inputs[0].clone());
    });
    assert_eq!(text, "inputs.1.messages.0.label: another message is called \"a\" too");
    let text = refused(|draft| {
        draft.inputs.push(draft.inputs[0].clone());
        draft.inputs[1].at = 4;
    });
    assert_eq!(text, "inputs.1.at: must not be before the input in front of it, at 5");
}

#[test]
fn what_would_never_end_is_refused() {
    let text = refused(|draft| {
        let jobs = draft.queues.get_mut("jobs").unwrap();
        jobs.consumer.as_mut().unwrap().max_retries = Some(100);
        draft.inputs = (0..20_000)
            .map(|at| Input {
                at: 0,
                queue: "jobs".into(),
                call: Producer::Send(Message::new(at.to_string())),
            })
            .collect();
    });
    assert_eq!(text, "inputs (deliveries at worst): must be at most 2000000, not 2000002");
    let text = refused(|draft| draft.until = MAX_UNTIL + 1);
    assert_eq!(text, "until: must be at most 5184000000, not 5184000001");
    let text = refused(|draft| {
        let rule = Rule { actions: vec![Action::Throw; 256], ..Rule::default() };
        draft.handlers.insert("jobs".into(), Script { rules: vec![rule] });
    });
    assert_eq!(text, "handlers.jobs.rules (actions): must be at most 256, not 257");
}

#[test]
fn bodies_are_json_text() {
    let body = |text: &str| {
        let text = String::from(text);
        refused(|draft| {
            let mut message = Message::new("a");
            message.body = Some(Body::Json(text));
            draft.inputs[0].call = Producer::Send(message);
        })
    };
    let field = "inputs.0.messages.0.body";
    let problem = "no JSON text: Unexpected end of JSON input";
    assert_eq!(body("{"), format!("{field}: {problem}"));
    assert_eq!(body(&"[".repeat(1_000_000)), format!("{field}: {problem}"));
}

#[test]
fn handlers_are_for_consumers() {
    let text = refused(|draft| {
        draft.handlers.insert("other".into(), Script::default());
    });
    assert_eq!(text, "handlers.other: no queue of this name has a consumer");
}

#[test]
fn a_draft_that_keeps_to_it_is_a_scenario() {
    let scenario = Scenario::new(draft()).unwrap();
    assert_eq!(scenario.clone().into_draft(), draft());
    assert_eq!(scenario.until(), 10);
}
