//! What each step may come to.

use std::slice;

use duipai_spec::{
    event::{Call, EventKind},
    limits::EVENT_LIMIT_SECONDS,
    messages,
};

use super::{Over, Step, settle::Settled};
use crate::{
    observation::{Observation, Outcome},
    oracle::{
        consumer::{self, Reading},
        disagreement,
        known::KnownDifference,
        producer, value,
    },
    plan::{self, Action, EventPlan},
};

/// A walk along one event.
pub(super) struct Walk<'a> {
    oracle: &'static str,
    plan: &'a EventPlan,
    calls: slice::Iter<'a, Call>,
    elapsed: u64,
    /// The time limit has passed.
    pub(super) overdue: bool,
    pub(super) over: Option<Over>,
    /// Some step was refused.
    pub(super) refused: bool,
    pub(super) reading: Reading,
    pub(super) settled: Vec<Settled>,
    pub(super) attempts: Vec<u32>,
}

impl<'a> Walk<'a> {
    pub(super) fn new(oracle: &'static str, plan: &'a EventPlan, seen: &'a Observation) -> Self {
        let batch = plan.batch.as_ref().filter(|_| plan.kind == EventKind::Queue);
        let messages = batch.map_or(&[][..], |batch| &batch.messages);
        let none = plan::Batch { queue: String::new(), messages: Vec::new() };
        Self {
            oracle,
            plan,
            calls: seen.calls.iter(),
            elapsed: 0,
            overdue: false,
            over: None,
            refused: false,
            reading: consumer::reading(batch.unwrap_or(&none)),
            settled: vec![Settled::Open; messages.len()],
            attempts: messages.iter().map(|message| message.attempts).collect(),
        }
    }

    pub(super) fn fail<T>(
        &self,
        sentences: &[&'static str],
        expected: String,
        got: String,
    ) -> Step<T> {
        Err(disagreement(self.oracle, sentences, expected, got))
    }

    pub(super) fn plan(&self) -> &'a EventPlan {
        self.plan
    }

