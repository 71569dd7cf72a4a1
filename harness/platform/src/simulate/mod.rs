//! Days of a queue in virtual time, summed up: does this configuration keep up?
//!
//! | module | holds |
//! | --- | --- |
//! | [`load`] | the queue, what arrives, and how its consumer does |
//! | [`summary`] | what it comes to |

pub mod load;
pub mod summary;

use self::{
    load::{Arrival, Load, Spread, Step},
    summary::{Histogram, Sample, Summary},
};
use crate::{
    engine::{Batch, Chance, Consumers, DeadLetters, Engine, Offer, Settings, Ticket, Watch},
    history::{Outcome, Reason},
    parts::Parts,
    rng::Rng,
    rules::Rules,
    script::Played,
    settle::{self, Note},
};

/// Samples of a simulation, about.
const SAMPLES: u64 = 1_000;

/// Plays a load under `rules`. The same load and rules give the same summary.
pub fn simulate(load: &Load, rules: &Rules) -> Summary {
    let plan = load.plan();
    let parts = Parts::RIGHT;
    let mut settings = Settings::new(rules, &parts, &plan.queue, None);
    // Dead letters are counted and need not be kept.
    settings.dead_letters = Some(DeadLetters::Lost);
    let mut rng = Rng::new(plan.seed);
    let worker = Worker {
        load,
        rules,
        rng: Rng::new(rng.next_u64()),
        handled: 0,
        running: Vec::new(),
        max_wall_time: rules.max_wall_time.unwrap_or(u64::MAX),
    };
    let chance = Chance::new(rules, rng.next_u64(), plan.duplicates, 0, plan.crashes);
    let chance = (plan.duplicates + plan.crashes > 0).then_some(chance);
    let mut engine =
        Engine::new(rules, &parts, vec![settings], worker, Statistics::new()).with_chance(chance);
    let end = plan.seconds * 1_000;
    let step = (end / SAMPLES).max(1);
    let mut sums = Sums::default();
    let mut arrivals = Arrivals::new(load, rng);
    let mut offers = Vec::new();
    let mut sample_at = 0;
    loop {
        let at = arrivals.next_at().min(end);
        while sample_at <= at && sample_at < end {
            engine.advance(sample_at);
            sums.sample(&engine, sample_at);
            sample_at += step;
        }
        engine.advance(at);
        if at >= end {
            break;
        }
        if engine.backlog(0) > plan.most_backlog {
            sums.stopped = Some(at);
            break;
        }
        arrivals.take(at, &mut offers);
        let count = offers.len() as u64;
        // Whoever is refused gives up.
        match engine.offer(0, &offers, None) {
            Ok(()) => sums.accepted += count,
            Err(_) => sums.refused += count,
        }
    }
    sums.finish(engine)
}

/// When messages come.
struct Arrivals<'l> {
    load: &'l Load,
    rng: Rng,
    rate: f64,
    /// Changes of the rate that lie ahead.
    steps: &'l [Step],
    /// Milliseconds, of which a fraction is kept.
    next: f64,
}

impl<'l> Arrivals<'l> {
    fn new(load: &'l Load, rng: Rng) -> Self {
        let plan = load.plan();
        let mut arrivals = Self { load, rng, rate: plan.rate, steps: &plan.trace, next: 0.0 };
        arrivals.draw();
        arrivals
    }

    /// Finds the next message. Where the rate changes before it comes, the wait
    /// begins anew, which to random arrivals makes no difference.
    fn draw(&mut self) {
        loop {
            let wait = match self.load.plan().arrival {
                Arrival::Steady => 1.0,
                Arrival::Poisson => exponential(&mut self.rng),
            };
            let wait = if self.rate > 0.0 { wait * 1_000.0 / self.rate } else { f64::INFINITY };
            let next = self.next + wait;
            match self.steps {
                [step, rest @ ..] if step.from as f64 * 1_000.0 <= next => {
                    self.next = self.next.max(step.from as f64 * 1_000.0);
                    self.rate = step.rate;
                    self.steps = rest;
                }
                _ => {
                    self.next = next;
                    return;
                }
            }
        }
    }

    fn next_at(&self) -> u64 {
        self.next as u64
    }

    /// The messages that come in one millisecond, each in a call of its own.
    fn take(&mut self, at: u64, offers: &mut Vec<Offer>) {
        offers.clear();
        let bytes = self.load.plan().body_bytes;
        while self.next_at() <= at {
            offers.push(Offer { source: 0, bytes, delay: None, readable: true });
            self.draw();
        }
    }
}

/// A number with mean 1.
fn exponential(rng: &mut Rng) -> f64 {
    -(1.0 - rng.unit()).ln()
}

/// A consumer that does as the load has it.
struct Worker<'l> {
    load: &'l Load,
    rules: &'l Rules,
    rng: Rng,
    /// Messages handled well, each time counted.
    handled: u64,
    /// By invocation: when it ends, and how many messages it handled well.
    running: Vec<(u64, u64)>,
    max_wall_time: u64,
}

