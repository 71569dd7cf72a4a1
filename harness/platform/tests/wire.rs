//! Scenarios and histories as JSON, the form in which they reach a real platform.

#![cfg(feature = "serde")]

use duipai_platform::{History, Scenario};

const SCENARIO: &str = r#"{
  "queues": {
    "jobs": {
      "delivery_delay": 1,
      "consumer": {"max_batch_size": 3, "dead_letter_queue": "worse"}
    },
    "worse": {"consumer": {}}
  },
  "inputs": [
    {"at": 0, "queue": "jobs", "call": {"send": {"label": "a"}}},
    {"at": 5, "queue": "jobs", "call": {"send_batch": {
      "messages": [
        {"label": "b", "body": {"json": "{\"kind\":\"page\"}"}, "content_type": "json", "delay": 0},
        {"label": "c", "body": {"special": "function"}}
      ],
      "delay": 60
    }}}
  ],
  "handlers": {"jobs": {"rules": [
    {"label": "a", "attempts": 1, "actions": [
      {"call": {"retry": {"which": "these", "delay": 2}}},
      {"wait_until": {"after": 10, "rejects": true}}
    ]},
    {"invocation": 2, "actions": [
      {"call": {"ack": {"label": "b"}}}, {"call": "ack_all"}, {"sleep": 20}, "throw"
    ]}
  ]}},
  "until": 10000
}"#;

#[test]
fn a_scenario_survives_the_wire() {
    let scenario: Scenario = serde_json::from_str(SCENARIO).unwrap();
    let text = serde_json::to_string(&scenario).unwrap();
    assert_eq!(serde_json::from_str::<Scenario>(&text).unwrap(), scenario);
    assert_eq!(scenario.compatibility_date(), "2026-10-01");
    assert_eq!(scenario.queues()["jobs"].delivery_delay, Some(1));
    assert_eq!(scenario.handler("jobs").unwrap().rules.len(), 2);
}

#[test]
fn an_impossible_scenario_is_refused_by_its_field() {
    let text = SCENARIO.replace("\"max_batch_size\": 3", "\"max_batch_size\": 101");
    let error = serde_json::from_str::<Scenario>(&text).unwrap_err().to_string();
    assert_eq!(error, "queues.jobs.consumer.max_batch_size: must be 1 to 100, not 101");
}

#[test]
fn an_unknown_field_is_refused() {
    let text = SCENARIO.replace("max_batch_size", "max_batch_sise");
    let error = serde_json::from_str::<Scenario>(&text).unwrap_err().to_string();
    assert!(error.contains("unknown field `max_batch_sise`"), "{error}");
}

#[test]
fn a_history_survives_the_wire() {
    let text = r#"{
      "sends": [{"at": 0}, {"at": 5, "refused": {"name": "Error", "message": "Queue is full (10250)"}}],
      "deliveries": [{
        "at": 1000, "queue": "jobs", "invocation": 1,
        "messages": [{"label": "a", "id": "0f", "attempts": 1, "timestamp": 0, "body": "\"a\""}],
        "end": {"at": 1010, "outcome": "exception"}
      }]
    }"#;
    let history: History = serde_json::from_str(text).unwrap();
    let again = serde_json::to_string(&history).unwrap();
    assert_eq!(serde_json::from_str::<History>(&again).unwrap(), history);
    assert_eq!(history.inside, None);
    assert_eq!(history.sends[1].refused.as_ref().unwrap().message, "Queue is full (10250)");
}
