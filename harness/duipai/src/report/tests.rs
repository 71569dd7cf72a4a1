use std::{sync::Arc, time::Duration};

use duipai_spec::ledger::SentenceId;
use insta::assert_snapshot;
use proptest::prelude::*;

use super::{junit::Durations, pretty::Look, *};
use crate::{
    case::{Case, Edit, Pair},
    judge::{Verdict, judge},
    ledger::Said,
    observation::Observation,
    runner::{Ending, Rerun, RunLine},
    sample::*,
};

fn setting(enforced: Level) -> Setting {
    let digest = String::from("sha256:00ff");
    Setting {
        suite: SuiteId { version: String::from("0.1.0"), digest },
        identity: identity(),
        profile: Profile::Cloudflare,
        enforced,
    }
}

fn result(id: &str, level: Level, ending: Ending) -> CaseResult {
    let case = Case { level, ..case(id) };
    let rerun = Rerun::Run(RunLine::new("stub")).command(id);
    let result = CaseResult::new(&case, ending, rerun);
    CaseResult { elapsed: Duration::from_micros(1500), ..result }
}

fn failed(case: &Case, seen: &Observation) -> Ending {
    let run: Vec<_> = case.events.iter().map(|event| event.plan.clone()).collect();
    match judge(&run, case, std::slice::from_ref(seen), Profile::Cloudflare) {
        Verdict::Failed(differences) => Ending::Failed(differences),
        Verdict::Passed { .. } => panic!("passed"),
    }
}

fn passed() -> Ending {
    Ending::Passed { behaviour: None }
}

/// One ending of each kind.
fn endings() -> Vec<Ending> {
    let text = String::from;
    vec![
        passed(),
        Ending::Passed { behaviour: Some(text("太深")) },
        failed(&case("a"), &observation(vec![aborted("到点 <&> | \u{1}")], Vec::new())),
        Ending::Crashed { reason: text("panicked at a.rs:1: 坏") },
        Ending::TimedOut,
        Ending::Known { outcome: text("step 1 (send): x"), reason: text("fixed upstream") },
        Ending::DeviationGone { declared: text("x") },
        Ending::NotApplicable { reason: text("concurrent events: one at a time") },
        Ending::NotRun { reason: "the run stopped at a bad result" },
    ]
}

fn report_of(results: Vec<CaseResult>, enforced: Level) -> Report {
    Report::new(setting(enforced), results.len(), results).unwrap()
}

/// A report with every kind of ending, in two families.
fn full() -> Report {
    let results = endings().into_iter().enumerate().map(|(at, ending)| {
        let family = if at % 2 == 0 { "send" } else { "batch" };
        result(&format!("{family}.c{at}"), Level::Must, ending)
    });
    report_of(results.rev().collect(), Level::Must)
}

#[test]
fn markdown_shows_counts_and_what_is_worth_a_look() {
    assert_snapshot!(md::render(&full()));
}

#[test]
fn json_is_the_document_of_the_contract() {
    let text = json::render(&full()).unwrap();
    assert!(text.ends_with("}\n"));
    assert_snapshot!(text);
}

#[test]
fn junit_has_a_suite_for_each_family() {
    let text = junit::render(&full(), Durations::Omit).unwrap();
    assert_snapshot!(text);
    let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
    assert_eq!((read.tests, read.failures, read.errors), (9, 2, 3));
    assert!(!text.contains("time="));
    let timed = junit::render(&full(), Durations::Write).unwrap();
    assert!(timed.contains("time=\"0.002\"") || timed.contains("time=\"0.001\""), "{timed}");
}

#[test]
fn junit_skips_findings_below_the_enforced_level() {
    let case = case("send.a");
    let ending = failed(&case, &observation(vec![threw("坏")], Vec::new()));
    for (enforced, failures, skipped) in [(Level::Must, 0, 1), (Level::Should, 1, 0)] {
        let results = vec![result("send.a", Level::Should, ending.clone())];
        let text = junit::render(&report_of(results, enforced), Durations::Omit).unwrap();
        let read = quick_junit::Report::deserialize_from_str(&text).unwrap();
        assert_eq!((read.failures, read.test_suites[0].skipped), (failures, skipped));
    }
}

