//! The harness's own Workers that are right are found right.

use std::{
    collections::BTreeMap,
    fs,
    path::Path,
    sync::{Arc, LazyLock},
};

use duipai::{
    case::Case,
    runner::{CaseResult, Status},
    subject::{Capability, Kind, Subject},
    suite::Suite,
    vectors,
};
use duipai_spec::{event::EventKind, ledger::Level};
use sha2::{Digest, Sha256};

use crate::{
    command::Harness,
    workers::{play, source, subject, worker},
};

/// The trial app, started once for all tests of this file.
static APP: LazyLock<Arc<dyn Subject>> = LazyLock::new(|| subject("worker"));

/// Cases of the suite that the protocol of the 豫言 project's trial app can
/// express, at the least.
const IN_YUYAN: usize = 1000;

/// Every case passes, but those that cannot be asked for; these.
fn conforms<'a>(cases: &'a [Case], results: &'a [CaseResult]) -> Vec<(&'a Case, String)> {
    assert_eq!(results.len(), cases.len());
    let mut not_applicable = Vec::new();
    for (case, result) in cases.iter().zip(results) {
        let detail = result.detail().unwrap_or_default();
        match result.status() {
            Status::NotApplicable => not_applicable.push((case, detail)),
            status => assert_eq!(status, Status::Passed, "{}: {detail}", result.id),
        }
    }
    not_applicable
}

/// Why workerd cannot play the case, if so.
fn impossible(case: &Case) -> Option<&'static str> {
    if case.needs.contains(&Capability::VirtualTime) {
        return Some("virtual time: time is real in workerd");
    }
    if case.needs.contains(&Capability::RealRefusals) {
        return Some("refusals of a broker: that needs the real queue binding: worker-wire");
    }
    let mail = case.events.iter().any(|event| event.plan.kind == EventKind::Email);
    mail.then_some("workerd has no way to cause a mail event")
}

/// The whole suite, by the command: every case has its place in the report, and
/// the report adds up.
#[test]
fn the_trial_app_conforms() {
    let ended = Harness::command(&["run", "--subject", "worker", "--format", "json"]).end();
    assert_eq!((ended.code(), &*ended.err), (0, ""), "{}", ended.out);
    let report: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let cases: BTreeMap<_, _> = Suite::builtin()
        .unwrap()
        .cases
        .into_iter()
        .map(|case| (case.id.to_string(), case))
        .collect();
    let results = report["results"].as_array().unwrap();
    assert_eq!(results.len(), cases.len());
    let mut not_applicable = 0;
    for result in results {
        let why = impossible(&cases[result["id"].as_str().unwrap()]);
        let status = if why.is_some() { "not-applicable" } else { "passed" };
        assert_eq!(result["status"], status, "{result}");
        if let Some(why) = why {
            not_applicable += 1;
            assert_eq!(result["detail"], why, "{result}");
        }
    }
    let count = |name: &str| report["summary"][name].as_u64().unwrap();
    assert!(not_applicable > 0);
    assert_eq!(count("declared"), cases.len() as u64);
    assert_eq!(count("not_applicable"), not_applicable);
    assert_eq!(count("passed"), count("declared") - not_applicable);
    for none in ["failed", "crashed", "timed_out", "known", "not_run"] {
        assert_eq!(count(none), 0, "{none}");
    }
}

/// What `worker` cannot show of the must-level sentences, `native` does.
#[test]
fn nothing_that_must_be_goes_unseen() {
    let mut cases = Suite::builtin().unwrap().cases;
    cases.retain(|case| case.level == Level::Must && impossible(case).is_some());
    assert!(!cases.is_empty());
    let results = play(&cases, &subject("native"));
    assert!(conforms(&cases, &results).is_empty());
}

/// One case in three, chosen by its id's hash.
#[test]
fn one_guest_conforms_in_two_hosts() {
    let mut cases = Suite::builtin().unwrap().cases;
    cases.retain(|case| chosen(&case.id, 0, 3));
    assert!((300..600).contains(&cases.len()), "{} cases", cases.len());
    let results = play(&cases, &worker(&source("app-guest")));
    for (case, why) in conforms(&cases, &results) {
        assert_eq!(Some(&*why), impossible(case), "{}", case.id);
    }
}

#[test]
fn the_stand_in_for_the_trial_app_conforms() {
    let cases = Suite::builtin().unwrap().cases;
    let results = play(&cases, &worker(&source("app-yuyan")));
    let not_applicable = conforms(&cases, &results);
    let played = cases.len() - not_applicable.len();
    assert!(played >= IN_YUYAN, "only {played} of {} cases were played", cases.len());
    for (case, why) in not_applicable {
        assert!(impossible(case).is_some() || why.contains("the trial app"), "{}: {why}", case.id);
    }
}

#[test]
fn a_sample_of_the_verdict_vectors_passes() {
    let files = ["verdict-send.jsonl", "verdict-batch.jsonl"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/vectors");
    let mut cases = vectors::load(&files.map(|name| folder.join(name))).unwrap().cases;
    cases.retain(|case| !chosen(&case.id, 0, 3));
    assert!((2000..2500).contains(&cases.len()), "{} vectors", cases.len());
    let results = play(&cases, &APP);
    assert!(conforms(&cases, &results).is_empty());
}

/// Whether the id's hash falls into this one of `parts` parts.
fn chosen(id: &str, part: u8, parts: u8) -> bool {
    Sha256::digest(id.as_bytes())[0] % parts == part
}

#[test]
fn a_worker_says_who_it_is() {
    let identity = APP.identity();
    assert_eq!((&*identity.name, identity.kind), ("worker", Kind::Worker));
    let lock = fs::read_to_string(source("package-lock.json")).unwrap();
    let date = identity.engine.strip_prefix("workerd ").unwrap().split(',').next().unwrap();
    assert!(lock.contains(&format!("\"version\": \"1.{}.", date.replace('-', ""))), "{date}");
    let identity = worker(&source("app-guest")).identity();
    assert_eq!(identity.name, "app-guest");
    assert_eq!(identity.version.len(), "sha256:".len() + 12, "{}", identity.version);
}
