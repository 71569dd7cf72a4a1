//! From an input that fails to a small one that fails the same way: steps of a
//! plan first, then JSON trees, then characters.
//!
//! | module | takes away |
//! | --- | --- |
//! | [`slots`] | nothing: it says which texts an input holds |
//! | [`json`] | elements and values of a text |

mod json;
mod slots;

use std::sync::Arc;

use crate::{
    fuzz::input::{Input, ProducerCall},
    plan::{Batch, Binding, EventPlan, Scene},
};

/// Most inputs that are tried.
pub const MOST_TRIES: u32 = 20_000;

/// The smallest input found that `fails` of, which it does of `input`.
///
/// At most `tries` others are asked about.
pub fn shrink(input: Input, tries: u32, fails: impl FnMut(&Input) -> bool) -> Input {
    let mut shrinker = Shrinker { best: input, left: tries, fails };
    loop {
        let before = shrinker.best.clone();
        shrinker.steps();
        shrinker.texts();
        shrinker.bytes();
        if shrinker.best == before || shrinker.left == 0 {
            return shrinker.best;
        }
    }
}

struct Shrinker<F> {
    best: Input,
    left: u32,
    fails: F,
}

impl<F: FnMut(&Input) -> bool> Shrinker<F> {
    /// Takes `input` in place of the best if it fails too.
    fn offer(&mut self, input: Input) -> bool {
        if self.left == 0 || input == self.best {
            return false;
        }
        self.left -= 1;
        let fails = (self.fails)(&input);
        if fails {
            self.best = input;
        }
        fails
    }

    /// The shortest part of `list` whose input fails, as far as taking away
    /// ever shorter stretches leads.
    fn list<T: Clone>(&mut self, mut list: Vec<T>, make: impl Fn(&Input, Vec<T>) -> Option<Input>) {
        let mut stretch = list.len();
        while stretch > 0 && self.left > 0 {
            let mut at = 0;
            while at < list.len() {
                let end = (at + stretch).min(list.len());
                let fewer = [&list[..at], &list[end..]].concat();
                let made = make(&self.best, fewer.clone());
                if made.is_some_and(|input| self.offer(input)) {
                    list = fewer;
                } else {
                    at = end;
                }
            }
            stretch /= 2;
        }
    }

    fn steps(&mut self) {
        match self.best.clone() {
            Input::Call(call) => {
                let plain = ProducerCall { delay: 0, ..call.clone() };
                self.offer(Input::Call(plain));
                let usual = ProducerCall { binding: "PAGE_QUEUE".to_owned(), ..call };
                self.offer(Input::Call(usual));
            }
            Input::Scene(scene) => self.plan(scene),
            Input::Text(_) | Input::Bytes(_) => {}
        }
    }

    fn plan(&mut self, scene: Scene) {
        self.list(scene.events, |_, events| {
            (!events.is_empty()).then_some(Input::Scene(Scene { events }))
        });
        let Input::Scene(scene) = &self.best else { return };
        for at in 0..scene.events.len() {
            self.part(at, |event| &event.steps, |event, steps| event.steps = steps);
            self.part(at, |event| &event.grants, |event, grants| event.grants = grants);
            let bindings = |event: &EventPlan| -> Vec<(String, Binding)> {
                event.bindings.clone().into_iter().collect()
            };
            self.part_of(at, bindings, |event, left| event.bindings = left.into_iter().collect());
            let messages = |event: &EventPlan| {
                event.batch.as_ref().map_or_else(Vec::new, |batch| batch.messages.clone())
            };
            self.part_of(at, messages, |event, messages| {
                if let Some(batch) = &event.batch {
                    event.batch = Some(Batch { queue: batch.queue.clone(), messages });
                }
            });
        }
    }

    fn part<T: Clone>(
        &mut self,
        at: usize,
        get: impl Fn(&EventPlan) -> &Vec<T>,
        set: impl Fn(&mut EventPlan, Vec<T>),
    ) {
        self.part_of(at, |event| get(event).clone(), set);
    }

    /// Shortens one list of the event `at`.
    fn part_of<T: Clone>(
        &mut self,
        at: usize,
        get: impl Fn(&EventPlan) -> Vec<T>,
        set: impl Fn(&mut EventPlan, Vec<T>),
    ) {
        let Input::Scene(scene) = &self.best else { return };
        let list = get(&scene.events[at]);
        self.list(list, |best, fewer| {
            let Input::Scene(scene) = best else { return None };
            let mut scene = scene.clone();
            set(&mut scene.events[at], fewer);
            Some(Input::Scene(scene))
        });
    }

    fn texts(&mut self) {
        for slot in 0..slots::texts(&self.best).len() {
            // Every step makes the text shorter, so that this ends.
            'again: while self.left > 0 {
                let Some(text) = slots::texts(&self.best).get(slot).cloned() else { break };
                for shorter in json::shorter(&text) {
                    if let Some(input) = slots::with_text(&self.best, slot, shorter.into())
                        && self.offer(input)
                    {
                        continue 'again;
                    }
                }
                break;
            }
        }
    }

    fn bytes(&mut self) {
        if let Input::Bytes(bytes) = self.best.clone() {
            self.list(bytes, |_, fewer| Some(Input::Bytes(fewer)));
            return;
        }
        for slot in 0..slots::texts(&self.best).len() {
            let Some(text) = slots::texts(&self.best).get(slot).cloned() else { break };
            self.list(text.chars().collect(), |best, fewer| {
                slots::with_text(best, slot, Arc::from(fewer.into_iter().collect::<String>()))
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        plan::{Action, Step},
        sample,
    };

    fn check(from: &str, holds: fn(&str) -> bool, to: &str) {
        let fails = |input: &Input| matches!(input, Input::Text(text) if holds(text));
        assert_eq!(shrink(Input::Text(from.into()), MOST_TRIES, fails), Input::Text(to.into()));
    }

    #[test]
    fn texts_come_down_to_what_matters() {
        check(
            "[{\"body\":[1,2,{\"a\":\"x\\\"y\"}]},{\"body\":7}]",
            |text| text.contains("\\\""),
            "\\\"",
        );
        let valid = |text: &str| duipai_host::json::parse(text).is_ok() && text.contains("\\\"");
        check("[{\"body\":[1,2,{\"a\":\"x\\\"y\"}]},{\"body\":7}]", valid, "\"\\\"\"");
        check("  [ 1 , [2 ,3] ] ", |text| text.contains('3'), "3");
    }

    #[test]
    fn plans_lose_their_steps_first() {
        let read = sample::step(Action::ReadBatch);
        let steps = vec![sample::send("[1,2]"), read.clone(), sample::send("{\"b\":1}")];
        let scene = Scene { events: vec![sample::plan(steps.clone()), sample::plan(steps)] };
        let reads = |step: &Step| step.action == Action::ReadBatch;
        let fails = |input: &Input| match input {
            Input::Scene(scene) => scene.events.iter().any(|event| event.steps.iter().any(reads)),
            _ => false,
        };
        let Input::Scene(small) = shrink(Input::Scene(scene), MOST_TRIES, fails) else {
            panic!("a plan")
        };
        let [event] = small.events.as_slice() else { panic!("{small:?}") };
        assert_eq!(event.steps, [read]);
        assert!(event.grants.is_empty() && event.bindings.is_empty());
    }

    #[test]
    fn no_more_is_tried_than_allowed() {
        let mut tried = 0;
        shrink(Input::Bytes(vec![0; 500]), 10, |_| {
            tried += 1;
            true
        });
        assert!(tried <= 10, "{tried}");
    }
}
