//! What happened to the messages of a [scenario](crate::scenario) (历史).
//!
//! The model writes one, and so does whoever plays the scenario on a real
//! platform. All times are milliseconds from the scenario's start.

use std::sync::Arc;

/// All that was seen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct History {
    /// The producers' calls, one for each input and in their order.
    pub sends: Vec<Sent>,
    /// The invocations of consumers, in order of their start.
    pub deliveries: Vec<Delivery>,
    /// What the platform did out of sight of producers and consumers; `None`
    /// where nobody could look, as with a real platform.
    #[cfg_attr(feature = "serde", serde(default))]
    pub inside: Option<Inside>,
}

/// A producer's call.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Sent {
    /// When it was made.
    pub at: u64,
    /// How it ended; `None` is that its promise was fulfilled.
    pub refused: Option<Refused>,
}

/// What a producer's promise was rejected with.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Refused {
    /// The error's `name`.
    pub name: String,
    /// The error's `message`.
    pub message: String,
}

/// One invocation of a consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Delivery {
    /// When it began.
    pub at: u64,
    /// The queue.
    pub queue: String,
    /// Its number among the queue's invocations, from 1.
    pub invocation: u32,
    /// The batch.
    pub messages: Vec<Delivered>,
    /// How it ended; `None` if it still ran when the scenario ended.
    pub end: Option<Ended>,
}

/// A message as the consumer sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Delivered {
    /// The scenario's name for it.
    pub label: String,
    /// The platform's id.
    pub id: String,
    /// How often it has been delivered, this time included.
    pub attempts: u32,
    /// Its `timestamp`.
    pub timestamp: i64,
    /// `JSON.stringify` of its body; `None` where that is no text, and for
    /// bytes, which arrive as an `ArrayBuffer`.
    pub body: Option<Arc<str>>,
}

/// The end of an invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Ended {
    /// When the platform had its outcome.
    pub at: u64,
    /// The outcome.
    pub outcome: Outcome,
}

/// An invocation's outcome.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Outcome {
    /// The handler and all it handed to `waitUntil` succeeded.
    Ok,
    /// Something was thrown or rejected, or the handler never returned.
    Exception,
    /// The consumer's process was lost before the platform heard of it; what it
    /// had called is lost too.
    Crashed,
}

/// What the platform did out of sight.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Inside {
    /// Messages moved to a dead-letter queue.
    pub dead: Vec<DeadLetter>,
    /// Messages that are gone without having been acknowledged.
    pub dropped: Vec<Dropped>,
    /// Messages that were still in a queue at the end, in flight included.
    pub waiting: Vec<Waiting>,
}

/// A message moved to a dead-letter queue.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct DeadLetter {
    /// When.
    pub at: u64,
    /// The queue that it left.
    pub from: String,
    /// The queue that it came to.
    pub to: String,
    /// The scenario's name for it.
    pub label: String,
    /// Its id before the move.
    pub id: String,
    /// Its attempts when it left.
    pub attempts: u32,
}

/// A message that is gone.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Dropped {
    /// When.
    pub at: u64,
    /// The queue that it was in.
    pub queue: String,
    /// The scenario's name for it.
    pub label: String,
    /// Its id; empty if it never got one.
    pub id: String,
    /// Its attempts.
    pub attempts: u32,
    /// Why.
    pub reason: Reason,
}

/// Why a message is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Reason {
    /// Its retries were used up and there is no dead-letter queue.
    Exhausted,
    /// Its retries were used up and the dead-letter queue takes nothing.
    DeadLetterLost,
    /// It was kept as long as the queue keeps messages.
    Expired,
    /// It was accepted for a queue that nobody reads and that keeps nothing.
    NoConsumer,
}

/// A message that was still in a queue at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Waiting {
    /// The queue.
    pub queue: String,
    /// The scenario's name for it.
    pub label: String,
    /// Its id.
    pub id: String,
    /// Its attempts so far.
    pub attempts: u32,
}
