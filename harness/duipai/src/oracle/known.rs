//! Where serde_json and JavaScript differ: the one list of it.

/// A known difference between serde_json and JavaScript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KnownDifference {
    /// `JSON.parse` takes an escaped surrogate without a partner; serde_json
    /// refuses it in a text, but not where bytes are asked for.
    LoneSurrogate,
    /// serde_json keeps integers exact and prints floats in its own way.
    NumberText,
    /// A number beyond the doubles is an infinity in JavaScript, and an error
    /// in serde_json.
    Overflow,
    /// serde_json refuses more than 127 levels.
    DepthLimit,
    /// JavaScript lists keys that spell array indices first.
    KeyOrder,
    /// Of a repeated key JavaScript keeps the last value in the first place;
    /// serde_json does as the type asks.
    RepeatedKey,
    /// The standard library stops counting at exponents that thousands of
    /// digits make up for.
    LongNumber,
}

/// What the model does about a difference.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Treatment {
    /// It asks serde_json for less, and does the rest itself.
    Bridged,
    /// It does not judge inputs that have it.
    Discarded,
}

impl KnownDifference {
    /// All of them.
    pub const ALL: [Self; 7] = [
        Self::LoneSurrogate,
        Self::NumberText,
        Self::Overflow,
        Self::DepthLimit,
        Self::KeyOrder,
        Self::RepeatedKey,
        Self::LongNumber,
    ];

    /// What is done about it.
    pub const fn treatment(self) -> Treatment {
        match self {
            Self::LongNumber => Treatment::Discarded,
            _ => Treatment::Bridged,
        }
    }

    /// Its name, for counters.
    pub const fn name(self) -> &'static str {
        match self {
            Self::LoneSurrogate => "lone-surrogate",
            Self::NumberText => "number-text",
            Self::Overflow => "overflow",
            Self::DepthLimit => "depth-limit",
            Self::KeyOrder => "key-order",
            Self::RepeatedKey => "repeated-key",
            Self::LongNumber => "long-number",
        }
    }
}

/// Which differences an input has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Differences(u8);

impl Differences {
    /// Notes one.
    pub fn note(&mut self, difference: KnownDifference) {
        self.0 |= 1 << difference as u8;
    }

    /// Whether the input has it.
    pub const fn has(self, difference: KnownDifference) -> bool {
        self.0 & (1 << difference as u8) != 0
    }

    /// Those that the input has, in order.
    pub fn iter(self) -> impl Iterator<Item = KnownDifference> {
        KnownDifference::ALL.into_iter().filter(move |difference| self.has(*difference))
    }

    /// The first that keeps the model from judging the input.
    pub fn discarding(self) -> Option<KnownDifference> {
        self.iter().find(|difference| difference.treatment() == Treatment::Discarded)
    }
}
