//! Simulations held against what is known in closed form.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use duipai_platform::{
    Profile, Rules,
    scenario::{Consumer, QueueConfig},
    simulate::{
        load::{Arrival, Handling, Load, Plan, RetryPolicy, Spread, Step},
        simulate,
        summary::Summary,
    },
};

/// Invocations of 100 ms, one message each, one at a time: 10 a second.
fn one_server() -> Plan {
    let consumer = Consumer {
        max_batch_size: Some(1),
        max_batch_timeout: Some(0),
        max_concurrency: Some(1),
        ..Consumer::default()
    };
    Plan {
        queue: QueueConfig { consumer: Some(consumer), ..QueueConfig::default() },
        handling: Handling { batch_millis: 100.0, ..Handling::default() },
        rate: 8.0,
        seconds: 100_000,
        ..Plan::default()
    }
}

fn consumer(plan: &mut Plan) -> &mut Consumer {
    plan.queue.consumer.as_mut().unwrap()
}

fn run(plan: Plan) -> Summary {
    let rules = Rules::of(Profile::Cloudflare);
    simulate(&Load::new(plan, &rules).unwrap(), &rules)
}

#[track_caller]
fn near(seen: f64, expected: f64, share: f64) {
    assert!((seen - expected).abs() <= share * expected, "{seen}, not {expected}");
}

#[test]
fn a_queue_below_its_capacity_stays_short() {
    let plan = Plan { rate: 9.5, arrival: Arrival::Steady, ..one_server() };
    let summary = run(plan);
    assert!(summary.most_backlog <= 2, "{}", summary.most_backlog);
    near(summary.throughput(), 9.5, 0.001);
    near(summary.mean_running, 0.95, 0.001);
}

#[test]
fn a_queue_above_its_capacity_grows_by_the_difference() {
    let plan = Plan { rate: 10.5, arrival: Arrival::Steady, seconds: 36_000, ..one_server() };
    let summary = run(plan);
    near(summary.backlog as f64, 0.5 * 36_000.0, 0.001);
    near(summary.throughput(), 10.0, 0.001);
    near(summary.mean_running, 1.0, 0.001);
}

#[test]
fn capacity_is_batch_size_times_concurrency_over_time() {
    let mut plan = one_server();
    *consumer(&mut plan) = Consumer {
        max_batch_size: Some(20),
        max_batch_timeout: Some(1),
        max_concurrency: Some(5),
        ..Consumer::default()
    };
    // 5 × 20 in half a second.
    plan.handling = Handling { batch_millis: 100.0, message_millis: 20.0, ..Handling::default() };
    let at = |rate| run(Plan { rate, seconds: 20_000, ..plan.clone() });
    near(at(220.0).throughput(), 200.0, 0.01);
    let below = at(180.0);
    near(below.throughput(), 180.0, 0.01);
    assert!(below.backlog < 1_000, "{}", below.backlog);
    assert_eq!(below.most_running, 5);
}

/// M/D/1: a message waits ρ / (2μ(1 − ρ)) on average.
#[test]
fn random_arrivals_at_a_steady_server() {
    let summary = run(one_server());
    near(summary.latency.mean, 100.0 + 200.0, 0.03);
    // Little's law.
    near(summary.mean_backlog, 8.0 * summary.latency.mean / 1_000.0, 0.15);
}

/// M/M/1: a message is there for 1 / (μ − λ) on average, exponentially.
#[test]
fn random_arrivals_at_a_random_server() {
    let mut plan = one_server();
    plan.handling.spread = Spread::Exponential;
    let summary = run(Plan { seconds: 400_000, ..plan });
    near(summary.latency.mean, 500.0, 0.05);
    near(summary.latency.p50 as f64, 500.0 * 2.0_f64.ln(), 0.05);
    near(summary.latency.p99 as f64, 500.0 * 100.0_f64.ln(), 0.05);
}

