//! The committed reports are what a run gives today, byte for byte, and no
//! report lies there that nobody writes.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{env, fs, io::ErrorKind, path::PathBuf};

use duipai::{
    report::{self, Report, Setting, SuiteId},
    runner::{self, Options, Rerun, RunLine},
    subjects,
    suite::Suite,
};

fn project() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    project().join("reports")
}

/// The report of a subject, as `duipai run --subject SPEC` makes it.
fn report(spec: &str) -> Report {
    let suite = Suite::builtin().unwrap();
    let subject = match spec.split_once(':').filter(|(kind, _)| *kind != "platform") {
        // The command is given in the project's folder; tests run in another.
        Some((kind, file)) => {
            subjects::from_spec(&format!("{kind}:{}", project().join(file).display()))
        }
        None => subjects::from_spec(spec),
    };
    let subject = subject.unwrap();
    let rerun = Rerun::Run(RunLine::new(spec));
    let options = Options { rerun, ..Options::of(&*subject) };
    let cases = suite.of(subject.answers());
    let results = runner::run(cases, &subject, &options, &());
    let setting = Setting {
        suite: SuiteId { version: suite.version.clone(), digest: suite.digest.clone() },
        identity: subject.identity(),
        profile: options.profile,
        enforced: subject.answers().enforced(),
    };
    Report::new(setting, cases.len(), results).unwrap()
}

/// The subjects whose reports are kept, with the names of their files.
const SUBJECTS: &[(&str, &str)] = &[
    ("native", "native"),
    #[cfg(feature = "wasm")]
    ("wasm", "wasm"),
    #[cfg(feature = "wasm")]
    ("wasm:harness/guest-c/package.wasm", "wasm-c"),
    ("worker", "worker"),
    ("worker:harness/worker/app-guest", "worker-guest"),
    ("worker:harness/worker/app-yuyan", "worker-yuyan"),
    ("worker-wire", "worker-wire"),
    ("platform:cloudflare", "platform-cloudflare"),
    ("platform:miniflare", "platform-miniflare"),
    ("miniflare", "miniflare"),
];

#[test]
fn committed_reports_are_current() {
    // `cargo xtask reports` says so; the snapshot below follows it too.
    let write = env::var("INSTA_UPDATE").is_ok_and(|update| update == "always");
    for (spec, name) in SUBJECTS {
        let report = report(spec);
        for (name, made) in [
            (format!("{name}.md"), report::md::render(&report)),
            (format!("{name}.json"), report::json::render(&report).unwrap()),
        ] {
            let path = folder().join(&name);
            if write {
                fs::write(path, made).unwrap();
                continue;
            }
            let committed = fs::read_to_string(path).unwrap();
            assert!(committed == made, "reports/{name} is stale: run `cargo xtask reports`");
        }
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
    let written = [
        "native",
        "wasm",
        "wasm-c",
        "worker",
        "worker-guest",
        "worker-yuyan",
        "worker-wire",
        "platform-cloudflare",
        "platform-miniflare",
        "miniflare",
    ];
    for entry in fs::read_dir(folder()).unwrap() {
        let name = entry.unwrap().file_name();
        let name = name.to_string_lossy();
        let known = match name.rsplit_once('.') {
            Some((subject, "md" | "json")) => subject == "README" || written.contains(&subject),
            Some((subject, "snap")) => subject == "native",
            _ => false,
        };
        assert!(known, "reports/{name} is written by nothing");
    }
}

/// A candidate is no part of the suite, so a report that is made beside one says
/// nothing of it: whoever releases rules on it first.
#[test]
fn no_candidate_waits_for_a_ruling() {
    let folder = project().join("cases/candidates");
    let waiting: Vec<String> = match fs::read_dir(&folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => Vec::new(),
        entries => entries
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.ends_with(".toml"))
            .collect(),
    };
    assert!(
        waiting.is_empty(),
        "cases/candidates holds {}: move each to its family, or delete it",
        waiting.join(", ")
    );
}
