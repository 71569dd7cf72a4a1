//! The kernels of x86-64. All `unsafe` of this crate is here: two loads, and
//! calls of functions that need more instructions than every such CPU has.
//!
//! Miri runs them too. It has the CPU's features only when they are asked for
//! while compiling, so the line is
//! `RUSTFLAGS="-C target-feature=+avx2,+bmi1,+bmi2,+lzcnt,+popcnt,+pclmulqdq"
//! cargo +nightly miri test -p duipai-fast`, and without `RUSTFLAGS` for the
//! rest; the tests take fewer texts there.

#![allow(unsafe_code, reason = "instructions that not every CPU has")]

use std::arch::x86_64::{
    __m128i, __m256i, _mm_clmulepi64_si128, _mm_cmpeq_epi8, _mm_cvtsi128_si64, _mm_loadu_si128,
    _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
    _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_min_epu8, _mm256_movemask_epi8, _mm256_or_si256,
    _mm256_set1_epi8,
};

use crate::{
    kernel::{Masks, Vector},
    portable, walk,
};

/// SSE2, which every x86-64 has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sse2;

impl Vector for Sse2 {
    #[inline(always)]
    fn masks(self, block: &[u8; 64]) -> Masks {
        // SAFETY: x86-64 has SSE2.
        unsafe { masks_of_16(block) }
    }

    #[inline(always)]
    fn quiet(self, blocks: &[[u8; 64]]) -> usize {
        // SAFETY: x86-64 has SSE2.
        unsafe { quiet_by_16(blocks) }
    }

    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        portable::prefix_xor(bits)
    }

    fn string_end(self, bytes: &[u8], at: usize) -> Option<usize> {
        walk::string_end(self, bytes, at)
    }

    fn container_end(self, bytes: &[u8], at: usize) -> Option<usize> {
        walk::container_end(self, bytes, at)
    }

    #[inline(always)]
    fn plain(self, bytes: &[u8]) -> usize {
        let (chunks, rest) = bytes.as_chunks();
        for (index, chunk) in chunks.iter().enumerate() {
            // SAFETY: x86-64 has SSE2.
            let special = unsafe { special_of_16(chunk) };
            if special != 0 {
                return index * 16 + special.trailing_zeros() as usize;
            }
        }
        bytes.len() - rest.len() + portable::plain(rest)
    }
}

/// AVX2 and what came with it or before it. A value of this type is the proof
/// that the CPU has them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Avx2(());

impl Avx2 {
    /// If the CPU has it.
    #[inline]
    pub(crate) fn new() -> Option<Self> {
        let there = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("pclmulqdq");
        there.then_some(Self(()))
    }
}

impl Vector for Avx2 {
    #[inline(always)]
    fn masks(self, block: &[u8; 64]) -> Masks {
        // SAFETY: `self` is the proof.
        unsafe { masks_of_32(block) }
    }

    #[inline(always)]
    fn quiet(self, blocks: &[[u8; 64]]) -> usize {
        // SAFETY: `self` is the proof.
        unsafe { quiet_by_32(blocks) }
    }

    #[inline(always)]
    fn prefix_xor(self, bits: u64) -> u64 {
        // SAFETY: `self` is the proof.
        unsafe { prefix_xor_by_product(bits) }
    }

    #[inline]
    fn string_end(self, bytes: &[u8], at: usize) -> Option<usize> {
        // SAFETY: `self` is the proof.
        unsafe { string_end_by_32(self, bytes, at) }
    }

    #[inline]
    fn container_end(self, bytes: &[u8], at: usize) -> Option<usize> {
        // SAFETY: `self` is the proof.
        unsafe { container_end_by_32(self, bytes, at) }
    }

    /// Most strings are short, so the wide loop is a call away.
    #[inline(always)]
    fn plain(self, bytes: &[u8]) -> usize {
        for start in [0, 16] {
            let Some(chunk) = bytes[start..].first_chunk() else {
                return start + portable::plain(&bytes[start..]);
            };
            // SAFETY: x86-64 has SSE2.
            let special = unsafe { special_of_16(chunk) };
            if special != 0 {
                return start + special.trailing_zeros() as usize;
            }
        }
        // SAFETY: `self` is the proof.
        32 + unsafe { plain_by_32(&bytes[32..]) }
    }
}

