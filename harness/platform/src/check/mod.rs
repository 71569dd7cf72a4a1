//! Laws that every history keeps, whichever platform wrote it (检查器).
//!
//! They look at a scenario and a history alone: what was sent, what the scripted
//! handlers must have done with what they were given, and what became of it. So
//! they hold for the model, and for what was seen on a real platform.
//!
//! | module | holds |
//! | --- | --- |
//! | `journey` | one message: deliveries, attempts, delays, dead letters, expiry |
//! | `account` | what a history says of the inside of a platform |
//! | `batches` | one queue: batch bounds, timeouts, concurrency |
//! | `sends` | what is accepted and what is refused |

mod account;
mod batches;
mod journey;
mod sends;

use std::{collections::HashMap, fmt};

use crate::{
    engine::Settings,
    history::{Delivery, History, Outcome},
    parts::Parts,
    play::Stage,
    rules::Rules,
    scenario::Scenario,
    script::{Item, Played},
    settle::{self, Fate},
};

/// What a history keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Law {
    /// What is within the limits is accepted, what is not is refused.
    Sends,
    /// No message is lost and none comes from nowhere.
    Conservation,
    /// No message is delivered again after it was acknowledged.
    Duplicates,
    /// Attempts begin at 1 and grow by 1.
    Attempts,
    /// No message is delivered before its delay has passed.
    Delay,
    /// A message leaves for the dead-letter queue when its deliveries are used
    /// up, and not before.
    DeadLetter,
    /// Batches are neither empty nor too big, and leave early only when full.
    Batch,
    /// A message is given up only when it has been kept long enough, and is not
    /// delivered later.
    Expiry,
    /// Id, timestamp and body stay what they are.
    Identity,
    /// Invocations end as their handlers have it.
    Outcome,
    /// No more invocations run at a time than are allowed.
    Concurrency,
}

impl Law {
    /// All laws.
    pub const ALL: [Self; 11] = [
        Self::Sends,
        Self::Conservation,
        Self::Duplicates,
        Self::Attempts,
        Self::Delay,
        Self::DeadLetter,
        Self::Batch,
        Self::Expiry,
        Self::Identity,
        Self::Outcome,
        Self::Concurrency,
    ];

    /// The name used in messages.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Sends => "sends",
            Self::Conservation => "conservation",
            Self::Duplicates => "duplicates",
            Self::Attempts => "attempts",
            Self::Delay => "delay",
            Self::DeadLetter => "dead-letter",
            Self::Batch => "batch",
            Self::Expiry => "expiry",
            Self::Identity => "identity",
            Self::Outcome => "outcome",
            Self::Concurrency => "concurrency",
        }
    }
}

/// How exactly a history keeps time, and what it may show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tolerance {
    /// Milliseconds that something may come too early.
    pub early: u64,
    /// Milliseconds that something may come too late.
    pub late: u64,
    /// Whether what at-least-once permits may be seen, if the rules permit it:
    /// duplicates, another order, invocations that are lost.
    pub chance: bool,
}

/// A law that was broken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Violation {
    /// The law.
    pub law: Law,
    /// When, in milliseconds from the start.
    pub at: u64,
    /// What was seen and what should have been.
    pub text: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at {} ms: {}", self.law.name(), self.at, self.text)
    }
}

/// Every law that a history breaks, in order of time.
pub fn check(
    scenario: &Scenario,
    history: &History,
    rules: &Rules,
    tolerance: Tolerance,
) -> Vec<Violation> {
    let stage = Stage::new(scenario, rules);
    let chance = tolerance.chance && rules.may_duplicate;
    let mut court = Court {
        scenario,
        rules,
        tolerance: Tolerance { chance, ..tolerance },
        settings: stage.settings(rules, &Parts::RIGHT),
        stage: &stage,
        violations: Vec::new(),
    };
    let accepted = court.sends(history);
    let events = court.events(history);
    court.batches(&events);
    let journeys = court.journeys(&accepted, &events);
    court.batch_timeouts(&events, &journeys);
    if let Some(inside) = &history.inside {
        court.account(inside, &journeys);
    }
    let mut violations = court.violations;
    violations.sort_by_key(|violation| violation.at);
    violations
}

/// What the laws look at.
struct Court<'a> {
    scenario: &'a Scenario,
    rules: &'a Rules,
    tolerance: Tolerance,
    stage: &'a Stage<'a>,
    settings: Vec<Settings>,
    violations: Vec<Violation>,
}

/// An invocation whose names have been looked up and whose handler has been
/// played once more.
struct Invocation<'h> {
    delivery: &'h Delivery,
    queue: u32,
    /// Indices of the messages among all of the scenario; `None` is a message
    /// that nobody sent.
    sources: Vec<Option<u32>>,
    /// What becomes of each message.
    fates: Vec<Fate>,
}

impl Invocation<'_> {
    /// When the messages are free again; never, if the invocation still runs.
    fn end(&self) -> u64 {
        self.delivery.end.map_or(u64::MAX, |end| end.at)
    }
}

impl Court<'_> {
    fn broken(&mut self, law: Law, at: u64, text: impl Into<String>) {
        self.violations.push(Violation { law, at, text: text.into() });
    }

    /// The invocations, each handler played once more on what it was given.
    fn events<'h>(&mut self, history: &'h History) -> Vec<Invocation<'h>> {
        let scripts = self.stage.scripts();
        let sources = self.stage.sources();
        let mut events = Vec::new();
        for delivery in &history.deliveries {
            let Some(queue) = self.stage.number(&delivery.queue) else {
                let text = format!("a batch of {:?}, which is no queue", delivery.queue);
                self.broken(Law::Conservation, delivery.at, text);
                continue;
            };
            let event = self.event(delivery, queue, &sources, &scripts[queue as usize]);
            events.push(event);
        }
        events
    }

    fn event<'h>(
        &mut self,
        delivery: &'h Delivery,
        queue: u32,
        known: &HashMap<&str, u32>,
        script: &crate::script::Compiled,
    ) -> Invocation<'h> {
        let source = |message: &crate::history::Delivered| known.get(message.label.as_str());
        let sources: Vec<_> =
            delivery.messages.iter().map(|message| source(message).copied()).collect();
        let items: Vec<_> = delivery
            .messages
            .iter()
            .zip(&sources)
            .map(|(message, source)| Item {
                source: source.unwrap_or(u32::MAX),
                attempts: message.attempts,
            })
            .collect();
        let mut played = Played::default();
        script.play(self.rules, &Parts::RIGHT, delivery.invocation, &items, &mut played);
        let outcome = if played.failed { Outcome::Exception } else { Outcome::Ok };
        match delivery.end.map(|end| end.outcome) {
            Some(Outcome::Crashed) if self.tolerance.chance => {
                played.verdict.reset(items.len());
                played.failed = true;
            }
            Some(seen) if seen != outcome => {
                let text = format!(
                    "invocation {} of {} ended with {seen:?}, its handler with {outcome:?}",
                    delivery.invocation, delivery.queue
                );
                self.broken(Law::Outcome, delivery.at, text);
            }
            _ => {}
        }
        let decide = |message| settle::decide(self.rules, &played.verdict, message, played.failed);
        let fates = (0..items.len()).map(decide).collect();
        Invocation { delivery, queue, sources, fates }
    }
}
