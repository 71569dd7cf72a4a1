//! The host primitives (云工宿主的句柄桥与队列原语) that a package is written over.
//!
//! Values cross the bridge as JSON text. What JSON cannot hold crosses as a
//! [marker](crate::markers): on the way in, an object with exactly one own key
//! that is a marker becomes the value it stands for; on the way out, plain
//! objects and arrays are copied and everything else becomes a marker.
//!
//! A primitive can end in three ways, and they are never confused: it returns;
//! the JavaScript code that it calls throws, which only [`Bridge::call_safe`]
//! hands back; or the host ends the event, which is [`Bridge::Abort`] and
//! cannot be caught by the program.

use alloc::{string::String, vec::Vec};
use core::fmt;

/// A host object held for the program by the handle table (句柄).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(u64);

impl Handle {
    /// The handle with this number; unguessable ones come from the host only.
    pub const fn from_number(number: u64) -> Self {
        Self(number)
    }

    /// The number that stands, in decimal, in `{"$句柄":"…"}`.
    pub const fn number(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// Why a [`Bridge::call_safe`] did not return a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CallError {
    /// The JavaScript code threw, or its promise was rejected. Holds the
    /// Error's `message`, or the text of a thrown value that is not an Error.
    Thrown(String),
    /// The result lies more than [`crate::limits::BRIDGE_DEPTH`] levels deep.
    TooDeep,
}

/// Why a package function did not return.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure<A> {
    /// A 豫言 exception (豫言异常), which the program may catch with 「尝试运行」.
    Exception(String),
    /// The host ended the event; nothing can catch it.
    Aborted(A),
}

impl<A> Failure<A> {
    /// An exception with this message.
    pub fn exception(message: impl Into<String>) -> Self {
        Self::Exception(message.into())
    }
}

impl<A> From<A> for Failure<A> {
    fn from(abort: A) -> Self {
        Self::Aborted(abort)
    }
}

/// The primitives. Indices count from 0 in the order of the batch; `arguments`
/// is the text of a JSON array in bridge form.
pub trait Bridge {
    /// The host ended the event. Uninhabited where the host cuts the program
    /// off, as it does with a WebAssembly guest.
    type Abort;

    /// A handle of the global object `name` (取全局句柄), such as `JSON`.
    fn global(&mut self, name: &str) -> Result<Handle, Self::Abort>;

    /// `new constructor(...arguments)` (构造).
    fn construct(&mut self, constructor: Handle, arguments: &str) -> Result<Handle, Self::Abort>;

    /// `target[method](...arguments)`, awaited (调用). Returns the result in
    /// bridge form. A JavaScript exception ends the event.
    fn call(
        &mut self,
        target: Handle,
        method: &str,
        arguments: &str,
    ) -> Result<String, Self::Abort>;

    /// Like [`Bridge::call`], but hands JavaScript exceptions back (安全调用).
    fn call_safe(
        &mut self,
        target: Handle,
        method: &str,
        arguments: &str,
    ) -> Result<Result<String, CallError>, Self::Abort>;

    /// `target[property]` in bridge form (取属性).
    fn get(&mut self, target: Handle, property: &str) -> Result<String, Self::Abort>;

    /// A handle of a new `Uint8Array` with these bytes (字节转句柄).
    fn bytes_to_handle(&mut self, bytes: &[u8]) -> Result<Handle, Self::Abort>;

    /// The bytes of an `ArrayBuffer` or of a view of one (句柄转字节).
    fn handle_to_bytes(&mut self, handle: Handle) -> Result<Vec<u8>, Self::Abort>;

    /// Lets go of a handle (释放句柄). Using it afterwards ends the event.
    fn release(&mut self, handle: Handle) -> Result<(), Self::Abort>;

    /// The kind of the current event (读取入站事件种类): `fetch`, `queue`, ….
    fn event_kind(&mut self) -> Result<String, Self::Abort>;

    /// The queue bound as `name` (队列绑定). A name that is not granted, or not
    /// configured in this deployment, ends the event.
    fn queue_binding(&mut self, name: &str) -> Result<Handle, Self::Abort>;

    /// Name of the queue that the batch came from (批次名). Only in a queue
    /// event; elsewhere this and all primitives below end the event.
    fn batch_name(&mut self) -> Result<String, Self::Abort>;

    /// Number of messages in the batch (消息数).
    fn batch_count(&mut self) -> Result<u32, Self::Abort>;

    /// Id of message `index` (消息标识).
    fn message_id(&mut self, index: u32) -> Result<String, Self::Abort>;

    /// How often message `index` has been delivered, this time included (尝试数).
    fn message_attempts(&mut self, index: u32) -> Result<u32, Self::Abort>;

    /// Body of message `index` in bridge form (消息正文).
    fn message_body(&mut self, index: u32) -> Result<String, Self::Abort>;

    /// A handle of the message object itself (消息句柄).
    fn message_handle(&mut self, index: u32) -> Result<Handle, Self::Abort>;

    /// `message.ack()` (确认).
    fn ack(&mut self, index: u32) -> Result<(), Self::Abort>;

    /// `message.retry()` with no argument: the platform's default delay (重试).
    fn retry(&mut self, index: u32) -> Result<(), Self::Abort>;

    /// `message.retry({delaySeconds: seconds})` (延后重试).
    fn retry_after(&mut self, index: u32, seconds: u32) -> Result<(), Self::Abort>;
}
