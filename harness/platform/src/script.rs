//! Playing a scripted handler: which calls reach the runtime, when the event
//! ends and how.

use std::collections::HashMap;

use crate::{
    parts::Parts,
    rules::Rules,
    scenario::{Action, Call, Script, Which},
    settle::{Note, Verdict},
};

/// What a handler did in one invocation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Played {
    /// What the runtime noted of its calls.
    pub verdict: Verdict,
    /// Whether the event failed.
    pub failed: bool,
    /// Milliseconds from its start until the platform has its outcome.
    pub duration: u64,
}

/// A message in a batch, as far as a script looks at it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Index of the message among all of the scenario.
    pub source: u32,
    /// Its attempts, this delivery included.
    pub attempts: u32,
}

/// A script whose labels have been looked up.
#[derive(Clone, Debug, Default)]
pub struct Compiled {
    rules: Vec<CompiledRule>,
}

#[derive(Clone, Debug)]
struct CompiledRule {
    invocation: Option<u32>,
    label: Option<Source>,
    attempts: Option<u32>,
    steps: Vec<Step>,
}

/// Index of a message; `None` is a label that no message has.
type Source = Option<u32>;

#[derive(Clone, Debug)]
enum Step {
    Call(Request),
    Sleep(u64),
    Throw,
    Hang,
    Later { after: u64, calls: Vec<Request>, rejects: bool },
}

#[derive(Clone, Copy, Debug)]
enum Request {
    Ack(Whose),
    Retry(Whose, Option<i32>),
    AckAll,
    RetryAll(Option<i32>),
}

#[derive(Clone, Copy, Debug)]
enum Whose {
    These,
    Label(Source),
    Index(u32),
}

/// What is done at a time; what `waitUntil` does comes before what the handler
/// does at the same time, since its timer was set first.
struct Op {
    at: u64,
    main: bool,
    notes: Vec<Note>,
}

impl Compiled {
    /// Looks up a script's labels.
    pub fn new(script: &Script, sources: &HashMap<&str, u32>) -> Self {
        let source = |label: &str| sources.get(label).copied();
        let whose = |which: &Which| match which {
            Which::These => Whose::These,
            Which::Label(label) => Whose::Label(source(label)),
            Which::Index(index) => Whose::Index(*index),
        };
        let request = |call: &Call| match call {
            Call::Ack(which) => Request::Ack(whose(which)),
            Call::Retry { which, delay } => Request::Retry(whose(which), *delay),
            Call::AckAll => Request::AckAll,
            Call::RetryAll { delay } => Request::RetryAll(*delay),
        };
        let step = |action: &Action| match action {
            Action::Call(call) => Step::Call(request(call)),
            Action::Sleep(millis) => Step::Sleep(*millis),
            Action::Throw => Step::Throw,
            Action::Hang => Step::Hang,
            Action::WaitUntil(later) => Step::Later {
                after: later.after,
                calls: later.calls.iter().map(request).collect(),
                rejects: later.rejects,
            },
        };
        let rules = script.rules.iter().map(|rule| CompiledRule {
            invocation: rule.invocation,
            label: rule.label.as_deref().map(source),
            attempts: rule.attempts,
            steps: rule.actions.iter().map(step).collect(),
        });
        Self { rules: rules.collect() }
    }

    /// Plays the handler on a batch; `played` is written anew.
    pub fn play(
        &self,
        rules: &Rules,
        parts: &Parts,
        invocation: u32,
        batch: &[Item],
        played: &mut Played,
    ) {
        let mut run = Run { batch, now: 0, last: 0, failed: false, ops: Vec::new() };
        played.verdict.reset(batch.len());
        'script: for rule in &self.rules {
            if rule.invocation.is_some_and(|wanted| wanted != invocation) {
                continue;
            }
            let these: Vec<u32> = (0..)
                .zip(batch)
                .filter(|(_, item)| rule.label.is_none_or(|label| label == Some(item.source)))
                .filter(|(_, item)| rule.attempts.is_none_or(|wanted| wanted == item.attempts))
                .map(|(index, _)| index)
                .collect();
            if these.is_empty() {
                continue;
            }
            for step in &rule.steps {
                if !run.step(step, &these) {
                    break 'script;
                }
            }
        }
        run.finish(rules, parts, played);
    }
}

struct Run<'a> {
    batch: &'a [Item],
    /// Milliseconds since the start, where the handler is.
    now: u64,
    /// When the last promise given to `waitUntil` is settled.
    last: u64,
    failed: bool,
    ops: Vec<Op>,
}

