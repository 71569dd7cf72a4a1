//! The committed reports are what a run gives today, byte for byte, and no
//! report lies there that nobody writes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::PathBuf};

use duipai::{
    report::{self, Report, Setting, SuiteId},
    runner::{self, Options, Rerun, RunLine},
    subjects,
    suite::Suite,
};
use duipai_spec::ledger::Level;

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../reports")
}

/// The report of a subject, as `duipai run --subject SPEC` makes it.
fn report(spec: &str) -> Report {
    let suite = Suite::builtin().unwrap();
    let subject = subjects::from_spec(spec).unwrap();
    let rerun = Rerun::Run(RunLine::new(spec));
    let options = Options { rerun, ..Options::default() };
    let results = runner::run(&suite.cases, &subject, &options, &());
    let setting = Setting {
        suite: SuiteId { version: suite.version, digest: suite.digest },
        identity: subject.identity(),
        profile: options.profile,
        enforced: Level::Must,
    };
    Report::new(setting, suite.cases.len(), results).unwrap()
}

#[test]
fn committed_reports_are_current() {
    let report = report("native");
    for (name, made) in [
        ("native.md", report::md::render(&report)),
        ("native.json", report::json::render(&report).unwrap()),
    ] {
        let committed = fs::read_to_string(folder().join(name)).unwrap();
        assert!(committed == made, "reports/{name} is stale: run `cargo xtask reports`");
    }
}

/// What a reviewer looks at when a report changes: everything but the ids of
/// what passed.
#[test]
fn the_report_in_brief() {
    insta::with_settings!({ snapshot_path => "../../../reports", prepend_module_to_snapshot => false, omit_expression => true }, {
        insta::assert_snapshot!("native", report::md::render(&report("native")));
    });
}

#[test]
fn no_report_is_left_over() {
    let known = ["README.md", "native.md", "native.json", "native.snap"];
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name();
        let name = name.to_string_lossy();
        assert!(known.contains(&&*name), "reports/{name} is written by nothing");
    }
}
