//! The package as a Rust type: what an author of a native implementation
//! writes to be judged.

use alloc::string::String;

use crate::{
    abort::Abort,
    bridge::{Bridge, Failure},
};

/// The host as a native package sees it.
pub type Host<'a> = dyn Bridge<Abort = Abort> + 'a;

/// The five functions of the message-queue package (消息队列). One value is made
/// for every event, and dropped when the event ends.
pub trait Package: Send {
    /// 发送队列消息: sends the JSON text `body`; `delay` is in seconds.
    ///
    /// # Errors
    ///
    /// A catchable exception, or the abort that the host answered with.
    fn send(
        &mut self,
        host: &mut Host<'_>,
        binding: &str,
        body: &str,
        delay: i64,
    ) -> Result<(), Failure<Abort>>;

    /// 批量发送队列消息: sends the JSON array text `items`.
    ///
    /// # Errors
    ///
    /// A catchable exception, or the abort that the host answered with.
    fn send_batch(
        &mut self,
        host: &mut Host<'_>,
        binding: &str,
        items: &str,
    ) -> Result<(), Failure<Abort>>;

    /// 读取队列批次: the current batch as JSON text.
    ///
    /// # Errors
    ///
    /// A catchable exception, or the abort that the host answered with.
    fn read_batch(&mut self, host: &mut Host<'_>) -> Result<String, Failure<Abort>>;

    /// 确认队列消息: `index` counts from 0.
    ///
    /// # Errors
    ///
    /// A catchable exception, or the abort that the host answered with.
    fn ack(&mut self, host: &mut Host<'_>, index: i64) -> Result<(), Failure<Abort>>;

    /// 重试队列消息: `index` counts from 0; `delay` is in seconds, 0 is the
    /// platform's default.
    ///
    /// # Errors
    ///
    /// A catchable exception, or the abort that the host answered with.
    fn retry(&mut self, host: &mut Host<'_>, index: i64, delay: i64) -> Result<(), Failure<Abort>>;
}
