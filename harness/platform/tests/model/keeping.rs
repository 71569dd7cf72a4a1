//! Retention, backlog, and what at-least-once permits.

use std::collections::BTreeSet;

use duipai_platform::{
    Profile::{Cloudflare, Miniflare},
    Rules,
    engine::Chance,
    history::Outcome,
    parts::Parts,
    play, play_with,
    scenario::{Action, Consumer, Message},
};

use crate::scene::{Scene, batches, delayed, lines, one_by_one, retry};

const DAY: u64 = 86_400_000;

#[test]
fn a_message_is_kept_four_days() {
    let scene = Scene::new(one_by_one()).queue("q", None).send(5, &["a"]).until(30 * DAY);
    scene.check(Cloudflare, &[&format!("{} q a Expired", 4 * DAY + 5)]);
}

#[test]
fn a_queue_says_how_long_it_keeps_messages() {
    let scene = || {
        let consumer = Consumer { max_retries: Some(100), retry_delay: Some(25), ..one_by_one() };
        let scene = Scene::new(consumer).config(|queue| queue.message_retention_period = Some(60));
        scene.send(0, &["a"]).does(&[retry(0, None)])
    };
    let expected = ["0 q: a×1", "25000 q: a×2", "50000 q: a×3", "60000 q a Expired"];
    scene().check(Cloudflare, &expected);
    assert_eq!(scene().play(Miniflare).deliveries.len(), 101);
}

#[test]
fn a_message_in_an_invocation_expires_when_it_comes_back() {
    let scene = || {
        let scene =
            Scene::new(one_by_one()).config(|queue| queue.message_retention_period = Some(60));
        scene.send(0, &["a"])
    };
    let failed = scene().does(&[Action::Sleep(70_000), Action::Throw]);
    failed.check(Cloudflare, &["0 q: a×1 !", "70000 q a Expired"]);
    scene().does(&[Action::Sleep(70_000)]).check(Cloudflare, &["0 q: a×1"]);
}

#[test]
fn a_dead_letter_is_kept_anew() {
    let consumer =
        Consumer { max_retries: Some(0), dead_letter_queue: Some("dlq".into()), ..one_by_one() };
    let scene = Scene::new(consumer).message(0, delayed("a", 86_400)).does(&[Action::Throw]);
    let scene = scene.until(6 * DAY);
    scene.check(
        Cloudflare,
        &["86400000 q: a×1 !", "86400000 q→dlq a", &format!("{} dlq a Expired", 5 * DAY)],
    );
}

#[test]
fn a_backlog_has_its_limit() {
    let rules = Rules { max_backlog_bytes: Some(11), ..Rules::of(Cloudflare) };
    // As JSON texts 8, 4 and 3 bytes.
    let scene = Scene::new(batches(100, 60)).send(0, &["abcdef", "gh", "i"]);
    let history = play(&scene.done(), &rules);
    let refusal = "0 Error: Storage Limit Exceeded (10251)";
    assert_eq!(lines(&history), ["60000 q: abcdef×1 i×1", refusal]);
}

fn many() -> Scene {
    let labels: Vec<String> = (0..300).map(|label| format!("m{label:03}")).collect();
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    Scene::new(batches(10, 1)).send(0, &labels)
}

#[test]
fn a_seed_gives_the_same_history_again() {
    let scenario = many().done();
    let rules = Rules::of(Cloudflare);
    let with = |seed| {
        let chance = Chance::new(&rules, seed, 100, 100, 100);
        play_with(&scenario, &rules, &Parts::RIGHT, Some(chance))
    };
    assert_eq!(with(1), with(1));
    assert_ne!(with(1), with(2));
}

#[test]
fn at_least_once_shows_duplicates_crashes_and_another_order() {
    let rules = Rules::of(Cloudflare);
    let chance = Chance::new(&rules, 7, 50, 200, 100);
    let history = play_with(&many().done(), &rules, &Parts::RIGHT, Some(chance));
    let mut seen = BTreeSet::new();
    let mut order = Vec::new();
    let (mut again, mut crashed) = (0, 0);
    for delivery in &history.deliveries {
        crashed += u32::from(delivery.end.is_some_and(|end| end.outcome == Outcome::Crashed));
        for message in &delivery.messages {
            if seen.insert(message.label.clone()) {
                order.push(message.label.clone());
            } else {
                again += 1;
            }
        }
    }
    assert_eq!(seen.len(), 300);
    assert!(again > 0 && crashed > 0 && !order.is_sorted(), "{again} {crashed}");
}

#[test]
fn a_profile_that_does_not_permit_it_does_not_show_it() {
    let rules = Rules::of(Miniflare);
    let chance = Chance::new(&rules, 7, 1_000, 1_000, 1_000);
    let scenario = many().done();
    let history = play_with(&scenario, &rules, &Parts::RIGHT, Some(chance));
    assert_eq!(history, play(&scenario, &rules));
}

#[test]
fn messages_sent_at_the_end_are_not_lost() {
    let scene = Scene::new(batches(10, 5)).message(9, Message::new("a")).until(9);
    scene.check_both(&["q a waits"]);
}
