//! Batches, settling, retries and dead letters.

use duipai_platform::{
    Profile::{Cloudflare, Miniflare},
    scenario::{Action, Call, Consumer, Later, Rule, Which},
};

use crate::scene::{Scene, ack, ack_all, batches, delayed, lines, one_by_one, retry, retry_all};

#[test]
fn a_batch_leaves_when_it_is_full_or_has_waited() {
    Scene::new(batches(3, 3)).send(0, &["a", "b"]).check_both(&["3000 q: a×1 b×1"]);
    Scene::new(batches(3, 3)).send(0, &["a", "b", "c"]).check_both(&["0 q: a×1 b×1 c×1"]);
    let scene = Scene::new(batches(3, 3)).send(0, &["a", "b"]).send(1_000, &["c"]);
    scene.check_both(&["1000 q: a×1 b×1 c×1"]);
}

#[test]
fn what_is_left_over_waits_anew() {
    let scene = Scene::new(batches(3, 3)).send(0, &["a", "b", "c", "d"]);
    scene.check_both(&["0 q: a×1 b×1 c×1", "3000 q: d×1"]);
}

#[test]
fn defaults_differ() {
    let five = ["a", "b", "c", "d", "e"];
    let scene = |labels| Scene::new(Consumer::default()).send(0, labels);
    scene(&five).check(Miniflare, &["0 q: a×1 b×1 c×1 d×1 e×1"]);
    scene(&five).check(Cloudflare, &["5000 q: a×1 b×1 c×1 d×1 e×1"]);
    let scene = |labels| scene(labels).does(&[Action::Throw]);
    let local = ["1000 q: a×1 !", "2000 q: a×2 !", "3000 q: a×3 !", "3000 q a Exhausted"];
    scene(&["a"]).check(Miniflare, &local);
    let four = [
        "5000 q: a×1 !",
        "10000 q: a×2 !",
        "15000 q: a×3 !",
        "20000 q: a×4 !",
        "20000 q a Exhausted",
    ];
    scene(&["a"]).check(Cloudflare, &four);
}

#[test]
fn an_acknowledged_message_and_a_failure() {
    let scene = |actions: &[Action]| Scene::new(batches(3, 0)).send(0, &["a", "b"]).first(actions);
    let throws = [ack(0), Action::Throw];
    scene(&throws).check(Cloudflare, &["0 q: a×1 b×1 !", "0 q: b×2"]);
    scene(&throws).check(Miniflare, &["0 q: a×1 b×1 !", "0 q: a×2 b×2"]);
    let all = [ack_all(), Action::Throw];
    scene(&all).check(Cloudflare, &["0 q: a×1 b×1 !"]);
    scene(&all).check(Miniflare, &["0 q: a×1 b×1 !", "0 q: a×2 b×2"]);
    let mixed = [ack(0), retry_all(None)];
    scene(&mixed).check(Cloudflare, &["0 q: a×1 b×1", "0 q: b×2"]);
    scene(&mixed).check(Miniflare, &["0 q: a×1 b×1", "0 q: a×2 b×2"]);
}

#[test]
fn what_fails_an_event() {
    let scene = |action: Action| Scene::new(one_by_one()).send(0, &["a"]).first(&[action]);
    scene(Action::Throw).check_both(&["0 q: a×1 !", "0 q: a×2"]);
    scene(Action::Hang).check_both(&["0 q: a×1 !", "0 q: a×2"]);
    let later = Later { after: 70, calls: Vec::new(), rejects: true };
    scene(Action::WaitUntil(later)).check_both(&["0 q: a×1 !", "70 q: a×2"]);
    let quarter = Action::Sleep(900_000);
    scene(quarter.clone()).check(Cloudflare, &["0 q: a×1 !", "900000 q: a×2"]);
    scene(quarter).check(Miniflare, &["0 q: a×1"]);
}

