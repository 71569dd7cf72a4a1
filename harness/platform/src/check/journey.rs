//! The way of one message through its queues.

use super::{
    Court, Invocation, Law,
    sends::{Accepted, Taken},
};
use crate::{
    engine::DeadLetters,
    history::Delivered,
    settle::{self, Fate},
};

/// Where a message stands after all of its deliveries.
#[derive(Clone, Debug)]
pub(super) struct Journey {
    pub(super) source: u32,
    /// The queue that it was last in.
    pub(super) queue: u32,
    /// When it came to that queue.
    pub(super) arrived: u64,
    /// Deliveries in that queue.
    pub(super) legs: u32,
    /// From when on no invocation has it.
    free: u64,
    /// From when on it may be delivered.
    pub(super) due: u64,
    pub(super) state: State,
    /// Times at which its deliveries were used up, and the queues.
    pub(super) exhausted: Vec<(u64, u32)>,
    /// By invocation: from when on it could have been in it.
    pub(super) waits: Vec<(usize, u64)>,
    identity: Option<(String, i64)>,
}

/// Whether a message may be delivered again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// It was not taken.
    Nowhere,
    /// It may have been taken.
    Maybe,
    /// It waits.
    Waiting,
    /// It is in an invocation that has not ended.
    Running,
    /// It was acknowledged.
    Done,
    /// Its deliveries are used up and there is nowhere to go.
    Exhausted,
}

