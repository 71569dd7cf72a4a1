//! Platform cases (平台样例): what a queue platform does with messages, without
//! any package in between.
//!
//! A file of platform cases begins with `format = 1` and `kind = "platform"`. Its
//! cases have `id`, `was`, `says`, `level`, `title`, `why` and `each` as those of
//! the package have, and beside them a scenario and what must be seen.
//!
//! ```toml
//! format = 1
//! kind = "platform"
//!
//! [[case]]
//! id = "settle.retry.last-delay"
//! says = ["platform.claim.first-call"]
//! level = "observe"
//! title = "两次重试：后一次的延迟算数"
//! queues = { jobs = { consumer = { max_batch_size = 1 } } }
//! inputs = [{ at = 0, send = "a" }]
//! handlers = { jobs = [{ attempts = 1, actions = [{ retry = "*", delay = 4 }, { retry = "*", delay = 1 }] }] }
//! until = 6000
//! expect = [
//!   { documented = "first call wins", deliveries = [{ at = 0, messages = ["a"] }, { at = 4000, attempts = 2, messages = ["a"] }] },
//!   { measured = "5.20261117.0-beta", deliveries = [{ at = 0, messages = ["a"] }, { at = 1000, attempts = 2, messages = ["a"] }] },
//! ]
//! ```
//!
//! ## The scenario
//!
//! | field | meaning |
//! | --- | --- |
//! | `date` | compatibility date of producer and consumer; default `"2026-10-01"` |
//! | `queues` | by name: `delivery_delay`, `message_retention_period`, and `consumer` with Wrangler's names; without `consumer`, nobody reads the queue |
//! | `inputs` | what is sent, in order of time: `at` (milliseconds), `queue` (default `"jobs"`), and `send` or `send_batch`; beside `send_batch`, `delay` is the batch's own; `times` makes the call several times, with `${i}` counting on |
//! | `handlers` | rules by queue: `invocation`, `label`, `attempts` say when a rule is played, `actions` what it does |
//! | `until` | when it ends, in milliseconds |
//!
//! A message is its label, or `{ label = "a", body = '{"x":1}', content_type = "json", delay = 5 }`.
//! `body` is JSON text, `{ letters = 128000 }`, `{ bytes = [1, 2] }`, or
//! `{ special = "function" }` (`undefined`, `function`, `symbol`, `big_int`,
//! `circular`); without it the label is the body. `send_batch` is a list of
//! messages, or `{ count = 101, label = "m${i}" }` with the same other fields.
//!
//! Actions are `"ack"`, `"retry"`, `"ack_all"`, `"retry_all"`, `"throw"`, `"hang"`,
//! `{ ack = WHICH }`, `{ retry = WHICH, delay = 5 }`, `{ retry_all = 5 }`,
//! `{ sleep = 300 }` and `{ wait_until = 300, calls = [ … ], rejects = true }`.
//! WHICH is a label, an index, or `"*"` for the messages that the rule is played
//! for, which `"ack"` and `"retry"` are about as well.
//!
//! ## What must be seen
//!
//! `expect` has a table for each profile, or one for both. `documented` says where
//! the documentation has it, and makes it hold for the profile `cloudflare`;
//! `measured` is the version that it was seen on, and makes it hold for
//! `miniflare`. A profile with neither stands in `not_shown` with the reason why
//! nothing is asked of it.
//!
//! | field | meaning |
//! | --- | --- |
//! | `deliveries` | every invocation of a consumer, in order of time: `queue` (default `"jobs"`), `at`, `messages`, and `attempts` of all of them (default 1). Required |
//! | `sends` | one for each input: `"accepted"` (or `{ accepted = 100 }` for so many), or `{ refused = "text", name = "TypeError" }`, or `{ refused_code = 10204 }`, where only the code at the message's end is documented; `name` is `"Error"` by default. Without it everything is accepted |
//! | `dead` | every move to a dead-letter queue: `from` (default `"jobs"`), `to`, `messages`, `attempts`; none by default |
//! | `dropped` | every message lost otherwise: `queue`, `messages`, `reason` (`exhausted`, `dead_letter_lost`, `expired`, `no_consumer`); none by default. A real platform says nothing of the last two, and is not asked |
//! | `backlog` | by queue, how many messages wait in it at the end |
//! | `late` | how much later than `at` a real clock may show it, in milliseconds; default 900. What a busy machine was seen to lose is added |
//!
//! A message is its label or `{ label, attempts, body }`; `body` is its
//! `JSON.stringify` as the consumer sees it, or `{ letters = … }`. Or
//! `{ count = 5, from = 0, label = "m${i}" }` in place of the list. A model keeps
//! its times exactly. Whatever a case says, an id and a timestamp stay with their
//! message, and no other message has the id.

