//! What the fields of one file become, and what is refused of them.

use duipai::{
    case::{ExpectedCall, ExpectedEnd},
    plan::Action,
};

use crate::{body, body_refused, cases, file, load, problems, refused};

#[test]
fn defaults() {
    let fields = "steps = [{ op = \"send\", body = '[1, 2]', expect = \"returned\" }]\n\
        calls = [{ send = \"PAGE_QUEUE\", body = \"step\", options = '{}' }]";
    let [case] = &*cases(fields) else { panic!("one case") };
    assert_eq!(case.origin.to_string().rsplit_once(".toml").expect("a file").1, ":2:1");
    assert!(case.needs.is_empty());
    assert_eq!(case.accepts(), Some(true));
    let event = &case.events[0];
    assert_eq!(event.plan.grants, ["PAGE_QUEUE"]);
    assert!(event.plan.bindings.contains_key("PAGE_QUEUE"));
    assert_eq!(event.permitted[0].end, ExpectedEnd::Fulfilled);
    let [ExpectedCall::Send { body, .. }] = &*event.permitted[0].calls else { panic!("a send") };
    assert_eq!(&**body, "[1,2]");
}

#[test]
fn texts() {
    assert_eq!(body("{ string = \"é\", bytes = 7 }"), "\"ééx\"");
    assert_eq!(body("{ nest = 2, bytes = 4 }"), "[[]]");
    assert_eq!(
        body("{ nest = 2, open = '{\"a\":', inner = '1', close = '}', bytes = 13 }"),
        "{\"a\":{\"a\":1}}"
    );
    assert_eq!(body("{ items = 11, item = '${i}', bytes = 24 }"), "[0,1,2,3,4,5,6,7,8,9,10]");
    assert_eq!(body("{ bodies = [2, 3], bytes = 26 }"), "[{\"body\":\"\"},{\"body\":\"x\"}]");
    assert_eq!(body("{ pieces = [['a', 2], ['b', 1]], bytes = 3 }"), "aab");
    assert_eq!(body("{ escaped = \"\\u0001\", bytes = 1 }"), "\u{1}");
    assert_eq!(
        body("{ pieces = [['[1.0,', 1], ['2]', 1]], bytes = 7, canonical_bytes = 5 }"),
        "[1.0,2]"
    );
}

#[test]
fn texts_of_another_size() {
    body_refused("{ nest = 2, bytes = 5 }", 52, "the text has 4 bytes, not 5");
    body_refused(
        "{ nest = 2, bytes = 4, canonical_bytes = 5 }",
        73,
        "the canonical text has 4 bytes, not 5",
    );
    body_refused("{ nest = 2 }", 32, "missing field \"bytes\"");
    body_refused(
        "{ nest = 2, item = '', bytes = 4 }",
        44,
        "unknown field \"item\"; known here: nest, open, close, inner, bytes, canonical_bytes",
    );
}

#[test]
fn texts_that_would_fill_the_memory() {
    let grows = "the case grows to over 16777216 bytes here";
    body_refused("{ nest = 5000000000, bytes = 10000000000 }", 61, grows);
    body_refused("{ items = 5000000000, item = '', bytes = 5000000001 }", 32, grows);
    body_refused(
        "{ nest = 9223372036854775807, open = 'abc', bytes = 1 }",
        32,
        "the text's size does not fit in 64 bits",
    );
    let none = "{ nest = 9223372036854775807, open = '', close = '', inner = '1', bytes = 1 }";
    assert_eq!(body(none), "1");
}

#[test]
fn fields() {
    refused(
        "step = []",
        "a.toml:7:1: unknown field \"step\"; known here: id, was, says, level, title, why, each, pair, together, events, event, grants, bindings, batch, steps, calls, end, after, one_of",
    );
    refused("calls = []", "a.toml:2:1: missing field \"steps\"");
    refused("steps = []", "a.toml:2:1: missing field \"calls\"");
    refused("steps = 1\ncalls = []", "a.toml:7:9: \"steps\" must be an array, not an integer");
    refused(
        "steps = []\ncalls = []\nend = \"over\"",
        "a.toml:9:7: \"end\" is \"over\", expected one of fulfilled, rejected, aborted",
    );
    refused("steps = [", "a.toml:7:10: not TOML: unclosed array, expected `]`");
    refused("steps = []\nsteps = []", "a.toml:8:1: not TOML: duplicate key");
}

