//! Case files and ledgers: what they become, and what is refused, line by line.

mod fields;
mod whole;

use std::{fs, path::Path};

use duipai::{
    case::{Case, LoadError},
    plan::Action,
    suite::Suite,
};

const LEDGER: &str = r#"format = 1
name = "test"
version = "1"
sentence = [
  { id = "s", document = "interface", place = "1", level = "must", says = "…" },
  { id = "may", document = "adapter", place = "2", level = "may", says = "…" },
  { id = "gone", document = "platform", place = "3", excluded = "not seen", says = "…" },
  { id = "open", document = "interface", place = "4", level = "must", says = "…", ambiguous = "…", permitted = ["yes: it is", "no: it is not"] },
]
"#;

/// Evidence for every sentence.
const BASE: &str = r#"format = 1
[[case]]
id = "base"
says = ["s", "open"]
level = "must"
title = "t"
steps = []
calls = []
[[case]]
id = "base-may"
says = ["may"]
level = "may"
title = "t"
steps = []
calls = []
"#;

fn load(files: &[(&str, &str)]) -> Result<Suite, LoadError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, text: &str| {
        let path: &Path = &folder.path().join(name);
        fs::write(path, text).expect("a file in it");
    };
    write("spec.toml", LEDGER);
    write("base.toml", BASE);
    for (name, text) in files {
        write(name, text);
    }
    Suite::from_folders(&[folder.path().to_path_buf()])
}

/// The problems, without the folder.
fn problems(files: &[(&str, &str)]) -> Vec<String> {
    let error = load(files).expect_err("the files are bad");
    let name = |line: &str| match line.find(".toml").map(|end| line[..end].rfind('/')) {
        Some(Some(slash)) => line[slash + 1..].to_owned(),
        _ => line.to_owned(),
    };
    error.to_string().lines().map(name).collect()
}

/// A file of one case, whose fields from line 7 on are `fields`.
fn file(fields: &str) -> String {
    format!(
        "format = 1\n[[case]]\nid = \"a\"\nsays = [\"s\"]\nlevel = \"must\"\ntitle = \"t\"\n{fields}\n"
    )
}

fn cases(fields: &str) -> Vec<Case> {
    let suite = load(&[("a.toml", &file(fields))]).unwrap_or_else(|error| panic!("{error}"));
    suite.cases.into_iter().filter(|case| !case.id.starts_with("base")).collect()
}

fn refused(fields: &str, expected: &str) {
    assert_eq!(problems(&[("a.toml", &file(fields))]), [expected], "{fields}");
}

/// The text of a `send` step with this body.
fn body(text: &str) -> String {
    let fields =
        format!("steps = [{{ op = \"send\", body = {text}, expect = \"returned\" }}]\ncalls = []");
    match &cases(&fields)[0].events[0].plan.steps[0].action {
        Action::Send { body, .. } => body.to_string(),
        other => panic!("{other:?}"),
    }
}

fn body_refused(text: &str, column: usize, expected: &str) {
    let fields =
        format!("steps = [{{ op = \"send\", body = {text}, expect = \"returned\" }}]\ncalls = []");
    refused(&fields, &format!("a.toml:7:{column}: {expected}"));
}
