//! What happens to a set of queues: their configuration, who sends what and
//! when, and how the consumers' handlers answer (场景).
//!
//! Plain data in [`Draft`], which anyone may fill in or read from a file;
//! [`Scenario::new`] turns it into a [`Scenario`], which every platform can
//! play: the model under any profile, and a real one.
//!
//! | module | holds |
//! | --- | --- |
//! | [`check`] | what a draft must keep to, and the error that names the field |
//! | [`handler`] | scripted handlers |
//! | [`message`] | messages and their bodies |

pub mod check;
pub mod handler;
pub mod message;

use std::collections::BTreeMap;

pub use check::{Invalid, Scenario};
pub use handler::{Action, Call, Later, Rule, Script, Which};
pub use message::{Body, ContentType, Message, Special};

/// A scenario that nobody has checked yet.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Draft {
    /// Compatibility date of producer and consumer, `YYYY-MM-DD`. It decides the
    /// texts of refusals and what an absent content type means.
    #[cfg_attr(feature = "serde", serde(default = "Draft::default_date"))]
    pub compatibility_date: String,
    /// The queues by name.
    pub queues: BTreeMap<String, QueueConfig>,
    /// What is sent, in order of time; inputs of one time in the order given.
    pub inputs: Vec<Input>,
    /// The consumers' handlers by queue. A consumer without one acknowledges
    /// everything by returning.
    #[cfg_attr(feature = "serde", serde(default))]
    pub handlers: BTreeMap<String, Script>,
    /// When the scenario ends, in milliseconds from its start. Nothing begins
    /// later; a handler that still runs then counts as running.
    pub until: u64,
}

impl Draft {
    /// The compatibility date of a draft that names none.
    pub const DATE: &str = "2026-10-01";

    #[cfg(feature = "serde")]
    fn default_date() -> String {
        Self::DATE.into()
    }
}

impl Default for Draft {
    fn default() -> Self {
        Self {
            compatibility_date: Self::DATE.into(),
            queues: BTreeMap::new(),
            inputs: Vec::new(),
            handlers: BTreeMap::new(),
            until: 0,
        }
    }
}

/// One queue, with its producer's and its consumer's settings.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct QueueConfig {
    /// The producer's `delivery_delay` in seconds.
    pub delivery_delay: Option<u32>,
    /// How long a message is kept, in seconds (`message_retention_period`).
    pub message_retention_period: Option<u32>,
    /// The consumer, if the queue has one.
    pub consumer: Option<Consumer>,
}

/// A consumer's settings under Wrangler's names; what is absent is the
/// platform's default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Consumer {
    /// Messages of a batch at most.
    pub max_batch_size: Option<u32>,
    /// Seconds that a batch waits to fill.
    pub max_batch_timeout: Option<u32>,
    /// Retries after the first delivery.
    pub max_retries: Option<u32>,
    /// Seconds before a retry that asks for no delay itself.
    pub retry_delay: Option<u32>,
    /// Name of the queue that exhausted messages go to (死信队列). It may be one
    /// that is not configured.
    pub dead_letter_queue: Option<String>,
    /// Concurrent invocations at most.
    pub max_concurrency: Option<u32>,
}

/// A producer's call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Input {
    /// When, in milliseconds from the start.
    pub at: u64,
    /// The queue that is sent to.
    pub queue: String,
    /// What is called.
    pub call: Producer,
}

/// `send` or `sendBatch`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case", deny_unknown_fields))]
pub enum Producer {
    /// `send(body, {contentType, delaySeconds})`.
    Send(Message),
    /// `sendBatch(messages, {delaySeconds})`.
    SendBatch {
        /// The messages; none is a call with an empty array.
        messages: Vec<Message>,
        /// The batch's own delay in seconds.
        #[cfg_attr(feature = "serde", serde(default))]
        delay: Option<i32>,
    },
}

impl Producer {
    /// The messages of the call.
    pub fn messages(&self) -> &[Message] {
        match self {
            Self::Send(message) => std::slice::from_ref(message),
            Self::SendBatch { messages, .. } => messages,
        }
    }
}
