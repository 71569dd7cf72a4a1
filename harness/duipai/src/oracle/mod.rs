//! Oracles: independent answers to "what must happen", as plain functions.

pub mod rules;
