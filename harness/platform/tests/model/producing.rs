//! What producers may send, and what they are told otherwise.

use duipai_platform::{
    Profile::{self, Cloudflare, Miniflare},
    scenario::{Body, ContentType, Message, Producer, Special},
};

use crate::scene::{Scene, batches, delayed, lines, one_by_one};

fn letters(label: &str, bytes: u32) -> Message {
    Message { body: Some(Body::Letters(bytes - 2)), ..Message::new(label) }
}

fn with(body: Body, content_type: Option<&str>) -> Message {
    let content_type = content_type.map(|name| ContentType::from(String::from(name)));
    Message { body: Some(body), content_type, ..Message::new("a") }
}

/// What a call is rejected with under a profile, and how many of its messages
/// are delivered.
fn told(profile: Profile, date: &str, call: Producer) -> (Option<String>, usize) {
    let mut scene = Scene::new(batches(100, 0)).call(0, call);
    scene.0.compatibility_date = date.into();
    let history = scene.play(profile);
    let refused = history.sends[0].refused.as_ref();
    let delivered = history.deliveries.iter().map(|delivery| delivery.messages.len()).sum();
    (refused.map(|refused| format!("{}: {}", refused.name, refused.message)), delivered)
}

const NEW: &str = "2026-10-01";
const OLD: &str = "2026-03-11";
const GENERIC: &str = "Error: Unknown Internal Error (15000)";

fn batch(messages: Vec<Message>) -> Producer {
    Producer::SendBatch { messages, delay: None }
}

#[track_caller]
fn refused(profile: Profile, date: &str, call: Producer, message: &str) {
    assert_eq!(told(profile, date, call), (Some(message.into()), 0));
}

#[track_caller]
fn taken(profile: Profile, call: Producer) {
    let count = call.messages().len();
    assert_eq!(told(profile, NEW, call), (None, count));
}

#[test]
fn a_body_has_its_limit() {
    let send = |bytes| Producer::Send(letters("a", bytes));
    for profile in Profile::ALL {
        taken(profile, send(128_000));
    }
    refused(Miniflare, NEW, send(128_001), GENERIC);
    let words = "message length of 128001 bytes exceeds limit of 128000";
    refused(Miniflare, OLD, send(128_001), &format!("Error: Queue send failed: {words}"));
    refused(Cloudflare, NEW, send(128_001), &format!("Error: {words} (10204)"));
    let cjk = format!("\"{}\"", "好".repeat(42_666));
    let message = |text: &str| Producer::Send(with(Body::Json(text.into()), None));
    taken(Miniflare, message(&cjk));
    refused(Miniflare, NEW, message(&format!("[{cjk}]")), GENERIC);
}

#[test]
fn a_batch_has_its_limits() {
    let many = |count| batch((0..count).map(|at| Message::new(at.to_string())).collect());
    for profile in Profile::ALL {
        taken(profile, many(100));
    }
    let words = "batch message count of 101 exceeds limit of 100";
    refused(Miniflare, OLD, many(101), &format!("Error: Queue sendBatch failed: {words}"));
    refused(Cloudflare, NEW, many(101), &format!("Error: {words} (10206)"));
    for profile in Profile::ALL {
        let message = "TypeError: sendBatch() requires at least one message";
        refused(profile, NEW, many(0), message);
    }
    let pair = |bytes| batch(vec![letters("a", 128_000), letters("b", bytes)]);
    for profile in Profile::ALL {
        taken(profile, pair(128_000));
    }
    let words = "message in batch has length 128001 bytes which exceeds single message size limit of 128000";
    refused(Miniflare, OLD, pair(128_001), &format!("Error: Queue sendBatch failed: {words}"));
}

#[test]
fn the_total_of_a_batch_differs() {
    let three =
        |bytes| batch(vec![letters("a", 96_000), letters("b", 96_000), letters("c", bytes)]);
    taken(Cloudflare, three(64_000));
    let words = "batch size of 256001 bytes exceeds limit of 256000";
    refused(Cloudflare, NEW, three(64_001), &format!("Error: {words} (10205)"));
    taken(Miniflare, three(96_000));
    let words = "batch size of 288001 bytes exceeds limit of 288000";
    refused(Miniflare, OLD, three(96_001), &format!("Error: Queue sendBatch failed: {words}"));
}

#[test]
fn delays_have_their_range() {
    let send = |delay| Producer::Send(delayed("a", delay));
    let day = Scene::new(one_by_one()).message(0, delayed("a", 86_400)).until(86_400_000);
    day.check_both(&["86400000 q: a×1"]);
    for delay in [-1, 86_401] {
        refused(Miniflare, NEW, send(delay), GENERIC);
        let old = "Error: Queue send failed: Internal Server Error";
        refused(Miniflare, OLD, send(delay), old);
        let call = Producer::SendBatch { messages: vec![Message::new("a")], delay: Some(delay) };
        let old = "Error: Queue sendBatch failed: Internal Server Error";
        refused(Miniflare, OLD, call, old);
        refused(Miniflare, OLD, batch(vec![delayed("a", delay)]), old);
    }
}

#[test]
fn a_queue_that_nobody_reads() {
    let scene = || {
        let scene = Scene::new(one_by_one()).queue("q", None);
        scene.message(0, letters("a", 128_001)).message(0, Message::new("b"))
    };
    scene().check(Miniflare, &["0 q a NoConsumer", "0 q b NoConsumer"]);
    let words = "message length of 128001 bytes exceeds limit of 128000";
    scene().check(Cloudflare, &[&format!("0 Error: {words} (10204)"), "q b waits"]);
}