#[test]
fn a_failure_tells_people_everything() {
    let mut case = case("send.message");
    let prefix = "队列发送失败：";
    case.events[0].permitted = vec![expectation(vec![throws(&format!("{prefix}满"))], Vec::new())];
    case.pair = Some(Pair { with: String::from("send.twin"), edit: Edit::Bytes(1) });
    case.why = Some(String::from("the colon is a fullwidth one"));
    let seen = observation(vec![threw("队列发送失败:满")], seen().calls);
    let ending = failed(&case, &seen);
    let result = CaseResult {
        console: vec![String::from("第一行\n\u{1b}[31m第二行")],
        ..result("send.message", Level::Must, ending)
    };
    let said = |id: &SentenceId| {
        let text = String::from("the platform's text follows");
        (id.as_str() == "send.object").then_some(Said { level: Level::Must, text })
    };
    let look = |colour| Look { sentence: &said, colour };
    assert_snapshot!(pretty::failure(&result, &case, Level::Must, &look(false)));
    assert!(
        pretty::failure(&result, &case, Level::Must, &look(true))
            .contains("\u{1b}[1m\u{1b}[31mFAILED")
    );
}

#[test]
fn findings_are_not_called_failures() {
    let check = |ending: &Ending, enforced, expected: &str| {
        let result = result("a", Level::Should, ending.clone());
        assert_eq!(pretty::label(&result, enforced), expected);
        let look = Look { sentence: &|_| None, colour: false };
        let text = pretty::failure(&result, &case("a"), enforced, &look);
        assert!(text.starts_with(&format!("{expected} a  ")), "{text}");
    };
    let failed = failed(&case("a"), &observation(vec![threw("坏")], Vec::new()));
    check(&failed, Level::Should, "FAILED");
    check(&failed, Level::Observe, "FAILED");
    check(&failed, Level::Must, "FINDING (should)");
    check(&Ending::TimedOut, Level::Should, "TIMED-OUT");
    check(&Ending::TimedOut, Level::Must, "FINDING (should, timed-out)");
}

#[test]
fn nothing_that_comes_from_files_reaches_the_terminal() {
    let evil = "x\n\u{1b}[2J\u{202e}\r\u{9b}y";
    let text = || String::from(evil);
    let origin = crate::case::Origin { file: Arc::from(evil), line: 1, column: 1 };
    let pair = Pair { with: text(), edit: Edit::Bytes(1) };
    let case = Case { title: text(), why: Some(text()), origin, pair: Some(pair), ..case(evil) };
    let said = |_: &SentenceId| Some(Said { level: Level::Must, text: text() });
    let look = Look { sentence: &said, colour: false };
    let lines = |text: &str| {
        let hostile = |c: char| c != '\n' && !crate::judge::is_printable(c);
        assert!(!text.contains(hostile), "{text:?}");
        text.lines().count()
    };
    let plain = CaseResult::new(&crate::sample::case("a"), Ending::TimedOut, String::new());
    for ending in [
        Ending::Crashed { reason: text() },
        Ending::DeviationGone { declared: text() },
        Ending::Known { outcome: text(), reason: text() },
        Ending::NotApplicable { reason: text() },
    ] {
        let rerun = Rerun::Run(RunLine::new(evil)).command(evil);
        let result = CaseResult { console: vec![text()], ..CaseResult::new(&case, ending, rerun) };
        let shown = pretty::failure(&result, &case, Level::Must, &look);
        // Two lines of console text; the others are as many as always.
        assert_eq!(lines(&shown), 12, "{shown}");
        let mut report = report_of(vec![result, plain.clone()], Level::Must);
        report.setting.identity.version = text();
        assert_eq!(lines(&pretty::summary(&report, &look)), 2);
        lines(&md::render(&report));
    }
    lines(&explain::render(&case, &said));
}

