//! Subject `worker` in real workerd: conformance of the harness's own Workers,
//! Workers with a fault of the host, Workers that break or attack, folders that
//! hold none, and that no process is ever left behind.
//!
//! `npm ci` in harness/worker comes first; without workerd every test here
//! fails and says so.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod command;
mod conformance;
mod folders;
mod hostile;
mod left_behind;
mod mutants;
mod refused;
mod runtime;
mod watch;
mod workers;
