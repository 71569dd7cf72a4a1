//! What a suite must keep as a whole: ends, batches, needs, permitted
//! behaviours, pairs, ledgers.

use duipai::{
    case::{ExpectedEnd, ExpectedMessage, ExpectedOutcome},
    plan::Body,
    subject::Capability,
};

use crate::{LEDGER, cases, file, load, problems, refused};

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
        "bindings = { A = { refuses = { status = 429, date = \"2026-10-01\" } } }\nsteps = []\ncalls = []",
        &[Capability::RealRefusals],
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