#[test]
fn retries_and_dead_letters_follow_their_shares() {
    let mut plan = one_server();
    consumer(&mut plan).max_retries = Some(2);
    consumer(&mut plan).max_concurrency = None;
    plan.handling.fails = 0.3;
    plan.handling.retry = RetryPolicy::After(5);
    let summary = run(plan);
    let accepted = summary.accepted as f64;
    near(summary.deliveries as f64, accepted * (1.0 + 0.3 + 0.09), 0.01);
    near(summary.exhausted as f64, accepted * 0.027, 0.03);
    assert_eq!(summary.accepted, summary.acked + summary.exhausted + summary.backlog as u64);
    assert_eq!(summary.repeated, 0);
}

#[test]
fn what_is_done_twice_is_counted() {
    let mut plan = Plan { duplicates: 50, seconds: 20_000, ..one_server() };
    consumer(&mut plan).max_retries = Some(100);
    consumer(&mut plan).max_concurrency = None;
    let summary = run(plan.clone());
    near(summary.repeated as f64, summary.acked as f64 * 0.05 / 0.95, 0.05);
    let lost = run(Plan { duplicates: 0, crashes: 50, ..plan });
    near(lost.repeated as f64, lost.acked as f64 * 0.05 / 0.95, 0.05);
    near(lost.failed_invocations as f64, lost.invocations as f64 * 0.05, 0.05);
}

#[test]
fn a_consumer_that_lags_lets_messages_expire() {
    let mut plan = Plan { rate: 20.0, seconds: 20_000, ..one_server() };
    plan.queue.message_retention_period = Some(600);
    let summary = run(plan);
    // Twice as much comes as is handled; the other half expires, except for what
    // came in the last ten minutes.
    near(summary.throughput(), 10.0, 0.02);
    near(summary.backlog as f64, 20.0 * 600.0, 0.03);
    near(summary.expired as f64, 10.0 * 20_000.0 - 20.0 * 600.0, 0.03);
    assert!(summary.latency.max <= 600_000 + 100);
}

#[test]
fn more_than_the_platform_takes_is_refused() {
    let mut plan = Plan { rate: 6_000.0, seconds: 60, arrival: Arrival::Steady, ..one_server() };
    *consumer(&mut plan) = Consumer::default();
    let summary = run(plan);
    near(summary.accepted as f64, 5_000.0 * 60.0, 0.05);
    near(summary.refused as f64, 1_000.0 * 60.0, 0.25);
}

#[test]
fn a_backlog_that_grows_without_end_stops_the_simulation() {
    let plan = Plan { rate: 1_000.0, most_backlog: 50_000, ..one_server() };
    let summary = run(plan);
    let stopped = summary.stopped.unwrap() as f64;
    near(stopped, 50_000.0 / 990.0 * 1_000.0, 0.02);
    assert_eq!(summary.millis, summary.stopped.unwrap());
}

#[test]
fn a_seed_gives_the_same_summary_again() {
    let plan = |seed| Plan { seed, seconds: 1_000, ..one_server() };
    assert_eq!(run(plan(1)), run(plan(1)));
    assert_ne!(run(plan(1)), run(plan(2)));
}

#[test]
fn the_rate_follows_its_trace() {
    let step = |from, rate| Step { from, rate };
    let trace = vec![step(1_000, 0.0), step(3_000, 5.0)];
    for arrival in [Arrival::Steady, Arrival::Poisson] {
        let plan = Plan { rate: 9.0, arrival, seconds: 4_000, ..one_server() };
        let summary = run(Plan { trace: trace.clone(), ..plan });
        near(summary.accepted as f64, 9_000.0 + 5_000.0, 0.02);
        let quiet = |at: u64| summary.samples.iter().find(|sample| sample.at >= at).unwrap();
        assert_eq!(quiet(1_500_000).acked, quiet(2_900_000).acked);
    }
    let never = run(Plan { rate: 0.0, ..one_server() });
    assert_eq!((never.accepted, never.millis), (0, 100_000_000));
}

#[test]
fn whether_a_queue_keeps_up() {
    let at = |rate| run(Plan { rate, seconds: 40_000, ..one_server() }).keeps_up();
    assert!(at(9.5));
    assert!(!at(10.2));
}

#[test]
fn an_empty_simulation() {
    let summary = run(Plan { seconds: 0, ..one_server() });
    assert_eq!((summary.accepted, summary.millis, summary.throughput()), (0, 0, 0.0));
}
