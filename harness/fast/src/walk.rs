//! Where a string or a container ends, 64 bytes at a time.
//!
//! A walk begins at a value, outside of strings, so it needs no state from the
//! text before. It is told what a block holds by masks of one bit a byte, and
//! it finds out from them what is inside strings.

use crate::kernel::Vector;

/// Whether the text so far ends inside a string.
#[derive(Clone, Copy, Default)]
struct Strings {
    /// All ones inside a string.
    inside: u64,
    /// One when a backslash escapes the first byte of the next block.
    escaped: u64,
}

impl Strings {
    /// The bytes of a block that belong to strings, opening quotes included and
    /// closing quotes not.
    #[inline(always)]
    fn mask<V: Vector>(&mut self, vector: V, quote: u64, backslash: u64) -> u64 {
        let quote = match backslash | self.escaped {
            0 => quote,
            _ => quote & !self.escaped(backslash),
        };
        let string = vector.prefix_xor(quote) ^ self.inside;
        // The last bit everywhere.
        self.inside = ((string as i64) >> 63) as u64;
        string
    }

    /// The bytes that stand after an odd number of backslashes. (Bytes within
    /// a run of backslashes are not told: only quotes matter.)
    #[inline(always)]
    fn escaped(&mut self, backslash: u64) -> u64 {
        const EVEN: u64 = u64::MAX / 3;
        // A backslash that is escaped itself begins no run.
        let runs = backslash & !self.escaped;
        let starts = runs & !(runs << 1);
        // Added to its run, a start leaves its bit where the run has ended. The
        // run is odd when it starts and ends at places of different parity.
        let after_even = runs.wrapping_add(starts & EVEN) & !runs & !EVEN;
        let (sum, overflow) = runs.overflowing_add(starts & !EVEN);
        let after_odd = sum & !runs & EVEN;
        // A run up to the end of the block is odd when it starts at an odd
        // place, which is when the addition overflows.
        let escaped = after_even | after_odd | self.escaped;
        self.escaped = u64::from(overflow);
        escaped
    }
}

/// The place after the string that begins with the quote at `at`; `None` when
/// it has no end.
#[inline(always)]
pub(crate) fn string_end<V: Vector>(vector: V, bytes: &[u8], at: usize) -> Option<usize> {
    walk(vector, bytes, at, StringWalk::default())
}

/// The place after the array or object that begins at `at`; `None` when it has
/// no end, or when a backslash stands outside of strings before that, where
/// the masks would not tell what it escapes.
#[inline(always)]
pub(crate) fn container_end<V: Vector>(vector: V, bytes: &[u8], at: usize) -> Option<usize> {
    walk(vector, bytes, at, ContainerWalk::default())
}

/// One kind of walk. (Not closures: these would be compiled without the
/// instructions of the function around them.)
trait Walk {
    fn step<V: Vector>(&mut self, vector: V, block: &[u8; 64], following: &[[u8; 64]]) -> Step;
}

/// What follows from a block.
enum Step {
    /// The value goes on, and so many blocks say nothing about it.
    Skip(usize),
    /// The value ends after so many bytes of the block.
    End(usize),
    /// Nothing can be told.
    Lost,
}

#[derive(Default)]
struct StringWalk {
    strings: Strings,
}

impl Walk for StringWalk {
    #[inline(always)]
    fn step<V: Vector>(&mut self, vector: V, block: &[u8; 64], following: &[[u8; 64]]) -> Step {
        let masks = vector.masks(block);
        let string = self.strings.mask(vector, masks.quote, masks.backslash);
        match (!string).trailing_zeros() {
            64 if masks.quote | masks.backslash == 0 => Step::Skip(vector.quiet(following)),
            64 => Step::Skip(0),
            quote => Step::End(quote as usize + 1),
        }
    }
}

#[derive(Default)]
struct ContainerWalk {
    strings: Strings,
    depth: usize,
}

impl Walk for ContainerWalk {
    #[inline(always)]
    fn step<V: Vector>(&mut self, vector: V, block: &[u8; 64], following: &[[u8; 64]]) -> Step {
        let masks = vector.masks(block);
        let string = self.strings.mask(vector, masks.quote, masks.backslash);
        if masks.backslash & !string != 0 {
            return Step::Lost;
        }
        if string == u64::MAX && masks.quote | masks.backslash == 0 {
            return Step::Skip(vector.quiet(following));
        }
        let (open, close) = (masks.open & !string, masks.close & !string);
        let closes = close.count_ones() as usize;
        if closes >= self.depth
            && let Some(end) = last_close(open, close, self.depth)
        {
            return Step::End(end);
        }
        self.depth = self.depth + open.count_ones() as usize - closes;
        Step::Skip(0)
    }
}

/// The place after the close that ends as many containers as are open.
#[inline(always)]
fn last_close(open: u64, close: u64, depth: usize) -> Option<usize> {
    let mut rest = close;
    let mut closed = 0;
    while rest != 0 {
        closed += 1;
        let place = rest.trailing_zeros();
        let below = open & ((1 << place) - 1);
        if depth + below.count_ones() as usize == closed {
            return Some(place as usize + 1);
        }
        rest &= rest - 1;
    }
    None
}

/// Goes through blocks from `at` on. The last one is filled up with spaces.
#[inline(always)]
fn walk<V: Vector>(vector: V, bytes: &[u8], at: usize, mut walk: impl Walk) -> Option<usize> {
    let (blocks, rest) = bytes.get(at..)?.as_chunks::<64>();
    let mut index = 0;
    while let Some((block, following)) = blocks.get(index..).and_then(<[_]>::split_first) {
        match walk.step(vector, block, following) {
            Step::Skip(quiet) => index += 1 + quiet,
            Step::End(length) => return Some(at + index * 64 + length),
            Step::Lost => return None,
        }
    }
    let mut block = [b' '; 64];
    block[..rest.len()].copy_from_slice(rest);
    match walk.step(vector, &block, &[]) {
        Step::End(length) => Some(at + blocks.len() * 64 + length),
        Step::Skip(_) | Step::Lost => None,
    }
}