impl Run<'_> {
    /// Whether the handler goes on.
    fn step(&mut self, step: &Step, these: &[u32]) -> bool {
        match step {
            Step::Call(request) => {
                let notes = self.notes(request, these);
                self.ops.push(Op { at: self.now, main: true, notes });
            }
            Step::Sleep(millis) => self.now = self.now.saturating_add(*millis),
            Step::Throw | Step::Hang => {
                self.failed = true;
                return false;
            }
            Step::Later { after, calls, rejects } => {
                let at = self.now.saturating_add(*after);
                let notes = calls.iter().flat_map(|call| self.notes(call, these)).collect();
                self.ops.push(Op { at, main: false, notes });
                self.last = self.last.max(at);
                self.failed |= rejects;
            }
        }
        true
    }

    fn notes(&self, request: &Request, these: &[u32]) -> Vec<Note> {
        let each = |whose: &Whose, note: &dyn Fn(u32) -> Note| match whose {
            Whose::These => these.iter().map(|&index| note(index)).collect(),
            Whose::Index(index) => vec![note(*index)],
            Whose::Label(source) => (0..)
                .zip(self.batch)
                .filter(|(_, item)| *source == Some(item.source))
                .map(|(index, _)| note(index))
                .collect(),
        };
        match request {
            Request::Ack(whose) => each(whose, &Note::Ack),
            Request::Retry(whose, delay) => each(whose, &|index| Note::Retry(index, *delay)),
            Request::AckAll => vec![Note::AckAll],
            Request::RetryAll(delay) => vec![Note::RetryAll(*delay)],
        }
    }

    fn finish(mut self, rules: &Rules, parts: &Parts, played: &mut Played) {
        // Stable: what is done at one time stays in order.
        self.ops.sort_by_key(|op| (op.at, op.main));
        let end = self.now.max(self.last);
        let limit = rules.max_wall_time.unwrap_or(u64::MAX);
        for op in self.ops.iter().filter(|op| op.at < limit) {
            for &note in &op.notes {
                (parts.note)(rules, &mut played.verdict, note);
            }
        }
        played.failed = self.failed || end >= limit;
        played.duration = end.min(limit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Profile,
        scenario::{Later, Rule},
        settle::Mark,
    };

    fn play(rules: Vec<Rule>, invocation: u32) -> Played {
        let sources = HashMap::from([("a", 0), ("b", 1)]);
        let batch = [Item { source: 0, attempts: 1 }, Item { source: 1, attempts: 2 }];
        let mut played = Played::default();
        let script = Compiled::new(&Script { rules }, &sources);
        let rules = Rules::of(Profile::Cloudflare);
        script.play(&rules, &Parts::RIGHT, invocation, &batch, &mut played);
        played
    }

    fn ack(which: Which) -> Action {
        Action::Call(Call::Ack(which))
    }

    fn retry(delay: Option<i32>) -> Action {
        Action::Call(Call::Retry { which: Which::These, delay })
    }

    fn rule(actions: Vec<Action>) -> Rule {
        Rule { actions, ..Rule::default() }
    }

    #[test]
    fn no_rule_returns_at_once() {
        let played = play(Vec::new(), 1);
        assert_eq!(played, Played { verdict: Verdict::open(2), ..Played::default() });
    }

    #[test]
    fn a_rule_is_played_for_its_messages() {
        let of = |label: Option<&str>, attempts| {
            let label = label.map(Into::into);
            play(vec![Rule { label, attempts, ..rule(vec![retry(None)]) }], 1).verdict.marks
        };
        let (open, retried) = (Mark::Open, Mark::Retried(None));
        assert_eq!(of(None, None), [retried, retried]);
        assert_eq!(of(Some("b"), None), [open, retried]);
        assert_eq!(of(None, Some(1)), [retried, open]);
        assert_eq!(of(Some("b"), Some(1)), [open, open]);
        assert_eq!(of(Some("c"), None), [open, open]);
    }

    #[test]
    fn a_rule_is_played_in_its_invocation() {
        let rules = vec![Rule { invocation: Some(2), ..rule(vec![Action::Throw]) }];
        assert!(!play(rules.clone(), 1).failed);
        assert!(play(rules, 2).failed);
    }

    #[test]
    fn a_throw_ends_the_handler_but_not_what_it_handed_over() {
        let later = Later { after: 7, calls: vec![Call::Ack(Which::Index(1))], rejects: false };
        let actions =
            vec![Action::WaitUntil(later), Action::Sleep(5), Action::Throw, ack(Which::Index(0))];
        let played = play(vec![rule(actions), rule(vec![Action::Call(Call::AckAll)])], 1);
        assert!(played.failed);
        assert_eq!(played.duration, 7);
        assert_eq!(played.verdict.marks, [Mark::Open, Mark::Acked]);
        assert!(!played.verdict.ack_all);
    }

    #[test]
    fn calls_count_in_order_of_time() {
        let later = |after| {
            let call = Call::Ack(Which::Label("a".into()));
            Action::WaitUntil(Later { after, calls: vec![call], rejects: false })
        };
        let first = |after| {
            let actions = vec![later(after), Action::Sleep(5), retry(Some(3))];
            play(vec![rule(actions)], 1).verdict.marks[0]
        };
        assert_eq!(first(4), Mark::Acked);
        assert_eq!(first(5), Mark::Acked);
        assert_eq!(first(6), Mark::Retried(Some(3)));
    }

    #[test]
    fn a_rejected_promise_fails_the_event() {
        let later = Later { after: 3, calls: Vec::new(), rejects: true };
        let played = play(vec![rule(vec![Action::WaitUntil(later)])], 1);
        assert!(played.failed);
        assert_eq!(played.duration, 3);
    }

    #[test]
    fn what_takes_too_long_fails() {
        let actions = vec![Action::Sleep(900_000), ack(Which::These)];
        let played = play(vec![rule(actions)], 1);
        assert!(played.failed);
        assert_eq!((played.duration, played.verdict.marks[0]), (900_000, Mark::Open));
        assert!(!play(vec![rule(vec![Action::Sleep(899_999)])], 1).failed);
    }
}