#[inline]
#[target_feature(enable = "sse2")]
fn load_16(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: there are sixteen bytes, and the load asks for no alignment.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn load_32(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: there are 32 bytes, and the load asks for no alignment.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

/// One bit for each byte of `bytes` that is `byte`.
#[inline]
#[target_feature(enable = "sse2")]
fn equal_16(bytes: __m128i, byte: u8) -> u64 {
    let equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(byte as i8));
    _mm_movemask_epi8(equal) as u32 as u64
}

/// One bit for each byte of `bytes` that is `byte`.
#[inline]
#[target_feature(enable = "avx2")]
fn equal_32(bytes: __m256i, byte: u8) -> u64 {
    let equal = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(byte as i8));
    _mm256_movemask_epi8(equal) as u32 as u64
}

#[inline]
#[target_feature(enable = "sse2")]
fn masks_of_16(block: &[u8; 64]) -> Masks {
    let mut masks = Masks { quote: 0, backslash: 0, open: 0, close: 0 };
    for (chunk, shift) in block.as_chunks().0.iter().zip([0, 16, 32, 48]) {
        let bytes = load_16(chunk);
        // Brackets and braces differ in this bit alone.
        let folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        masks.quote |= equal_16(bytes, b'"') << shift;
        masks.backslash |= equal_16(bytes, b'\\') << shift;
        masks.open |= equal_16(folded, b'{') << shift;
        masks.close |= equal_16(folded, b'}') << shift;
    }
    masks
}

#[inline]
#[target_feature(enable = "avx2")]
fn masks_of_32(block: &[u8; 64]) -> Masks {
    let mut masks = Masks { quote: 0, backslash: 0, open: 0, close: 0 };
    for (chunk, shift) in block.as_chunks().0.iter().zip([0, 32]) {
        let bytes = load_32(chunk);
        let folded = _mm256_or_si256(bytes, _mm256_set1_epi8(0x20));
        masks.quote |= equal_32(bytes, b'"') << shift;
        masks.backslash |= equal_32(bytes, b'\\') << shift;
        masks.open |= equal_32(folded, b'{') << shift;
        masks.close |= equal_32(folded, b'}') << shift;
    }
    masks
}

#[inline]
#[target_feature(enable = "sse2")]
fn quiet_by_16(blocks: &[[u8; 64]]) -> usize {
    let (quote, backslash) = (_mm_set1_epi8(b'"' as i8), _mm_set1_epi8(b'\\' as i8));
    for (index, block) in blocks.iter().enumerate() {
        let mut loud = _mm_set1_epi8(0);
        for chunk in block.as_chunks().0 {
            let bytes = load_16(chunk);
            let found =
                _mm_or_si128(_mm_cmpeq_epi8(bytes, quote), _mm_cmpeq_epi8(bytes, backslash));
            loud = _mm_or_si128(loud, found);
        }
        if _mm_movemask_epi8(loud) != 0 {
            return index;
        }
    }
    blocks.len()
}

#[inline]
#[target_feature(enable = "avx2")]
fn quiet_by_32(blocks: &[[u8; 64]]) -> usize {
    let (quote, backslash) = (_mm256_set1_epi8(b'"' as i8), _mm256_set1_epi8(b'\\' as i8));
    for (index, block) in blocks.iter().enumerate() {
        let mut loud = _mm256_set1_epi8(0);
        for chunk in block.as_chunks().0 {
            let bytes = load_32(chunk);
            let found = _mm256_or_si256(
                _mm256_cmpeq_epi8(bytes, quote),
                _mm256_cmpeq_epi8(bytes, backslash),
            );
            loud = _mm256_or_si256(loud, found);
        }
        if _mm256_movemask_epi8(loud) != 0 {
            return index;
        }
    }
    blocks.len()
}

