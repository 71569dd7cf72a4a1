//! What the model does, held against what was measured and what is documented.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod delivery;
mod keeping;
mod producing;
mod scene;
