//! Subject `worker-wire`: the runtime's own queue bindings, with the harness at
//! the other end.
//!
//! `npm ci` in harness/worker comes first.

use std::{collections::BTreeSet, path::Path, sync::Arc};

use duipai::{
    runner::{self, Options, Status},
    subject::{Capability, Subject},
    subjects,
    suite::Suite,
};

/// Ids of the cases that pass; no other may be but not applicable.
fn passed(subject: &Arc<dyn Subject>, suite: &Suite) -> BTreeSet<String> {
    let mut passed = BTreeSet::new();
    for result in runner::run(&suite.cases, subject, &Options::default(), &()) {
        match result.status() {
            Status::NotApplicable => {}
            Status::Passed => {
                passed.insert(result.id.to_string());
            }
            _ => panic!("{}: {}", result.id, result.detail().unwrap_or_default()),
        }
    }
    passed
}

#[test]
fn the_trial_app_conforms_over_the_wire() {
    let suite = Suite::builtin().unwrap();
    let subject = subjects::from_spec("worker-wire").unwrap();
    assert!(subject.identity().engine.ends_with(", its own queue bindings"));
    let passed = passed(&subject, &suite);
    assert!(passed.len() > suite.cases.len() * 9 / 10, "{}", passed.len());
    // What no other subject shows in the real runtime.
    let refusals = suite.cases.iter().filter(|case| case.needs.contains(&Capability::RealRefusals));
    let refusals: Vec<_> = refusals.map(|case| case.id.to_string()).collect();
    assert!(refusals.len() >= 10);
    assert!(refusals.iter().all(|id| passed.contains(id)));
}

#[test]
fn the_stand_in_for_the_trial_app_conforms_over_the_wire() {
    let suite = Suite::builtin().unwrap();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../worker/app-yuyan");
    let subject = subjects::from_spec(&format!("worker-wire:{}", folder.display())).unwrap();
    let passed = passed(&subject, &suite);
    assert!(passed.len() > suite.cases.len() / 2, "{}", passed.len());
}
