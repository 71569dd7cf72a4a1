//! Random scenarios, small enough to come to much in little time.

use std::collections::BTreeMap;

use duipai_platform::{
    Scenario,
    scenario::{
        Action, Body, Call, Consumer, Draft, Input, Later, Message, Producer, QueueConfig, Rule,
        Script, Special, Which,
    },
};
use proptest::{collection::vec, option, prelude::*};

/// The queues; dead letters of each go to the one behind it, or to one that is
/// not configured.
const QUEUES: [&str; 3] = ["a", "b", "c"];

/// Labels are the numbers of the messages; handlers name the first ones.
const NAMED: u32 = 8;

pub(crate) fn scenario() -> impl Strategy<Value = Scenario> {
    let queues = vec(queue(), 1..=3);
    let inputs = vec(input(), 1..=8);
    let handlers = vec(vec(rule(), 0..=3), 3);
    let until = prop_oneof![Just(200_000_u64), 1_000..20_000_u64];
    (queues, inputs, handlers, until).prop_map(|(queues, inputs, handlers, until)| {
        Scenario::new(draft(queues, inputs, handlers, until)).unwrap()
    })
}

fn draft(
    mut queues: Vec<QueueConfig>,
    mut inputs: Vec<Input>,
    handlers: Vec<Vec<Rule>>,
    until: u64,
) -> Draft {
    for (queue, dead) in queues.iter_mut().zip(QUEUES.into_iter().skip(1).chain(["d"])) {
        let letters =
            queue.consumer.as_mut().and_then(|consumer| consumer.dead_letter_queue.as_mut());
        if let Some(name) = letters {
            *name = dead.into();
        }
    }
    inputs.sort_by_key(|input| input.at);
    let mut count = 0;
    for input in &mut inputs {
        let known = QUEUES.iter().take(queues.len()).any(|name| *name == input.queue);
        if !known {
            input.queue = QUEUES[0].into();
        }
        input.at = input.at.min(until);
        let messages = match &mut input.call {
            Producer::Send(message) => std::slice::from_mut(message),
            Producer::SendBatch { messages, .. } => messages,
        };
        for message in messages {
            message.label = count.to_string();
            count += 1;
        }
    }
    let handlers = QUEUES.into_iter().zip(&queues).zip(handlers);
    let handlers = handlers
        .filter(|((_, queue), _)| queue.consumer.is_some())
        .map(|((name, _), rules)| (name.into(), Script { rules }))
        .collect();
    let queues: BTreeMap<String, _> = QUEUES.into_iter().map(String::from).zip(queues).collect();
    Draft { queues, inputs, handlers, until, ..Draft::default() }
}

fn queue() -> impl Strategy<Value = QueueConfig> {
    let consumer = (
        option::of(1..=5_u32),
        option::of(0..=3_u32),
        option::of(0..=3_u32),
        option::of(0..=4_u32),
        option::of(Just(String::new())),
        option::of(1..=3_u32),
    );
    let consumer = consumer.prop_map(
        |(max_batch_size, max_batch_timeout, max_retries, retry_delay, dead, max_concurrency)| {
            Consumer {
                max_batch_size,
                max_batch_timeout,
                max_retries,
                retry_delay,
                dead_letter_queue: dead,
                max_concurrency,
            }
        },
    );
    (
        option::weighted(0.9, consumer),
        option::weighted(0.3, 0..=3_u32),
        option::weighted(0.3, Just(60)),
    )
        .prop_map(|(consumer, delivery_delay, message_retention_period)| QueueConfig {
            delivery_delay,
            message_retention_period,
            consumer,
        })
}

fn input() -> impl Strategy<Value = Input> {
    let send = message().prop_map(Producer::Send);
    let many = proptest::bool::weighted(0.02);
    let batch = (vec(message(), 0..=7), delay(), many)
        .prop_map(|(mut messages, delay, many)| {
            if many {
                messages.resize(101, Message::new(""));
            }
            (messages, delay)
        })
        .prop_map(|(messages, delay)| Producer::SendBatch { messages, delay });
    let at = prop_oneof![0..100_u64, (0..40_u64).prop_map(|tick| tick * 250)];
    let queue = prop_oneof![4 => Just("a"), 1 => Just("b"), 1 => Just("c")];
    (at, queue, prop_oneof![send, batch]).prop_map(|(at, queue, call)| Input {
        at,
        queue: queue.into(),
        call,
    })
}

fn message() -> impl Strategy<Value = Message> {
    let body = prop_oneof![
        40 => Just(None),
        5 => Just(Some(Body::Json("{\"b\":1.0,\"1\":-0}".into()))),
        4 => Just(Some(Body::Special(Special::Function))),
        1 => prop_oneof![Just(127_998), Just(127_999), Just(60_000)]
            .prop_map(|bytes| Some(Body::Letters(bytes))),
    ];
    (body, delay()).prop_map(|(body, delay)| Message { body, delay, ..Message::new("") })
}

fn delay() -> impl Strategy<Value = Option<i32>> {
    prop_oneof![
        12 => Just(None),
        6 => (0..=4).prop_map(Some),
        1 => prop_oneof![Just(-1), Just(86_400), Just(86_401), Just(70)].prop_map(Some),
    ]
}

fn rule() -> impl Strategy<Value = Rule> {
    let label = (0..NAMED).prop_map(|label| label.to_string());
    let when = (
        option::weighted(0.2, 1..=4_u32),
        option::weighted(0.4, label),
        option::weighted(0.3, 1..=3_u32),
    );
    (when, vec(action(), 1..=4)).prop_map(|((invocation, label, attempts), actions)| Rule {
        invocation,
        label,
        attempts,
        actions,
    })
}

fn action() -> impl Strategy<Value = Action> {
    let later = (1..=3_000_u64, vec(call(), 0..=2), proptest::bool::weighted(0.2))
        .prop_map(|(after, calls, rejects)| Action::WaitUntil(Later { after, calls, rejects }));
    prop_oneof![
        8 => call().prop_map(Action::Call),
        2 => prop_oneof![0..=3_000_u64, Just(900_000)].prop_map(Action::Sleep),
        2 => Just(Action::Throw),
        1 => Just(Action::Hang),
        1 => later,
    ]
}

fn call() -> impl Strategy<Value = Call> {
    let retry_delay = || option::of(prop_oneof![6 => 0..=5, 1 => Just(-2), 1 => Just(80)]);
    prop_oneof![
        4 => which().prop_map(Call::Ack),
        6 => (which(), retry_delay()).prop_map(|(which, delay)| Call::Retry { which, delay }),
        1 => Just(Call::AckAll),
        2 => retry_delay().prop_map(|delay| Call::RetryAll { delay }),
    ]
}

fn which() -> impl Strategy<Value = Which> {
    prop_oneof![
        3 => Just(Which::These),
        2 => (0..NAMED).prop_map(|label| Which::Label(label.to_string())),
        2 => (0..=5_u32).prop_map(Which::Index),
    ]
}
