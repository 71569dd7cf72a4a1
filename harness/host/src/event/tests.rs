//! Events through their primitives.

use duipai_spec::bridge::{Bridge, CallError, Handle};

use super::*;
use crate::tagged::parse_tagged;

fn value(tagged: &str) -> Value {
    parse_tagged(tagged).expect(tagged)
}

fn message(id: &str, body: &str) -> MessageSetup {
    MessageSetup {
        id: id.to_owned(),
        attempts: 2,
        timestamp: TimestampSetup::Date(86_400_000),
        body: value(body),
        ack_throws: None,
        retry_throws: None,
    }
}

/// A queue event with a few bindings and messages.
fn queue_event() -> Event {
    let bindings = [
        ("Q", BindingSetup::Accepts),
        ("FULL", BindingSetup::RejectsError("Queue is full".to_owned())),
        ("ODD", BindingSetup::RejectsValue(value(r#"{"message":"odd"}"#))),
        ("SECRET", BindingSetup::Accepts),
    ];
    let mut throwing = message("m2", "null");
    throwing.timestamp = TimestampSetup::Number(5);
    throwing.ack_throws = Some("no ack".to_owned());
    throwing.retry_throws = Some("no retry".to_owned());
    Event::open(EventSetup {
        kind: EventKind::Queue,
        grants: ["Q", "FULL", "ODD", "GONE"].map(str::to_owned).to_vec(),
        bindings: bindings.map(|(name, binding)| (name.to_owned(), binding)).into(),
        batch: Some(BatchSetup {
            queue: "q\u{0}".to_owned(),
            messages: vec![message("m0", r#"{"b":1,"0":2}"#), message("", "[1]"), throwing],
        }),
        ..EventSetup::default()
    })
}

fn handle(text: &str) -> Handle {
    let digits: String = text.chars().filter(char::is_ascii_digit).collect();
    Handle::from_number(digits.parse().expect(text))
}

fn reference(handle: Handle) -> String {
    format!("{{\"$句柄\":\"{handle}\"}}")
}

/// What the last primitive ended the event with, and that it lasts.
fn check_aborted<T: std::fmt::Debug>(mut event: Event, last: Result<T, Abort>, expected: &str) {
    assert_eq!(last.expect_err(expected).text(), expected);
    let calls = event.calls().to_vec();
    assert_eq!(event.event_kind().expect_err("the event is over").text(), expected);
    assert_eq!(event.ack(0).expect_err("the event is over").text(), expected);
    assert_eq!(event.ack_all().expect_err("the event is over").text(), expected);
    event.advance(Duration::from_secs(1000));
    let closed = event.close(Some("uncaught".to_owned()));
    assert_eq!(closed.end, End::Aborted(expected.to_owned()));
    assert_eq!(closed.calls, calls);
}

#[test]
fn the_batch_as_the_platform_delivers_it() -> Result<(), Abort> {
    let mut event = queue_event();
    assert_eq!(event.event_kind()?, "queue");
    assert_eq!(event.batch_name()?, "q\u{0}");
    assert_eq!(event.batch_count()?, 3);
    assert_eq!(event.message_id(1)?, "");
    assert_eq!(event.message_attempts(0)?, 2);
    assert_eq!(event.message_body(0)?, r#"{"0":2,"b":1}"#);
    assert!(event.calls().is_empty());
    assert_eq!(event.close(None).end, End::Fulfilled);
    Ok(())
}

#[test]
fn a_message_by_its_handle() -> Result<(), Abort> {
    let mut event = queue_event();
    let message = event.message_handle(0)?;
    assert_eq!(event.get(message, "id")?, r#""m0""#);
    assert_eq!(event.get(message, "attempts")?, "2");
    assert_eq!(event.get(message, "body")?, r#"{"0":2,"b":1}"#);
    assert_eq!(event.get(message, "nothing")?, r#"{"$未定义":true}"#);
    let date = handle(&event.get(message, "timestamp")?);
    assert_eq!(event.call(date, "getTime", "[]")?, "86400000");
    assert_eq!(event.call(date, "toISOString", "[]")?, r#""1970-01-02T00:00:00.000Z""#);
    let double = event.message_handle(2)?;
    assert_eq!(event.get(double, "timestamp")?, "5");
    assert_eq!(event.call(message, "ack", "[]")?, r#"{"$未定义":true}"#);
    event.call(message, "retry", r#"[{"delaySeconds":30}]"#)?;
    event.call(message, "retry", "[]")?;
    let options = Some(r#"{"delaySeconds":30}"#.to_owned());
    let expected = [
        Call::Ack { message: 0 },
        Call::Retry { message: 0, options },
        Call::Retry { message: 0, options: None },
    ];
    assert_eq!(event.calls(), expected);
    let thrown = event.call_safe(double, "ack", "[]")?;
    assert_eq!(thrown, Err(CallError::Thrown("no ack".to_owned())));
    assert_eq!(event.calls().last(), Some(&Call::Ack { message: 2 }));
    let closed = event.close(None);
    assert_eq!(closed.thrown, [expected.len()]);
    assert_eq!(closed.effective_calls(), expected);
    Ok(())
}

#[test]
fn settling_messages_is_logged_in_order() -> Result<(), Abort> {
    let mut event = queue_event();
    event.ack(1)?;
    event.retry(0)?;
    event.retry_after(1, 43_200)?;
    event.ack_all()?;
    event.retry_all(Some(&value(r#"{"delaySeconds":1}"#)))?;
    event.retry_all(None)?;
    let closed = event.close(Some("坏".to_owned()));
    assert_eq!(closed.end, End::Rejected("坏".to_owned()));
    let options = |seconds| Some(format!("{{\"delaySeconds\":{seconds}}}"));
    assert_eq!(
        closed.calls,
        [
            Call::Ack { message: 1 },
            Call::Retry { message: 0, options: None },
            Call::Retry { message: 1, options: options(43_200) },
            Call::AckAll,
            Call::RetryAll { options: options(1) },
            Call::RetryAll { options: None },
        ]
    );
    Ok(())
}

#[test]
fn a_message_that_cannot_be_settled_ends_the_event() {
    let mut event = queue_event();
    let ack = event.ack(2);
    check_aborted(event, ack, "no ack");
    let mut event = queue_event();
    let retry = event.retry_after(2, 1);
    check_aborted(event, retry, "no retry");
    let mut event = queue_event();
    let past = event.ack(3);
    check_aborted(event, past, "宿主没有序号为 3 的队列消息");
}

#[test]
fn queue_primitives_need_a_queue_event() {
    for kind in [EventKind::Fetch, EventKind::Scheduled, EventKind::Email] {
        let expected = format!("队列原语只在队列事件里可用，当前事件是 {kind}");
        let batch = Some(BatchSetup { queue: "q".to_owned(), messages: vec![message("m", "1")] });
        let setup = EventSetup { kind, batch, ..EventSetup::default() };
        let mut event = Event::open(setup.clone());
        assert_eq!(event.event_kind(), Ok(kind.to_string()));
        let name = event.batch_name();
        check_aborted(event, name, &expected);
        let mut event = Event::open(setup.clone());
        let body = event.message_body(0);
        check_aborted(event, body, &expected);
        let mut event = Event::open(setup);
        let all = event.ack_all();
        check_aborted(event, all, &expected);
    }
}

/// Sends to `binding` and returns the answer.
fn send(event: &mut Event, binding: &str, arguments: &str) -> Result<String, CallError> {
    let queue = event.queue_binding(binding).expect(binding);
    event.call_safe(queue, "send", arguments).expect(arguments)
}

#[test]
fn a_queue_accepts_or_rejects() {
    let mut event = queue_event();
    let metadata = r#"{"metadata":{"metrics":{"backlogCount":0,"backlogBytes":0}}}"#;
    assert_eq!(send(&mut event, "Q", "[1]"), Ok(metadata.to_owned()));
    let full = CallError::Thrown("Queue is full".to_owned());
    assert_eq!(send(&mut event, "FULL", "[2]"), Err(full));
    assert_eq!(send(&mut event, "ODD", "[]"), Err(CallError::Thrown("odd".to_owned())));
    let seen = |binding: &str, arguments: &str| Call::Send {
        binding: binding.to_owned(),
        arguments: arguments.to_owned(),
    };
    assert_eq!(event.calls(), [seen("Q", "[1]"), seen("FULL", "[2]"), seen("ODD", "[]")]);
}

#[test]
fn arguments_are_logged_as_the_platform_sees_them() -> Result<(), Abort> {
    let mut event = queue_event();
    let queue = event.queue_binding("Q")?;
    let bytes = event.bytes_to_handle(&[0, 255])?;
    let arguments = format!(
        r#"[[{{"body":{{"$未定义":true}}}},{{"$数字":"NaN"}},-0,{},"\ud800",{{"b":1,"1":2}}]]"#,
        reference(bytes)
    );
    event.call(queue, "sendBatch", &arguments)?;
    let expected = r##"[[{"body":{"#undefined":true}},{"#nan":true},{"#minus-zero":true},{"#bytes":"00ff"},"\ud800",{"1":2,"b":1}]]"##;
    let call = Call::SendBatch { binding: "Q".to_owned(), arguments: expected.to_owned() };
    assert_eq!(event.calls(), [call]);
    Ok(())
}

#[test]
fn what_is_thrown_but_not_an_error() {
    for (thrown, expected) in [
        (r#""text""#, "text"),
        ("null", "null"),
        (r##"{"#undefined":true}"##, "undefined"),
        ("-0", "0"),
        ("1e21", "1e+21"),
        (r##"{"#nan":true}"##, "NaN"),
        (r##"{"#bigint":"12"}"##, "12"),
        (r##"{"#symbol":"why"}"##, "why"),
        (r#"{"message":"m"}"#, "m"),
        (r#"{"message":1}"#, "[object Object]"),
        ("{}", "[object Object]"),
        (r#"[1,[null,[2,"x"]],[],{}]"#, "1,,2,x,,[object Object]"),
    ] {
        assert_eq!(value(thrown).thrown_text(), expected, "{thrown}");
    }
}

#[test]
fn bindings_are_granted_and_configured_or_end_the_event() {
    for (name, expected) in [
        ("SECRET", "未授权的QUEUE绑定：SECRET"),
        ("", "未授权的QUEUE绑定："),
        ("GONE", "绑定不存在：GONE"),
    ] {
        let mut event = queue_event();
        let queue = event.queue_binding(name);
        check_aborted(event, queue, expected);
    }
}

#[test]
fn json_and_text_are_made_by_the_host() -> Result<(), Abort> {
    let mut event = queue_event();
    let json = event.global("JSON")?;
    assert_eq!(event.call(json, "parse", r#"["{\"a\":[1.0]}"]"#)?, r#"{"a":[1]}"#);
    assert_eq!(event.call(json, "parse", r#"["1e999"]"#)?, r#"{"$数字":"Infinity"}"#);
    assert_eq!(event.call(json, "stringify", r#"[{"a":{"$未定义":true}}]"#)?, r#""{}""#);
    assert_eq!(event.call(json, "stringify", r#"[{"$未定义":true}]"#)?, r#"{"$未定义":true}"#);
    let bigint = event.call_safe(json, "stringify", r#"[{"$大整数":"1"}]"#)?;
    assert!(matches!(bigint, Err(CallError::Thrown(text)) if text.contains("BigInt")));

    let constructor = event.global("TextDecoder")?;
    let strips = event.construct(constructor, "[]")?;
    let keeps = event.construct(constructor, r#"["utf-8",{"ignoreBOM":true,"fatal":true}]"#)?;
    let text = event.bytes_to_handle("\u{feff}\u{0}\"".as_bytes())?;
    let arguments = format!("[{}]", reference(text));
    assert_eq!(event.call(strips, "decode", &arguments)?, r#""\u0000\"""#);
    assert_eq!(event.call(keeps, "decode", &arguments)?, "\"\u{feff}\\u0000\\\"\"");
    let broken = event.bytes_to_handle(b"\xff")?;
    let broken = event.call_safe(keeps, "decode", &format!("[{}]", reference(broken)))?;
    assert!(matches!(broken, Err(CallError::Thrown(_))));

    let constructor = event.global("TextEncoder")?;
    let encoder = event.construct(constructor, "[]")?;
    let bytes = handle(&event.call(encoder, "encode", r#"["é\ud800"]"#)?);
    assert_eq!(event.handle_to_bytes(bytes)?, "é\u{fffd}".as_bytes());
    assert_eq!(event.get(bytes, "length")?, "5");
    Ok(())
}

#[test]
fn a_syntax_error_quotes_the_input_and_depth_is_another_error() -> Result<(), Abort> {
    let mut event = queue_event();
    let json = event.global("JSON")?;
    let quoted = "Unexpected token '嵌', \"[1,嵌套过深\" is not valid JSON";
    let thrown = event.call_safe(json, "parse", "[\"[1,嵌套过深\"]")?;
    assert_eq!(thrown, Err(CallError::Thrown(quoted.to_owned())));
    let deep = format!("[\"{}{}\"]", "[".repeat(34), "]".repeat(34));
    assert_eq!(event.call_safe(json, "parse", &deep)?, Err(CallError::TooDeep));
    let called = event.call(json, "parse", &deep);
    check_aborted(event, called, "宿主结果嵌套过深");
    let mut event = queue_event();
    let json = event.global("JSON")?;
    let called = event.call(json, "parse", "[\"\"]");
    check_aborted(event, called, "Unexpected end of JSON input");
    Ok(())
}

#[test]
fn bodies_that_are_too_deep_end_the_event() {
    let deep = format!("{}{}", "[".repeat(34), "]".repeat(34));
    let open = || {
        Event::open(EventSetup {
            kind: EventKind::Queue,
            batch: Some(BatchSetup { queue: "q".to_owned(), messages: vec![message("m", &deep)] }),
            ..EventSetup::default()
        })
    };
    let mut event = open();
    let body = event.message_body(0);
    check_aborted(event, body, "宿主结果嵌套过深");
    let mut event = open();
    let message = event.message_handle(0).expect("there is a message");
    let body = event.get(message, "body");
    check_aborted(event, body, "宿主结果嵌套过深");
}

#[test]
fn names_that_are_not_reached() {
    for name in ["__proto__", "prototype", "constructor", "eval", "Function"] {
        let expected = format!("宿主不许访问此成员：{name}");
        let mut event = queue_event();
        let global = event.global(name);
        check_aborted(event, global, &expected);
        let mut event = queue_event();
        let json = event.global("JSON").expect("JSON is a global");
        let got = event.get(json, name);
        check_aborted(event, got, &expected);
        let mut event = queue_event();
        let json = event.global("JSON").expect("JSON is a global");
        let called = event.call_safe(json, name, "[]");
        check_aborted(event, called, &expected);
    }
    let mut event = queue_event();
    let global = event.global("fetch");
    check_aborted(event, global, "宿主没有此全局对象：fetch");
    let mut event = queue_event();
    let json = event.global("JSON").expect("JSON is a global");
    let called = event.call_safe(json, "rawJSON", "[]");
    check_aborted(event, called, "宿主对象没有此方法：rawJSON");
}

#[test]
fn released_and_forged_handles_end_the_event() {
    let mut event = queue_event();
    let json = event.global("JSON").expect("JSON is a global");
    event.release(json).expect("the handle is alive");
    let called = event.call_safe(json, "parse", "[\"1\"]");
    check_aborted(event, called, &format!("宿主句柄不存在或已释放：{json}"));
    let mut event = queue_event();
    let forged = event.handle_to_bytes(Handle::from_number(1));
    check_aborted(event, forged, "宿主句柄不存在或已释放：1");
    let mut event = queue_event();
    let json = event.global("JSON").expect("JSON is a global");
    let wrong = event.handle_to_bytes(json);
    check_aborted(event, wrong, "宿主对象不是二进制数据");
}

#[test]
fn the_time_limit_ends_the_event() {
    let mut event = queue_event();
    event.advance(Duration::from_secs(29));
    event.advance(Duration::from_secs(1));
    assert_eq!(event.aborted(), None);
    event.ack(0).expect("the limit is reached, not passed");
    event.advance(Duration::from_nanos(1));
    let over = event.ack(1);
    check_aborted(event, over, "事件运行超时：超过 30 秒");
    let mut event = queue_event();
    event.advance(Duration::MAX);
    event.advance(Duration::MAX);
    let over = event.event_kind();
    check_aborted(event, over, "事件运行超时：超过 30 秒");
}

#[test]
fn the_console_prints_a_line_for_each_call() {
    let mut event = queue_event();
    let console = event.global("console").unwrap();
    let undefined = r#"{"$未定义":true}"#;
    assert_eq!(event.call(console, "log", r#"["序号",1,{"a":[null]}]"#).unwrap(), undefined);
    assert_eq!(event.call(console, "error", "[]").unwrap(), undefined);
    event.call(console, "clear", "[]").unwrap_err();
    event.construct(console, "[]").unwrap_err();
    let closed = event.close(None);
    assert_eq!(closed.console, "序号 1 {\"a\":[null]}\n\n");
    assert_eq!(closed.calls, []);
}

#[test]
fn the_console_is_kept_up_to_its_bound() {
    let mut event = queue_event();
    event.write_console("a");
    event.write_console(&"é".repeat(Event::MAX_CONSOLE_BYTES));
    event.write_console("b");
    let console = event.close(None).console;
    assert_eq!(console.len(), Event::MAX_CONSOLE_BYTES);
    assert!(console.starts_with("aé") && console.ends_with("éb"), "the last character fits");
}
