//! Histories with one thing bent: each law finds what is planted for it.

use duipai_platform::{
    History, Profile, Rules, Scenario,
    check::{Law, Tolerance, check},
    history::{Delivery, Inside, Outcome, Reason, Refused, Waiting},
    play,
    scenario::{
        Action, Body, Call, Consumer, Draft, Input, Message, Producer, QueueConfig, Rule, Script,
        Which,
    },
};

/// `a` is acknowledged, `b` is retried once, `c` becomes a dead letter, `d` is
/// delayed, `e` expires unread, `f` is too big.
fn scenario() -> Scenario {
    let consumer = Consumer {
        max_batch_size: Some(2),
        max_batch_timeout: Some(1),
        max_retries: Some(1),
        retry_delay: Some(2),
        dead_letter_queue: Some("dead".into()),
        max_concurrency: Some(1),
    };
    let queue = |consumer| QueueConfig { consumer, ..QueueConfig::default() };
    let unread = QueueConfig { message_retention_period: Some(60), ..QueueConfig::default() };
    let mut draft = Draft { until: 100_000, ..Draft::default() };
    draft.queues.insert("dead".into(), queue(Some(Consumer::default())));
    draft.queues.insert("q".into(), queue(Some(consumer)));
    draft.queues.insert("unread".into(), unread);
    let mut send = |at, queue: &str, message| {
        let call = Producer::Send(message);
        draft.inputs.push(Input { at, queue: queue.into(), call });
    };
    for label in ["a", "b", "c"] {
        send(0, "q", Message::new(label));
    }
    send(10, "q", Message { delay: Some(30), ..Message::new("d") });
    send(20, "unread", Message::new("e"));
    send(30, "q", Message { body: Some(Body::Letters(128_000)), ..Message::new("f") });
    let retry = || vec![Action::Call(Call::Retry { which: Which::These, delay: None })];
    let rule = |label: &str, attempts, actions| Rule {
        label: Some(label.into()),
        attempts,
        actions,
        ..Rule::default()
    };
    let wait = Rule { actions: vec![Action::Sleep(100)], ..Rule::default() };
    let rules = vec![wait, rule("b", Some(1), retry()), rule("c", None, retry())];
    draft.handlers.insert("q".into(), Script { rules });
    Scenario::new(draft).unwrap()
}

/// The laws that a history of the scenario breaks after something was bent.
fn broken(bend: impl FnOnce(&mut History)) -> Vec<Law> {
    let (scenario, rules) = (scenario(), Rules::of(Profile::Cloudflare));
    let mut history = play(&scenario, &rules);
    bend(&mut history);
    let violations = check(&scenario, &history, &rules, Tolerance::default());
    violations.iter().map(|violation| violation.law).collect()
}

#[track_caller]
fn finds(law: Law, bend: impl FnOnce(&mut History)) {
    let laws = broken(bend);
    assert!(laws.contains(&law), "{law:?} is not among {laws:?}");
}

/// The deliveries of a message, each with its place in the batch.
fn deliveries<'h>(history: &'h mut History, label: &str) -> Vec<(&'h mut Delivery, usize)> {
    let place =
        |delivery: &Delivery| delivery.messages.iter().position(|message| message.label == label);
    let deliveries = history.deliveries.iter_mut();
    deliveries.filter_map(|delivery| place(delivery).map(|place| (delivery, place))).collect()
}

/// One delivery of a message, counted from 0.
fn nth<'h>(history: &'h mut History, label: &str, nth: usize) -> (&'h mut Delivery, usize) {
    deliveries(history, label).swap_remove(nth)
}

fn inside(history: &mut History) -> &mut Inside {
    history.inside.as_mut().unwrap()
}

#[test]
fn the_history_as_it_was_breaks_nothing() {
    assert_eq!(broken(|_| {}), []);
    assert_eq!(broken(|history| history.inside = None), []);
}

#[test]
fn sends() {
    finds(Law::Sends, |history| history.sends[5].refused = None);
    finds(Law::Sends, |history| {
        let refused = Refused { name: "Error".into(), message: "no".into() };
        history.sends[0].refused = Some(refused);
    });
    finds(Law::Sends, |history| history.sends.truncate(3));
}

#[test]
fn conservation() {
    finds(Law::Conservation, |history| history.deliveries.truncate(1));
    finds(Law::Conservation, |history| {
        let (delivery, place) = nth(history, "a", 0);
        delivery.messages[place].label = "stranger".into();
    });
    finds(Law::Conservation, |history| inside(history).dropped.clear());
    finds(Law::Conservation, |history| {
        let waiting = Waiting { queue: "q".into(), label: "a".into(), id: "".into(), attempts: 1 };
        inside(history).waiting.push(waiting);
    });
    // Where nobody can look inside, a message that stays away is missed too.
    finds(Law::Conservation, |history| {
        history.inside = None;
        history.deliveries.retain(|delivery| delivery.queue != "dead");
    });
}

#[test]
fn conservation_while_another_invocation_runs() {
    finds(Law::Conservation, |history| {
        let end = nth(history, "b", 0).0.end.as_mut().unwrap();
        end.at = 90_000;
    });
    finds(Law::Conservation, |history| nth(history, "b", 0).0.end = None);
}

