//! The command line: exit status, what goes where, and one clear line for
//! everything that is wrong.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::Path};

use assert_cmd::{Command, cargo::cargo_bin_cmd};
use tempfile::TempDir;

/// The command in a folder of its own, with no subject from the environment.
fn duipai(folder: &Path) -> Command {
    let mut command = cargo_bin_cmd!("duipai");
    command.current_dir(folder).env_remove("DUIPAI_SUBJECT");
    command
}

struct Seen {
    status: i32,
    out: String,
    err: String,
}

fn run_in(folder: &Path, arguments: &[&str]) -> Seen {
    let output = duipai(folder).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    Seen {
        status: output.status.code().unwrap(),
        out: text(&output.stdout),
        err: text(&output.stderr),
    }
}

fn run(arguments: &[&str]) -> Seen {
    run_in(tempfile::tempdir().unwrap().path(), arguments)
}

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// One case of a user's own, with this step.
fn own_case(step: &str) -> String {
    format!(
        "format = 1\n[[case]]\nid = \"own.case\"\nsays = [\"send.delay.zero\"]\nlevel = \"must\"\n\
         title = \"自己的样例\"\nsteps = [{step}]\ncalls = []\n"
    )
}

const REFUSED: &str =
    r#"{ op = "send", body = '{', expect = { throws = "消息体不是有效的 JSON 文字" } }"#;

#[test]
fn the_reference_conforms() {
    let seen = run(&["run"]);
    assert_eq!(seen.status, 0, "{}", seen.out);
    assert!(seen.out.contains("conformant at level must"), "{}", seen.out);
    assert_eq!(seen.err, "");
}

#[test]
fn json_is_one_document_and_the_same_every_time() {
    let seen = run(&["run", "--format", "json"]);
    assert_eq!((seen.status, &*seen.err), (0, ""));
    let report: serde_json::Value = serde_json::from_str(&seen.out).unwrap();
    let summary = &report["summary"];
    let declared = summary["declared"].as_u64().unwrap();
    assert!(declared >= 400);
    assert_eq!(summary["passed"], declared);
    assert_eq!(report["results"].as_array().unwrap().len() as u64, declared);
    assert_eq!(report["conformant"], true);
    assert_eq!(run(&["run", "--format", "json", "--jobs", "1"]).out, seen.out);
}

#[test]
fn a_mutant_does_not_conform_and_the_failure_says_all() {
    let seen = run(&["run", "--subject", "mutant:delay-one-over-accepted"]);
    assert_eq!(seen.status, 1);
    for part in [
        "FAILED send.delay.over",
        "cases/send/delays.toml:",
        "send.delay.over (must): ",
        "expected threw `延迟秒数须在 0 至 43200 之间`",
        "got returned without a value",
        "rerun: duipai run --subject mutant:delay-one-over-accepted --filter 'send.delay.over",
        "not conformant at level must",
    ] {
        assert!(seen.out.contains(part), "no `{part}` in\n{}", seen.out);
    }
}

#[test]
fn a_reader_that_leaves_does_not_change_the_verdict() {
    let mut child = std::process::Command::new(env!("CARGO_BIN_EXE_duipai"))
        .args(["run", "--subject", "mutant:delay-dropped", "--format", "json"])
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    assert_eq!(child.wait().unwrap().code(), Some(1));
}

#[test]
fn colours_are_for_terminals() {
    assert!(!run(&["run", "--subject", "mutant:delay-dropped"]).out.contains('\u{1b}'));
}

