//! A hash table of numbers that stand for something else.

use crate::normalize::release;

/// A set by open addressing. What its members are, and when two are the same,
/// is known to the caller alone.
#[derive(Debug, Default)]
pub(super) struct Table {
    slots: Vec<u32>,
    used: usize,
    /// As many slots as all members that may come need.
    enough: usize,
}

impl Table {
    const EMPTY: u32 = u32::MAX;
    const SMALLEST: usize = 64;

    /// Makes it empty, for at most so many members.
    pub(super) fn clear(&mut self, most: usize) {
        self.enough = most + most / 4 + Self::SMALLEST;
        self.slots.clear();
        self.slots.resize(Self::SMALLEST, Self::EMPTY);
        self.used = 0;
    }

    /// The member that is the same as `new`; if there is none, `new` becomes
    /// one.
    pub(super) fn find_or_add(
        &mut self,
        new: u32,
        hash: impl Fn(u32) -> u64,
        same: impl Fn(u32) -> bool,
    ) -> Option<u32> {
        // Never more than four fifths are taken.
        if (self.used + 1) * 5 > self.slots.len() * 4 {
            self.grow(&hash);
        }
        let mut slot = self.slot(hash(new));
        while self.slots[slot] != Self::EMPTY {
            if same(self.slots[slot]) {
                return Some(self.slots[slot]);
            }
            slot = self.after(slot);
        }
        self.slots[slot] = new;
        self.used += 1;
        None
    }

    fn grow(&mut self, hash: impl Fn(u32) -> u64) {
        let larger = vec![Self::EMPTY; (self.slots.len() * 2).min(self.enough)];
        for member in std::mem::replace(&mut self.slots, larger) {
            if member != Self::EMPTY {
                let mut slot = self.slot(hash(member));
                while self.slots[slot] != Self::EMPTY {
                    slot = self.after(slot);
                }
                self.slots[slot] = member;
            }
        }
    }

    /// Gives back the memory of a large table.
    pub(super) fn release(&mut self) {
        release(&mut self.slots);
    }

    /// The high half of a hash, spread over the slots.
    fn slot(&self, hash: u64) -> usize {
        (((hash >> 32) * self.slots.len() as u64) >> 32) as usize
    }

    fn after(&self, slot: usize) -> usize {
        if slot + 1 == self.slots.len() { 0 } else { slot + 1 }
    }
}
