//! What a subject is asked to do: events with their surroundings and the steps
//! that the program takes in them. A plan holds no expectation.

use std::{collections::BTreeMap, sync::Arc};

use duipai_platform::Refusal;
use duipai_spec::event::EventKind;
use serde::{Deserialize, Serialize};

/// Events that are open at the same time. Most scenes hold one event; with
/// several, their steps are taken in turn, one step of each event a round.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Scene {
    /// At least one event.
    pub events: Vec<EventPlan>,
}

/// One inbound event (入站事件), run on a fresh program instance.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EventPlan {
    /// The kind that the host reports.
    pub kind: EventKind,
    /// Queue bindings that the deployment grants to the program (授权).
    pub grants: Vec<String>,
    /// Queue bindings that the deployment has, by name.
    pub bindings: BTreeMap<String, Binding>,
    /// The message batch of a queue event.
    pub batch: Option<Batch>,
    /// What the program does, in order.
    pub steps: Vec<Step>,
}

/// How a configured queue binding answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "binding", content = "with", rename_all = "kebab-case")]
pub enum Binding {
    /// Accepts everything.
    Accepts,
    /// Rejects with an `Error` whose message is this text.
    RejectsError(String),
    /// Refuses as a broker does, so that the text is the runtime's.
    Refuses(Refusal),
    /// Rejects with this value, which is not an Error (tagged JSON text).
    RejectsValue(String),
}

/// A message batch (消息批次).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Batch {
    /// Name of the queue that the messages come from.
    pub queue: String,
    /// The messages in delivery order; index 0 is the first.
    pub messages: Vec<Message>,
}

/// One delivered message.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Message {
    /// The message's id.
    pub id: String,
    /// Deliveries so far, this one included.
    pub attempts: u32,
    /// When it was enqueued.
    pub timestamp: Timestamp,
    /// Its body.
    pub body: Body,
    /// `ack()` throws an Error with this text.
    pub ack_throws: Option<String>,
    /// `retry()` throws an Error with this text.
    pub retry_throws: Option<String>,
}

/// How a message's enqueue time is given; Unix milliseconds either way.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Timestamp {
    /// A `Date`, as the platform gives it.
    Date(i64),
    /// A plain integer, as a test double may give it.
    Number(i64),
}

impl Timestamp {
    /// Farthest time of a JavaScript `Date` from 1970, in milliseconds.
    pub const MOST_DATE_MILLIS: u64 = 8_640_000_000_000_000;

    /// Whether there is such a value: a `Date` beyond its range is no time at all.
    pub const fn is_time(self) -> bool {
        match self {
            Self::Date(millis) => millis.unsigned_abs() <= Self::MOST_DATE_MILLIS,
            Self::Number(_) => true,
        }
    }

    /// The time in Unix milliseconds.
    pub const fn millis(self) -> i64 {
        match self {
            Self::Date(millis) | Self::Number(millis) => millis,
        }
    }
}

/// A message body as the platform holds it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Body {
    /// The value of this JSON text.
    Json(Arc<str>),
    /// The value of this tagged JSON text: an object with one key that begins
    /// with `#` stands for a JavaScript value that JSON cannot hold.
    Tagged(Arc<str>),
}

/// One step of the program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What it does.
    #[serde(flatten)]
    pub action: Action,
    /// Whether the program catches an exception of this step (尝试运行). When it
    /// does not, an exception ends the event.
    pub caught: bool,
}

/// What a step does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "op", rename_all = "kebab-case")]
pub enum Action {
    /// 发送队列消息.
    Send {
        /// Name of the queue binding.
        binding: String,
        /// The body's JSON text.
        body: Arc<str>,
        /// Delay in seconds.
        delay: i64,
    },
    /// 批量发送队列消息.
    SendBatch {
        /// Name of the queue binding.
        binding: String,
        /// The JSON array's text.
        items: Arc<str>,
    },
    /// 读取队列批次.
    ReadBatch,
    /// 确认队列消息.
    Ack {
        /// Index of the message, from 0.
        index: i64,
    },
    /// 重试队列消息.
    Retry {
        /// Index of the message, from 0.
        index: i64,
        /// Delay in seconds; 0 is the platform's default.
        delay: i64,
    },
    /// The program throws a 豫言 exception of its own.
    Raise {
        /// The exception's message.
        message: String,
    },
    /// The program is busy for this long, on the host's clock.
    Wait {
        /// Seconds.
        seconds: u64,
    },
}

impl Action {
    /// The name used in case files.
    pub const fn op(&self) -> &'static str {
        match self {
            Self::Send { .. } => "send",
            Self::SendBatch { .. } => "send-batch",
            Self::ReadBatch => "read-batch",
            Self::Ack { .. } => "ack",
            Self::Retry { .. } => "retry",
            Self::Raise { .. } => "raise",
            Self::Wait { .. } => "wait",
        }
    }
}
