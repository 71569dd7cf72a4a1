//! The 豫言 message-queue package (消息队列), as the adapter over a 云工 host
//! does it: five functions over the host's [`Bridge`].
//!
//! The host makes the canonical text of every body; this crate never parses
//! JSON. On canonical text it needs only a scan that knows strings and escapes.
//!
//! | module | holds |
//! | --- | --- |
//! | [`producer`] | 发送队列消息, 批量发送队列消息 |
//! | [`consumer`] | 读取队列批次, 确认队列消息, 重试队列消息 |
//! | [`normalize`] | text → canonical text, through the host |
//! | [`scan`] | nesting and markers of canonical text |
//! | [`split`] | canonical batch text → checked items |
//! | [`delay`] | delays in seconds |
//! | [`host`] | bridge values: owned handles, string literals, arguments |
//!
//! Each rule is a small public function, and the five functions are the order
//! in which they are asked.

#![no_std]

extern crate alloc;

pub mod consumer;
pub mod delay;
pub mod host;
pub mod normalize;
pub mod producer;
pub mod scan;
pub mod split;

pub use consumer::{ack, read_batch, retry};
pub use duipai_spec::bridge::{Bridge, CallError, Failure, Handle};
pub use producer::{send, send_batch};
