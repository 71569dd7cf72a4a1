//! The harness's own Workers: those that are right are found right, those with a
//! fault are found wrong.

use std::{fs, path::Path, sync::LazyLock};

use duipai::{
    case::Case,
    runner::{self, CaseResult, Options, Status},
    subject::{Kind, Subject},
    subjects,
    suite::Suite,
    vectors,
};
use duipai_spec::ledger::Level;
use sha2::{Digest, Sha256};

use crate::workers::{source, together, worker};

/// The trial app, started once for all tests.
static APP: LazyLock<std::sync::Arc<dyn Subject>> =
    LazyLock::new(|| subjects::from_spec("worker").unwrap());

fn play(cases: &[Case], subject: &std::sync::Arc<dyn Subject>) -> Vec<CaseResult> {
    runner::run(cases, subject, &Options::default(), &())
}

/// Every case passes, but at most so many that cannot be asked for; their
/// reasons.
fn conforms(results: &[CaseResult], not_applicable: usize) -> Vec<String> {
    let mut reasons = Vec::new();
    for result in results {
        let detail = result.detail().unwrap_or_default();
        match result.status() {
            Status::NotApplicable => reasons.push(detail),
            status => assert_eq!(status, Status::Passed, "{}: {detail}", result.id),
        }
    }
    assert!(reasons.len() <= not_applicable, "{} not applicable: {reasons:?}", reasons.len());
    reasons
}

#[test]
fn the_trial_app_conforms() {
    let _together = together();
    let suite = Suite::builtin().unwrap();
    let reasons = conforms(&play(&suite.cases, &APP), 20);
    let expected = ["virtual time: time is real in workerd", "mail event"];
    assert!(reasons.iter().all(|reason| expected.iter().any(|part| reason.contains(part))));
}

#[test]
fn one_guest_conforms_in_two_hosts() {
    let _together = together();
    let suite = Suite::builtin().unwrap();
    conforms(&play(&suite.cases, &worker(&source("app-guest"))), 20);
}

/// What the protocol of the 豫言 project's trial app can express.
#[test]
fn the_stand_in_for_the_trial_app_conforms() {
    let _together = together();
    let suite = Suite::builtin().unwrap();
    let results = play(&suite.cases, &worker(&source("app-yuyan")));
    let reasons = conforms(&results, suite.cases.len() / 5);
    assert!(!reasons.is_empty());
}

#[test]
fn a_sample_of_the_verdict_vectors_passes() {
    let _together = together();
    let files = ["verdict-send.jsonl", "verdict-batch.jsonl"];
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/vectors");
    let files = files.map(|name| folder.join(name));
    let mut cases = vectors::load(&files).unwrap().cases;
    cases.retain(|case| !Sha256::digest(case.id.as_bytes())[0].is_multiple_of(3));
    assert!((2000..2500).contains(&cases.len()), "{} vectors", cases.len());
    conforms(&play(&cases, &APP), 0);
}

#[test]
fn every_fault_of_a_host_is_found() {
    let _together = together();
    let suite = Suite::builtin().unwrap();
    let mut faults = 0;
    for entry in fs::read_dir(source("mutants")).unwrap() {
        let folder = entry.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        faults += 1;
        let results = play(&suite.cases, &worker(&folder));
        let found =
            |result: &&CaseResult| result.level == Level::Must && result.status() == Status::Failed;
        let found = results.iter().filter(found).count();
        let passed = results.iter().filter(|one| one.status() == Status::Passed).count();
        assert!(found > 0, "{} survives", folder.display());
        assert!(passed > suite.cases.len() / 10, "{} fails everything", folder.display());
    }
    assert!(faults >= 4, "{faults} faults");
}

#[test]
fn a_worker_says_who_it_is() {
    let _together = together();
    let identity = APP.identity();
    assert_eq!((&*identity.name, identity.kind), ("worker", Kind::Worker));
    let lock = fs::read_to_string(source("package-lock.json")).unwrap();
    let date = identity.engine.strip_prefix("workerd ").unwrap().split(',').next().unwrap();
    assert!(lock.contains(&format!("\"version\": \"1.{}.", date.replace('-', ""))), "{date}");
    let identity = worker(&source("app-guest")).identity();
    assert_eq!(identity.name, "app-guest");
    assert!(identity.version.starts_with("sha256:"), "{}", identity.version);
}