impl Worker<'_> {
    /// Messages handled well in invocations that ended before a time, up to
    /// which everything has happened.
    fn handled_before(&self, now: u64) -> u64 {
        let later = self.running.iter().filter(|&&(end, _)| end >= now);
        self.handled - later.map(|&(_, handled)| handled).sum::<u64>()
    }
}

impl Consumers for Worker<'_> {
    fn handle(&mut self, batch: Batch<'_>, played: &mut Played) {
        let handling = self.load.plan().handling;
        let count = batch.messages.len();
        let before = self.handled;
        played.verdict.reset(count);
        let mean = handling.batch_millis + handling.message_millis * count as f64;
        let millis = match handling.spread {
            Spread::Fixed => mean,
            Spread::Exponential => mean * exponential(&mut self.rng),
        };
        // Half of the fractions up, so that the mean stays what it is.
        let millis = (millis + self.rng.unit()) as u64;
        played.duration = millis.min(self.max_wall_time);
        played.failed = millis >= self.max_wall_time;
        let done = if played.failed { &[] } else { batch.messages };
        for (shown, index) in done.iter().zip(0..) {
            let note = if handling.fails > 0.0 && self.rng.unit() < handling.fails {
                Note::Retry(index, handling.retry.delay(shown.attempts))
            } else {
                self.handled += 1;
                Note::Ack(index)
            };
            settle::note(self.rules, &mut played.verdict, note);
        }
        played.failed |= handling.throws > 0.0 && self.rng.unit() < handling.throws;
        let slot = batch.run as usize;
        self.running.resize(self.running.len().max(slot + 1), (0, 0));
        self.running[slot] = (batch.at + played.duration, self.handled - before);
    }
}

/// Counts as it goes.
struct Statistics {
    deliveries: u64,
    acked: u64,
    exhausted: u64,
    expired: u64,
    invocations: u64,
    failed: u64,
    running: u32,
    most_running: u32,
    /// Sum of running invocations over milliseconds, up to `running_at`.
    running_millis: u128,
    running_at: u64,
    latency: Histogram,
}

impl Statistics {
    fn new() -> Self {
        Self {
            deliveries: 0,
            acked: 0,
            exhausted: 0,
            expired: 0,
            invocations: 0,
            failed: 0,
            running: 0,
            most_running: 0,
            running_millis: 0,
            running_at: 0,
            latency: Histogram::new(),
        }
    }

    fn pass(&mut self, now: u64) {
        self.running_millis += u128::from(now - self.running_at) * u128::from(self.running);
        self.running_at = now;
    }
}

impl Watch for Statistics {
    fn began(&mut self, batch: Batch<'_>) {
        self.pass(batch.at);
        self.running += 1;
        self.most_running = self.most_running.max(self.running);
        self.deliveries += batch.messages.len() as u64;
    }

    fn ended(&mut self, at: u64, _: u32, _: u32, outcome: Outcome) {
        self.pass(at);
        self.running -= 1;
        self.invocations += 1;
        self.failed += u64::from(outcome != Outcome::Ok);
    }

    fn acked(&mut self, at: u64, _: u32, ticket: &Ticket) {
        self.acked += 1;
        self.latency.add(at - ticket.timestamp);
    }

    fn buried(&mut self, _: u64, _: u32, _: u32, _: &Ticket) {}

    fn dropped(&mut self, _: u64, _: u32, _: &Ticket, reason: Reason) {
        match reason {
            Reason::Exhausted | Reason::DeadLetterLost => self.exhausted += 1,
            Reason::Expired => self.expired += 1,
            Reason::NoConsumer => {}
        }
    }
}

/// What is counted outside of the engine.
#[derive(Default)]
struct Sums {
    stopped: Option<u64>,
    accepted: u64,
    refused: u64,
    samples: Vec<Sample>,
}

type Model<'l> = Engine<'l, Worker<'l>, Statistics>;

impl Sums {
    fn sample(&mut self, engine: &Model<'_>, at: u64) {
        self.samples.push(Sample {
            at,
            backlog: engine.backlog(0),
            running: engine.running(0),
            acked: engine.watch.acked,
        });
    }

    fn finish(self, mut engine: Model<'_>) -> Summary {
        let millis = engine.now();
        engine.watch.pass(millis);
        let handled = engine.consumers.handled_before(millis);
        let (backlog, watch) = (engine.backlog(0), engine.watch);
        let backlogs = || self.samples.iter().map(|sample| sample.backlog);
        let mean = |sum: f64, of: f64| if of > 0.0 { sum / of } else { 0.0 };
        Summary {
            millis,
            stopped: self.stopped,
            accepted: self.accepted,
            refused: self.refused,
            deliveries: watch.deliveries,
            acked: watch.acked,
            repeated: handled.saturating_sub(watch.acked),
            exhausted: watch.exhausted,
            expired: watch.expired,
            invocations: watch.invocations,
            failed_invocations: watch.failed,
            backlog,
            most_backlog: backlogs().max().unwrap_or(0).max(backlog),
            mean_backlog: mean(backlogs().sum::<usize>() as f64, self.samples.len() as f64),
            most_running: watch.most_running,
            mean_running: mean(watch.running_millis as f64, millis as f64),
            latency: watch.latency.latency(),
            samples: self.samples,
        }
    }
}