#[test]
fn values_that_cannot_be_sent() {
    let send = |special, content_type| Producer::Send(with(Body::Special(special), content_type));
    let both = |call: Producer, message: &str| {
        for profile in Profile::ALL {
            refused(profile, NEW, call.clone(), message);
        }
    };
    both(send(Special::Undefined, Some("v8")), "TypeError: Message body cannot be undefined");
    both(send(Special::BigInt, None), "TypeError: Do not know how to serialize a BigInt");
    let number = |content_type| Producer::Send(with(Body::Json("1".into()), Some(content_type)));
    both(number("xml"), "TypeError: Unsupported queue message content type: xml");
    let wants = |name, wanted, got| {
        format!(
            "TypeError: Content Type \"{name}\" requires a value of type {wanted}, but received: {got}"
        )
    };
    both(number("text"), &wants("text", "string", "number"));
    let text = Producer::Send(with(Body::Json("\"x\"".into()), Some("bytes")));
    both(text, &wants("bytes", "ArrayBufferView", "string"));
    let function = send(Special::Function, Some("v8"));
    both(function, "DataCloneError: ()=>1 could not be cloned.");
    refused(Miniflare, NEW, send(Special::Function, None), GENERIC);
    taken(Miniflare, number("JSON"));
    both(
        batch(vec![with(Body::Json("1".into()), Some("JSON"))]),
        "TypeError: Unsupported queue message content type: JSON",
    );
}

#[test]
fn an_item_that_cannot_be_read_stops_midway() {
    let bad = Message { label: "b".into(), ..with(Body::Special(Special::Function), None) };
    let call = || batch(vec![Message::new("a"), bad.clone(), Message::new("c")]);
    assert_eq!(told(Miniflare, NEW, call()), (Some(GENERIC.into()), 1));
    assert_eq!(told(Cloudflare, NEW, call()).1, 0);
}

#[test]
fn bodies_as_consumers_get_them() {
    let check = |body: Body, content_type: Option<&str>, expected: Option<&str>| {
        let history = Scene::new(one_by_one()).message(0, with(body, content_type)).play(Miniflare);
        let body = history.deliveries[0].messages[0].body.as_deref();
        assert_eq!(body, expected);
    };
    let json = |text: &str, expected: &str| check(Body::Json(text.into()), None, Some(expected));
    json("-0", "0");
    json("[1e999, -0]", "[null,0]");
    json(r#"{"b":1,"2":2,"1":3,"a":4}"#, r#"{"1":3,"2":2,"b":1,"a":4}"#);
    json(r#"{"a":1,"a":2}"#, r#"{"a":2}"#);
    json(r#"{"__proto__":{"x":1},"a":2}"#, r#"{"__proto__":{"x":1},"a":2}"#);
    json(r#""\ud800x""#, r#""\ud800x""#);
    json("12345678901234567890", "12345678901234567000");
    json("[1.0,1e2,1E-7,1e21,5e-324]", "[1,100,1e-7,1e+21,5e-324]");
    check(Body::Bytes(vec![1, 2]), None, Some(r#"{"0":1,"1":2}"#));
    check(Body::Bytes(vec![1, 2]), Some("bytes"), None);
    check(Body::Json(r#""\ud800x""#.into()), Some("text"), Some("\"\u{fffd}x\""));
    let history = Scene::new(one_by_one()).send(0, &["好"]).play(Miniflare);
    assert_eq!(history.deliveries[0].messages[0].body.as_deref(), Some("\"好\""));
}

#[test]
fn too_many_delayed_messages() {
    let labels: Vec<String> = (0..10_001).map(|label| label.to_string()).collect();
    let mut scene = Scene::new(one_by_one()).until(1);
    for hundred in labels.chunks(100) {
        let messages = hundred.iter().map(|label| delayed(label, 9)).collect();
        scene = scene.batch(0, messages, None);
    }
    let scene = scene.send(0, &["at once"]);
    let lines = lines(&scene.clone().play(Miniflare));
    assert_eq!(&lines[..2], ["0 q: at once×1", "0 Error: Unknown Internal Error (15000)"]);
    assert_eq!(lines.len(), 2 + 10_000);
}

#[test]
fn a_queue_takes_so_many_messages_a_second() {
    let labels: Vec<String> = (0..10_002).map(|label| label.to_string()).collect();
    let mut scene = Scene::new(batches(100, 0));
    for (at, part) in
        [(0, 0..5_000), (0, 5_000..5_001), (999, 5_001..9_996), (1_000, 9_996..10_002)]
    {
        for label in &labels[part] {
            scene = scene.message(at, Message::new(label.as_str()));
        }
    }
    let refused = scene.clone().play(Cloudflare);
    let refused: Vec<_> = (0_usize..)
        .zip(&refused.sends)
        .filter_map(|(at, sent)| Some((at, sent.refused.as_ref()?.message.as_str())))
        .collect();
    let text = "Too Many Requests (10250)";
    assert_eq!(refused, [(5_000, text), (10_001, text)]);
    assert!(scene.play(Miniflare).sends.iter().all(|sent| sent.refused.is_none()));
}