#[test]
fn a_call_inside_wait_until_counts() {
    let calls = vec![Call::Retry { which: Which::These, delay: Some(1) }];
    let later = Later { after: 500, calls, rejects: false };
    let scene = Scene::new(one_by_one()).send(0, &["a"]).first(&[Action::WaitUntil(later)]);
    scene.check_both(&["0 q: a×1", "1500 q: a×2"]);
}

#[test]
fn whose_delay_counts() {
    let consumer = || Consumer { retry_delay: Some(3), ..batches(2, 0) };
    let scene = |actions: &[Action]| Scene::new(consumer()).send(0, &["a", "b"]).first(actions);
    let plain = [retry(0, None)];
    scene(&plain).check_both(&["0 q: a×1 b×1", "3000 q: a×2"]);
    scene(&[retry(0, Some(0))]).check_both(&["0 q: a×1 b×1", "0 q: a×2"]);
    scene(&[retry(0, Some(2))]).check_both(&["0 q: a×1 b×1", "2000 q: a×2"]);
    scene(&[retry_all(Some(2))]).check_both(&["0 q: a×1 b×1", "2000 q: a×2 b×2"]);
    let message_first = [retry(0, Some(0)), retry_all(Some(2))];
    scene(&message_first).check_both(&["0 q: a×1 b×1", "0 q: a×2", "2000 q: b×2"]);
    let failed = [retry(0, Some(2)), Action::Throw];
    scene(&failed).check_both(&["0 q: a×1 b×1 !", "2000 q: a×2", "3000 q: b×2"]);
    let twice = [retry(0, Some(9)), retry(0, Some(4))];
    scene(&twice).check(Cloudflare, &["0 q: a×1 b×1", "9000 q: a×2"]);
    scene(&twice).check(Miniflare, &["0 q: a×1 b×1", "4000 q: a×2"]);
}

#[test]
fn a_retried_message_waits_for_a_batch_again() {
    let consumer = Consumer { retry_delay: Some(1), max_retries: Some(2), ..batches(10, 1) };
    let scene = Scene::new(consumer).send(0, &["a"]).does(&[retry(0, None)]);
    scene.check_both(&["1000 q: a×1", "3000 q: a×2", "5000 q: a×3", "5000 q a Exhausted"]);
}

#[test]
fn new_and_retried_messages_share_a_batch() {
    let scene = Scene::new(batches(2, 5)).send(0, &["a", "b"]).send(10, &["c"]);
    let scene = scene.first(&[retry(0, None)]);
    scene.check_both(&["0 q: a×1 b×1", "10 q: a×2 c×1"]);
}

#[test]
fn no_retries_is_one_delivery() {
    let consumer = Consumer { max_retries: Some(0), ..one_by_one() };
    let scene = Scene::new(consumer).send(0, &["a"]).does(&[Action::Throw]);
    scene.check_both(&["0 q: a×1 !", "0 q a Exhausted"]);
}

fn with_dead_letters(to: &str) -> Scene {
    let consumer =
        Consumer { max_retries: Some(1), dead_letter_queue: Some(to.into()), ..one_by_one() };
    Scene::new(consumer).send(5, &["a"]).does(&[Action::Sleep(100), Action::Throw])
}

#[test]
fn a_dead_letter_keeps_its_id_and_counts_anew() {
    let scene = with_dead_letters("dlq").queue("dlq", Some(batches(10, 2)));
    let expected = ["5 q: a×1 !", "105 q: a×2 !", "2205 dlq: a×1", "205 q→dlq a"];
    scene.clone().check_both(&expected);
    let history = scene.play(Cloudflare);
    let of = |delivery: usize| &history.deliveries[delivery].messages[0];
    assert_eq!((of(2).id.as_str(), of(2).timestamp), (of(0).id.as_str(), 5));
    assert_eq!(of(0).id.len(), 32);
}

