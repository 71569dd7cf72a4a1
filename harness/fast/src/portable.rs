//! The kernel that runs on every CPU: eight bytes at a time in a word.

use crate::{
    kernel::{Masks, Vector},
    walk,
};

/// No instructions but those that Rust has everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Portable;

const LOW: u64 = u64::MAX / 0xff;
const HIGH: u64 = LOW << 7;

impl Vector for Portable {
    #[inline(always)]
    fn masks(self, block: &[u8; 64]) -> Masks {
        let mut masks = Masks { quote: 0, backslash: 0, open: 0, close: 0 };
        for (word, shift) in block.as_chunks().0.iter().zip((0..).step_by(8)) {
            let word = u64::from_le_bytes(*word);
            // Brackets and braces differ in this bit alone.
            let folded = word | repeat(0x20);
            masks.quote |= gather(zeros(word ^ repeat(b'"'))) << shift;
            masks.backslash |= gather(zeros(word ^ repeat(b'\\'))) << shift;
            masks.open |= gather(zeros(folded ^ repeat(b'{'))) << shift;
            masks.close |= gather(zeros(folded ^ repeat(b'}'))) << shift;
        }
        masks
    }

    #[inline(always)]
    fn quiet(self, blocks: &[[u8; 64]]) -> usize {
        let loud = |block: &[u8; 64]| {
            let words = block.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word));
            let found = words.map(|word| zeros(word ^ repeat(b'"')) | zeros(word ^ repeat(b'\\')));
            found.fold(0, |all, word| all | word) != 0
        };
        blocks.iter().position(loud).unwrap_or(blocks.len())
    }

    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        prefix_xor(bits)
    }

    fn string_end(self, bytes: &[u8], at: usize) -> Option<usize> {
        walk::string_end(self, bytes, at)
    }

    fn container_end(self, bytes: &[u8], at: usize) -> Option<usize> {
        walk::container_end(self, bytes, at)
    }

    #[inline(always)]
    fn plain(self, bytes: &[u8]) -> usize {
        plain(bytes)
    }
}

/// [`Vector::prefix_xor`] in six steps.
#[inline(always)]
pub(crate) fn prefix_xor(mut bits: u64) -> u64 {
    for step in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << step;
    }
    bits
}

/// [`Vector::plain`] a word at a time.
#[inline(always)]
pub(crate) fn plain(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks();
    for (index, word) in words.iter().enumerate() {
        let word = u64::from_le_bytes(*word);
        // A control character has none of the three high bits.
        let found =
            zeros(word ^ repeat(b'"')) | zeros(word ^ repeat(b'\\')) | zeros(word & repeat(0xe0));
        if found != 0 {
            return index * 8 + found.trailing_zeros() as usize / 8;
        }
    }
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..b' ');
    bytes.len() - rest.len() + rest.iter().position(special).unwrap_or(rest.len())
}

/// The byte in every place of a word.
const fn repeat(byte: u8) -> u64 {
    LOW * byte as u64
}

/// The high bit of every byte that is zero, and no other bit.
#[inline(always)]
const fn zeros(word: u64) -> u64 {
    // The sum of seven bits carries into the eighth unless they are all zero,
    // and never beyond, so no byte disturbs the next.
    !((((word & !HIGH) + !HIGH) | word) | !HIGH)
}

/// The high bits of the eight bytes, side by side, the first byte's lowest.
#[inline(always)]
const fn gather(high: u64) -> u64 {
    (high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_byte_in_every_place_is_classified() {
        for byte in (0..=u8::MAX).step_by(if cfg!(miri) { 17 } else { 1 }) {
            for place in 0..64 {
                for filler in [b'a', 0x80, byte.wrapping_add(1), byte.wrapping_sub(1)] {
                    let mut block = [filler; 64];
                    block[place] = byte;
                    let expected = |set: &[u8]| {
                        (0..64).filter(|at| set.contains(&block[*at])).map(|at| 1 << at).sum()
                    };
                    let masks = Masks {
                        quote: expected(b"\""),
                        backslash: expected(b"\\"),
                        open: expected(b"[{"),
                        close: expected(b"]}"),
                    };
                    assert_eq!(Portable.masks(&block), masks, "{byte} in {filler} at {place}");
                    let quiet = masks.quote | masks.backslash == 0;
                    assert_eq!(Portable.quiet(&[block]), usize::from(quiet));
                    let plain = block
                        .iter()
                        .position(|byte| *byte < b' ' || *byte == b'"' || *byte == b'\\');
                    assert_eq!(Portable.plain(&block), plain.unwrap_or(64));
                    assert_eq!(Portable.plain(&block[..place]), plain.unwrap_or(64).min(place));
                }
            }
        }
    }

    #[test]
    fn parity_of_all_bits_below() {
        for bits in [0, 1, 0b1001, 1 << 63, u64::MAX, 0x8000_0001_0040_0801] {
            let mut parity = 0;
            let expected = (0..64).fold(0_u64, |all, at| {
                parity ^= bits >> at & 1;
                all | parity << at
            });
            assert_eq!(prefix_xor(bits), expected, "{bits:x}");
        }
    }
}
