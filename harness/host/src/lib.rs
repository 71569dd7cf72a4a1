//! The simulated 云工 host (云工宿主): what stands between a program and the
//! queue platform, without JavaScript.
//!
//! An [`Event`] is opened for every program instance. It is the
//! [`Bridge`](duipai_spec::bridge::Bridge) over which a package is written, it
//! logs every platform call, and when it is closed it tells how the event ended.
//! Nothing of it depends on the wall clock.
//!
//! | module | holds |
//! | --- | --- |
//! | [`event`] | events: primitives, queue bindings, the batch, the call log |
//! | [`handles`] | the handle table |
//! | [`bridge_text`] | values as they cross the bridge |
//! | [`json`] | `JSON.parse` and `JSON.stringify` |
//! | [`tagged`] | JSON text for values that JSON cannot hold |
//! | [`value`], [`string`], [`objects`] | JavaScript values |
//! | [`number`] | numbers as text |
//!
//! ```
//! use duipai_host::{Event, EventSetup};
//! use duipai_spec::{bridge::Bridge as _, event::End};
//!
//! let mut event = Event::open(EventSetup::default());
//! let json = event.global("JSON")?;
//! assert_eq!(event.call(json, "parse", r#"["[1.0, 1e999]"]"#)?, r#"[1,{"$数字":"Infinity"}]"#);
//! event.queue_binding("PAGE_QUEUE").expect_err("the binding has not been granted");
//! let closed = event.close(None);
//! assert_eq!(closed.end, End::Aborted("未授权的QUEUE绑定：PAGE_QUEUE".into()));
//! assert!(closed.calls.is_empty());
//! # Ok::<(), duipai_host::Abort>(())
//! ```
//!
//! Input of any size and nesting is met without recursion.

pub mod bridge_text;
pub mod event;
pub mod handles;
pub mod json;
pub mod number;
pub mod objects;
pub mod string;
pub mod tagged;
pub mod value;

mod date;
mod object;

pub use duipai_spec::abort::Abort;
pub use event::{
    BatchSetup, BindingSetup, Closed, Event, EventSetup, MessageSetup, TimestampSetup,
};
pub use value::Value;