    /// The call that comes next.
    pub(super) fn take_call(&mut self) -> Option<&'a Call> {
        self.calls.next()
    }

    /// The call that comes next, which stays.
    pub(super) fn next_call(&self) -> Option<&'a Call> {
        self.calls.as_slice().first()
    }

    /// One step came to `outcome`. A difference means that the model cannot
    /// tell.
    pub(super) fn step(
        &mut self,
        step: &plan::Step,
        outcome: &Outcome,
    ) -> Step<Option<KnownDifference>> {
        if self.over.is_some() {
            if *outcome == Outcome::NotReached {
                return Ok(None);
            }
            let sentences = ["end.no-undo", "grant.uncatchable", "end.uncaught"];
            return self.fail(&sentences, "not reached".to_owned(), format!("{outcome:?}"));
        }
        let difference = self.act(&step.action, outcome)?;
        match outcome {
            Outcome::Threw { message } if !step.caught => {
                self.over = Some(Over::Rejected(message.clone()));
            }
            Outcome::Aborted { .. } => self.over = Some(Over::Aborted),
            _ => {}
        }
        Ok(difference)
    }

    fn act(&mut self, action: &Action, outcome: &Outcome) -> Step<Option<KnownDifference>> {
        let aborted = matches!(outcome, Outcome::Aborted { .. });
        match action {
            Action::Wait { seconds } => {
                self.elapsed = self.elapsed.saturating_add(*seconds);
                self.overdue |= self.elapsed > EVENT_LIMIT_SECONDS;
                if self.overdue && aborted {
                    return Ok(None);
                }
                return self.returned(None, outcome, "end.time-limit").map(|()| None);
            }
            Action::Raise { message } => {
                if self.overdue && aborted {
                    return Ok(None);
                }
                return self.threw(&[message], outcome, &["end.uncaught"]).map(|()| None);
            }
            // Too deep a body may end the first use of the host.
            _ if aborted && !self.called(action) && (self.overdue || self.deep_at_once()) => {
                return Ok(None);
            }
            _ if self.overdue => {
                let expected = "an abort: the time limit has passed".to_owned();
                return self.fail(&["end.time-limit"], expected, format!("{outcome:?}"));
            }
            _ => {}
        }
        match action {
            Action::Send { binding, body, delay } => {
                let verdict = producer::send(binding, body, *delay);
                self.produce(binding, &verdict, outcome)
            }
            Action::SendBatch { binding, items } => {
                let verdict = producer::send_batch(binding, items);
                self.produce(binding, &verdict, outcome)
            }
            Action::ReadBatch => self.read(outcome).map(|()| None),
            Action::Ack { index } => self.settle(*index, None, outcome).map(|()| None),
            Action::Retry { index, delay } => {
                self.settle(*index, Some(*delay), outcome).map(|()| None)
            }
            Action::Raise { .. } | Action::Wait { .. } => Ok(None),
        }
    }

    /// Whether the next platform call is the one that `action` asks for.
    fn called(&self, action: &Action) -> bool {
        let (index, message) = match (action, self.next_call()) {
            (Action::Ack { index }, Some(Call::Ack { message })) => (index, message),
            (Action::Retry { index, .. }, Some(Call::Retry { message, .. })) => (index, message),
            _ => return false,
        };
        *index == i64::from(*message)
    }

    fn deep_at_once(&self) -> bool {
        let deep = self.reading.too_deep || self.reading.may_be_too_deep;
        deep && self.plan.kind == EventKind::Queue
    }

    fn read(&mut self, outcome: &Outcome) -> Step {
        if self.plan.kind != EventKind::Queue {
            let sentences = ["consumer.other-event.read"];
            return self.threw(&[messages::NOT_QUEUE_EVENT], outcome, &sentences);
        }
        let bad = self.reading.not_json.iter().chain(&self.reading.lookalikes);
        let permitted: Vec<String> = bad.map(|index| messages::message_not_json(*index)).collect();
        match outcome {
            Outcome::Threw { message } if permitted.contains(message) => {
                self.refused = true;
                Ok(())
            }
            Outcome::Returned { value: Some(text) }
                if self.reading.not_json.is_empty() && !self.reading.too_deep =>
            {
                if *text == self.reading.text {
                    return Ok(());
                }
                let sentences = read_sentences(text, &self.reading.text);
                self.fail(sentences, self.reading.text.clone(), text.clone())
            }
            _ if self.reading.too_deep => {
                self.fail(&["read.depth.over"], "an abort".to_owned(), format!("{outcome:?}"))
            }
            _ if self.reading.not_json.is_empty() => {
                let sentences = ["read.shape", "read.body", "read.depth.within"];
                self.fail(&sentences, self.reading.text.clone(), format!("{outcome:?}"))
            }
            _ => {
                let expected = format!("an exception: {}", permitted.join(", or "));
                self.fail(
                    &["read.not-json", "read.not-json.index"],
                    expected,
                    format!("{outcome:?}"),
                )
            }
        }
    }

    pub(super) fn returned(
        &self,
        value: Option<String>,
        outcome: &Outcome,
        sentence: &'static str,
    ) -> Step {
        let expected = Outcome::Returned { value };
        if *outcome == expected {
            return Ok(());
        }
        self.fail(&[sentence], format!("{expected:?}"), format!("{outcome:?}"))
    }

    pub(super) fn threw(
        &mut self,
        permitted: &[&str],
        outcome: &Outcome,
        sentences: &[&'static str],
    ) -> Step {
        match outcome {
            Outcome::Threw { message } if permitted.contains(&&**message) => {
                self.refused = true;
                Ok(())
            }
            _ => {
                let expected = format!("an exception: {}", permitted.join(", or "));
                self.fail(sentences, expected, format!("{outcome:?}"))
            }
        }
    }
}

/// What a text that was read differs in: only in form, or in content.
fn read_sentences(got: &str, expected: &str) -> &'static [&'static str] {
    let loose = |text: &str| {
        let value = value::read(text)?.0;
        serde_json::from_str::<serde_json::Value>(&value::canonical(&value)).ok()
    };
    match (loose(got), loose(expected)) {
        (Some(got), Some(expected)) if got == expected => &["adapter.read.key-order", "read.shape"],
        _ => {
            &["read.body", "read.order", "read.id", "read.attempts", "read.timestamp", "read.queue"]
        }
    }
}
