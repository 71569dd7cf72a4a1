//! However a run ends, no process of it is left, and no file of one that ends by
//! itself.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::command::{Harness, empty, started};

/// Longest time until a workerd runs.
const THERE_LIMIT: Duration = Duration::from_secs(60);

/// Waits until Node and Miniflare's workerd run.
fn there(harness: &Harness) {
    let start = Instant::now();
    let runs = |found: &[String], name: &str| found.iter().any(|line| line.contains(name));
    loop {
        let found = started(harness.folder());
        if runs(&found, "server.js") && runs(&found, "workerd serve") {
            return;
        }
        assert!(start.elapsed() < THERE_LIMIT, "no workerd was started: {found:#?}");
        thread::sleep(Duration::from_millis(20));
    }
}

const RUN: [&str; 7] =
    ["run", "--subject", "miniflare", "--format", "json", "--filter", "claim.refusal.*"];

/// The report says what it was seen on.
#[test]
fn after_a_normal_end() {
    let mut harness = Harness::start(&RUN, &[]);
    there(&harness);
    let ended = harness.end();
    assert_eq!(ended.code(), 0, "{}{}", ended.out, ended.err);
    empty(harness.folder());
    let report: serde_json::Value = serde_json::from_str(&ended.out).unwrap();
    let subject = &report["subject"];
    assert_eq!(subject["kind"], "miniflare");
    assert_eq!(subject["profile"], "miniflare");
    assert_eq!(subject["version"], "5.20261117.0-beta");
    let engine = subject["engine"].as_str().unwrap();
    assert!(engine.starts_with("node 22.") || engine.starts_with("node 2"), "{engine}");
    assert!(engine.ends_with("workerd 1.20261117.1"), "{engine}");
    assert_eq!(report["summary"]["passed"], report["summary"]["declared"]);
}

#[test]
fn after_a_signal() {
    for name in ["INT", "TERM", "KILL"] {
        let mut harness = Harness::start(&RUN, &[]);
        there(&harness);
        harness.signal_group(name);
        let ended = harness.end();
        assert!(ended.status.code().is_none(), "{name}: {}", ended.status);
    }
}

/// A case that takes too long costs that case alone, and what plays it ends with
/// the run.
#[test]
fn after_a_case_that_ran_out_of_time() {
    let arguments = [&RUN[..3], &["--filter", "claim.interval", "--timeout", "2"]].concat();
    let mut harness = Harness::start(&arguments, &[]);
    let ended = harness.end();
    assert_eq!(ended.code(), 1, "{}{}", ended.out, ended.err);
    assert!(ended.out.contains("no answer within the time limit"), "{}", ended.out);
}
