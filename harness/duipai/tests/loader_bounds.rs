//! Small files that ask for much work or memory are refused, or cost little.

use std::{
    fs,
    time::{Duration, Instant},
};

use duipai::{
    case::{LEDGER_FILE, LoadError},
    suite::Suite,
};

const LEDGER: &str = "format = 1\nname = \"t\"\nversion = \"1\"\nsentence = [{ id = \"s\", document = \"interface\", place = \"1\", level = \"must\", says = \"…\" }]\n";

const GROWS: &str = "the case grows to over 16777216 bytes here";

fn case(id: &str, fields: &str) -> String {
    format!("[[case]]\nid = \"{id}\"\nsays = [\"s\"]\nlevel = \"must\"\ntitle = \"t\"\n{fields}\n")
}

fn load(cases: &[String]) -> Result<Suite, LoadError> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(LEDGER_FILE), LEDGER).expect("the ledger");
    let text = format!("format = 1\n{}", cases.concat());
    fs::write(folder.path().join("a.toml"), text).expect("the cases");
    Suite::from_folders(&[folder.path().to_path_buf()])
}

/// The first problem is this one.
fn refused(cases: &[String], expected: &str) {
    let error = load(cases).expect_err("too much");
    assert_eq!(error.problems()[0].message, expected);
}

fn megabytes(count: usize) -> String {
    " ".repeat(count * 1_000_000)
}

fn queue(messages: &str) -> String {
    let batch = format!("batch = {{ queue = \"q\", messages = {messages} }}");
    case("a", &format!("event = \"queue\"\n{batch}\nsteps = []\ncalls = []"))
}

#[test]
fn many_calls_of_one_big_body() {
    let call = "{ send = \"PAGE_QUEUE\", body = \"step\", options = '{}' },".repeat(2000);
    let body = "{ pieces = [[' ', 15000000], ['1', 1]], bytes = 15000001 }";
    let step = format!("steps = [{{ op = \"send\", body = {body}, expect = \"returned\" }}]");
    let started = Instant::now();
    let suite = load(&[case("a", &format!("{step}\ncalls = [{call}]"))]);
    let taken = started.elapsed();
    let calls = &suite.expect("a suite").cases[0].events[0].permitted[0].calls;
    assert_eq!(calls.len(), 2000);
    // Reading the body once takes well under a second, 2000 times over half a
    // minute.
    assert!(taken < Duration::from_secs(15), "{taken:?}");
}

#[test]
fn many_messages_of_one_big_text() {
    let spaces = megabytes(2);
    for message in [
        format!("json = '{spaces}1'"),
        format!("js = '{spaces}1'"),
        format!("id = '{spaces}'"),
        format!("ack_throws = '{spaces}'"),
        format!("retry_throws = '{spaces}'"),
        format!("json = '{spaces}${{i}}'"),
    ] {
        refused(&[queue(&format!("{{ count = 2000, {message} }}"))], GROWS);
    }
    load(&[queue(&format!("{{ count = 2, json = '{spaces}1' }}"))]).expect("a small batch");
}

#[test]
fn many_rows_of_one_big_text() {
    let rows: String = (0..300).map(|row| format!("{{ key = \"r{row}\" }},")).collect();
    let text = megabytes(2);
    let step = format!("{{ op = \"send\", body = '{text}1', expect = \"returned\" }}");
    let fields = |steps: &str, rest: &str| format!("each = [{rows}]\nsteps = [{steps}]\n{rest}");
    let grows = "the file's cases grow to over 536870912 bytes here";
    refused(&[case("a", &fields(&step, "calls = []"))], grows);
    // The value of a row counts wherever it stands.
    let step = "{ op = \"send\", body = \"${v}\", expect = \"returned\" },".repeat(20);
    let row = format!("each = [{{ key = \"r\", v = '{text}1' }}]\nsteps = [{step}]\ncalls = []");
    refused(&[case("a", &row)], GROWS);
}

#[test]
fn many_behaviours_of_one_big_exception() {
    let message = megabytes(1);
    let behaviours: String = (0..20)
        .map(|index| format!("{{ behaviour = \"b{index}\", expect = [], calls = [] }},"))
        .collect();
    let step = format!("{{ op = \"raise\", message = \"{message}\" }}");
    refused(&[case("a", &format!("steps = [{step}]\none_of = [{behaviours}]"))], GROWS);
}

#[test]
fn many_events_of_one_big_queue_name() {
    let rest = "event = \"queue\", steps = [], calls = []";
    let first = format!("{{ batch = {{ queue = '{}', messages = [] }}, {rest} }},", megabytes(3));
    let again = format!("{{ batch = \"redelivered\", {rest} }},").repeat(5);
    refused(&[case("a", &format!("events = [{first}{again}]"))], GROWS);
}

#[test]
fn many_cases_with_one_big_twin() {
    let rows: String = (0..800).map(|row| format!("{{ key = \"r{row}\" }},")).collect();
    let step = |body: &str, expect: &str| {
        format!("steps = [{{ op = \"send\", body = '{body}', expect = {expect} }}]\ncalls = []")
    };
    let text = megabytes(3);
    let pair = format!("pair = {{ with = \"b\", edit = \"bytes\", by = {} }}", text.len());
    let small = format!("each = [{rows}]\n{pair}\n{}", step("1", "\"returned\""));
    let big = step(&format!("{text}1"), "{ throws = \"m\" }");
    let error = load(&[case("a", &small), case("b", &big)]).expect_err("too many pairs");
    let problem = &error.problems()[0].message;
    let expected = "does not hold: the pairs of the suite compare over 2147483648 bytes";
    assert!(problem.ends_with(expected), "{problem}");
    // As far as the bound reaches, the pairs hold.
    assert!((1..200).contains(&error.problems().len()), "{}", error.problems().len());
}

#[test]
fn many_problems_are_cut() {
    let check = |count: usize, last: &str| {
        let cases: Vec<String> = (0..count).map(|it| case(&format!("c{it}"), "no = 1")).collect();
        let error = load(&cases).expect_err("unknown fields");
        assert_eq!(error.problems().len(), count);
        let text = error.to_string();
        assert_eq!(text.lines().count(), count.min(21));
        let seen = text.lines().last().expect("a line");
        assert!(seen.contains(last), "{seen}");
    };
    check(20, "unknown field");
    check(21, "and 1 more");
    check(50, "and 30 more");
}
