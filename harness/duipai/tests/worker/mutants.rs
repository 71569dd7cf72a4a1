//! Workers with one fault of the host each: the suite finds them, by a case of
//! the sentence that they break.

use std::{collections::BTreeSet, fs};

use duipai::{
    runner::{CaseResult, Status},
    suite::Suite,
};
use duipai_spec::ledger::Level;

use crate::workers::{play, source, worker};

/// The folders of harness/worker/mutants, each with the sentence that it breaks
/// and the must-level case that finds it.
const FAULTS: [(&str, &str, &str); 6] = [
    ("acks-all", "end.no-ack-needed", "end.nothing"),
    ("catches-aborts", "grant.uncatchable", "grant.after-send"),
    ("ignores-grants", "grant.unauthorised", "grant.unauthorised#configured"),
    ("keeps-instance", "event.fresh-instance", "instance.fetch-after-queue"),
    ("retries-on-failure", "end.uncaught", "end.raise#plain"),
    ("swallows-exceptions", "end.uncaught", "end.raise#plain"),
];

#[test]
fn every_fault_is_listed() {
    let entries = fs::read_dir(source("mutants")).unwrap().map(|entry| entry.unwrap());
    let folders = entries.filter(|entry| entry.path().is_dir());
    let folders: BTreeSet<_> =
        folders.map(|entry| entry.file_name().into_string().unwrap()).collect();
    assert_eq!(folders, FAULTS.map(|(name, ..)| name.to_owned()).into());
}

/// It is the fault that is found and nothing else: the Worker answers every
/// case, and passes those of what it does right.
#[test]
fn every_fault_is_found() {
    let suite = Suite::builtin().unwrap();
    let mut holes = Vec::new();
    for (name, sentence, killer) in FAULTS {
        let says = |result: &CaseResult| result.says.iter().any(|says| says.as_str() == sentence);
        let mut cases = suite.cases.clone();
        cases.retain(|case| {
            let about = case.says.iter().any(|says| says.as_str() == sentence);
            about || case.id.starts_with("send.delay.")
        });
        let results = play(&cases, &worker(&source("mutants").join(name)));
        let kills = |result: &CaseResult| {
            let must = result.level == Level::Must && says(result);
            must && result.status() == Status::Failed && *result.id == *killer
        };
        if !results.iter().any(kills) {
            holes.push(format!("{name}: {killer}, a must-level case of {sentence}, does not fail"));
        }
        for result in &results {
            let detail = result.detail().unwrap_or_default();
            let id = &result.id;
            match result.status() {
                Status::Passed | Status::Failed | Status::NotApplicable => {}
                status => holes.push(format!("{name}: {id} {status}: {detail}")),
            }
            if !says(result) && result.status() == Status::Failed && name != "keeps-instance" {
                holes.push(format!("{name}: {id} fails, which the fault is not about: {detail}"));
            }
        }
    }
    assert!(holes.is_empty(), "{}", holes.join("\n"));
}
