//! Case files and ledgers: what they become, and what is refused, line by line.

use std::{fs, path::Path};

use duipai::{
    case::{Case, ExpectedCall, ExpectedEnd, ExpectedMessage, ExpectedOutcome, LoadError},
    plan::{Action, Body},
    subject::Capability,
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
        "a.toml:7:1: unknown field \"step\"; known here: id, was, says, level, title, why, pair, each, together, events, event, grants, bindings, batch, steps, calls, end, after, one_of",
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
    one("format = 1\ncases = []", "a.toml:2:1: unknown field \"cases\"; known here: format, case");
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
fn ends() {
    let end = |steps: &str, end, accepts| {
        let [case] = &*cases(&format!("steps = [{steps}]\ncalls = []")) else { panic!("one case") };
        assert_eq!(case.events[0].permitted[0].end, end, "{steps}");
        assert_eq!(case.accepts(), Some(accepts), "{steps}");
    };
    let send = |rest: &str| format!("{{ op = \"send\", body = '1', {rest} }}");
    end("", ExpectedEnd::Fulfilled, true);
    end(&send("expect = { throws = \"m\" }"), ExpectedEnd::Fulfilled, false);
    end(&send("caught = false, expect = { throws = \"m\" }"), ExpectedEnd::Rejected, false);
    end(&send("expect = \"aborts\""), ExpectedEnd::Aborted, false);
    end("{ op = \"raise\", message = \"m\" }", ExpectedEnd::Rejected, false);
    let both = format!("{}, {{ op = \"raise\", message = \"m\" }}", send("expect = \"aborts\""));
    end(&both, ExpectedEnd::Aborted, false);
}

#[test]
fn batches() {
    let fields = |batch: &str, rest: &str| {
        format!(
            "event = \"queue\"\nbatch = {{ queue = \"q\", messages = {batch} }}\nsteps = []\ncalls = {rest}"
        )
    };
    let [case] = &*cases(&fields("{ count = 2, json = '[${i}]' }", "[{ ack = 1 }]")) else {
        panic!("one case")
    };
    let batch = case.events[0].plan.batch.as_ref().expect("a batch");
    let seen: Vec<_> = batch.messages.iter().map(|it| (&*it.id, it.body.clone())).collect();
    assert_eq!(seen, [("m0", Body::Json("[0]".into())), ("m1", Body::Json("[1]".into()))]);
    refused(
        &fields("[]", "[{ ack = 0 }]"),
        "a.toml:10:18: no message 0: the batch of the event has 0",
    );
    refused(
        &fields("[{ json = '[' }]", "[]"),
        "a.toml:8:45: the body is not JSON: Unexpected end of JSON input",
    );
    refused(
        &fields("[{ js = '{\"#nope\":1}' }]", "[]"),
        "a.toml:8:43: the body is not tagged JSON: unknown tag \"#nope\"",
    );
    refused(
        &fields("[{ js = '1', json = '1' }]", "[]"),
        "a.toml:8:48: \"json\" cannot stand beside \"js\"",
    );
    let grows = "the case grows to over 16777216 bytes here";
    refused(&fields("{ count = 1000000000 }", "[]"), &format!("a.toml:8:45: {grows}"));
    refused(
        "batch = { queue = \"q\", messages = [] }\nsteps = []\ncalls = []",
        "a.toml:7:9: a fetch event has no \"batch\"; only queue events do",
    );
    refused(
        "event = \"queue\"\nsteps = []\ncalls = []",
        "a.toml:2:1: a queue event needs a \"batch\"",
    );
    refused(
        "event = \"queue\"\nbatch = \"redelivered\"\nsteps = []\ncalls = []",
        "a.toml:8:9: \"redelivered\" needs a queue event before this one",
    );
}

#[test]
fn needs() {
    let check = |fields: &str, expected: &[Capability]| {
        let [case] = &*cases(fields) else { panic!("one case") };
        assert_eq!(case.needs.iter().copied().collect::<Vec<_>>(), expected, "{fields}");
    };
    let message = |message: &str| {
        format!(
            "event = \"queue\"\nbatch = {{ queue = \"q\", messages = [{{ {message} }}] }}\nsteps = []\ncalls = []"
        )
    };
    check(&message("json = '1'"), &[]);
    check(&message("js = '[{\"#date\":0},\"#symbol\"]'"), &[Capability::JsValues]);
    let uncloneable = [Capability::JsValues, Capability::UncloneableValues];
    check(&message("js = '[{\"\\u0023symbol\":\"a\"}]'"), &uncloneable);
    check(&message("js = '{\"#undefined\":true}'"), &uncloneable);
    check(&message("js = '[{\"#undefined\":true}]'"), &[Capability::JsValues]);
    check(&message("ack_throws = \"m\""), &[Capability::SettleThrows]);
    let after = "after = { cloudflare = { basis = \"documented\", redelivered = [] } }";
    check(&format!("{}\n{after}", message("")), &[Capability::Redelivery]);
    check("event = \"email\"\nsteps = []\ncalls = []", &[Capability::OtherEvents]);
    check(
        "steps = [{ op = \"wait\", seconds = 1, expect = \"returned\" }]\ncalls = []",
        &[Capability::VirtualTime],
    );
    check(
        "bindings = { A = { rejects_value = '1' } }\nsteps = []\ncalls = []",
        &[Capability::RejectsNonError],
    );
    check(
        "together = true\nevents = [{ steps = [], calls = [] }, { steps = [], calls = [] }]",
        &[Capability::Concurrency],
    );
}

#[test]
fn permitted_behaviours() {
    let fields = |list: &str| {
        format!(
            "steps = [{{ op = \"send\", body = '1' }}, {{ op = \"raise\", message = \"m\" }}]\none_of = {list}"
        )
    };
    let with = |list: &str, expected: &str| {
        let text = file(&fields(list)).replace("[\"s\"]", "[\"open\"]");
        assert_eq!(problems(&[("a.toml", &text)]), [expected], "{list}");
    };
    with(
        "[{ behaviour = \"yes\", expect = [\"returned\"], calls = [] }]",
        "a.toml:8:10: \"one_of\" lists two behaviours at the least",
    );
    with(
        "[{ behaviour = \"yes\", expect = [], calls = [] }]",
        "a.toml:8:41: \"expect\" has 0 entries for 1 steps (a \"raise\" takes none)",
    );
    with(
        "[{ behaviour = \"perhaps\" }]",
        "a.toml:8:25: the ledger does not permit the behaviour \"perhaps\"; it permits: yes, no",
    );
    let yes = "{ behaviour = \"yes\", expect = [\"returned\"], calls = [] }";
    with(&format!("[{yes}, {yes}]"), "a.toml:8:83: the behaviour \"yes\" is listed twice");
    with(&format!("[{yes}]\ncalls = []"), "a.toml:9:1: \"calls\" cannot stand beside \"one_of\"");
    let no = "{ behaviour = \"no\", expect = [\"aborts\"], calls = [] }";
    let [case] = &*cases(&fields(&format!("[{yes}, {no}]"))) else { panic!("one case") };
    let permitted = &case.events[0].permitted;
    let raised = ExpectedOutcome::Threw(ExpectedMessage::Exact("m".into()));
    assert_eq!(permitted[0].outcomes, [ExpectedOutcome::Returned, raised]);
    assert_eq!(permitted[1].outcomes, [ExpectedOutcome::Aborted, ExpectedOutcome::NotReached]);
    assert_eq!(case.accepts(), Some(false));
}

#[test]
fn pairs() {
    let pair = |edit: &str, from: &str, to: &str, verdict: &str| {
        let step = |fields: &str, expect: &str| {
            format!("steps = [{{ op = \"send\", {fields}, expect = {expect} }}]\ncalls = []")
        };
        let one =
            file(&format!("pair = {{ with = \"b\", {edit} }}\n{}", step(from, "\"returned\"")));
        let two = file(&step(to, verdict)).replace("\"a\"", "\"b\"");
        match load(&[("a.toml", &one), ("b.toml", &two)]) {
            Ok(_) => String::new(),
            Err(error) => match error.to_string().split_once("does not hold: ") {
                Some((_, why)) => why.to_owned(),
                None => panic!("{error}"),
            },
        }
    };
    let throws = "{ throws = \"m\" }";
    let text = |edit: &str, from: &str, to: &str| {
        pair(edit, &format!("body = '{from}'"), &format!("body = '{to}'"), throws)
    };
    assert_eq!(text("edit = \"bytes\", by = 2", "\"é\"", "\"éé\""), "");
    assert_eq!(
        text("edit = \"bytes\", by = 1", "\"é\"", "\"éé\""),
        "its twin b has another edit: it has +2 bytes, not +1"
    );
    assert_eq!(text("edit = \"depth\", by = 1", "[]", "[[]]"), "");
    assert_eq!(
        text("edit = \"depth\", by = 1", "\"\"", "\"[\""),
        "its twin b has another edit: it has +0 levels, not +1"
    );
    assert_eq!(text("edit = \"items\", by = -1", "[[1,2],\",\"]", "[[1,2]]"), "");
    assert_eq!(text("edit = \"text\", from = \"aa\", to = \"b\"", "aaa", "ab"), "");
    assert_eq!(
        text("edit = \"text\", from = \"a\", to = \"b\"", "aa", "bb"),
        "its twin b has another edit: no single replacement of \"from\" by \"to\" leads to its text"
    );
    assert_eq!(
        text("edit = \"bytes\", by = 1", "1", "1"),
        "its plan is equal to that of its twin b"
    );
    assert_eq!(
        pair("edit = \"delay\", by = 1", "body = '1', delay = 1", "body = '1', delay = 2", throws),
        ""
    );
    assert_eq!(
        pair("edit = \"delay\", by = 1", "body = '1'", "body = '2', delay = 1", throws),
        "its twin b differs in 2 places"
    );
    assert_eq!(
        pair("edit = \"index\", by = 1", "body = '1'", "body = '2'", throws),
        "its twin b has another edit: a text is what differs"
    );
    assert_eq!(
        pair("edit = \"bytes\", by = 1", "body = '1'", "body = '11'", "\"returned\""),
        "one of a pair is accepted and the other refused, but it is accepted and its twin b accepted"
    );
    refused(
        "pair = { with = \"no\", edit = \"bytes\", by = 1 }\nsteps = []\ncalls = []",
        "a.toml:2:1: the pair of a does not hold: there is no case no",
    );
}

#[test]
fn one_problem_does_not_hide_another() {
    let text = format!("{}[[case]]\nid = 1\n", file("steps = 1"));
    let expected = [
        "a.toml:7:9: \"steps\" must be an array, not an integer",
        "a.toml:9:6: \"id\" must be a string, not an integer",
    ];
    assert_eq!(problems(&[("a.toml", &text)]), expected);
}

#[test]
fn ledgers() {
    let with = |from: &str, to: &str, expected: &str| {
        assert!(LEDGER.contains(from), "{from}");
        let seen = problems(&[("spec.toml", &LEDGER.replacen(from, to, 1))]);
        assert_eq!(seen.len(), 1, "{seen:?}");
        assert!(seen[0].starts_with(expected), "{}", seen[0]);
    };
    with("\"may\"", "\"s\"", "spec.toml:6:10: duplicate sentence s, first at ");
    with(
        "\"must\"",
        "\"shall\"",
        "spec.toml:5:60: \"level\" is \"shall\", expected one of must, should, may, observe",
    );
    with(
        "\"adapter\"",
        "\"letter\"",
        "spec.toml:6:28: \"document\" is \"letter\", expected one of interface, adapter, platform",
    );
    with("excluded = \"not seen\"", "excluded = \"\"", "spec.toml:7:65: \"excluded\" is empty");
    with(
        "excluded =",
        "level = \"may\", excluded =",
        "spec.toml:7:80: \"excluded\" cannot stand beside \"level\"",
    );
    with("level = \"must\", ", "", "spec.toml:5:3: expected one of the fields level, excluded");
    with(
        ", ambiguous = \"…\"",
        "",
        "spec.toml:8:83: \"permitted\" cannot stand without \"ambiguous\"",
    );
    with(
        ", \"no: it is not\"",
        "",
        "spec.toml:8:112: \"permitted\" lists two behaviours at the least",
    );
    with(
        "\"no: it is not\"",
        "\"yes: twice\"",
        "spec.toml:8:127: the behaviour \"yes\" is listed twice",
    );
    with(
        "says = \"…\" }",
        "says = \"…\", row = 14 }",
        "spec.toml:5:86: row 14 is not one of 1 to 13",
    );
    with(
        "says = \"…\" }",
        "says = \"…\", raw = 1 }",
        "spec.toml:5:80: unknown field \"raw\"; known here: ",
    );
    with(
        "name = \"test\"",
        "name = \"消息队列接口\"",
        "spec.toml:1:1: no sentence for the table's rows 1, 2, 3, ",
    );
}