#[test]
fn files() {
    let one = |text: &str, expected: &str| assert_eq!(problems(&[("a.toml", text)]), [expected]);
    one("", "a.toml:1:1: missing field \"format\"");
    one("format = 2", "a.toml:1:10: format 2 is unknown; this version reads format 1");
    one(
        "format = 1\ncases = []",
        "a.toml:2:1: unknown field \"cases\"; known here: format, kind, case",
    );
    one("format = 1", "a.toml:1:1: missing field \"case\"");
    one("format = 1\ncase = []", "a.toml:2:8: the file has no case");
}

#[test]
fn ids() {
    let plain = file("steps = []\ncalls = []");
    let twice = format!("{plain}{}", plain.trim_start_matches("format = 1\n"));
    let [line] = &*problems(&[("a.toml", &twice)]) else { panic!("one problem") };
    assert!(line.starts_with("a.toml:9:1: duplicate case a, first at "), "{line}");
    assert!(line.ends_with("a.toml:2:1"), "{line}");
    let [line] = &*problems(&[("a.toml", &plain), ("b.toml", &plain)]) else {
        panic!("one problem")
    };
    assert!(line.starts_with("b.toml:2:1: duplicate case a, first at "), "{line}");
    assert!(line.ends_with("a.toml:2:1"), "{line}");
    let [line] = &*problems(&[("a.toml", &file("was = [\"base\"]\nsteps = []\ncalls = []"))])
    else {
        panic!("one problem")
    };
    assert!(line.starts_with("a.toml:2:1: the earlier id base is taken by "), "{line}");
    let suite =
        load(&[("a.toml", &file("was = [\"old\"]\nsteps = []\ncalls = []"))]).expect("fine");
    assert_eq!(suite.find("old").map(|case| &*case.id), Some("a"));
    assert_eq!(suite.find("a").map(|case| &*case.id), Some("a"));
    assert!(suite.find("b").is_none());
}

#[test]
fn sentences() {
    let with = |says: &str, level: &str, expected: &str| {
        let text = file("steps = []\ncalls = []");
        let text = text.replace("[\"s\"]", says).replace("\"must\"", level);
        assert_eq!(problems(&[("a.toml", &text)]), [expected]);
    };
    with("[\"nope\"]", "\"must\"", "a.toml:4:9: the ledger has no sentence \"nope\"");
    with("[\"s\", \"gone\"]", "\"must\"", "a.toml:4:14: the ledger excludes the sentence gone");
    with("[]", "\"must\"", "a.toml:4:8: a case is evidence for one sentence at the least");
    with("[\"s\"]", "\"may\"", "a.toml:5:9: the level is may, but that of the sentence s is must");
    let uncovered = load(&[("base.toml", &file("steps = []\ncalls = []"))]).expect_err("may");
    assert_eq!(uncovered.problems().len(), 2);
    assert!(uncovered.to_string().ends_with("no case is evidence for the sentence open"));
}

#[test]
fn rows() {
    let fields = "each = [{ key = \"x\", d = 5 }, { key = \"y\", d = -1 }]\n\
        steps = [{ op = \"send\", body = '[${d},${x}${i}]', delay = \"${d}\", expect = \"returned\" }]\ncalls = []";
    refused(fields, "a.toml:8:32: unknown placeholder ${x}; known here: ${key}, ${d}");
    let cases = cases(&fields.replace("${x}", ""));
    let seen: Vec<_> = cases
        .iter()
        .map(|case| (&*case.id, case.origin.line, case.events[0].plan.steps[0].action.clone()))
        .collect();
    let send =
        |body: &str, delay| Action::Send { binding: "PAGE_QUEUE".into(), body: body.into(), delay };
    assert_eq!(seen, [("a#x", 7, send("[5,${i}]", 5)), ("a#y", 7, send("[-1,${i}]", -1))]);
    refused(
        "steps = [{ op = \"raise\", message = \"${x}\" }]\ncalls = []",
        "a.toml:7:36: unknown placeholder ${x}; the case has no rows",
    );
}

