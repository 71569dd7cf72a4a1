use std::sync::Arc;

use duipai_spec::event::Call;

use super::{check_fails, check_passes, verdict};
use crate::{
    case::{ExactText, ExpectedCall, ExpectedItem},
    judge::Verdict,
    sample::{case_of, expectation, expected_send, observation, sent},
    sha256,
};

fn check_calls(expected: Vec<ExpectedCall>, got: Vec<Call>, lines: &[&str]) {
    let case = case_of(Vec::new(), expectation(Vec::new(), expected));
    let seen = observation(Vec::new(), got);
    if lines.is_empty() {
        check_passes(&case, &seen, None);
    } else {
        check_fails(&case, &seen, lines);
    }
}

#[test]
fn a_call_too_many_or_too_few_is_one_difference() {
    let ack = |message| ExpectedCall::Ack { message };
    let acked = |message| Call::Ack { message };
    check_calls(vec![ack(0), ack(1)], vec![acked(0), acked(1)], &[]);
    check_calls(
        vec![ack(0), ack(1), ack(2)],
        vec![acked(0), acked(2)],
        &["call 2: expected ack of message 1, got no such call"],
    );
    check_calls(
        vec![ack(0), ack(2)],
        vec![acked(0), acked(1), acked(2)],
        &["call 2: expected no such call, got ack of message 1"],
    );
    check_calls(Vec::new(), vec![Call::AckAll], &["call 1: expected no such call, got ackAll"]);
    check_calls(
        vec![ack(0)],
        vec![Call::RetryAll { options: None }, Call::AckAll],
        &[
            "call 1: expected ack of message 0, got retryAll",
            "call 2: expected no such call, got ackAll",
        ],
    );
    check_calls(
        vec![ack(0)],
        vec![acked(1)],
        &["call 1: expected ack of message 0, got ack of message 1"],
    );
}

#[test]
fn the_order_of_calls_counts() {
    let expected = vec![
        ExpectedCall::Ack { message: 0 },
        ExpectedCall::Retry { message: 1, options: None },
        ExpectedCall::Ack { message: 2 },
    ];
    let got = vec![
        Call::Ack { message: 0 },
        Call::Ack { message: 2 },
        Call::Retry { message: 1, options: None },
    ];
    check_calls(
        expected,
        got,
        &["order of calls, call 2: expected retry of message 1, got ack of message 2"],
    );
}