#[test]
fn the_summary_closes_a_run() {
    let look = Look { sentence: &|_| None, colour: false };
    assert_snapshot!(pretty::summary(&full(), &look));
}

#[test]
fn conformance_asks_for_the_enforced_cases() {
    let check = |results: &[(Level, Ending)], enforced, expected| {
        let results = results
            .iter()
            .enumerate()
            .map(|(at, (level, ending))| result(&format!("c{at}"), *level, ending.clone()));
        assert_eq!(report_of(results.collect(), enforced).conformant(), expected);
    };
    let not_applicable = || Ending::NotApplicable { reason: String::from("no") };
    check(&[], Level::Must, false);
    check(&[(Level::Must, not_applicable())], Level::Must, false);
    check(&[(Level::Must, passed()), (Level::Must, not_applicable())], Level::Must, true);
    // What does not count is no evidence for what does.
    for ending in endings() {
        let results = [(Level::Must, not_applicable()), (Level::Should, ending)];
        check(&results, Level::Must, false);
    }
    let known = || Ending::Known { outcome: String::from("x"), reason: String::from("y") };
    check(&[(Level::Must, known()), (Level::Should, Ending::TimedOut)], Level::Must, true);
    for ending in endings() {
        let status = ending.status();
        let breaks = status.is_bad() || status == Status::NotRun;
        let results = [(Level::Must, passed()), (Level::Should, ending)];
        check(&results, Level::Must, true);
        check(&results, Level::Should, !breaks);
        check(&results, Level::Observe, !breaks);
    }
}

#[test]
fn results_and_cases_must_agree() {
    let one = || result("a", Level::Must, passed());
    let check = |declared, results, error| {
        assert_eq!(Report::new(setting(Level::Must), declared, results).unwrap_err(), error);
    };
    check(2, vec![one()], ReportError::Count { declared: 2, reported: 1 });
    check(2, vec![one(), one()], ReportError::Twice(Arc::from("a")));
}

#[test]
fn timings_are_a_document_of_their_own() {
    let report = report_of(vec![result("a", Level::Must, passed())], Level::Must);
    let text = timings::render(&report).unwrap();
    let value: serde_json::Value = serde_json::from_str(&text).unwrap();
    let expected = serde_json::json!({
        "format": 1, "cases": [{"id": "a", "micros": 1500}], "total_micros": 1500,
    });
    assert_eq!(value, expected);
}

proptest! {
    #[test]
    fn counts_add_up_and_bytes_are_equal(
        kinds in proptest::collection::vec((0..9_usize, 0..4_usize), 0..40),
        enforced in 0..4_usize,
    ) {
        let endings = endings();
        let results = || -> Vec<_> {
            let result = |(at, (kind, level)): (usize, &(usize, usize))| {
                let id = format!("f{}.c{at}", at % 3);
                result(&id, Level::ALL[*level], endings[*kind].clone())
            };
            kinds.iter().enumerate().map(result).collect()
        };
        let report = report_of(results(), Level::ALL[enforced]);
        let summary = report.summary();
        let sum: usize = Status::ALL.into_iter().map(|status| summary.count(status)).sum();
        prop_assert_eq!(sum, summary.declared);
        prop_assert_eq!(summary.declared, kinds.len());

        // The order of the results and their durations leave no trace.
        let other = results().into_iter().rev();
        let other = other.map(|result| CaseResult { elapsed: Duration::ZERO, ..result });
        let other = report_of(other.collect(), Level::ALL[enforced]);
        prop_assert_eq!(json::render(&report).unwrap(), json::render(&other).unwrap());
        prop_assert_eq!(md::render(&report), md::render(&other));
        prop_assert_eq!(
            junit::render(&report, Durations::Omit).unwrap(),
            junit::render(&other, Durations::Omit).unwrap()
        );
        let value: serde_json::Value = serde_json::from_str(&json::render(&report).unwrap()).unwrap();
        prop_assert_eq!(value["results"].as_array().unwrap().len(), summary.declared);
    }
}
