//! Subject `miniflare` on real queues: that the whole platform suite passes, that
//! the model shows the same, what the command says where Node or Miniflare cannot
//! be used, and that nothing is ever left behind.
//!
//! `npm ci` in harness/worker comes first; without it every test here fails and
//! says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod agreement;
mod command;
mod environment;
mod left_behind;
