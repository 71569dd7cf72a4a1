//! What an input may have. An input has few of the features at a time (swarm):
//! an input with all of them breaks every rule at once and shows nothing.

use super::Source;

/// Something that inputs may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Feature {
    /// White space between tokens.
    Space,
    /// Characters spelt as escapes that need none.
    Escapes,
    /// Numbers in odd spellings.
    Numbers,
    /// Surrogates without a partner.
    Surrogates,
    /// Characters of two to four bytes.
    Wide,
    /// Text that misleads a scanner: brackets, quotes, backslash runs.
    Traps,
    /// Text inside strings that looks like a host marker.
    Lookalikes,
    /// Keys that spell array indices.
    Indices,
    /// The same key twice in an object.
    Repeats,
    /// `__proto__` and other names that objects inherit.
    Inherited,
    /// Nesting around the limit of 24 levels.
    Deep,
    /// Nesting around the 32 levels of the bridge.
    Bridge,
    /// Texts around the size limits.
    Big,
    /// About 100 items.
    Many,
    /// Delays in odd spellings.
    Delays,
    /// Bindings other than a plain one.
    Bindings,
    /// Message bodies that are not JSON.
    Foreign,
    /// Several events at a time.
    Together,
    /// A host marker, or an object that has one beside other keys.
    Markers,
    /// A number that overflows to an infinity.
    Infinities,
    /// A change that mostly makes the text invalid.
    Spoilt,
    /// An item with an unknown field, without a body, or that is no object.
    BadItems,
    /// A delay that is out of range or no integer.
    BadDelays,
    /// An index or a delay at the ends of the integers.
    Extremes,
}

impl Feature {
    /// All features.
    pub const ALL: [Self; 24] = [
        Self::Space,
        Self::Escapes,
        Self::Numbers,
        Self::Surrogates,
        Self::Wide,
        Self::Traps,
        Self::Lookalikes,
        Self::Indices,
        Self::Repeats,
        Self::Inherited,
        Self::Deep,
        Self::Bridge,
        Self::Big,
        Self::Many,
        Self::Delays,
        Self::Bindings,
        Self::Foreign,
        Self::Together,
        Self::Markers,
        Self::Infinities,
        Self::Spoilt,
        Self::BadItems,
        Self::BadDelays,
        Self::Extremes,
    ];

    /// Features that make an input break a rule, or that cost much. An input
    /// rarely has them, or most would be refused.
    const RARE: [Self; 9] = [
        Self::Bridge,
        Self::Big,
        Self::Many,
        Self::Markers,
        Self::Infinities,
        Self::Spoilt,
        Self::BadItems,
        Self::BadDelays,
        Self::Extremes,
    ];

    const fn bit(self) -> u32 {
        1 << self as u8
    }
}

/// The features that an input may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Swarm(u32);

impl Swarm {
    /// No feature.
    pub const NONE: Self = Self(0);

    /// Common features are on one time in two, rare ones one time in eight.
    pub(super) fn draw(source: &mut Source<'_>) -> Self {
        let mut bits = || u32::from_le_bytes([source.byte(), source.byte(), source.byte(), 0]);
        let (common, rare) = (bits(), bits() & bits() & bits());
        let rare_ones = Feature::RARE.into_iter().fold(0, |mask, feature| mask | feature.bit());
        Self(common & !rare_ones | rare & rare_ones)
    }

    /// Whether the input may have `feature`.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & feature.bit() != 0
    }

    /// The features, in order.
    pub fn features(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.into_iter().filter(move |feature| self.has(*feature))
    }
}
