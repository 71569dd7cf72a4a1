//! Which instructions do the work.

use crate::portable::Portable;
#[cfg(target_arch = "x86_64")]
use crate::x86::{Avx2, Sse2};

/// A set of instructions that this CPU has.
///
/// There is no way to make one that it lacks, so what takes a kernel needs no
/// check and no unsafe contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(pub(crate) Choice);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    Portable(Portable),
    #[cfg(target_arch = "x86_64")]
    Sse2(Sse2),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
}

impl Kernel {
    /// The kernel without instructions of any one CPU; always there.
    pub const PORTABLE: Self = Self(Choice::Portable(Portable));

    /// Every kernel that this CPU can run, the slowest first.
    pub fn available() -> impl Iterator<Item = Self> {
        #[cfg(target_arch = "x86_64")]
        let more = [Some(Self(Choice::Sse2(Sse2))), Self::avx2()];
        #[cfg(not(target_arch = "x86_64"))]
        let more = [];
        [Some(Self::PORTABLE)].into_iter().chain(more).flatten()
    }

    /// The fastest kernel that this CPU can run.
    #[inline]
    pub fn best() -> Self {
        #[cfg(target_arch = "x86_64")]
        return Self::avx2().unwrap_or(Self(Choice::Sse2(Sse2)));
        #[cfg(not(target_arch = "x86_64"))]
        return Self::PORTABLE;
    }

    #[cfg(target_arch = "x86_64")]
    #[inline]
    fn avx2() -> Option<Self> {
        Avx2::new().map(|vector| Self(Choice::Avx2(vector)))
    }

    /// Its name, for tables and messages.
    pub const fn name(self) -> &'static str {
        match self.0 {
            Choice::Portable(_) => "portable",
            #[cfg(target_arch = "x86_64")]
            Choice::Sse2(_) => "SSE2",
            #[cfg(target_arch = "x86_64")]
            Choice::Avx2(_) => "AVX2",
        }
    }
}

/// Runs `$call` with `$vector` bound to the kernel's own type.
macro_rules! dispatch {
    ($kernel:expr, $vector:ident => $call:expr) => {
        match $kernel.0 {
            $crate::kernel::Choice::Portable($vector) => $call,
            #[cfg(target_arch = "x86_64")]
            $crate::kernel::Choice::Sse2($vector) => $call,
            #[cfg(target_arch = "x86_64")]
            $crate::kernel::Choice::Avx2($vector) => $call,
        }
    };
}
pub(crate) use dispatch;

/// Where the bytes that matter stand in a block of 64; bit 0 is the first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Masks {
    /// `"`.
    pub(crate) quote: u64,
    /// `\`.
    pub(crate) backslash: u64,
    /// `[` and `{`.
    pub(crate) open: u64,
    /// `]` and `}`.
    pub(crate) close: u64,
}

/// What a set of instructions can do.
pub(crate) trait Vector: Copy {
    /// Classifies a block.
    fn masks(self, block: &[u8; 64]) -> Masks;

    /// How many blocks at the start hold neither a quote nor a backslash.
    fn quiet(self, blocks: &[[u8; 64]]) -> usize;

    /// Each bit becomes the parity of itself and all below it.
    fn prefix_xor(self, bits: u64) -> u64;

    /// [`walk::string_end`](crate::walk::string_end).
    fn string_end(self, bytes: &[u8], at: usize) -> Option<usize>;

    /// [`walk::container_end`](crate::walk::container_end).
    fn container_end(self, bytes: &[u8], at: usize) -> Option<usize>;

    /// How many bytes at the start are neither a quote, a backslash nor a
    /// control character.
    fn plain(self, bytes: &[u8]) -> usize;
}
