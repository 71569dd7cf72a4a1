//! Scenarios in few words, and histories as lines.

use duipai_platform::{
    History, Profile, Rules, Scenario,
    history::Outcome,
    play,
    scenario::{
        Action, Call, Consumer, Draft, Input, Message, Producer, QueueConfig, Rule, Script, Which,
    },
};

/// A scenario in the making.
#[derive(Clone, Default)]
pub(crate) struct Scene(pub(crate) Draft);

impl Scene {
    /// One queue `q` with this consumer, for an hour.
    pub(crate) fn new(consumer: Consumer) -> Self {
        Self(Draft { until: 3_600_000, ..Draft::default() }).queue("q", Some(consumer))
    }

    pub(crate) fn queue(mut self, name: &str, consumer: Option<Consumer>) -> Self {
        let config = QueueConfig { consumer, ..QueueConfig::default() };
        self.0.queues.insert(name.into(), config);
        self
    }

    pub(crate) fn config(mut self, change: impl FnOnce(&mut QueueConfig)) -> Self {
        change(self.0.queues.get_mut("q").unwrap());
        self
    }

    /// Sends each label to `q`, one call each.
    pub(crate) fn send(mut self, at: u64, labels: &[&str]) -> Self {
        for label in labels {
            self = self.message(at, Message::new(*label));
        }
        self
    }

    pub(crate) fn message(self, at: u64, message: Message) -> Self {
        self.call(at, Producer::Send(message))
    }

    pub(crate) fn batch(self, at: u64, messages: Vec<Message>, delay: Option<i32>) -> Self {
        self.call(at, Producer::SendBatch { messages, delay })
    }

    pub(crate) fn call(mut self, at: u64, call: Producer) -> Self {
        self.0.inputs.push(Input { at, queue: "q".into(), call });
        self
    }

    /// Adds a rule to the handler of `q`.
    pub(crate) fn rule(self, rule: Rule) -> Self {
        self.rule_of("q", rule)
    }

    pub(crate) fn rule_of(mut self, queue: &str, rule: Rule) -> Self {
        let handler: &mut Script = self.0.handlers.entry(queue.into()).or_default();
        handler.rules.push(rule);
        self
    }

    /// Every invocation of `q` does this.
    pub(crate) fn does(self, actions: &[Action]) -> Self {
        self.rule(Rule { actions: actions.to_vec(), ..Rule::default() })
    }

    /// The first invocation of `q` does this.
    pub(crate) fn first(self, actions: &[Action]) -> Self {
        let actions = actions.to_vec();
        self.rule(Rule { invocation: Some(1), actions, ..Rule::default() })
    }

    pub(crate) fn until(mut self, until: u64) -> Self {
        self.0.until = until;
        self
    }

    pub(crate) fn done(self) -> Scenario {
        Scenario::new(self.0).unwrap()
    }

    pub(crate) fn play(self, profile: Profile) -> History {
        play(&self.done(), &Rules::of(profile))
    }

    /// Plays under one profile; the history must be these lines.
    #[track_caller]
    pub(crate) fn check(self, profile: Profile, expected: &[&str]) {
        let history = self.play(profile);
        assert_eq!(lines(&history), expected, "{profile:?}\n{history:#?}");
    }

    /// [`check`](Self::check) under each profile.
    #[track_caller]
    pub(crate) fn check_both(self, expected: &[&str]) {
        for profile in Profile::ALL {
            self.clone().check(profile, expected);
        }
    }
}

/// A consumer with this batch size and timeout.
pub(crate) fn batches(size: u32, timeout: u32) -> Consumer {
    Consumer { max_batch_size: Some(size), max_batch_timeout: Some(timeout), ..Consumer::default() }
}

/// A consumer that gets each message alone and at once.
pub(crate) fn one_by_one() -> Consumer {
    batches(1, 0)
}

pub(crate) fn ack(index: u32) -> Action {
    Action::Call(Call::Ack(Which::Index(index)))
}

pub(crate) fn retry(index: u32, delay: Option<i32>) -> Action {
    Action::Call(Call::Retry { which: Which::Index(index), delay })
}

pub(crate) fn retry_all(delay: Option<i32>) -> Action {
    Action::Call(Call::RetryAll { delay })
}

pub(crate) fn ack_all() -> Action {
    Action::Call(Call::AckAll)
}

pub(crate) fn delayed(label: &str, delay: i32) -> Message {
    Message { delay: Some(delay), ..Message::new(label) }
}

/// `time queue: label×attempts …`, an exclamation mark after a failure, then
/// what happened inside, each in order.
pub(crate) fn lines(history: &History) -> Vec<String> {
    let mut lines: Vec<_> = history
        .deliveries
        .iter()
        .map(|delivery| {
            let message = |message: &duipai_platform::history::Delivered| {
                format!(" {}×{}", message.label, message.attempts)
            };
            let messages: String = delivery.messages.iter().map(message).collect();
            let end = match delivery.end.map(|end| end.outcome) {
                Some(Outcome::Ok) => "",
                Some(Outcome::Exception) => " !",
                Some(Outcome::Crashed) => " crash",
                None => " …",
            };
            format!("{} {}:{messages}{end}", delivery.at, delivery.queue)
        })
        .collect();
    for sent in &history.sends {
        if let Some(refused) = &sent.refused {
            lines.push(format!("{} {}: {}", sent.at, refused.name, refused.message));
        }
    }
    if let Some(inside) = &history.inside {
        for dead in &inside.dead {
            lines.push(format!("{} {}→{} {}", dead.at, dead.from, dead.to, dead.label));
        }
        for gone in &inside.dropped {
            lines.push(format!("{} {} {} {:?}", gone.at, gone.queue, gone.label, gone.reason));
        }
        for waiting in &inside.waiting {
            lines.push(format!("{} {} waits", waiting.queue, waiting.label));
        }
    }
    lines
}