/// A product without carries by all ones is the parity of all bits below.
#[inline]
#[target_feature(enable = "pclmulqdq")]
fn prefix_xor_by_product(bits: u64) -> u64 {
    let product = _mm_clmulepi64_si128(_mm_set_epi64x(0, bits as i64), _mm_set1_epi8(-1), 0);
    _mm_cvtsi128_si64(product) as u64
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn string_end_by_32(vector: Avx2, bytes: &[u8], at: usize) -> Option<usize> {
    walk::string_end(vector, bytes, at)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,pclmulqdq")]
fn container_end_by_32(vector: Avx2, bytes: &[u8], at: usize) -> Option<usize> {
    walk::container_end(vector, bytes, at)
}

/// One bit for each byte that is a quote, a backslash or a control character.
#[inline]
#[target_feature(enable = "sse2")]
fn special_of_16(bytes: &[u8; 16]) -> u32 {
    let bytes = load_16(bytes);
    let quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'"' as i8));
    let backslash = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(b'\\' as i8));
    let control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1f)), bytes);
    _mm_movemask_epi8(_mm_or_si128(_mm_or_si128(quote, backslash), control)) as u32
}

/// As [`special_of_16`], without telling one byte from another.
#[inline]
#[target_feature(enable = "avx2")]
fn special_of_32(bytes: &[u8; 32]) -> __m256i {
    let bytes = load_32(bytes);
    let quote = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'"' as i8));
    let backslash = _mm256_cmpeq_epi8(bytes, _mm256_set1_epi8(b'\\' as i8));
    let control = _mm256_cmpeq_epi8(_mm256_min_epu8(bytes, _mm256_set1_epi8(0x1f)), bytes);
    _mm256_or_si256(_mm256_or_si256(quote, backslash), control)
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn plain_by_32(bytes: &[u8]) -> usize {
    let (chunks, rest) = bytes.as_chunks::<32>();
    let (pairs, single) = chunks.as_chunks::<2>();
    for (index, [first, second]) in pairs.iter().enumerate() {
        let (first, second) = (special_of_32(first), special_of_32(second));
        if _mm256_movemask_epi8(_mm256_or_si256(first, second)) != 0 {
            let low = _mm256_movemask_epi8(first) as u32 as u64;
            let high = _mm256_movemask_epi8(second) as u32 as u64;
            return index * 64 + (high << 32 | low).trailing_zeros() as usize;
        }
    }
    let mut at = pairs.len() * 64;
    for chunk in single {
        let special = _mm256_movemask_epi8(special_of_32(chunk)) as u32;
        if special != 0 {
            return at + special.trailing_zeros() as usize;
        }
        at += 32;
    }
    at + portable::plain(rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::portable::Portable;

    fn check<V: Vector>(vector: V) {
        // Under Miri only the bytes that matter and their neighbours.
        let matters = |byte: &u8| b"\0\x1f \"#,[\\]{}\x7f\x80\xff".contains(byte);
        for byte in (0..=u8::MAX).filter(|byte| !cfg!(miri) || matters(byte)) {
            for place in 0..64 {
                for filler in [b'a', 0x80, byte.wrapping_add(1), byte ^ 0x20, byte ^ 0x80] {
                    let mut block = [filler; 64];
                    block[place] = byte;
                    assert_eq!(vector.masks(&block), Portable.masks(&block), "{block:?}");
                    assert_eq!(vector.quiet(&[block]), Portable.quiet(&[block]), "{block:?}");
                    for start in [0, 1, 17, 31] {
                        let bytes = &block[start..];
                        assert_eq!(vector.plain(bytes), Portable.plain(bytes), "{bytes:?}");
                    }
                }
            }
        }
        for length in 0..200 {
            let mut bytes = vec![b'x'; length];
            assert_eq!(vector.plain(&bytes), length);
            for place in 0..length {
                bytes[place] = b'\n';
                assert_eq!(vector.plain(&bytes), place);
                bytes[place] = b'x';
            }
        }
        for blocks in 0..5 {
            assert_eq!(vector.quiet(&vec![[b'x'; 64]; blocks]), blocks);
        }
        let mut bits = 0x9e37_79b9_7f4a_7c15_u64;
        for _ in 0..1000 {
            assert_eq!(vector.prefix_xor(bits), Portable.prefix_xor(bits), "{bits:x}");
            bits = bits.rotate_left(7).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        }
    }

    #[test]
    fn sse2_says_what_the_portable_kernel_says() {
        check(Sse2);
    }

    #[test]
    #[expect(clippy::print_stderr, reason = "what was not checked must not look checked")]
    fn avx2_says_what_the_portable_kernel_says() {
        match Avx2::new() {
            Some(vector) => check(vector),
            None => eprintln!("not checked: this CPU has no AVX2"),
        }
    }
}
