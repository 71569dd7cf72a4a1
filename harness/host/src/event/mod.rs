//! One event (事件): what the program can do through the host, what the platform
//! saw of it, and how it ended.

mod bridge;
mod calls;
mod globals;
mod members;
mod setup;

use std::{collections::BTreeMap, time::Duration};

use duipai_spec::event::{Call, End, EventKind};

pub use setup::{BatchSetup, BindingSetup, EventSetup, MessageSetup, TimestampSetup};

use crate::{Abort, handles::HandleTable, tagged::write_tagged, value::Value};

/// An open event. It is the [`Bridge`](duipai_spec::bridge::Bridge) of one
/// program instance, and ends with it.
///
/// An abort lasts: after the first, every primitive answers with the same one,
/// and nothing more reaches the platform.
#[derive(Debug)]
pub struct Event {
    kind: EventKind,
    grants: Vec<String>,
    bindings: BTreeMap<String, BindingSetup>,
    batch: BatchSetup,
    limit: Duration,
    elapsed: Duration,
    handles: HandleTable,
    calls: Vec<Call>,
    logged_bytes: usize,
    thrown: Vec<usize>,
    console: String,
    aborted: Option<Abort>,
}

/// What is left of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Closed {
    /// How it ended.
    pub end: End,
    /// Every platform call, in order.
    pub calls: Vec<Call>,
    /// Which of the calls on messages threw and so settled nothing: their
    /// places in `calls`, ascending.
    pub thrown: Vec<usize>,
    /// What the program wrote to its console.
    pub console: String,
}

impl Closed {
    /// The calls that took effect, in order: what the platform goes by when it
    /// decides what to deliver again.
    pub fn effective_calls(&self) -> Vec<Call> {
        let took_effect = |(at, _): &(usize, &Call)| self.thrown.binary_search(at).is_err();
        self.calls.iter().enumerate().filter(took_effect).map(|(_, call)| call.clone()).collect()
    }
}

impl Event {
    /// Greatest size of what is kept of the console, in UTF-8 bytes.
    const MAX_CONSOLE_BYTES: usize = 65_536;

    /// Greatest size of all arguments in the call log, in UTF-8 bytes.
    const MAX_LOG_BYTES: usize = 256 * 1024 * 1024;

    /// Opens an event.
    pub fn open(setup: EventSetup) -> Self {
        let EventSetup { kind, grants, bindings, batch, limit } = setup;
        Self {
            kind,
            grants,
            bindings,
            batch: batch.unwrap_or_default(),
            limit,
            elapsed: Duration::ZERO,
            handles: HandleTable::default(),
            calls: Vec::new(),
            logged_bytes: 0,
            thrown: Vec::new(),
            console: String::new(),
            aborted: None,
        }
    }

    /// Moves the event's clock on. Past the limit the host ends the event
    /// (单个事件另有宿主设定的运行时限).
    pub fn advance(&mut self, time: Duration) {
        self.elapsed = self.elapsed.saturating_add(time);
        if self.elapsed > self.limit {
            let limit = self.limit.as_secs_f64();
            self.abort(Abort::new(format!("事件运行超时：超过 {limit} 秒")));
        }
    }

    /// Ends the event from the host's side, as when the program traps. An
    /// earlier abort stands.
    pub fn abort(&mut self, abort: Abort) {
        self.aborted.get_or_insert(abort);
    }

    /// The abort that ended the event, if one did.
    pub fn aborted(&self) -> Option<&Abort> {
        self.aborted.as_ref()
    }

    /// The platform calls so far, in order.
    pub fn calls(&self) -> &[Call] {
        &self.calls
    }

    /// What the program wrote to its console so far.
    pub fn console(&self) -> &str {
        &self.console
    }

    /// Keeps what the program wrote to its console, up to 64 KiB in all.
    pub fn write_console(&mut self, text: &str) {
        let room = Self::MAX_CONSOLE_BYTES - self.console.len();
        self.console.push_str(&text[..text.floor_char_boundary(room)]);
    }

    /// Ends the event. `uncaught` is the message of an exception that nothing
    /// caught: the host does not swallow it (宿主不吞掉异常). An abort goes before
    /// it.
    pub fn close(self, uncaught: Option<String>) -> Closed {
        let end = match (self.aborted, uncaught) {
            (Some(abort), _) => End::Aborted(abort.to_string()),
            (None, Some(message)) => End::Rejected(message),
            (None, None) => End::Fulfilled,
        };
        Closed { end, calls: self.calls, thrown: self.thrown, console: self.console }
    }

    /// `batch.ackAll()`. No primitive leads to it; it is for implementations
    /// that reach the batch in ways of their own.
    ///
    /// # Errors
    ///
    /// When the event is over, or not a queue event.
    pub fn ack_all(&mut self) -> Result<(), Abort> {
        self.run(|event| {
            event.current_batch()?;
            event.calls.push(Call::AckAll);
            Ok(())
        })
    }

    /// `batch.retryAll(options)`, as [`Event::ack_all`]; `None` for no argument.
    ///
    /// # Errors
    ///
    /// When the event is over, or not a queue event.
    pub fn retry_all(&mut self, options: Option<&Value>) -> Result<(), Abort> {
        self.run(|event| {
            event.current_batch()?;
            let options = options.map(write_tagged);
            event.calls.push(Call::RetryAll { options });
            Ok(())
        })
    }

    /// Runs a primitive, unless the event is over; its abort ends the event.
    fn run<T>(
        &mut self,
        primitive: impl FnOnce(&mut Self) -> Result<T, Abort>,
    ) -> Result<T, Abort> {
        if let Some(abort) = &self.aborted {
            return Err(abort.clone());
        }
        primitive(self).inspect_err(|abort| self.abort(abort.clone()))
    }

    fn current_batch(&self) -> Result<&BatchSetup, Abort> {
        if self.kind == EventKind::Queue {
            Ok(&self.batch)
        } else {
            Err(Abort::new(format!("队列原语只在队列事件里可用，当前事件是 {}", self.kind)))
        }
    }

    fn message(&self, index: u32) -> Result<&MessageSetup, Abort> {
        let message = self.current_batch()?.messages.get(index as usize);
        message.ok_or_else(|| Abort::new(format!("宿主没有序号为 {index} 的队列消息")))
    }
}

#[cfg(test)]
mod tests;
