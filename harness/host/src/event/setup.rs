//! What an event is opened with.

use std::{collections::BTreeMap, time::Duration};

use duipai_spec::{event::EventKind, limits::EVENT_LIMIT_SECONDS};

use crate::value::Value;

/// An event's surroundings.
#[derive(Clone, Debug)]
pub struct EventSetup {
    /// The kind that the host reports.
    pub kind: EventKind,
    /// Names of the queue bindings that the program may use (授权).
    pub grants: Vec<String>,
    /// The queue bindings that the deployment has.
    pub bindings: BTreeMap<String, BindingSetup>,
    /// The batch of a queue event; without one it is empty and has no name. In
    /// an event of another kind it cannot be reached.
    pub batch: Option<BatchSetup>,
    /// How long the event may run (运行时限).
    pub limit: Duration,
}

impl Default for EventSetup {
    /// An HTTP request without bindings, under the host's default limit.
    fn default() -> Self {
        Self {
            kind: EventKind::default(),
            grants: Vec::new(),
            bindings: BTreeMap::new(),
            batch: None,
            limit: Duration::from_secs(EVENT_LIMIT_SECONDS),
        }
    }
}

/// How a queue answers `send` and `sendBatch`.
#[derive(Clone, Debug)]
pub enum BindingSetup {
    /// It accepts everything; the platform's limits are not enforced here.
    Accepts,
    /// It rejects with an `Error` of this message.
    RejectsError(String),
    /// Rejects with an `Error` whose message depends on the call.
    Refuses {
        /// The message for `send`.
        send: String,
        /// The message for `sendBatch`.
        send_batch: String,
    },
    /// It rejects with a value that is not an Error.
    RejectsValue(Value),
}

/// A message batch (消息批次).
#[derive(Clone, Debug, Default)]
pub struct BatchSetup {
    /// Name of the queue.
    pub queue: String,
    /// The messages, in order.
    pub messages: Vec<MessageSetup>,
}

/// A message of a batch.
#[derive(Clone, Debug)]
pub struct MessageSetup {
    /// Its id.
    pub id: String,
    /// Deliveries so far, this one included.
    pub attempts: u32,
    /// When it was enqueued.
    pub timestamp: TimestampSetup,
    /// Its body.
    pub body: Value,
    /// `ack()` throws an Error with this text.
    pub ack_throws: Option<String>,
    /// `retry()` throws an Error with this text.
    pub retry_throws: Option<String>,
}

/// A time in Unix milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimestampSetup {
    /// Given as a `Date`.
    Date(i64),
    /// Given as a number.
    Number(i64),
}

impl TimestampSetup {
    /// The JavaScript value. Beyond 2⁵³ a number is rounded; no `Date` reaches
    /// that far.
    pub(crate) fn value(self) -> Value {
        match self {
            Self::Date(millis) => Value::Date(millis as f64),
            Self::Number(millis) => Value::Number(millis as f64),
        }
    }
}
