//! Deliveries a second of the model on one core, and the memory of a backlog.
//!
//! `cargo bench -p duipai-platform --bench deliveries`; nothing is asserted of
//! the numbers, which belong to the machine.

#![expect(clippy::print_stdout, reason = "a bench prints what it measured")]

use std::time::Instant;

use duipai_platform::{
    Profile, Rules,
    engine::{Batch, Consumers, Engine, Offer, Settings, Ticket, Watch},
    history::{Outcome, Reason},
    parts::Parts,
    rng::Rng,
    scenario::{Consumer, QueueConfig},
    script::Played,
    settle::{self, Note},
    simulate::{
        load::{Handling, Load, Plan},
        simulate,
    },
};

/// Seconds of virtual time, an hour.
const SIMULATED: u64 = 3_600;

/// A consumer that takes a while and retries one message in a hundred.
struct Busy<'r> {
    rules: &'r Rules,
    rng: Rng,
    millis: u64,
    retries: u32,
}

impl Consumers for Busy<'_> {
    fn handle(&mut self, batch: Batch<'_>, played: &mut Played) {
        played.verdict.reset(batch.messages.len());
        played.duration = self.millis;
        played.failed = self.rng.in_thousand(1);
        for index in 0..u32::try_from(batch.messages.len()).unwrap_or(0) {
            if self.rng.in_thousand(self.retries) {
                settle::note(self.rules, &mut played.verdict, Note::Retry(index, None));
            }
        }
    }
}

#[derive(Default)]
struct Count {
    deliveries: u64,
    acked: u64,
    dropped: u64,
}

impl Watch for Count {
    fn began(&mut self, batch: Batch<'_>) {
        self.deliveries += batch.messages.len() as u64;
    }

    fn ended(&mut self, _: u64, _: u32, _: u32, _: Outcome) {}

    fn acked(&mut self, _: u64, _: u32, _: &Ticket) {
        self.acked += 1;
    }

    fn buried(&mut self, _: u64, _: u32, _: u32, _: &Ticket) {}

    fn dropped(&mut self, _: u64, _: u32, _: &Ticket, _: Reason) {
        self.dropped += 1;
    }
}

fn settings(rules: &Rules, size: u32) -> Settings {
    let consumer = Consumer { max_batch_size: Some(size), ..Consumer::default() };
    let config = QueueConfig { consumer: Some(consumer), ..QueueConfig::default() };
    Settings::new(rules, &Parts::RIGHT, &config, None)
}

fn offers(count: u32, delay: Option<i32>) -> Vec<Offer> {
    (0..count).map(|source| Offer { source, bytes: 200, delay, readable: true }).collect()
}

/// 5,000 messages a second for so many seconds, in calls of a hundred.
fn flow(profile: Profile, size: u32, retries: u32, delay: Option<i32>, seconds: u64) {
    // One local consumer must keep up alone.
    let millis = if profile == Profile::Miniflare { 1 } else { 20 };
    let rules = Rules::of(profile);
    let rules = Rules { max_delayed: None, ..rules };
    let busy = Busy { rules: &rules, rng: Rng::new(1), millis, retries };
    let queues = vec![settings(&rules, size)];
    let mut engine = Engine::new(&rules, &Parts::RIGHT, queues, busy, Count::default());
    let offers = offers(100, delay);
    let start = Instant::now();
    for second in 0..seconds {
        for call in 0..50 {
            engine.advance(second * 1_000 + call * 20);
            assert_eq!(engine.offer(0, &offers, None), Ok(()), "5000 a second are taken");
        }
    }
    engine.advance((seconds + 3_600) * 1_000);
    let took = start.elapsed();
    let Count { deliveries, acked, dropped } = engine.watch;
    assert_eq!(acked + dropped, seconds * 5_000, "nothing is left");
    println!(
        "{:10} batches of {size:3}, {retries:3}‰ retried, delay {:5}: {deliveries:8} deliveries, \
         {:.2} million a second",
        profile.name(),
        delay.unwrap_or(0),
        deliveries as f64 / took.as_secs_f64() / 1e6,
    );
}

/// Resident memory in bytes, where the system says.
fn resident() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kilobytes * 1_024)
}

/// What a message costs that waits.
fn backlog(count: u32) {
    let rules = Rules { max_sends_a_second: None, ..Rules::of(Profile::Cloudflare) };
    let config = QueueConfig::default();
    let queues = vec![Settings::new(&rules, &Parts::RIGHT, &config, None)];
    let busy = Busy { rules: &rules, rng: Rng::new(1), millis: 20, retries: 0 };
    let mut engine = Engine::new(&rules, &Parts::RIGHT, queues, busy, Count::default());
    let offers = offers(100, None);
    let before = resident();
    for call in 0..u64::from(count / 100) {
        engine.advance(call);
        assert_eq!(engine.offer(0, &offers, None), Ok(()), "there is no limit");
    }
    let held = engine.backlog(0);
    match (before, resident()) {
        (Some(before), Some(after)) => println!(
            "a backlog of {held:8} messages takes {:.0} bytes for each",
            after.saturating_sub(before) as f64 / held as f64
        ),
        _ => println!("this system does not tell what memory a backlog takes"),
    }
}

/// Virtual time of the busiest queue that there can be, with its statistics.
fn simulation(seconds: u64) {
    let rules = Rules::of(Profile::Cloudflare);
    let plan = Plan {
        rate: 4_900.0,
        handling: Handling {
            batch_millis: 20.0,
            message_millis: 5.0,
            fails: 0.01,
            ..Handling::default()
        },
        seconds,
        ..Plan::default()
    };
    let Ok(load) = Load::new(plan, &rules) else { return println!("the load is impossible") };
    let start = Instant::now();
    let summary = simulate(&load, &rules);
    let took = start.elapsed().as_secs_f64();
    println!(
        "a simulation of {} messages in {seconds} s of virtual time takes {took:.1} s, \
         {:.1} s for a day; backlog {} at the end, p99 {} ms",
        summary.accepted,
        took * 86_400.0 / seconds as f64,
        summary.backlog,
        summary.latency.p99,
    );
}

fn main() {
    // `cargo test --benches` runs it too, for a moment.
    let seconds = if std::env::args().any(|argument| argument == "--bench") { 600 } else { 1 };
    for profile in Profile::ALL {
        flow(profile, 100, 10, None, seconds);
        flow(profile, 10, 10, None, seconds);
    }
    flow(Profile::Cloudflare, 1, 10, None, seconds);
    flow(Profile::Cloudflare, 10, 300, None, seconds);
    flow(Profile::Cloudflare, 10, 10, Some(60), seconds);
    simulation(if seconds > 1 { SIMULATED } else { 1 });
    let most = if seconds > 1 { 4_000_000 } else { 10_000 };
    backlog(most / 4);
    backlog(most);
}