#[test]
fn expectations() {
    let step = |expect: &str, expected: &str| {
        let fields = format!("steps = [{{ op = \"ack\", index = 0{expect} }}]\ncalls = []");
        refused(&fields, &format!("a.toml:7:{expected}"));
    };
    step("", "10: missing field \"expect\"");
    step(
        ", expect = \"throws\"",
        "44: a throw needs its message, { throws = \"…\" }, or a reason, { throws_any = \"…\" }",
    );
    step(", expect = { throws_any = \" \" }", "59: \"throws_any\" is empty");
    step(", expect = { throws_prefix = \"a\" }", "44: missing field \"reason\"");
    step(
        ", expect = { throws_any_of = [\"a\"] }",
        "62: \"throws_any_of\" lists two messages at the least",
    );
    step(
        ", expect = { throws = \"a\", throws_any = \"b\" }",
        "73: \"throws_any\" cannot stand beside \"throws\"",
    );
    step(", expect = \"batch\"", "44: \"ack\" cannot come to this");
    step(
        ", expect = \"not-reached\"",
        "44: no step before this one ends the event, so it is reached",
    );
    refused(
        "steps = [{ op = \"raise\", message = \"m\", expect = \"returned\" }]\ncalls = []",
        "a.toml:7:41: \"expect\" cannot stand in \"raise\": that it throws is all it does",
    );
    refused(
        "steps = [{ op = \"raise\", message = \"m\" }, { op = \"ack\", index = 0, expect = \"returned\" }]\ncalls = []",
        "a.toml:7:77: a step before this one ends the event, so \"not-reached\" is all it can come to",
    );
    refused(
        "steps = [{ op = \"raise\", message = \"m\" }]\ncalls = []\nend = \"fulfilled\"",
        "a.toml:9:7: a step throws uncaught, so the event cannot end like this",
    );
}

#[test]
fn several_messages_are_of_rules_that_the_input_breaks() {
    let step = |step: &str, list: &str| {
        format!("steps = [{{ {step}, expect = {{ throws_any_of = [{list}] }} }}]\ncalls = []")
    };
    let (delay, json) = ("\"延迟秒数须在 0 至 43200 之间\"", "\"消息体不是有效的 JSON 文字\"");
    let both = format!("{delay}, {json}");
    let send = "op = \"send\", body = '{', delay = -1";
    assert_eq!(cases(&step(send, &both))[0].accepts(), Some(false));
    refused(&step("op = \"send\", body = '1', delay = -1", &both), {
        "a.toml:7:100: the input breaks no rule of \"消息体不是有效的 JSON 文字\"; it breaks: 延迟秒数须在 0 至 43200 之间"
    });
    refused(&step("op = \"send-batch\", items = '[{\"body\":1}]'", &both), {
        "a.toml:7:83: the input breaks no rule of \"延迟秒数须在 0 至 43200 之间\"; it breaks: none"
    });
    refused(&step(send, &format!("{delay}, {delay}")), {
        "a.toml:7:100: \"延迟秒数须在 0 至 43200 之间\" is listed twice"
    });
    cases(&step("op = \"ack\", index = -1", "\"队列消息序号越界\", \"当前事件不是队列事件\""));
}

#[test]
fn calls_are_canonical() {
    let with = |call: &str| {
        let step = "{ op = \"send\", body = '[1, 2]', expect = \"returned\" }";
        format!("steps = [{step}]\ncalls = [{call}]")
    };
    let send = |body: &str| with(&format!("{{ send = \"Q\", body = '{body}', options = '{{}}' }}"));
    let item =
        |body: &str| with(&format!("{{ send_batch = \"Q\", items = [{{ body = '{body}' }}] }}"));
    let items = |items: &str| with(&format!("{{ send_batch = \"Q\", items = '{items}' }}"));
    for good in [send("[1,2]"), item("[1,2]"), items("[{\"body\":[1,2]}]")] {
        cases(&good);
    }
    refused(&send("[1, 2]"), "a.toml:8:31: not canonical JSON text, which is \"[1,2]\"");
    refused(&item("1e2"), "a.toml:8:48: not canonical JSON text, which is \"100\"");
    refused(&items("[{\"body\":1.0}]"), {
        "a.toml:8:38: not canonical JSON text, which is \"[{\\\"body\\\":1}]\""
    });
    refused(&send("[1"), "a.toml:8:31: not JSON text: Unexpected end of JSON input");
}

#[test]
fn refusals_of_a_broker() {
    let refusal = |fields: &str, message: &str| {
        let text =
            format!("bindings = {{ A = {{ refuses = {{ {fields} }} }} }}\nsteps = []\ncalls = []");
        let said = problems(&[("a.toml", &file(&text))]).join("\n");
        assert!(said.ends_with(message), "{fields}: {said}");
    };
    let status = "a refusal has an HTTP status from 201 to 599";
    refusal("status = 200, date = \"2026-10-01\"", status);
    refusal("status = 600, date = \"2026-10-01\"", status);
    refusal("date = \"2026-10-01\"", "missing field \"status\"");
    refusal("status = 429", "missing field \"date\"");
    for date in ["2026-10-1", "2026/10/01", "2026-10-011", "２026-10-0"] {
        let message = "a compatibility date is YYYY-MM-DD";
        refusal(&format!("status = 429, date = \"{date}\""), message);
    }
    let line = "status = 429, date = \"2026-10-01\", cause = \"a\\r\\nb\"";
    refusal(line, "a header is one line");
}
