//! What a subject did, as far as it can be seen from outside.

use std::collections::BTreeMap;

use duipai_platform::{
    Redelivery,
    history::{DeadLetter, Dropped, History},
};
use duipai_spec::event::{Call, End};
use serde::{Deserialize, Serialize};

/// Everything seen of one event.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Observation {
    /// One outcome for each planned step.
    pub outcomes: Vec<Outcome>,
    /// Every platform call, in order, and nothing else.
    pub calls: Vec<Call>,
    /// How the event ended.
    pub end: End,
    /// What the platform does next with the batch; `None` outside queue events
    /// and where the subject cannot show it.
    pub redelivered: Option<Vec<Redelivery>>,
    /// What the program wrote to its console, shown under a failure.
    #[serde(default)]
    pub console: String,
}

/// How one step ended. The first three are never confused with each other.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "outcome", rename_all = "kebab-case")]
pub enum Outcome {
    /// It returned; `read-batch` with a text, the others without.
    Returned {
        /// The text, if the function has one.
        value: Option<String>,
    },
    /// It threw a 豫言 exception that the program could catch.
    Threw {
        /// The exception's message.
        message: String,
    },
    /// The host ended the event during this step.
    Aborted {
        /// The host's text.
        reason: String,
    },
    /// The event had ended before this step.
    NotReached,
}

/// Everything seen of a scenario that a platform played.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// What producers and consumers saw.
    pub history: History,
    /// Messages moved to a dead-letter queue.
    pub dead: Vec<DeadLetter>,
    /// Messages lost otherwise, as far as the platform tells.
    pub dropped: Vec<Dropped>,
    /// Messages that wait at the end, by queue.
    pub backlog: BTreeMap<String, u64>,
    /// How its time passed.
    pub clock: Clock,
}

/// How time passed in a scenario.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Clock {
    /// As the scenario says, to the millisecond; everything that happened to a
    /// message is told.
    Virtual,
    /// As it does, so that all is somewhat late; the platform tells of its losses
    /// what it likes.
    Real {
        /// For how long the machine was too busy to answer, in milliseconds.
        lost: u64,
    },
}