#[test]
fn what_is_wrong_is_said_in_one_line() {
    let check = |files: &[(&str, &str)], arguments: &[&str], expected: &str| {
        let seen = run_in(folder(files).path(), arguments);
        assert_eq!((seen.status, &*seen.out), (2, ""), "{arguments:?}");
        assert_eq!(seen.err, format!("error: {expected}\n"), "{arguments:?}");
    };
    let cases = ["run", "--cases", "own"];
    check(&[], &["run", "--subject", "nativ"], {
        "subject: unknown subject `nativ`; known are `native`, `wasm`, `wasm:FILE`, \
         `worker`, `worker:DIR`, `worker-wire`, `worker-wire:DIR`, `http:URL`, \
         `mutant:NAME`, `wasm-mutant:NAME`, `platform:PROFILE`, `platform-mutant:NAME` and `miniflare`"
    });
    check(&[], &["run", "--subject", "mutant:delay-droped"], {
        "subject: unknown mutant `delay-droped`, perhaps `delay-dropped`; \
         `duipai mutants --list` names all"
    });
    check(&[], &cases, "suite: own: no such folder: No such file or directory (os error 2)");
    check(&[("own/readme", "")], &cases, "suite: own: the folder holds no case file (*.toml)");
    check(&[("own/a.toml", "format = 1\n[[case\n")], &cases, {
        "suite: own/a.toml:2:7: not TOML: unclosed array table, expected `]]`"
    });
    check(
        &[("own/a.toml", &own_case("{ op = \"ack\", index = 0, expekt = \"returned\" }"))],
        &cases,
        {
            "suite: own/a.toml:7:35: unknown field \"expekt\"; known here: op, caught, expect, index"
        },
    );
    let twice = own_case(REFUSED);
    check(&[("own/a.toml", &twice), ("own/b.toml", &twice)], &cases, {
        "suite: own/b.toml:2:1: duplicate case own.case, first at own/a.toml:2:1"
    });
    let off = own_case(r#"{ op = "send", body = { nest = 3, bytes = 7 }, expect = "returned" }"#);
    check(&[("own/a.toml", &off)], &cases, {
        "suite: own/a.toml:7:52: the text has 6 bytes, not 7"
    });
    check(&[], &["run", "--filter", "no.such.case"], {
        "filter: no case is selected by `no.such.case`"
    });
    check(&[("empty.jsonl", "")], &["run", "--vectors", "empty.jsonl"], {
        "vectors: empty.jsonl: the vector file is empty; a vector file has one JSON object a line"
    });
    check(&[], &["run", "--out", "no/such/report"], {
        "cannot write no/such/report: entity not found"
    });
    check(&[], &["explain", "send.delay.oevr"], {
        "no case or sentence is called `send.delay.oevr`; did you mean `send.delay.over`?"
    });
}

#[test]
fn a_wrong_flag_is_a_usage_error() {
    let wrong: [&[&str]; 5] = [
        &["run", "--no-such-flag"],
        &["no-such-verb"],
        &["run", "--level", "always"],
        &["run", "--timeout", "0"],
        &[],
    ];
    for arguments in wrong {
        let seen = run(arguments);
        assert_eq!((seen.status, &*seen.out), (2, ""), "{arguments:?}");
        assert!(!seen.err.is_empty(), "{arguments:?}");
    }
}

#[test]
fn the_rerun_command_gives_the_same_verdict() {
    let subject = "mutant:delay-most-refused";
    let first = ["--subject", subject, "--level", "should", "--timeout", "20"];
    let seen = run(&[&["run", "--format", "json"], &first[..]].concat());
    let report: serde_json::Value = serde_json::from_str(&seen.out).unwrap();
    let results = report["results"].as_array().unwrap();
    let failed = results.iter().find(|result| result["status"] == "failed").unwrap();
    let command = failed["rerun"].as_str().unwrap();
    let start = format!("duipai run {} --filter '", first.join(" "));
    let id = command.strip_prefix(&start).and_then(|rest| rest.strip_suffix('\'')).unwrap();
    let again = run(&[&["run", "--format", "json"], &first[..], &["--filter", id]].concat());
    let again: serde_json::Value = serde_json::from_str(&again.out).unwrap();
    assert_eq!(again["results"], serde_json::json!([failed]));
}

#[test]
fn own_cases_run_alone() {
    let own = folder(&[("own/deep/a.toml", &own_case(REFUSED))]);
    let seen = run_in(own.path(), &["run", "--cases", "own", "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&seen.out).unwrap();
    assert_eq!((seen.status, &report["summary"]["declared"]), (0, &1.into()));
    assert_eq!(report["results"][0]["rerun"], {
        "duipai run --subject native --cases own --filter 'own.case'"
    });
}

#[test]
fn reports_go_whole_to_their_file() {
    let own = folder(&[]);
    for (format, begins) in [("json", "{"), ("md", "# "), ("junit", "<?xml"), ("pretty", "1")] {
        let seen = run_in(own.path(), &["run", "--format", format, "--out", "report"]);
        assert_eq!((seen.status, &*seen.out, &*seen.err), (0, "", ""), "{format}");
        let text = fs::read_to_string(own.path().join("report")).unwrap();
        assert!(text.starts_with(begins), "{format}: {text:.40}");
    }
    assert_eq!(fs::read_dir(own.path()).unwrap().count(), 1);
}

#[test]
fn known_deviations_are_checked_against_what_is_seen() {
    let id = "send.delay.most";
    let subject = "mutant:delay-most-refused";
    let report = run(&["run", "--subject", subject, "--filter", id, "--format", "json"]);
    let report: serde_json::Value = serde_json::from_str(&report.out).unwrap();
    let outcome = report["results"][0]["detail"].as_str().unwrap();
    let entry = |id: &str, outcome: &str| {
        format!("[[known]]\nid = '{id}'\noutcome = '''{outcome}'''\nreason = \"…\"\n")
    };
    let check = |known: &str, subject: &str, status: i32, part: &str| {
        let own = folder(&[("known.toml", known)]);
        let arguments = ["run", "--subject", subject, "--filter", id, "--known", "known.toml"];
        let seen = run_in(own.path(), &arguments);
        let all = seen.out + &seen.err;
        assert_eq!(seen.status, status, "{all}");
        assert!(all.contains(part), "no `{part}` in {all}");
    };
    check(&entry(id, outcome), subject, 0, "1 known");
    check(&entry(id, outcome), "native", 1, "the known deviation no longer occurs");
    check(&entry(id, "something else"), subject, 1, "this is not the known deviation");
    check(&entry("send.no-such", outcome), subject, 2, "known.toml:");
    check("[[known]]\nid = 'x'\n", subject, 2, "known.toml:");
}

#[test]
fn every_sentence_is_covered_or_excluded_with_a_reason() {
    let seen = run(&["coverage"]);
    assert_eq!(seen.status, 0);
    assert!(seen.out.contains("13 of them table rows"), "{}", seen.out);
    assert!(seen.out.ends_with(" 0 uncovered\n"), "{}", seen.out);
}

#[test]
fn a_mutant_and_its_killers_are_named() {
    let seen = run(&["mutants", "--filter", "delay-dropped"]);
    assert_eq!(seen.status, 0);
    assert!(
        seen.out.starts_with("killed delay-dropped  breaks send.delay.range: "),
        "{}",
        seen.out
    );
    assert!(seen.out.ends_with("1 mutants, 1 killed, 0 survived\n"), "{}", seen.out);
}

#[test]
fn cases_can_be_listed_and_explained() {
    let seen = run(&["list", "--filter", "row.01*", "--level", "must"]);
    assert_eq!(seen.status, 0);
    assert!(seen.out.lines().all(|line| line.starts_with("row.01")), "{}", seen.out);
    let seen = run(&["explain", "send.delay.over"]);
    assert_eq!(seen.status, 0);
    assert!(seen.out.contains("must have thrown `延迟秒数须在 0 至 43200 之间`"), "{}", seen.out);
}

#[test]
fn the_doctor_finds_nothing_wrong() {
    let seen = run(&["doctor"]);
    assert_eq!(seen.status, 0, "{}", seen.out);
    assert!(!seen.out.contains("FAIL"), "{}", seen.out);
}