#[test]
fn duplicates() {
    let again = |history: &mut History, queue: &str, number| {
        let (delivery, place) = nth(history, "a", 0);
        let mut copy = delivery.clone();
        copy.messages = vec![copy.messages[place].clone()];
        copy.messages[0].attempts = 2;
        copy.invocation = number;
        copy.queue = queue.into();
        copy.at = 99_000;
        copy.end.as_mut().unwrap().at = 99_100;
        history.deliveries.push(copy);
    };
    finds(Law::Duplicates, |history| again(history, "q", 5));
    finds(Law::Duplicates, |history| again(history, "dead", 2));
}

#[test]
fn attempts() {
    finds(Law::Attempts, |history| {
        let (delivery, place) = nth(history, "a", 0);
        delivery.messages[place].attempts = 0;
    });
    finds(Law::Attempts, |history| {
        let (delivery, place) = nth(history, "b", 1);
        delivery.messages[place].attempts = 1;
    });
    finds(Law::Attempts, |history| {
        let (delivery, place) = nth(history, "c", 2);
        delivery.messages[place].attempts = 3;
    });
}

#[test]
fn delay() {
    finds(Law::Delay, |history| {
        let (delivery, _) = nth(history, "d", 0);
        delivery.at -= 2_000;
    });
    finds(Law::Delay, |history| {
        let (delivery, _) = nth(history, "b", 1);
        delivery.at -= 2_000;
    });
}

#[test]
fn dead_letter() {
    finds(Law::DeadLetter, |history| inside(history).dead.clear());
    finds(Law::DeadLetter, |history| inside(history).dead[0].at += 1);
    // One delivery less in the queue.
    finds(Law::DeadLetter, |history| {
        let (delivery, place) = nth(history, "c", 1);
        delivery.messages.remove(place);
    });
    // One more.
    finds(Law::DeadLetter, |history| {
        let (delivery, place) = nth(history, "c", 2);
        delivery.queue = "q".into();
        delivery.messages[place].attempts = 3;
    });
    finds(Law::DeadLetter, |history| {
        let mut dropped = inside(history).dropped[0].clone();
        dropped.label = "c".into();
        dropped.reason = Reason::Exhausted;
        inside(history).dropped.push(dropped);
    });
}

#[test]
fn batch() {
    finds(Law::Batch, |history| nth(history, "a", 0).0.messages.clear());
    finds(Law::Batch, |history| {
        let extra = nth(history, "c", 0).0.messages[0].clone();
        nth(history, "a", 0).0.messages.push(extra);
    });
    finds(Law::Batch, |history| nth(history, "d", 0).0.at -= 500);
    finds(Law::Batch, |history| nth(history, "d", 0).0.at += 500);
    finds(Law::Batch, |history| nth(history, "d", 0).0.invocation += 1);
    finds(Law::Batch, |history| {
        let twice = nth(history, "d", 0).0;
        twice.messages.push(twice.messages[0].clone());
    });
}

#[test]
fn expiry() {
    finds(Law::Expiry, |history| inside(history).dropped[0].at -= 1);
    finds(Law::Expiry, |history| {
        let inside = inside(history);
        let gone = inside.dropped.remove(0);
        let queue = gone.queue;
        inside.waiting.push(Waiting { queue, label: gone.label, id: gone.id, attempts: 0 });
    });
    finds(Law::Expiry, |history| {
        let mut late = nth(history, "a", 0).0.clone();
        late.messages.truncate(1);
        late.messages[0].label = "e".into();
        late.queue = "unread".into();
        late.at = 99_000;
        history.deliveries.push(late);
    });
}

#[test]
fn identity() {
    finds(Law::Identity, |history| {
        let (delivery, place) = nth(history, "c", 2);
        delivery.messages[place].id = "0".repeat(32);
    });
    finds(Law::Identity, |history| {
        let (delivery, place) = nth(history, "b", 1);
        delivery.messages[place].timestamp += 1;
    });
    finds(Law::Identity, |history| {
        let (delivery, place) = nth(history, "d", 0);
        delivery.messages[place].timestamp = 0;
    });
    finds(Law::Identity, |history| {
        let (delivery, place) = nth(history, "a", 0);
        delivery.messages[place].body = Some("\"A\"".into());
    });
    finds(Law::Identity, |history| {
        let (delivery, place) = nth(history, "a", 0);
        let id = delivery.messages[place].id.clone();
        let (delivery, place) = nth(history, "d", 0);
        delivery.messages[place].id = id;
    });
}

#[test]
fn outcome() {
    let end = |history: &mut History, outcome| {
        nth(history, "a", 0).0.end.as_mut().unwrap().outcome = outcome;
    };
    finds(Law::Outcome, |history| end(history, Outcome::Exception));
    finds(Law::Outcome, |history| end(history, Outcome::Crashed));
}

#[test]
fn concurrency() {
    finds(Law::Concurrency, |history| {
        nth(history, "a", 0).0.end.as_mut().unwrap().at = 1_050;
    });
    finds(Law::Concurrency, |history| nth(history, "a", 0).0.end = None);
}

#[test]
fn what_a_clock_is_off_by_is_tolerated() {
    let (scenario, rules) = (scenario(), Rules::of(Profile::Cloudflare));
    let mut history = play(&scenario, &rules);
    history.inside = None;
    nth(&mut history, "d", 0).0.at += 40;
    nth(&mut history, "c", 2).0.at -= 3;
    let violations = |early, late| {
        let tolerance = Tolerance { early, late, chance: false };
        check(&scenario, &history, &rules, tolerance).len()
    };
    assert_eq!(violations(0, 0), 2);
    assert_eq!(violations(3, 40), 0);
}
