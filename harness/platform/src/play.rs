//! Playing a scenario on the model.

use std::{collections::HashMap, sync::Arc};

use crate::{
    engine::{Batch, Chance, Consumers, DeadLetters, Engine, Offer, Settings, Ticket, Watch},
    history::{
        DeadLetter, Delivered, Delivery, Dropped, Ended, History, Inside, Outcome, Reason, Sent,
        Waiting,
    },
    parts::Parts,
    producer::{self, Wire},
    rng::mix,
    rules::Rules,
    scenario::{Input, Message, Producer, QueueConfig, Scenario},
    script::{Compiled, Item, Played},
};

/// What happens in a scenario under `rules`.
pub fn play(scenario: &Scenario, rules: &Rules) -> History {
    play_with(scenario, rules, &Parts::RIGHT, None)
}

/// [`play`] on a model put together from other parts, or with what at-least-once
/// permits.
pub fn play_with(
    scenario: &Scenario,
    rules: &Rules,
    parts: &Parts,
    chance: Option<Chance>,
) -> History {
    let stage = Stage::new(scenario, rules);
    let scripts = Scripts::new(&stage, rules, parts);
    let recorder = Recorder::new(&stage);
    let settings = stage.settings(rules, parts);
    let mut engine = Engine::new(rules, parts, settings, scripts, recorder).with_chance(chance);
    let mut first = 0;
    for input in scenario.inputs() {
        engine.advance(input.at);
        let refused = stage.send(&mut engine, rules, input, first).err();
        first += input.call.messages().len();
        engine.watch.history.sends.push(Sent { at: input.at, refused });
    }
    engine.advance(scenario.until() + 1);
    let waiting = engine.waiting().map(|(queue, ticket)| Waiting {
        queue: stage.queue(queue).into(),
        label: stage.label(ticket.source).into(),
        id: id(ticket.serial),
        attempts: ticket.deliveries,
    });
    let mut inside = Inside { waiting: waiting.collect(), ..Inside::default() };
    inside
        .waiting
        .sort_by(|one, other| (&one.queue, &one.label).cmp(&(&other.queue, &other.label)));
    let Recorder { mut history, dead, dropped, .. } = engine.watch;
    inside.dead = dead;
    inside.dropped = dropped;
    history.inside = Some(inside);
    history
}

/// An id as the platform writes them: 32 hexadecimal digits.
fn id(serial: u64) -> String {
    format!("{:016x}{:016x}", mix(serial), mix(!serial))
}

/// A scenario with its names looked up.
pub(crate) struct Stage<'s> {
    scenario: &'s Scenario,
    /// The queues: those that are configured, and dead-letter queues that are
    /// not and that the platform makes.
    queues: Vec<(&'s str, QueueConfig)>,
    numbers: HashMap<&'s str, u32>,
    messages: Vec<&'s Message>,
    /// What consumers get of each message; of one that is refused, nothing.
    wires: Vec<Option<Wire>>,
}

impl<'s> Stage<'s> {
    pub(crate) fn new(scenario: &'s Scenario, rules: &Rules) -> Self {
        let mut queues: Vec<_> = scenario
            .queues()
            .iter()
            .map(|(name, config)| (name.as_str(), config.clone()))
            .collect();
        let dead_letters = scenario.queues().values().filter_map(dead_letter_queue);
        for name in dead_letters.filter(|_| rules.keeps_without_consumer) {
            if !queues.iter().any(|(known, _)| *known == name) {
                queues.push((name, QueueConfig::default()));
            }
        }
        let numbers = queues.iter().map(|(name, _)| *name).zip(0..).collect();
        let calls = || scenario.inputs().iter().map(|input| &input.call);
        let date = scenario.compatibility_date();
        let wires = calls().flat_map(|call| match producer::serialise(call, date) {
            Ok(wires) => wires.into_iter().map(Some).collect(),
            Err(_) => vec![None; call.messages().len()],
        });
        Self {
            scenario,
            numbers,
            queues,
            wires: wires.collect(),
            messages: calls().flat_map(Producer::messages).collect(),
        }
    }

