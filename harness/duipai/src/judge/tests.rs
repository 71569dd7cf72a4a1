mod calls;

use std::sync::Arc;

use duipai_platform::{Profile, Redelivery};
use duipai_spec::event::{Call, End};

use super::*;
use crate::{
    case::{After, Basis, ExpectedMessage, ExpectedOutcome},
    observation::Outcome,
    plan::Action,
    sample::*,
};

fn verdict(case: &Case, seen: &[Observation]) -> Verdict {
    let run: Vec<_> = case.events.iter().map(|event| event.plan.clone()).collect();
    judge(&run, case, seen, Profile::Cloudflare)
}

fn check_passes(case: &Case, seen: &Observation, behaviour: Option<&str>) {
    let expected = Verdict::Passed { behaviour: behaviour.map(str::to_owned) };
    assert_eq!(verdict(case, std::slice::from_ref(seen)), expected);
}

/// `lines` are all the differences.
fn check_fails(case: &Case, seen: &Observation, lines: &[&str]) {
    let Verdict::Failed(differences) = verdict(case, std::slice::from_ref(seen)) else {
        panic!("passed, but should differ by {lines:?}");
    };
    let found: Vec<_> = differences.iter().map(ToString::to_string).collect();
    assert_eq!(found, lines);
    assert_eq!(differences.to_string(), lines.join("; "));
}

fn check_outcome(op: Action, expected: ExpectedOutcome, got: Outcome, lines: &[&str]) {
    let case = case_of(vec![step(op)], expectation(vec![expected], Vec::new()));
    let seen = observation(vec![got], Vec::new());
    if lines.is_empty() {
        check_passes(&case, &seen, None);
    } else {
        check_fails(&case, &seen, lines);
    }
}

fn ack() -> Action {
    Action::Ack { index: 0 }
}

#[test]
fn what_is_asked_for_passes() {
    check_passes(&case("a"), &seen(), None);
}

#[test]
fn kinds_of_outcome_are_never_confused() {
    let kinds: [(ExpectedOutcome, Outcome, &str, &str); 4] = [
        (
            ExpectedOutcome::Returned,
            returned(),
            "returned without a value",
            "returned without a value",
        ),
        (throws("坏"), threw("坏"), "threw `坏`", "threw `坏`"),
        (ExpectedOutcome::Aborted, aborted("坏"), "aborted", "aborted with `坏`"),
        (ExpectedOutcome::NotReached, Outcome::NotReached, "not reached", "not reached"),
    ];
    for (at, (expected, _, expected_name, _)) in kinds.iter().enumerate() {
        for (other, (_, got, _, got_name)) in kinds.iter().enumerate() {
            let line = format!("step 1 (ack): expected {expected_name}, got {got_name}");
            let lines: &[&str] = if at == other { &[] } else { &[&line] };
            check_outcome(ack(), expected.clone(), got.clone(), lines);
        }
    }
}

#[test]
fn only_read_batch_has_a_result() {
    check_outcome(Action::ReadBatch, ExpectedOutcome::Returned, returned_text("{}"), &[]);
    check_outcome(
        Action::ReadBatch,
        ExpectedOutcome::Returned,
        returned(),
        &["step 1 (read-batch): expected returned with a text, got returned without a value"],
    );
    check_outcome(
        ack(),
        ExpectedOutcome::Returned,
        returned_text("ok"),
        &["step 1 (ack): expected returned without a value, got returned with `ok`"],
    );
}

#[test]
fn messages_are_compared_by_code_point() {
    check_outcome(
        ack(),
        throws("队列发送失败：满"),
        threw("队列发送失败:满"),
        &["step 1 (ack) message: expected `队列发送失败：满`, got `队列发送失败:满` \
           (at byte 18: U+FF1A ： against U+003A :)"],
    );
    // The same look in two normal forms.
    check_outcome(
        ack(),
        throws("\u{e9}"),
        threw("e\u{301}"),
        &["step 1 (ack) message: expected `é`, got `e\\u{301}` \
           (at byte 0: U+00E9 é against U+0065 e)"],
    );
}

