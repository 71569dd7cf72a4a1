//! Every oracle holds for the reference, and finds planted faults.
//!
//! Inputs are seeded, so that a run is the same everywhere.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]
#![expect(clippy::print_stdout, reason = "the numbers are for whoever runs them with --nocapture")]

mod bite;
mod exhaustive;
mod faults;
mod generator;
mod given;
#[cfg(feature = "wasm")]
mod guests;
mod hold;
