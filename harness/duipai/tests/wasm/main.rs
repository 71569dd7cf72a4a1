//! The subject `wasm`: conformance of the built-in guest, guests that break or
//! attack, and files that hold no guest.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod conformance;
mod differential;
mod files;
mod guests;
mod hostile;
mod mutants;
