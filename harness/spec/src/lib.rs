//! What every other crate agrees on: the limits and messages of the 豫言
//! message-queue interface 0.1.0 (消息队列接口规范), each named once, and the
//! vocabulary in which a run is described.
//!
//! | module | holds |
//! | --- | --- |
//! | [`limits`] | every number the interface fixes |
//! | [`messages`] | every exception message, and which of them the interface itself fixes |
//! | [`markers`] | the four host markers (宿主记号) |
//! | [`bridge`] | the host primitives that a package is written over |
//! | [`package`] | the five functions as a Rust trait |
//! | [`abort`] | the end that the host puts to an event |
//! | [`event`] | event kinds, platform calls, and how an event ends |
//! | [`ledger`] | requirement levels and sentence ids |
//!
//! The crate is `no_std` so that a guest can use it. It imports nothing of
//! this workspace; everything else imports it.

#![no_std]

extern crate alloc;

pub mod abort;
pub mod bridge;
pub mod event;
pub mod ledger;
pub mod limits;
pub mod markers;
pub mod messages;
pub mod package;

/// Name of the specification that this version of the crate encodes.
pub const SPEC_NAME: &str = "消息队列接口";

/// Version of the specification that this version of the crate encodes.
pub const SPEC_VERSION: &str = "0.1.0";