#[test]
fn a_dead_letter_that_nobody_reads() {
    let kept = ["5 q: a×1 !", "105 q: a×2 !", "205 q→dlq a", "dlq a waits"];
    let lost = ["5 q: a×1 !", "105 q: a×2 !", "205 q a DeadLetterLost"];
    let unread = || with_dead_letters("dlq").queue("dlq", None);
    unread().check(Cloudflare, &kept);
    unread().check(Miniflare, &lost);
    with_dead_letters("dlq").check(Cloudflare, &kept);
    with_dead_letters("dlq").check(Miniflare, &lost);
}

#[test]
fn delays_of_messages() {
    let scene = |delay: Option<u32>| {
        let scene = Scene::new(one_by_one()).config(|queue| queue.delivery_delay = delay);
        scene.send(0, &["a"]).message(0, delayed("b", 2)).message(0, delayed("c", 0))
    };
    scene(None).check_both(&["0 q: a×1", "0 q: c×1", "2000 q: b×1"]);
    scene(Some(7)).check_both(&["0 q: c×1", "2000 q: b×1", "7000 q: a×1"]);
}

#[test]
fn delays_of_batches() {
    let scene = Scene::new(one_by_one()).config(|queue| queue.delivery_delay = Some(7));
    let messages = vec![delayed("a", 0), delayed("b", 2), delayed("c", 9)];
    let mut messages = messages;
    messages.push(duipai_platform::scenario::Message::new("d"));
    let scene = scene.batch(0, messages, Some(4));
    scene.check_both(&["0 q: a×1", "2000 q: b×1", "4000 q: d×1", "9000 q: c×1"]);
}

#[test]
fn concurrency_stays_within_its_limit() {
    let consumer = Consumer { max_concurrency: Some(2), ..one_by_one() };
    let labels: Vec<String> = (0..12).map(|label| format!("m{label:02}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let scene = Scene::new(consumer).send(0, &labels).does(&[Action::Sleep(100)]);
    let history = scene.play(Cloudflare);
    let starts: Vec<_> = history.deliveries.iter().map(|delivery| delivery.at).collect();
    assert_eq!(starts, [0, 100, 100, 200, 200, 300, 300, 400, 400, 500, 500, 600]);
}

#[test]
fn a_full_batch_runs_beside_one_that_had_waited() {
    let scene = Scene::new(batches(2, 1)).send(0, &["a"]).send(2_000, &["b", "c", "d", "e"]);
    let scene = scene.does(&[Action::Sleep(3_000)]);
    // The flush of the timeout is over at 4000, that of the full batch at 5000.
    let expected = ["1000 q: a×1", "2000 q: b×1 c×1", "4000 q: d×1 e×1"];
    scene.check(Miniflare, &expected);
}

#[test]
fn failures_shrink_concurrency_and_retries_do_not() {
    let labels: Vec<String> = (0..400).map(|label| format!("m{label}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    let most = |actions: &[Action]| {
        let consumer = Consumer { max_retries: Some(20), ..one_by_one() };
        let scene = Scene::new(consumer).send(0, &labels).does(actions).until(60_000);
        let history = scene.play(Cloudflare);
        let late = |delivery: &&duipai_platform::history::Delivery| delivery.at == 1_000;
        history.deliveries.iter().filter(late).count()
    };
    assert!(most(&[Action::Sleep(100), retry(0, None)]) > 50);
    assert!(most(&[Action::Sleep(100), Action::Throw]) < 10);
}

#[test]
fn rules_choose_messages_by_attempts() {
    let again = Rule {
        attempts: Some(1),
        actions: vec![Action::Call(Call::Retry { which: Which::These, delay: None })],
        ..Rule::default()
    };
    let scene = Scene::new(batches(2, 0)).send(0, &["a", "b"]).rule(again);
    scene.check_both(&["0 q: a×1 b×1", "0 q: a×2 b×2"]);
}

#[test]
fn a_handler_that_still_runs_at_the_end() {
    let scene = Scene::new(one_by_one()).send(0, &["a"]).does(&[Action::Sleep(9)]).until(5);
    let history = scene.play(Cloudflare);
    assert_eq!(lines(&history), ["0 q: a×1 …", "q a waits"]);
}
