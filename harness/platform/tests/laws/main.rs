//! The laws on random histories, on bent ones, and on those of wrong platforms.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bent;
mod random;
mod strategy;
