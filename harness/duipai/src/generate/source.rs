//! Choices drawn from bytes.

use arbitrary::Unstructured;

use super::features::{Feature, Swarm};

/// Where choices come from. It never fails: when the bytes have run out, every
/// choice is the first one.
#[derive(Debug)]
pub struct Source<'a> {
    bytes: Unstructured<'a>,
    swarm: Swarm,
}

impl<'a> Source<'a> {
    /// The choices that these bytes stand for. The first ones are the swarm.
    pub fn new(bytes: &'a [u8]) -> Self {
        let mut source = Self { bytes: Unstructured::new(bytes), swarm: Swarm::NONE };
        source.swarm = Swarm::draw(&mut source);
        source
    }

    /// Which features the input may have.
    pub const fn swarm(&self) -> Swarm {
        self.swarm
    }

    /// Any byte.
    pub fn byte(&mut self) -> u8 {
        self.bytes.arbitrary().unwrap_or_default()
    }

    /// Any number.
    pub fn word(&mut self) -> u64 {
        self.bytes.arbitrary().unwrap_or_default()
    }

    /// A number below `bound`, or 0 if that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        self.bytes.int_in_range(0..=bound.saturating_sub(1)).unwrap_or_default()
    }

    /// One of `items`, of which there is at least one.
    pub fn pick<T: Copy>(&mut self, items: &[T]) -> T {
        items[self.below(items.len())]
    }

    /// Yes, one time in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == times - 1 && times > 1
    }

    /// Yes, one time in `times`, if the input may have this feature.
    pub fn has(&mut self, feature: Feature, times: usize) -> bool {
        self.swarm.has(feature) && (times <= 1 || self.one_in(times))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_bytes_every_choice_is_the_first() {
        let mut source = Source::new(&[]);
        assert_eq!(source.swarm(), Swarm::NONE);
        assert_eq!((source.byte(), source.below(9), source.below(0)), (0, 0, 0));
        assert_eq!(source.pick(&["a", "b"]), "a");
        assert!(!source.one_in(2));
    }
}
