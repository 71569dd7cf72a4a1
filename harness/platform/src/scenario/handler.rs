//! Scripted handlers: what a consumer does with a batch (消费者脚本).

/// The handler of one queue.
///
/// In an invocation every rule that applies is played, in the order given and
/// once; then the handler returns. No rule at all is a handler that returns at
/// once.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Script {
    /// The rules.
    pub rules: Vec<Rule>,
}

/// Actions and when they are played.
///
/// The rule's messages are those of the batch that have its label and its
/// attempts, where it names them. It applies when there is one, and the
/// invocation is the one named, if one is named.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Rule {
    /// The queue's invocations are numbered from 1, in order of their start.
    pub invocation: Option<u32>,
    /// Label of a message.
    pub label: Option<String>,
    /// The message's attempts.
    pub attempts: Option<u32>,
    /// What is done, in order.
    pub actions: Vec<Action>,
}

/// A step of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Action {
    /// A call on the batch or on its messages.
    Call(Call),
    /// Waits so many milliseconds.
    Sleep(u64),
    /// Throws an Error: the handler ends here.
    Throw,
    /// Waits for a promise that nothing will settle: the handler ends here too.
    Hang,
    /// Hands a promise to `ctx.waitUntil` and goes on.
    WaitUntil(Later),
}

/// A promise given to `ctx.waitUntil`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Later {
    /// Milliseconds until it is settled, at least 1.
    pub after: u64,
    /// Calls made just before.
    #[cfg_attr(feature = "serde", serde(default))]
    pub calls: Vec<Call>,
    /// Whether it is rejected; otherwise it is fulfilled.
    #[cfg_attr(feature = "serde", serde(default))]
    pub rejects: bool,
}

/// A call on the batch or on its messages.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Call {
    /// `message.ack()` on each message named.
    Ack(Which),
    /// `message.retry()` on each message named.
    Retry {
        /// The messages.
        which: Which,
        /// The option `delaySeconds`; `None` is a call without options.
        #[cfg_attr(feature = "serde", serde(default))]
        delay: Option<i32>,
    },
    /// `batch.ackAll()`.
    AckAll,
    /// `batch.retryAll()`.
    RetryAll {
        /// The option `delaySeconds`; `None` is a call without options.
        #[cfg_attr(feature = "serde", serde(default))]
        delay: Option<i32>,
    },
}

/// Messages of the batch, in batch order.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum Which {
    /// The rule's messages.
    These,
    /// The message with this label; none if it is not in the batch.
    Label(String),
    /// The message at this index, from 0; none if the batch is shorter.
    Index(u32),
}
