//! Mutants of the package: named wrong implementations, each breaking one
//! sentence. A suite that lets one pass proves nothing about the sentence.
//!
//! The reference has no switch for them. A mutant is put together from the
//! reference's own [`parts`], with one small function swapped.
//!
//! | module | faults in |
//! | --- | --- |
//! | [`send`] | 发送队列消息 |
//! | [`batch`] | 批量发送队列消息: limits and delivery |
//! | [`items`] | 批量发送队列消息: cutting the array, reading its items |
//! | [`consumer`] | the three consumer functions |
//!
//! The crate is `no_std`, so that a guest can be any of them.

#![no_std]

extern crate alloc;

pub mod batch;
pub mod consumer;
pub mod items;
pub mod parts;
pub mod send;

use crate::parts::Parts;

/// A named wrong implementation.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// Its name, as in `mutant:NAME`.
    pub name: &'static str,
    /// Id of the sentence that it breaks.
    pub breaks: &'static str,
    /// What it does wrong, in a few words.
    pub does: &'static str,
    /// Swaps the part that is wrong.
    pub swap: fn(&mut Parts),
}

/// Every mutant, in the order of the rooms they live in.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    [send::MUTANTS, batch::MUTANTS, items::MUTANTS, consumer::MUTANTS].into_iter().flatten()
}

impl Mutant {
    /// The reference's parts with the wrong one in its place.
    pub fn parts(&self) -> Parts {
        let mut parts = Parts::REFERENCE;
        (self.swap)(&mut parts);
        parts
    }
}