#[test]
fn a_prefix_leaves_the_rest_free() {
    let prefix = || {
        ExpectedOutcome::Threw(ExpectedMessage::Prefix {
            prefix: String::from("失败："),
            reason: String::from("the platform's own text"),
        })
    };
    check_outcome(ack(), prefix(), threw("失败：任意"), &[]);
    check_outcome(ack(), prefix(), threw("失败："), &[]);
    check_outcome(
        ack(),
        prefix(),
        threw("失败:任意"),
        &["step 1 (ack) beginning of message: expected `失败：`, got `失败:` \
           (at byte 6: U+FF1A ： against U+003A :)"],
    );
    check_outcome(
        ack(),
        prefix(),
        threw("失"),
        &["step 1 (ack) beginning of message: expected `失败：`, got `失` \
           (at byte 3: U+8D25 败 against the end)"],
    );
    let any = ExpectedOutcome::Threw(ExpectedMessage::Any { reason: String::from("open") });
    check_outcome(ack(), any.clone(), threw("不行"), &[]);
    check_outcome(
        ack(),
        any.clone(),
        threw(""),
        &["step 1 (ack): expected threw an explanation of the fault in Chinese, \
           got threw an empty message: ``"],
    );
    check_outcome(ack(), any, aborted(""), &["step 1 (ack): expected threw, got aborted with ``"]);
}

#[test]
fn one_of_several_messages_is_the_behaviour() {
    let messages = vec![String::from("太大"), String::from("太深")];
    let any_of = ExpectedOutcome::Threw(ExpectedMessage::AnyOf(messages));
    let case = case_of(vec![step(ack())], expectation(vec![any_of], Vec::new()));
    check_passes(&case, &observation(vec![threw("太深")], Vec::new()), Some("太深"));
    check_fails(
        &case,
        &observation(vec![threw("太浅")], Vec::new()),
        &["step 1 (ack) message: expected `太大` or one of 1 more, got `太浅` \
           (at byte 3: U+5927 大 against U+6D45 浅)"],
    );
}

#[test]
fn returned_texts_are_compared_byte_for_byte() {
    let text = || ExpectedOutcome::ReturnedText(Arc::from("{\"a\":1}"));
    check_outcome(Action::ReadBatch, text(), returned_text("{\"a\":1}"), &[]);
    check_outcome(
        Action::ReadBatch,
        text(),
        returned_text("{\"a\": 1}"),
        &["step 1 (read-batch) text: expected `{\"a\":1}`, got `{\"a\": 1}` \
           (at byte 5: U+0031 1 against U+0020 space)"],
    );
    check_outcome(
        Action::ReadBatch,
        text(),
        returned(),
        &["step 1 (read-batch): expected returned with a text, got returned without a value"],
    );
}

