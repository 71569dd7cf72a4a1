//! `duipai promote` and `duipai fuzz-report`: exit status, and one clear line for
//! what is wrong.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::Path};

use assert_cmd::cargo::cargo_bin_cmd;
use tempfile::TempDir;

/// Status, output, and what was said on standard error, of the command in this
/// folder.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = cargo_bin_cmd!("duipai");
    command.current_dir(folder).env_remove("DUIPAI_SUBJECT").args(arguments);
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    (output.status.code().unwrap(), text(output.stdout), text(output.stderr))
}

fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

const FOUND: &str = r#"[{"body":"x\"},{\""},{"body":1}]"#;

#[test]
fn a_finding_becomes_a_candidate_that_tells_mutant_from_reference() {
    let project = folder(&[("cases/README", ""), ("input", FOUND)]);
    let promote = ["promote", "input", "--target", "canary"];
    let (status, out, err) = run(project.path(), &promote);
    assert_eq!((status, &*err), (0, ""), "{out}");
    for part in
        ["batch.item.body-exact: ", "expected: ", "shrunk from ", "cases/candidates/canary-"]
    {
        assert!(out.contains(part), "no {part} in\n{out}");
    }
    for (subject, expected) in [("native", 0), ("mutant:split-without-escapes", 1)] {
        let judge = ["run", "--cases", "cases/candidates", "--subject", subject];
        let (status, out, err) = run(project.path(), &judge);
        assert_eq!((status, &*err), (expected, ""), "{subject}: {out}");
    }
    let (status, out, _) = run(project.path(), &promote);
    assert_eq!(status, 1);
    assert!(out.contains("nothing is written: there is candidate.canary."), "{out}");
}

#[test]
fn what_does_not_fail_is_told() {
    let project = folder(&[("input", "[{\"body\":1}]"), ("broken", "[")]);
    let (status, out, _) = run(project.path(), &["promote", "input", "--target", "canary"]);
    assert_eq!((status, &*out), (1, "input does not fail in target canary: it agrees\n"));
    let (status, out, _) = run(project.path(), &["promote", "broken", "--target", "canary"]);
    let expected = "broken does not fail in target canary: it is rejected (not JSON)\n";
    assert_eq!((status, &*out), (1, expected));
}

fn refused(folder: &Path, arguments: &[&str], expected: &str) {
    let (status, out, err) = run(folder, arguments);
    assert_eq!((status, &*out), (2, ""), "{err}");
    assert!(err.starts_with("error: ") && err.contains(expected), "{err}");
    assert_eq!(err.lines().count(), 1, "{err}");
}

#[test]
fn bad_input_is_one_line() {
    let long = "[".repeat(5000);
    let here = folder(&[("long", &long), ("found", FOUND), ("run/split/counts/a.json", "{")]);
    let here = here.path();
    let promote = |input, target| ["promote", input, "--target", target];
    refused(here, &promote("found", "canry"), "unknown fuzz target `canry`, perhaps `canary`");
    refused(here, &promote("missing", "canary"), "cannot read missing: ");
    refused(here, &promote(".", "canary"), "a folder, not a file");
    refused(here, &promote("long", "canary"), "long: over 4096 bytes, and target canary takes");
    refused(here, &promote("found", "canary"), "there is no folder `cases` here");
    refused(here, &["fuzz-report", "nowhere"], "nowhere holds no run of a fuzz target");
    refused(here, &["fuzz-report", "."], "no folder in it has the name of a target");
    refused(here, &["fuzz-report", "run"], "run/split/counts/a.json: no counts of a fuzz target");
    #[cfg(not(feature = "wasm"))]
    refused(here, &promote("found", "guest_bytes"), "needs the feature `wasm`");
}

#[test]
fn a_run_is_reported_for_people_and_programs() {
    let done = "#9\tDONE cov: 5 ft: 6 corp: 7/80b exec/s: 9 rss: 30Mb\n";
    let counts =
        r#"{"executions":9,"accepted":3,"refused":0,"found":0,"rejected":[["not JSON",6]]}"#;
    let here = folder(&[
        ("run/split/log.txt", done),
        ("run/split/counts/split.1.0.json", counts),
        ("run/split/findings/slow-unit-1", ""),
    ]);
    let (status, out, err) = run(here.path(), &["fuzz-report", "run"]);
    assert_eq!((status, &*err), (0, ""));
    assert!(out.contains("33.3 %") && out.contains("1 targets: as expected"), "{out}");
    let json = ["fuzz-report", "run", "--format", "json", "--least-acceptance", "50"];
    let (status, out, _) = run(here.path(), &json);
    assert_eq!(status, 1);
    let report: serde_json::Value = serde_json::from_str(&out).unwrap();
    assert_eq!(report["as_expected"], false);
    assert_eq!(report["targets"][0]["counts"]["accepted"], 3);
    fs::write(here.path().join("run/split/findings/crash-1"), "[").unwrap();
    let (status, out, _) = run(here.path(), &["fuzz-report", "run"]);
    assert_eq!(status, 1);
    assert!(out.contains("split: FOUND crash-1"), "{out}");
}
