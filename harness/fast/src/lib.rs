//! The splitter and the normalizer at full speed.
//!
//! Both are second implementations. The simple ones, `duipai-queue` and
//! `duipai-host`, are the oracles: on every text, canonical or not, the answer
//! here is the answer there, down to the order of the errors and the place
//! where a text stops being JSON. Nothing is shared but the numbers and
//! messages of the interface.
//!
//! | module | holds |
//! | --- | --- |
//! | `split` | canonical batch text → checked items, one value at a time |
//! | `plain` | the same of any text, byte by byte |
//! | `walk` | the end of a string or container, from masks of 64 bytes |
//! | `normalize` | text → canonical text, depth, marker |
//! | `kernel` | which instructions do it, chosen while running |
//! | `portable`, `x86` | the kernels; `x86` has all the `unsafe` there is |
//!
//! Which kernel runs never shows in a result; with debug assertions on, every
//! call is held against the portable way to the same answer. Every function has
//! a form with `_with` that takes one, so that tests can compare them:
//!
//! ```
//! use duipai_fast::{Kernel, elements_with};
//!
//! for kernel in Kernel::available() {
//!     assert_eq!(elements_with(kernel, "[1,[2,3]]"), Some(vec!["1", "[2,3]"]));
//! }
//! ```

mod kernel;
mod normalize;
mod plain;
mod portable;
mod split;
mod walk;
#[cfg(target_arch = "x86_64")]
mod x86;

pub use kernel::Kernel;
pub use normalize::{
    Canonical, MAX_TEXT_BYTES, Normalizer, SyntaxError, canonical, canonical_with,
};
pub use split::{Item, elements, elements_with, items, items_with};