#[test]
fn returned_json_is_compared_by_value() {
    let json = |expected: &str, got: &str, lines: &[&str]| {
        let expected = ExpectedOutcome::ReturnedJson(Arc::from(expected));
        check_outcome(Action::ReadBatch, expected, returned_text(got), lines);
    };
    json(r#"{"a":1,"b":"é"}"#, r#" {"b":"\u00e9", "a":1.0} "#, &[]);
    json(r#""\ud800""#, r#" "\uD800" "#, &[]);
    json(r#"[10000000000000000000]"#, "[1e19]", &[]);
    json(
        r#"{"m":[{"id":"x"}]}"#,
        r#"{"m":[{"id":"y"}]}"#,
        &["step 1 (read-batch) value at $.m[0].id: expected `\"x\"`, got `\"y\"`"],
    );
    json(
        r#"{"m":[1,2]}"#,
        r#"{"m":[1]}"#,
        &["step 1 (read-batch) value at $.m[1]: expected `2`, got nothing"],
    );
    json("{}", r#"{"x":0}"#, &["step 1 (read-batch) value at $.x: expected nothing, got `0`"]);
    json(r#"{"x":0}"#, "{}", &["step 1 (read-batch) value at $.x: expected `0`, got nothing"]);
    json("0", "-0", &["step 1 (read-batch) value at $: expected `0`, got `-0`"]);
    json("[]", "{}", &["step 1 (read-batch) value at $: expected `[]`, got `{}`"]);
    json("1", "\"1\"", &["step 1 (read-batch) value at $: expected `1`, got `\"1\"`"]);
    json(
        r#""\ud800""#,
        r#""\ud801""#,
        &[r#"step 1 (read-batch) value at $: expected `"\\ud800"`, got `"\\ud801"`"#],
    );
    json("1", "1 2", &["step 1 (read-batch) value: expected JSON, got `1 2`"]);
    json("1", "[1e999", &["step 1 (read-batch) value: expected JSON, got `[1e999`"]);
}

#[test]
fn deep_texts_are_compared_without_a_deep_stack() {
    let deep = |inner: &str| "[".repeat(100_000) + inner + &"]".repeat(100_000);
    let expected = ExpectedOutcome::ReturnedJson(Arc::from("[[1]]"));
    let case = case_of(vec![step(Action::ReadBatch)], expectation(vec![expected], Vec::new()));
    let seen = observation(vec![returned_text(&deep("1"))], Vec::new());
    let Verdict::Failed(differences) = verdict(&case, &[seen]) else { panic!("passed") };
    let line = differences.to_string();
    assert!(line.starts_with("step 1 (read-batch) value at $[0][0]: expected `1`, got "), "{line}");
}

#[test]
fn the_batch_is_computed_from_the_plan() {
    let expectation = expectation(vec![ExpectedOutcome::ReturnedBatch], Vec::new());
    let mut case = case_of(vec![step(Action::ReadBatch)], expectation);
    // The second body is what the platform delivers, not what a package writes.
    case.events[0].plan.batch = Some(batch(&["{\"a\":[1.50]}", "-0"]));
    let text = |second: &str| {
        format!(
            r#"{{"queue":"q","messages":[
                {{"id":"m0","attempts":1,"timestamp":1767323045678,"body":{{"a":[1.5]}}}},
                {second}]}}"#
        )
    };
    let seen = |second: &str| observation(vec![returned_text(&text(second))], Vec::new());
    let m1 = r#"{"body":0,"id":"m1","attempts":1,"timestamp":1767323045678}"#;
    check_passes(&case, &seen(m1), None);
    check_fails(
        &case,
        &seen(&m1.replace("5678", "5679")),
        &["step 1 (read-batch) value at $.messages[1].timestamp: \
           expected `1767323045678`, got `1767323045679`"],
    );
    check_fails(
        &case,
        &seen(&m1.replace(":1,", ":2,")),
        &["step 1 (read-batch) value at $.messages[1].attempts: expected `1`, got `2`"],
    );
}

#[test]
fn ends_are_never_confused() {
    let ends = [
        (ExpectedEnd::Fulfilled, End::Fulfilled, "fulfilled", "fulfilled"),
        (
            ExpectedEnd::Rejected,
            End::Rejected(String::from("坏")),
            "rejected",
            "rejected with `坏`",
        ),
        (ExpectedEnd::Aborted, End::Aborted(String::from("坏")), "aborted", "aborted with `坏`"),
    ];
    for (expected, _, expected_name, _) in &ends {
        for (_, got, got_kind, got_name) in &ends {
            let expectation = Expectation { end: *expected, ..expectation(Vec::new(), Vec::new()) };
            let case = case_of(Vec::new(), expectation);
            let seen = Observation { end: got.clone(), ..observation(Vec::new(), Vec::new()) };
            if expected_name == got_kind {
                check_passes(&case, &seen, None);
            } else {
                let line = format!("end of event: expected {expected_name}, got {got_name}");
                check_fails(&case, &seen, &[&line]);
            }
        }
    }
}

#[test]
fn redelivery_is_judged_for_the_named_profile() {
    let again = |attempts| vec![Redelivery { message: 0, attempts, delay: Some(30) }];
    let after = |profile| After { profile, basis: Basis::Documented, redelivered: again(2) };
    let case = |profile| {
        let after = vec![after(profile)];
        case_of(Vec::new(), Expectation { after, ..expectation(Vec::new(), Vec::new()) })
    };
    let seen = |redelivered| Observation { redelivered, ..observation(Vec::new(), Vec::new()) };
    let judged = case(Profile::Cloudflare);
    check_passes(&judged, &seen(Some(again(2))), None);
    check_fails(
        &judged,
        &seen(Some(again(1))),
        &["redelivery under cloudflare: expected message 0 attempts 2 delay 30 s, \
         got message 0 attempts 1 delay 30 s"],
    );
    check_fails(
        &judged,
        &seen(Some(Vec::new())),
        &["redelivery under cloudflare: expected message 0 attempts 2 delay 30 s, got nothing"],
    );
    check_fails(
        &judged,
        &seen(None),
        &["redelivery under cloudflare: expected message 0 attempts 2 delay 30 s, got not shown"],
    );
    check_passes(&case(Profile::Miniflare), &seen(None), None);
}

#[test]
fn counts_that_are_off_are_the_subjects_fault() {
    let line = "outcomes: expected 1 (one for each step), got 2";
    check_fails(&case("a"), &observation(vec![returned(), returned()], Vec::new()), &[line]);
    let Verdict::Failed(differences) = verdict(&case("a"), &[]) else { panic!("passed") };
    let line = "observations: expected 1 (one for each event), got 0";
    assert_eq!(differences.to_string(), line);
}

#[test]
fn the_first_permitted_behaviour_that_fits_is_named() {
    let mut case = case("a");
    let with = |behaviour: &str, outcome, calls| Expectation {
        behaviour: Some(behaviour.to_owned()),
        ..expectation(vec![outcome], calls)
    };
    case.events[0].permitted = vec![
        with("refuses", throws("不收"), Vec::new()),
        with("accepts", ExpectedOutcome::Returned, vec![expected_send("{\"a\":1}")]),
    ];
    check_passes(&case, &seen(), Some("accepts"));
    check_passes(&case, &observation(vec![threw("不收")], Vec::new()), Some("refuses"));
    check_fails(
        &case,
        &observation(vec![returned()], Vec::new()),
        &[
            "behaviour: expected one of refuses, accepts, got none of them; the nearest is refuses",
            "step 1 (send): expected threw `不收`, got returned without a value",
        ],
    );

    // Behaviours of several events are joined; differences name the event.
    case.events.push(case.events[0].clone());
    let refused = observation(vec![threw("不收")], Vec::new());
    let behaviour = Some(String::from("accepts; refuses"));
    assert_eq!(verdict(&case, &[seen(), refused]), Verdict::Passed { behaviour });
    let Verdict::Failed(differences) = verdict(&case, &[seen(), observation(vec![], vec![])])
    else {
        panic!("passed");
    };
    let line = "event 2, outcomes: expected 1 (one for each step), got 0";
    assert_eq!(differences.to_string(), line);
}

#[test]
fn lines_are_bounded_and_so_is_their_number() {
    let long = "\u{1}字".repeat(100_000);
    let acks: Vec<_> = (0..1000).map(|message| Call::Ack { message }).collect();
    let calls = std::iter::once(sent(&long)).chain(acks).collect();
    let case = case_of(vec![send("1")], expectation(vec![throws(&long)], Vec::new()));
    let seen = observation(vec![threw(&(long.clone() + "x"))], calls);
    let Verdict::Failed(differences) = verdict(&case, &[seen]) else { panic!("passed") };
    for difference in differences.iter() {
        let line = difference.to_string();
        assert!(line.chars().count() <= LINE_CHARS, "{line}");
        assert!(!line.contains(char::is_control), "{line:?}");
    }
    assert_eq!(differences.iter().count(), MOST + 1);
    let last = differences.iter().last().unwrap().to_string();
    let start = "differences: expected none, got 986 more sha256:";
    assert!(last.starts_with(start), "{last}");

    // What is folded is told apart.
    let folded = |last: u32| {
        let calls = (0..20).chain([last]).map(|message| Call::Ack { message }).collect();
        let case = case_of(Vec::new(), expectation(Vec::new(), Vec::new()));
        match verdict(&case, &[observation(Vec::new(), calls)]) {
            Verdict::Failed(differences) => differences.to_string(),
            Verdict::Passed { .. } => panic!("passed"),
        }
    };
    assert_ne!(folded(30), folded(31));
}

#[test]
fn a_line_that_is_cut_is_told_apart_by_its_digest() {
    let line = |last: &str| {
        let got = "字".repeat(LINE_CHARS) + last;
        let mismatch = Mismatch::End { expected: "fulfilled", got };
        Difference { event: None, mismatch }.to_string()
    };
    assert_eq!(line("a").chars().count(), LINE_CHARS);
    assert_ne!(line("a"), line("b"));
}
