//! Events, the platform calls made in them, and how they end.

use alloc::string::String;
use core::fmt;

/// Kind of an inbound event (入站事件种类).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum EventKind {
    /// An HTTP request.
    #[default]
    Fetch,
    /// A batch of messages.
    Queue,
    /// A timer.
    Scheduled,
    /// An inbound mail.
    Email,
}

impl EventKind {
    /// All kinds.
    pub const ALL: [Self; 4] = [Self::Fetch, Self::Queue, Self::Scheduled, Self::Email];

    /// The name that the host reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Fetch => "fetch",
            Self::Queue => "queue",
            Self::Scheduled => "scheduled",
            Self::Email => "email",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }
}

impl fmt::Display for EventKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// One call that the platform saw, in the order of the calls.
///
/// Argument texts are `JSON.stringify` of what arrived, except that a value
/// which JSON cannot hold is written as a tag (`{"#nan":true}`, …), so that it
/// is not mistaken for `null` or left out.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "method", rename_all = "camelCase"))]
pub enum Call {
    /// `binding.send(...arguments)`.
    Send {
        /// Name of the binding.
        binding: String,
        /// Text of the JSON array of arguments.
        arguments: String,
    },
    /// `binding.sendBatch(...arguments)`.
    SendBatch {
        /// Name of the binding.
        binding: String,
        /// Text of the JSON array of arguments.
        arguments: String,
    },
    /// `message.ack()`.
    Ack {
        /// Index of the message in the batch, from 0.
        message: u32,
    },
    /// `message.retry(options)`.
    Retry {
        /// Index of the message in the batch, from 0.
        message: u32,
        /// Text of the options object; `None` when called with no argument.
        options: Option<String>,
    },
    /// `batch.ackAll()`, which the package never makes.
    AckAll,
    /// `batch.retryAll(options)`, which the package never makes.
    RetryAll {
        /// Text of the options object; `None` when called with no argument.
        options: Option<String>,
    },
}

impl Call {
    /// The platform's name of the method.
    pub const fn method(&self) -> &'static str {
        match self {
            Self::Send { .. } => "send",
            Self::SendBatch { .. } => "sendBatch",
            Self::Ack { .. } => "ack",
            Self::Retry { .. } => "retry",
            Self::AckAll => "ackAll",
            Self::RetryAll { .. } => "retryAll",
        }
    }
}

/// How an event ended, as the platform sees it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(tag = "end", content = "reason", rename_all = "lowercase"))]
pub enum End {
    /// The event's promise was fulfilled.
    Fulfilled,
    /// The program threw and nothing caught it; holds its message.
    Rejected(String),
    /// The host ended the event (中止); holds the host's text.
    Aborted(String),
}

impl End {
    /// `fulfilled`, `rejected` or `aborted`.
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fulfilled => "fulfilled",
            Self::Rejected(_) => "rejected",
            Self::Aborted(_) => "aborted",
        }
    }
}