    pub(crate) fn queue(&self, number: u32) -> &'s str {
        self.queues[number as usize].0
    }

    pub(crate) fn label(&self, source: u32) -> &'s str {
        &self.messages[source as usize].label
    }

    /// `JSON.stringify` of what consumers get of a message.
    pub(crate) fn received(&self, source: u32) -> Option<&Arc<str>> {
        self.wires[source as usize].as_ref()?.received.as_ref()
    }

    /// Indices of the messages by label.
    pub(crate) fn sources(&self) -> HashMap<&'s str, u32> {
        self.messages.iter().map(|message| message.label.as_str()).zip(0..).collect()
    }

    /// The scripts of the queues, in their order.
    pub(crate) fn scripts(&self) -> Vec<Compiled> {
        let sources = self.sources();
        let script = |(name, _): &(&str, QueueConfig)| {
            let script = self.scenario.handler(name);
            script.map(|script| Compiled::new(script, &sources)).unwrap_or_default()
        };
        self.queues.iter().map(script).collect()
    }

    /// The settings of the queues, in their order.
    pub(crate) fn settings(&self, rules: &Rules, parts: &Parts) -> Vec<Settings> {
        let dead_letters = |config: &QueueConfig| {
            let name = dead_letter_queue(config)?;
            let takes = |number: &u32| {
                let (_, config) = &self.queues[*number as usize];
                config.consumer.is_some() || rules.keeps_without_consumer
            };
            let number = self.numbers.get(name).copied().filter(takes);
            Some(number.map_or(DeadLetters::Lost, DeadLetters::To))
        };
        self.queues
            .iter()
            .map(|(_, config)| Settings::new(rules, parts, config, dead_letters(config)))
            .collect()
    }

    /// Number of a queue.
    pub(crate) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    fn send<C: Consumers, W: Watch>(
        &self,
        engine: &mut Engine<'_, C, W>,
        rules: &Rules,
        input: &Input,
        first: usize,
    ) -> Result<(), crate::history::Refused> {
        let date = self.scenario.compatibility_date();
        let wires = producer::serialise(&input.call, date)?;
        let Some(number) = self.number(&input.queue) else { return Ok(()) };
        let (_, config) = &self.queues[number as usize];
        if config.consumer.is_some() || rules.keeps_without_consumer {
            producer::admit(rules, &input.call, &wires, date)?;
        }
        let batch_delay = match &input.call {
            Producer::Send(_) => None,
            Producer::SendBatch { delay, .. } => *delay,
        };
        let offers: Vec<_> = wires
            .iter()
            .zip(input.call.messages())
            .zip(first..)
            .map(|((wire, message), source)| Offer {
                source: u32::try_from(source).expect("a scenario has few messages"),
                bytes: u32::try_from(wire.bytes).unwrap_or(u32::MAX),
                delay: message.delay,
                readable: wire.readable,
            })
            .collect();
        engine
            .offer(number, &offers, batch_delay)
            .map_err(|refusal| producer::turned_away(rules, &input.call, refusal, date))
    }
}

pub(crate) fn dead_letter_queue(config: &QueueConfig) -> Option<&str> {
    config.consumer.as_ref()?.dead_letter_queue.as_deref()
}

/// The scripted handlers.
struct Scripts<'r> {
    rules: &'r Rules,
    parts: &'r Parts,
    scripts: Vec<Compiled>,
    items: Vec<Item>,
}

impl<'r> Scripts<'r> {
    fn new(stage: &Stage<'_>, rules: &'r Rules, parts: &'r Parts) -> Self {
        Self { rules, parts, scripts: stage.scripts(), items: Vec::new() }
    }
}

impl Consumers for Scripts<'_> {
    fn handle(&mut self, batch: Batch<'_>, played: &mut Played) {
        self.items.clear();
        self.items.extend(
            batch
                .messages
                .iter()
                .map(|shown| Item { source: shown.source, attempts: shown.attempts }),
        );
        let script = &self.scripts[batch.queue as usize];
        script.play(self.rules, self.parts, batch.invocation, &self.items, played);
    }
}

/// Writes down what happens.
struct Recorder<'s> {
    stage: &'s Stage<'s>,
    history: History,
    dead: Vec<DeadLetter>,
    dropped: Vec<Dropped>,
    /// Index of the delivery that each running invocation is.
    runs: HashMap<u32, usize>,
}

impl<'s> Recorder<'s> {
    fn new(stage: &'s Stage<'s>) -> Self {
        Self {
            stage,
            history: History::default(),
            dead: Vec::new(),
            dropped: Vec::new(),
            runs: HashMap::new(),
        }
    }
}

impl Watch for Recorder<'_> {
    fn began(&mut self, batch: Batch<'_>) {
        let messages = batch.messages.iter().map(|shown| Delivered {
            label: self.stage.label(shown.source).into(),
            id: id(shown.serial),
            attempts: shown.attempts,
            timestamp: i64::try_from(shown.timestamp).unwrap_or(i64::MAX),
            body: self.stage.received(shown.source).cloned(),
        });
        self.runs.insert(batch.run, self.history.deliveries.len());
        self.history.deliveries.push(Delivery {
            at: batch.at,
            queue: self.stage.queue(batch.queue).into(),
            invocation: batch.invocation,
            messages: messages.collect(),
            end: None,
        });
    }

    fn ended(&mut self, at: u64, run: u32, _: u32, outcome: Outcome) {
        if let Some(index) = self.runs.remove(&run) {
            self.history.deliveries[index].end = Some(Ended { at, outcome });
        }
    }

    fn acked(&mut self, _: u64, _: u32, _: &Ticket) {}

    fn buried(&mut self, at: u64, from: u32, to: u32, ticket: &Ticket) {
        self.dead.push(DeadLetter {
            at,
            from: self.stage.queue(from).into(),
            to: self.stage.queue(to).into(),
            label: self.stage.label(ticket.source).into(),
            id: id(ticket.serial),
            attempts: ticket.deliveries,
        });
    }

    fn dropped(&mut self, at: u64, queue: u32, ticket: &Ticket, reason: Reason) {
        self.dropped.push(Dropped {
            at,
            queue: self.stage.queue(queue).into(),
            label: self.stage.label(ticket.source).into(),
            id: id(ticket.serial),
            attempts: ticket.deliveries,
            reason,
        });
    }
}
