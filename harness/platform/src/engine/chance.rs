//! What at-least-once permits and a quiet day does not show: duplicates,
//! messages that overtake each other, consumers that are lost before their
//! acknowledgements arrive. Drawn from a seed, so that it can be had again.

use std::collections::VecDeque;

use super::ticket::{Place, Tickets};
use crate::{rng::Rng, rules::Rules};

/// How often what happens, in thousandths.
#[derive(Clone, Debug)]
pub struct Chance {
    rng: Rng,
    duplicates: u32,
    overtakes: u32,
    crashes: u32,
}

/// How far a message may overtake others.
const WINDOW: u64 = 16;

impl Chance {
    /// As often as given, in thousandths: an acknowledged message comes again,
    /// a message overtakes, an invocation is lost. What the rules do not permit
    /// never happens.
    pub fn new(rules: &Rules, seed: u64, duplicates: u32, overtakes: u32, crashes: u32) -> Self {
        Self {
            rng: Rng::new(seed),
            duplicates: if rules.may_duplicate { duplicates } else { 0 },
            overtakes: if rules.may_reorder { overtakes } else { 0 },
            crashes: if rules.may_duplicate { crashes } else { 0 },
        }
    }

    pub(super) fn duplicates(&mut self) -> bool {
        self.rng.in_thousand(self.duplicates)
    }

    pub(super) fn crashes(&mut self) -> bool {
        self.rng.in_thousand(self.crashes)
    }

    /// The last message may change places with one a little before it. The
    /// places keep since when they wait, so that timeouts stay in order.
    pub(super) fn overtake(&mut self, ready: &mut VecDeque<u32>, tickets: &mut Tickets) {
        let Some(last) = ready.len().checked_sub(1) else { return };
        if last == 0 || !self.rng.in_thousand(self.overtakes) {
            return;
        }
        let back = 1 + self.rng.below(WINDOW.min(last as u64)) as usize;
        let (one, other) = (ready[last], ready[last - back]);
        if tickets[other].place != Place::Ready {
            return;
        }
        ready.swap(last, last - back);
        let since = tickets[one].ready_at;
        tickets[one].ready_at = tickets[other].ready_at;
        tickets[other].ready_at = since;
    }
}
