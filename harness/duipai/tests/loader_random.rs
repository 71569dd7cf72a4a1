//! Whatever a case file holds, loading it ends in a suite or in problems that
//! stand in the file.

use std::fs;

use duipai::{
    case::{LEDGER_FILE, Place},
    suite::Suite,
};
use proptest::prelude::*;

const LEDGER: &str = "format = 1\nname = \"t\"\nversion = \"1\"\nsentence = [{ id = \"s\", document = \"interface\", place = \"1\", level = \"must\", says = \"…\" }]\n";

const CASE: &str = r##"format = 1
[[case]]
id = "a"
says = ["s"]
level = "must"
title = "题"
each = [{ key = "k", v = 1 }, { key = "l", v = '"é"' }]
event = "queue"
batch = { queue = "q", messages = [{ js = '{"#date":0}', attempts = 2 }, { json = '[${v}]' }] }
bindings = { PAGE_QUEUE = { rejects = "满" } }
steps = [
  { op = "send", body = { nest = 2, bytes = 4 }, expect = { throws_prefix = "队", reason = "r" } },
  { op = "retry", index = 1, delay = 5, caught = false, expect = "returned" },
  { op = "read-batch", expect = "batch" },
]
calls = [{ send = "PAGE_QUEUE", body = "step", options = '{}' }, { retry = 1, options = '{"delaySeconds":5}' }]
after = { cloudflare = { basis = "documented", redelivered = [{ message = 1, attempts = 2, delay = 5 }] } }
"##;

fn load(bytes: &[u8]) -> Result<(), TestCaseError> {
    let folder = tempfile::tempdir()?;
    fs::write(folder.path().join(LEDGER_FILE), LEDGER)?;
    fs::write(folder.path().join("a.toml"), bytes)?;
    let Err(error) = Suite::from_folders(&[folder.path().to_path_buf()]) else { return Ok(()) };
    let text = String::from_utf8_lossy(bytes);
    let lines = text.split('\n').count();
    prop_assert!(!error.problems().is_empty());
    prop_assert_eq!(error.to_string().lines().count(), error.problems().len().min(21));
    for problem in error.problems() {
        if let Place::At(origin) = &problem.place
            && origin.file.ends_with("/a.toml")
        {
            prop_assert!((1..=lines).contains(&origin.line), "{problem}");
            let line = text.split('\n').nth(origin.line - 1).unwrap_or_default();
            prop_assert!((1..=line.chars().count() + 1).contains(&origin.column), "{problem}");
        }
    }
    Ok(())
}

#[test]
fn the_unchanged_file_loads() {
    load(CASE.as_bytes()).expect("spans in the file");
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join(LEDGER_FILE), LEDGER).expect("the ledger");
    fs::write(folder.path().join("a.toml"), CASE).expect("the file");
    let suite = Suite::from_folders(&[folder.path().to_path_buf()]);
    assert_eq!(suite.unwrap_or_else(|error| panic!("{error}")).cases.len(), 2);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        load(&bytes)?;
    }

    #[test]
    fn any_stretch_replaced(
        at in 0..CASE.len(),
        length in 0usize..20,
        by in r#"[\[\]{}"'=,#$a-z0-9\n\\é.-]{0,12}"#,
    ) {
        let mut bytes = CASE.as_bytes().to_vec();
        let end = (at + length).min(bytes.len());
        bytes.splice(at..end, by.bytes());
        load(&bytes)?;
    }

    #[test]
    fn any_value_replaced(at in 0..CASE.matches(" = ").count(), value in 0usize..7) {
        let values = ["1", "-1", "9223372036854775807", "\"x\"", "[]", "{}", "1.5"];
        let (start, _) = CASE.match_indices(" = ").nth(at).expect("a field");
        let rest = &CASE[start + 3..];
        let end = rest.find([',', '}', '\n', ']']).unwrap_or(rest.len());
        load(format!("{} = {}{}", &CASE[..start], values[value], &rest[end..]).as_bytes())?;
    }
}