#[test]
fn send_takes_a_body_and_options() {
    let check = |arguments: &str, lines: &[&str]| {
        check_calls(vec![expected_send("{\"a\":1}")], vec![sent(arguments)], lines);
    };
    check(r#"[{"a":1},{"contentType":"json"}]"#, &[]);
    check(
        r#"[{"a":1.0},{"contentType":"json"}]"#,
        &["call 1 (send): expected `[{\"a\":1},{\"contentType\":\"json\"}]`, \
           got `[{\"a\":1.0},{\"contentType\":\"json\"}]` (at byte 7: U+007D } against U+002E .)"],
    );
    check(
        r#"[{"a":2},{"contentType":"json"}]"#,
        &["call 1 (send): expected `{\"a\":1}`, got `{\"a\":2}` \
           (at byte 5: U+0031 1 against U+0032 2)"],
    );
    check(
        r##"[{"a":{"#nan":true}},{"contentType":"json"}]"##,
        &["call 1 (send): expected `{\"a\":1}`, got `{\"a\":{\"#nan\":true}}` \
           (at byte 5: U+0031 1 against U+007B {)"],
    );
    check(
        r#"[{"a":1},{"contentType":"json","delaySeconds":0}]"#,
        &["call 1 (send) fields at $.delaySeconds: expected nothing, got `0`"],
    );
    check(
        r#"[{"a":1},{"contentType":"text"}]"#,
        &["call 1 (send) fields at $.contentType: expected `\"json\"`, got `\"text\"`"],
    );
    check(
        r#"[{"a":1},{}]"#,
        &["call 1 (send) fields at $.contentType: expected `\"json\"`, got nothing"],
    );
    check(r#"[{"a":1}]"#, &["call 1 (send): expected 2 arguments, got 1 argument: `[{\"a\":1}]`"]);
    check("nonsense", &["call 1 (send): expected a JSON array, got `nonsense`"]);
    let other = Call::Send { binding: String::from("OTHER"), arguments: String::from("[]") };
    check_calls(
        vec![expected_send("1")],
        vec![other],
        &["call 1: expected send on `PAGE_QUEUE` with `[1,{\"contentType\":\"json\"}]`, \
           got send on `OTHER` with `[]`"],
    );
    let batch =
        Call::SendBatch { binding: String::from("PAGE_QUEUE"), arguments: String::from("[[]]") };
    check_calls(
        vec![expected_send("1")],
        vec![batch],
        &["call 1: expected send on `PAGE_QUEUE` with `[1,{\"contentType\":\"json\"}]`, \
           got sendBatch on `PAGE_QUEUE` with `[[]]`"],
    );
}

#[test]
fn options_may_stand_in_any_order() {
    let expected = ExpectedCall::Send {
        binding: String::from("PAGE_QUEUE"),
        body: Arc::from("1"),
        options: String::from(r#"{"contentType":"json","delaySeconds":5}"#),
    };
    check_calls(vec![expected], vec![sent(r#"[1,{"delaySeconds":5,"contentType":"json"}]"#)], &[]);
}

#[test]
fn send_batch_takes_exactly_the_items() {
    let check = |arguments: &str, lines: &[&str]| {
        let items = vec![
            ExpectedItem { body: Arc::from(r#""],[{""#), delay: None },
            ExpectedItem { body: Arc::from("2"), delay: Some(5) },
        ];
        let binding = || String::from("Q");
        let expected = ExpectedCall::SendBatch { binding: binding(), items };
        let got = Call::SendBatch { binding: binding(), arguments: arguments.to_owned() };
        check_calls(vec![expected], vec![got], lines);
    };
    let first = r#"{"body":"],[{","contentType":"json"}"#;
    let second = r#"{"body":2,"contentType":"json","delaySeconds":5}"#;
    check(&format!("[[{first},{second}]]"), &[]);
    check(
        &format!("[[{first},{second}],{{}}]"),
        &["call 1 (sendBatch): expected 1 argument, got 2 arguments: \
           92 bytes sha256:fcf2222aad51 `[[{\"body\":\"],[{\",\"contentType\"…`"],
    );
    check(
        &format!("[[{first}]]"),
        &[
            "call 1 (sendBatch): expected 2 items, got 1 item: `[{\"body\":\"],[{\",\"contentType\":\"json\"}]`",
        ],
    );
    check("[{}]", &["call 1 (sendBatch): expected a JSON array, got `{}`"]);
    check(
        &format!("[[{first},7]]"),
        &["call 1 (sendBatch) item 2: expected an object with a body, got `7`"],
    );
    check(
        &format!("[[{first},{}]]", second.replace(":5", ":6")),
        &["call 1 (sendBatch) item 2 fields at $.delaySeconds: expected `5`, got `6`"],
    );
    check(
        &format!("[[{first},{}]]", second.replace(",\"delaySeconds\":5", "")),
        &["call 1 (sendBatch) item 2 fields at $.delaySeconds: expected `5`, got nothing"],
    );
    check(
        &format!("[[{},{second}]]", first.replace("\"json\"", "\"json\",\"delaySeconds\":0")),
        &["call 1 (sendBatch) item 1 fields at $.delaySeconds: expected nothing, got `0`"],
    );
    check(
        &format!("[[{first},{}]]", second.replace(":2,", ":\"2\",")),
        &["call 1 (sendBatch) item 2: expected `2`, got `\"2\"` \
         (at byte 0: U+0032 2 against U+0022 \")"],
    );
}

#[test]
fn retry_without_an_argument_is_not_retry_with_one() {
    let check = |expected: Option<&str>, got: Option<&str>, lines: &[&str]| {
        let expected = ExpectedCall::Retry { message: 0, options: expected.map(str::to_owned) };
        let got = Call::Retry { message: 0, options: got.map(str::to_owned) };
        check_calls(vec![expected], vec![got], lines);
    };
    let zero = r#"{"delaySeconds":0}"#;
    check(None, None, &[]);
    check(Some(zero), Some(zero), &[]);
    check(None, Some(zero), &["call 1 (retry): expected no argument, got `{\"delaySeconds\":0}`"]);
    check(Some(zero), None, &["call 1 (retry): expected `{\"delaySeconds\":0}`, got no argument"]);
    check(
        Some(r#"{"delaySeconds":30}"#),
        Some(r#"{"delaySeconds":30000}"#),
        &["call 1 (retry) fields at $.delaySeconds: expected `30`, got `30000`"],
    );
}

#[test]
fn exact_arguments_are_compared_as_text_or_by_digest() {
    let check = |arguments: ExactText, got: &str, lines: &[&str]| {
        let method = String::from("send");
        let binding = String::from("PAGE_QUEUE");
        check_calls(
            vec![ExpectedCall::Exact { method, binding, arguments }],
            vec![sent(got)],
            lines,
        );
    };
    check(ExactText::Text(Arc::from("[1]")), "[1]", &[]);
    check(
        ExactText::Text(Arc::from("[1]")),
        "[2]",
        &["call 1 (send): expected `[1]`, got `[2]` (at byte 1: U+0031 1 against U+0032 2)"],
    );
    let digest = || ExactText::Digest { sha256: sha256::hex("[1]"), bytes: 3 };
    check(digest(), "[1]", &[]);
    check(digest(), "[2]", &["call 1 (send): expected 3 bytes sha256:080a9ed42855…, got `[2]`"]);
    check(
        ExactText::Digest { sha256: sha256::hex("[1]"), bytes: 4 },
        "[1]",
        &["call 1 (send): expected 4 bytes sha256:080a9ed42855…, got `[1]`"],
    );
}

/// Two payloads that only a digest tells apart are two outcomes.
#[test]
fn calls_are_named_with_their_arguments() {
    let text = |last: &str| format!("[\"{}{last}\",{{\"contentType\":\"json\"}}]", "x".repeat(500));
    let lines = |expected: Vec<ExpectedCall>, got: Vec<Call>| {
        let case = case_of(Vec::new(), expectation(Vec::new(), expected));
        match verdict(&case, &[observation(Vec::new(), got)]) {
            Verdict::Failed(differences) => differences.to_string(),
            Verdict::Passed { .. } => panic!("passed"),
        }
    };
    let extra = |last: &str| lines(Vec::new(), vec![sent(&text(last))]);
    assert_ne!(extra("a"), extra("b"));
    let start = "call 1: expected no such call, got send on `PAGE_QUEUE` with 528 bytes sha256:";
    assert!(extra("a").starts_with(start), "{}", extra("a"));

    let body = |last: &str| format!("\"{}{last}\"", "x".repeat(500));
    let missing = |last: &str| lines(vec![expected_send(&body(last))], Vec::new());
    assert_ne!(missing("a"), missing("b"));
    // Of the same text, the same digest.
    let seen = extra("a").replace("no such call, got ", "");
    assert_eq!(missing("a"), format!("{seen}, got no such call"));

    let items = vec![ExpectedItem { body: Arc::from("1"), delay: Some(5) }];
    assert_eq!(
        lines(
            vec![ExpectedCall::SendBatch { binding: String::from("Q"), items }],
            vec![Call::RetryAll { options: Some(String::from("{\"delaySeconds\":1}")) }],
        ),
        "call 1: expected sendBatch on `Q` with 52 bytes sha256:95d08930e613 \
         `[[{\"body\":1,\"contentType\":\"jso…`, got retryAll with `{\"delaySeconds\":1}`",
    );
    let order = |last: &str| {
        lines(
            vec![ExpectedCall::Ack { message: 0 }, expected_send(&body(last))],
            vec![sent(&text(last)), Call::Ack { message: 0 }],
        )
    };
    assert_ne!(order("a"), order("b"));
}

#[test]
fn a_key_that_is_there_twice_is_a_difference() {
    let expected = || vec![expected_send("1")];
    let line = "call 1 (send): expected `[1,{\"contentType\":\"json\"}]`, \
        got `[1,{\"contentType\":\"text\",\"contentType\":\"json\"}]` \
        (at byte 19: U+006A j against U+0074 t)";
    let options = r#"[1,{"contentType":"text","contentType":"json"}]"#;
    check_calls(expected(), vec![sent(options)], &[line]);

    let items = vec![ExpectedItem { body: Arc::from("1"), delay: None }];
    let binding = || String::from("Q");
    let expected = vec![ExpectedCall::SendBatch { binding: binding(), items }];
    let arguments = String::from(r#"[[{"body":2,"body":1,"contentType":"json"}]]"#);
    let got = vec![Call::SendBatch { binding: binding(), arguments }];
    check_calls(
        expected,
        got,
        &["call 1 (sendBatch): expected `[[{\"body\":1,\"contentType\":\"json\"}]]`, \
           got `[[{\"body\":2,\"body\":1,\"contentType\":\"json\"}]]` \
           (at byte 10: U+0031 1 against U+0032 2)"],
    );

    let retry = |options: &str| Some(options.to_owned());
    check_calls(
        vec![ExpectedCall::Retry { message: 0, options: retry(r#"{"delaySeconds":5}"#) }],
        vec![Call::Retry { message: 0, options: retry(r#"{"delaySeconds":9,"delaySeconds":5}"#) }],
        &["call 1 (retry): expected `{\"delaySeconds\":5}`, \
           got `{\"delaySeconds\":9,\"delaySeconds\":5}`"],
    );
}

#[test]
fn large_and_deep_arguments_are_compared_without_a_deep_stack() {
    let deep = "[".repeat(500_000) + &"]".repeat(500_000);
    let arguments = |options: &str| format!("[{deep},{options}]");
    let check = |options: &str, lines: &[&str]| {
        check_calls(vec![expected_send(&deep)], vec![sent(&arguments(options))], lines);
    };
    check(r#"{"contentType":"json"}"#, &[]);
    check(
        r#"{"contentType":"text"}"#,
        &["call 1 (send) fields at $.contentType: expected `\"json\"`, got `\"text\"`"],
    );
}