mod decode;
mod expect;
mod handler;
mod scenario;

use std::collections::BTreeMap;

use duipai_platform::{
    Profile,
    history::{Reason, Refused},
    scenario::Scenario,
};

pub(super) use decode::{FIELDS, decode};

use super::Basis;

/// What a case of the kind `platform` plays, and what must be seen.
#[derive(Clone, Debug)]
pub struct PlatformCase {
    /// What happens.
    pub scenario: Scenario,
    /// What must be seen, at most once for each profile.
    pub expected: Vec<PlatformExpectation>,
    /// Why nothing is asked of the other profiles.
    pub not_shown: BTreeMap<Profile, String>,
}

impl PlatformCase {
    /// What must be seen of `profile`.
    ///
    /// # Errors
    ///
    /// Why nothing is asked of it.
    pub fn expected_of(&self, profile: Profile) -> Result<&PlatformExpectation, &str> {
        let found = self.expected.iter().find(|expected| expected.profile == profile);
        // The loader has seen to it that one of the two is there.
        found.ok_or_else(|| self.not_shown.get(&profile).map_or("nothing is said of it", |it| it))
    }

    /// Whether every call of a producer is accepted; `None` if the profiles
    /// differ.
    pub fn accepts(&self) -> Option<bool> {
        let accepted = |sent: &ExpectedSend| *sent == ExpectedSend::Accepted;
        let mut each = self.expected.iter().map(|one| one.sends.iter().all(accepted));
        let first = each.next()?;
        each.all(|other| other == first).then_some(first)
    }
}

/// What must be seen of one profile.
#[derive(Clone, Debug, PartialEq)]
pub struct PlatformExpectation {
    /// The profile.
    pub profile: Profile,
    /// Whether it is documented or measured.
    pub basis: Basis,
    /// Where it is documented, or the version that it was measured on.
    pub source: String,
    /// One for each input.
    pub sends: Vec<ExpectedSend>,
    /// Every invocation of a consumer, in order of time.
    pub deliveries: Vec<ExpectedDelivery>,
    /// Every move to a dead-letter queue.
    pub dead: Vec<ExpectedDead>,
    /// Every message lost otherwise.
    pub dropped: Vec<ExpectedDrop>,
    /// Messages that wait at the end, by queue.
    pub backlog: BTreeMap<String, u64>,
    /// How much later a real clock may show a delivery, in milliseconds.
    pub late: u64,
}

/// How a producer's call must end.
#[derive(Clone, Debug, PartialEq)]
pub enum ExpectedSend {
    /// Its promise is fulfilled.
    Accepted,
    /// It is rejected with exactly this.
    Refused(Refused),
    /// It is rejected with an Error whose message ends with this code in
    /// parentheses; the words before it are not documented.
    RefusedCode(u32),
}

/// An invocation of a consumer that must be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedDelivery {
    /// The queue.
    pub queue: String,
    /// When, in milliseconds from the start.
    pub at: u64,
    /// The batch.
    pub messages: Vec<ExpectedDelivered>,
}

/// A message as the consumer must see it.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedDelivered {
    /// Its label.
    pub label: String,
    /// Its attempts.
    pub attempts: u32,
    /// `JSON.stringify` of its body, where the case speaks of it.
    pub body: Option<String>,
}

/// A move to a dead-letter queue that must be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedDead {
    /// The queue that it leaves.
    pub from: String,
    /// The queue that it comes to.
    pub to: String,
    /// Its label.
    pub label: String,
    /// Its attempts when it leaves.
    pub attempts: u32,
}

/// A loss that must be seen.
#[derive(Clone, Debug, PartialEq)]
pub struct ExpectedDrop {
    /// The queue that it was in.
    pub queue: String,
    /// Its label.
    pub label: String,
    /// Why.
    pub reason: Reason,
}
