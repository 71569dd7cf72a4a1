//! Every line of the `canon-*` vectors, made with a JavaScript engine: the
//! canonical text, and what the bridge makes of it.

use std::{fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use duipai_host::{Event, EventSetup, json};
use duipai_spec::{
    bridge::{Bridge as _, CallError},
    markers,
};
use serde_json::Value;
use sha2::{Digest as _, Sha256};

#[test]
fn keys() {
    check_file("canon-keys.jsonl");
}

#[test]
fn numbers() {
    check_file("canon-numbers.jsonl");
}

#[test]
fn rejects() {
    check_file("canon-rejects.jsonl");
}

#[test]
fn strings() {
    check_file("canon-strings.jsonl");
}

#[test]
fn structures() {
    check_file("canon-structures.jsonl");
}

fn check_file(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/vectors");
    let path = folder.join(name);
    let text = fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    let mut lines = 0;
    for line in text.lines() {
        let line: Value = serde_json::from_str(line).expect("a line is a JSON object");
        check(&line);
        lines += 1;
    }
    assert!(lines > 0, "{path:?} is empty");
}

fn check(line: &Value) {
    let name = line["name"].as_str().expect("a line has a name");
    let input = input(line);
    assert_eq!(line["bytes_in"], input.len(), "{name}: size of the input");
    let parsed = json::parse(&input);
    assert_eq!(line["parse_ok"], parsed.is_ok(), "{name}: {parsed:?}");
    let bridged = bridged(&input);
    let Ok(value) = parsed else {
        assert!(matches!(bridged, Err(CallError::Thrown(_))), "{name}: {bridged:?}");
        return;
    };

    let canonical = json::canonical(&input).expect("the text has been parsed");
    match &line["canonical_sha256"] {
        Value::String(digest) => assert_eq!(*digest, sha256(&canonical), "{name}"),
        _ => assert_eq!(line["canonical"], canonical, "{name}"),
    }
    assert_eq!(line["bytes_out"], canonical.len(), "{name}: size of the canonical text");
    assert_eq!(line["depth"], value.depth(), "{name}: depth");

    if line["bridge_too_deep"] == true {
        assert_eq!(bridged, Err(CallError::TooDeep), "{name}");
        check_markers(line, &canonical);
        return;
    }
    let bridged = bridged.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let expected = line["bridge"].as_str().unwrap_or(&canonical);
    assert_eq!(bridged, expected, "{name}: bridge form");
    assert_eq!(line["nonfinite"], bridged != canonical, "{name}: infinities");
    check_markers(line, &bridged);
}

fn check_markers(line: &Value, text: &str) {
    let seen = markers::PREFIXES.into_iter().filter(|prefix| text.contains(prefix));
    let empty = Vec::new();
    let mut expected: Vec<_> = line["markers"].as_array().unwrap_or(&empty).iter().collect();
    expected.sort_by_key(|prefix| markers::PREFIXES.iter().position(|known| *prefix == known));
    assert_eq!(seen.collect::<Vec<_>>(), expected, "{}: markers", line["name"]);
}

/// What a program sees of `JSON.parse(input)`.
fn bridged(input: &str) -> Result<String, CallError> {
    let mut event = Event::open(EventSetup::default());
    let json = event.global("JSON").expect("JSON is a global");
    let argument = json::quote(&input.into());
    let answer = event.call_safe(json, "parse", &format!("[{argument}]"));
    answer.expect("the call does not end the event")
}

fn input(line: &Value) -> String {
    if let Some(base64) = line["input_b64"].as_str() {
        let bytes = STANDARD.decode(base64).expect("the input is Base64");
        return String::from_utf8(bytes).expect("the input is UTF-8");
    }
    let mut input = String::new();
    for step in line["input_recipe"].as_array().expect("an input or a recipe") {
        let piece = step[0].as_str().expect("a piece is a text");
        let times = step[1].as_u64().and_then(|times| usize::try_from(times).ok());
        input.push_str(&piece.repeat(times.expect("a piece has a count")));
    }
    assert_eq!(line["input_sha256"], sha256(&input), "{}: recipe", line["name"]);
    input
}

fn sha256(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
