//! The generator: bytes in, inputs near every rule of the interface out.
//!
//! It is total. Every byte string is an input, or is rejected for a named
//! reason; a few bytes are enough for the largest texts. The first bytes choose
//! which [features](features::Feature) an input may have (swarm), so that rare
//! combinations come up and most inputs stay valid.
//!
//! | module | holds |
//! | --- | --- |
//! | [`source`] | choices drawn from bytes |
//! | [`features`] | what an input may have, and the swarm |
//! | [`json`] | JSON texts, mostly valid |
//! | [`number`], [`string`] | their leaves, in all spellings |
//! | [`size`] | texts around the size limits, by repetition |
//! | [`spoil`] | one change that may make a text invalid |
//! | [`send`], [`batch`], [`scene`] | inputs of the producer, and whole scenes |
//! | [`respell`] | the same value, spelt otherwise |
//! | [`describe`], [`literal`] | an input as a case to paste |

pub mod batch;
pub mod describe;
pub mod features;
pub mod json;
pub mod literal;
pub mod number;
pub mod respell;
pub mod scene;
pub mod send;
pub mod size;
pub mod source;
pub mod spoil;
pub mod string;

use std::fmt;

pub use batch::BatchInput;
pub use json::JsonText;
pub use respell::Respelt;
pub use scene::{SceneInput, SettleInput};
pub use send::SendInput;
pub use source::Source;

/// Most bytes that an input is drawn from. More would not make better inputs,
/// only slower ones.
pub const MAX_INPUT_BYTES: usize = 4096;

/// An input of an oracle, drawn from bytes.
pub trait Input: Sized + fmt::Debug + Send {
    /// Draws the input. Where the bytes run out, the simplest choice is taken.
    fn draw(source: &mut Source<'_>) -> Self;

    /// The input as a case, or as a literal, to paste.
    fn describe(&self) -> String;

    /// The input that these bytes stand for.
    ///
    /// # Errors
    ///
    /// [`Rejected`] when the bytes stand for none.
    fn from_bytes(bytes: &[u8]) -> Result<Self, Rejected> {
        if bytes.len() > MAX_INPUT_BYTES {
            return Err(Rejected::TooLong { bytes: bytes.len() });
        }
        Ok(Self::draw(&mut Source::new(bytes)))
    }
}

/// Why bytes stand for no input.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Rejected {
    /// There are too many.
    #[error("{bytes} bytes; an input is drawn from at most {MAX_INPUT_BYTES}")]
    TooLong {
        /// How many there are.
        bytes: usize,
    },
}

impl Rejected {
    /// The reason in one word, for counters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooLong { .. } => "too-long",
        }
    }
}

/// The bytes of input number `index` of the stream that `seed` names: the same
/// on every machine, for tests that are to be stable.
pub fn seeded(seed: u64, index: u64) -> Vec<u8> {
    // SplitMix64 of Steele, Lea and Flood.
    let mut state = seed ^ index.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = state;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    };
    // Short inputs as well as long ones.
    let words = 4 + next() % 60;
    (0..words).flat_map(|_| next().to_le_bytes()).collect()
}
