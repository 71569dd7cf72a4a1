//! Both fast implementations against the simple ones.
//!
//! | module | holds |
//! | --- | --- |
//! | `oracle` | what the simple ones say, and the comparison |
//! | `texts` | seeded texts: JSON as people and adversaries write it, and damaged JSON |
//! | `vectors` | the vectors of the corpus |
//! | `random` | seeded texts |
//! | `blocks` | everything that matters at every place of a block |
//! | `large` | objects of very many keys, and very deep texts |

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod blocks;
mod large;
mod oracle;
mod random;
mod texts;
mod vectors;