impl Court<'_> {
    /// Follows every message.
    pub(super) fn journeys(
        &mut self,
        accepted: &[Accepted],
        events: &[Invocation<'_>],
    ) -> Vec<Journey> {
        let mut journeys: Vec<_> = accepted
            .iter()
            .zip(0..)
            .map(|(accepted, source)| Journey {
                source,
                queue: accepted.queue,
                arrived: accepted.at,
                legs: 0,
                free: accepted.at,
                due: accepted.at + u64::from(accepted.delay) * 1_000,
                state: match accepted.taken {
                    Taken::Yes => State::Waiting,
                    Taken::No => State::Nowhere,
                    Taken::Maybe => State::Maybe,
                },
                exhausted: Vec::new(),
                waits: Vec::new(),
                identity: None,
            })
            .collect();
        for (index, event) in events.iter().enumerate() {
            for (place, source) in event.sources.iter().enumerate() {
                let delivered = &event.delivery.messages[place];
                match source.and_then(|source| journeys.get_mut(source as usize)) {
                    Some(journey) => {
                        self.leg(journey, event, delivered, accepted);
                        journey.waits.push((index, journey.due));
                        self.after(journey, event, event.fates[place]);
                    }
                    None => {
                        let text = format!("{:?}, which nobody sent", delivered.label);
                        self.broken(Law::Conservation, event.delivery.at, text);
                    }
                }
            }
        }
        let mut last_end = vec![0; self.settings.len()];
        for event in events {
            let last = &mut last_end[event.queue as usize];
            *last = event.end().max(*last);
        }
        for journey in &journeys {
            self.not_stuck(journey, last_end[journey.queue as usize]);
        }
        self.ids_differ(&journeys);
        journeys
    }

    /// A message is delivered.
    fn leg(
        &mut self,
        journey: &mut Journey,
        event: &Invocation<'_>,
        delivered: &Delivered,
        accepted: &[Accepted],
    ) {
        let (at, label) = (event.delivery.at, &delivered.label);
        let here = &event.delivery.queue;
        match journey.state {
            State::Waiting | State::Maybe => {}
            State::Nowhere => {
                self.broken(Law::Conservation, at, format!("{label} was refused and is delivered"));
            }
            // See below, where the time is looked at.
            State::Running => {}
            State::Done => {
                let text = format!("{label} is delivered after it was acknowledged");
                self.broken(Law::Duplicates, at, text);
            }
            State::Exhausted => {
                let text = format!("{label} is delivered after its deliveries were used up");
                self.broken(Law::DeadLetter, at, text);
            }
        }
        self.perhaps_buried(journey, event.queue);
        if event.queue != journey.queue {
            let there = self.stage.queue(journey.queue);
            let text = format!("{label} is delivered from {here} and was in {there}");
            let moved = journey.exhausted.iter().any(|&(_, from)| from == event.queue);
            let early = self.dead_letters_of(journey.queue) == Some(event.queue);
            let law = if moved || early { Law::DeadLetter } else { Law::Conservation };
            self.broken(law, at, text);
            // From here on it is taken to be where it was seen.
            journey.queue = event.queue;
            journey.legs = 0;
            journey.due = at;
            journey.arrived = at;
        }
        journey.legs += 1;
        if delivered.attempts != journey.legs {
            let (seen, expected) = (delivered.attempts, journey.legs);
            let text = format!("{label} in {here} has attempts {seen}, not {expected}");
            self.broken(Law::Attempts, at, text);
        }
        if at + self.tolerance.early < journey.free {
            let text = format!("{label} is delivered before another invocation is done with it");
            self.broken(Law::Conservation, at, text);
        } else if at + self.tolerance.early < journey.due {
            let text = format!("{label} is delivered, which is due at {}", journey.due);
            self.broken(Law::Delay, at, text);
        }
        let keeps = self.settings[journey.queue as usize].keeps;
        if keeps.is_some_and(|keeps| at > journey.arrived + keeps + self.tolerance.late) {
            self.broken(Law::Expiry, at, format!("{label} is delivered after it had expired"));
        }
        self.identity(journey, at, delivered, accepted);
    }

    fn identity(
        &mut self,
        journey: &mut Journey,
        at: u64,
        delivered: &Delivered,
        accepted: &[Accepted],
    ) {
        let label = &delivered.label;
        let sent = accepted[journey.source as usize].at;
        let buried = journey.exhausted.last().map(|&(at, _)| at);
        let since = match buried {
            Some(at) if !self.rules.dead_letter_keeps_identity => at,
            _ => sent,
        };
        match &journey.identity {
            Some((id, timestamp)) => {
                if *id != delivered.id {
                    let text = format!("{label} has id {:?}, and had {id:?}", delivered.id);
                    self.broken(Law::Identity, at, text);
                }
                if *timestamp != delivered.timestamp {
                    let (seen, had) = (delivered.timestamp, timestamp);
                    let text = format!("{label} has timestamp {seen}, and had {had}");
                    self.broken(Law::Identity, at, text);
                }
            }
            None => {
                let (early, late) = (self.tolerance.early, self.tolerance.late);
                let seen = u64::try_from(delivered.timestamp).unwrap_or(0);
                if delivered.timestamp < 0 || seen + early < since || seen > since + late {
                    let seen = delivered.timestamp;
                    let text = format!("{label} was sent at {since} and has timestamp {seen}");
                    self.broken(Law::Identity, at, text);
                }
            }
        }
        journey.identity = Some((delivered.id.clone(), delivered.timestamp));
        let received = self.stage.received(journey.source);
        if received.map(AsRef::as_ref) != delivered.body.as_deref() {
            let text = format!("{label} has another body than it was sent with");
            self.broken(Law::Identity, at, text);
        }
    }

    /// What the end of an invocation makes of a message.
    fn after(&mut self, journey: &mut Journey, event: &Invocation<'_>, fate: Fate) {
        let Some(end) = event.delivery.end else {
            journey.state = State::Running;
            journey.free = u64::MAX;
            return;
        };
        journey.free = end.at;
        let settings = &self.settings[journey.queue as usize];
        let (again, delay) = match fate {
            // Nobody but the platform knows whether it heard the acknowledgement.
            Fate::Acked => (self.tolerance.chance, None),
            Fate::Again(delay) => (true, delay),
        };
        if !again {
            journey.state = State::Done;
            journey.due = end.at;
            return;
        }
        if journey.legs < settings.deliveries {
            let seconds = settle::retry_delay(self.rules, delay, settings.retry_delay);
            journey.state = if fate == Fate::Acked { State::Maybe } else { State::Waiting };
            journey.due = end.at + u64::from(seconds) * 1_000;
            return;
        }
        if fate == Fate::Acked {
            // Whether it is a dead letter now shows in where it comes up.
            journey.state = State::Maybe;
            journey.due = end.at;
            return;
        }
        journey.exhausted.push((end.at, journey.queue));
        journey.due = end.at;
        match self.dead_letters_of(journey.queue) {
            None => journey.state = State::Exhausted,
            Some(to) => {
                let delay = self.settings[to as usize].delivery_delay;
                let delay = delay.filter(|_| self.rules.dead_letter_is_delayed).unwrap_or(0);
                journey.queue = to;
                journey.arrived = end.at;
                journey.legs = 0;
                journey.due = end.at + u64::from(delay) * 1_000;
                journey.state = State::Waiting;
                if !self.rules.dead_letter_keeps_identity {
                    journey.identity = None;
                }
            }
        }
    }

    /// An acknowledgement that was not heard may have been the last delivery.
    fn perhaps_buried(&self, journey: &mut Journey, seen_in: u32) {
        let used_up = journey.legs >= self.settings[journey.queue as usize].deliveries;
        let moved = self.dead_letters_of(journey.queue) == Some(seen_in);
        if journey.state == State::Maybe && used_up && moved {
            journey.exhausted.push((journey.due, journey.queue));
            journey.queue = seen_in;
            journey.arrived = journey.due;
            journey.legs = 0;
        }
    }

    pub(super) fn dead_letters_of(&self, queue: u32) -> Option<u32> {
        match self.settings[queue as usize].dead_letters {
            Some(DeadLetters::To(to)) => Some(to),
            Some(DeadLetters::Lost) | None => None,
        }
    }

    /// A message that waits and whose queue does nothing leaves when the batch
    /// timeout has passed.
    fn not_stuck(&mut self, journey: &Journey, last_end: u64) {
        let settings = &self.settings[journey.queue as usize];
        let busy = last_end == u64::MAX;
        if journey.state != State::Waiting || !settings.consumed || busy {
            return;
        }
        let last = last_end.max(journey.due);
        let latest = last + settings.batch_timeout + self.tolerance.late;
        let expires = settings.keeps.map_or(u64::MAX, |keeps| journey.arrived + keeps);
        if latest < self.scenario.until() && latest < expires {
            let label = self.stage.label(journey.source);
            let text = format!("{label} is due at {} and is never delivered", journey.due);
            self.broken(Law::Conservation, latest, text);
        }
    }

    fn ids_differ(&mut self, journeys: &[Journey]) {
        let mut seen = std::collections::HashMap::new();
        for journey in journeys {
            let Some((id, _)) = &journey.identity else { continue };
            if let Some(other) = seen.insert(id, journey.source) {
                let (one, other) = (self.stage.label(journey.source), self.stage.label(other));
                let text = format!("{one} and {other} have the same id {id:?}");
                self.broken(Law::Identity, 0, text);
            }
        }
    }
}
