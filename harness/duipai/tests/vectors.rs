//! Every oracle vector against the reference, and the rules against them all.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use duipai::{
    oracle::rules,
    plan::Action,
    runner::{self, Options, Status},
    subjects, vectors,
};
use sha2::{Digest, Sha256};

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/vectors")
}

fn files() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

#[test]
fn the_reference_passes_every_vector() {
    let subject = subjects::from_spec("native").unwrap();
    let mut ran = 0;
    for file in files() {
        let cases = vectors::load(std::slice::from_ref(&file)).unwrap().cases;
        let results = runner::run(&cases, &subject, &Options::default(), &());
        ran += results.len();
        for result in results {
            let detail = result.detail().unwrap_or_default();
            assert_eq!(
                result.status(),
                Status::Passed,
                "{} {}: {detail}",
                file.display(),
                result.id
            );
        }
    }
    // The counts that the files' origin gives.
    assert_eq!(ran, 515 + 4447 + 977 + 1041 + 915 + 2114 + 1128);
}

/// The rules are written from the sentences, the verdicts were computed by
/// another hand: they must agree on which inputs are good, and on the message
/// wherever only one rule is broken.
#[test]
fn the_rules_agree_with_every_verdict() {
    let verdicts = ["verdict-send.jsonl", "verdict-batch.jsonl"].map(|name| folder().join(name));
    let mut seen = 0;
    for file in verdicts {
        for line in fs::read_to_string(&file).unwrap().lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let name = line["name"].as_str().unwrap();
            let case = one_case(&line);
            let action = &case.events[0].plan.steps[0].action;
            let broken = match action {
                Action::Send { binding, body, delay } => {
                    rules::broken_by_send(binding, body, *delay)
                }
                Action::SendBatch { binding, items } => rules::broken_by_batch(binding, items),
                other => panic!("{name} plays {other:?}"),
            };
            let refused =
                line["message"].as_str().filter(|_| line["calls"] == serde_json::json!([]));
            match refused {
                None => assert!(broken.is_empty(), "{name}: {broken:?}"),
                Some(message) => assert!(broken.contains(message), "{name}: {broken:?}"),
            }
            if line["precedence"] != true && line.get("note").is_none() {
                assert!(broken.len() <= 1, "{name}: {broken:?}");
            }
            seen += 1;
        }
    }
    assert_eq!(seen, 1128 + 2114);
}

fn one_case(line: &serde_json::Value) -> duipai::case::Case {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs::write(file.path(), line.to_string()).unwrap();
    vectors::load(&[file.path()]).unwrap().cases.remove(0)
}

#[test]
fn bad_vector_files_are_refused_with_their_place() {
    let check = |content: &[u8], expected: &str| {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), content).unwrap();
        let error = vectors::load(&[file.path()]).unwrap_err().to_string();
        let name: Arc<str> = file.path().display().to_string().into();
        assert_eq!(error.replace(&*name, "FILE"), expected);
    };
    check(b"", "FILE: the vector file is empty; a vector file has one JSON object a line");
    check(b"\n \n", "FILE: the vector file is empty; a vector file has one JSON object a line");
    check(b"\xff\n", "FILE:1:1: the line is not UTF-8");
    check(b"{}\n", {
        "FILE:1:1: neither a canon vector (no `parse_ok`) nor a verdict vector (no `verdict`)"
    });
    check(b"\n[1", "FILE:2:1: the line is not JSON: EOF while parsing a list at line 1 column 2");
    let send =
        r#"{"name":"a","op":"send","binding":"Q","text_b64":"MQ==","text_bytes":1,"delay":0,"#;
    let line = format!(r#"{send}"verdict":"ok","message":null,"calls":[]}}"#);
    check(format!("{line}\n{line}\n").as_bytes(), {
        "FILE:2:1: vector `a` is given twice; it stands also at FILE:1:1"
    });
    check(line.replace("\"text_bytes\":1", "\"text_bytes\":2").as_bytes(), {
        "FILE:1:1: the text has 1 bytes, but the line says 2"
    });
    check(line.replace("\"ok\"", "\"error\"").as_bytes(), {
        "FILE:1:1: an `error` verdict needs its message"
    });
    check(line.replace("\"a\"", "\"\"").as_bytes(), "FILE:1:1: the vector's name is empty");
}

/// Names quote the text that they are for: results are found under exactly
/// these names, and whoever prints one escapes it.
#[test]
fn ids_are_the_names_as_given() {
    let cases = vectors::load(&files()).unwrap().cases;
    assert!(cases.iter().any(|case| &*case.id == "key/single/\"\u{7f}\""));
}

#[test]
fn only_regular_vector_files_are_read() {
    let refused = |path: &Path, expected: &str| {
        let error = vectors::load(&[path]).unwrap_err().to_string();
        assert_eq!(error, format!("{}: cannot read the vector file: {expected}", path.display()));
    };
    let folder = tempfile::tempdir().unwrap();
    refused(folder.path(), "a folder, not a file");
    if cfg!(unix) {
        refused(Path::new("/dev/zero"), "not a regular file");
    }
    let sparse = tempfile::NamedTempFile::new().unwrap();
    sparse.as_file().set_len((4 << 30) + 1).unwrap();
    refused(sparse.path(), "the file is over 4294967296 bytes");
}

#[test]
fn digests_are_of_the_bytes_that_were_read() {
    let paths: Vec<PathBuf> = files().into_iter().rev().take(2).collect();
    let digest = |path: &PathBuf| <[u8; 32]>::from(Sha256::digest(fs::read(path).unwrap()));
    let expected: Vec<[u8; 32]> = paths.iter().map(digest).collect();
    assert_eq!(vectors::load(&paths).unwrap().digests, expected);
}
