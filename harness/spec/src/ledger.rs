//! Requirement levels and sentence ids.

use alloc::{string::String, string::ToString};
use core::fmt;

/// How binding a sentence is. Ordered from the strictest down.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Level {
    /// The interface document requires it.
    Must,
    /// The reference's choice where the document asks for something fixed but
    /// does not fix it.
    Should,
    /// Permitted.
    May,
    /// Left open by the document; what is seen is recorded.
    Observe,
}

impl Level {
    /// All levels, strictest first.
    pub const ALL: [Self; 4] = [Self::Must, Self::Should, Self::May, Self::Observe];

    /// The name used in files and on the command line.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Must => "must",
            Self::Should => "should",
            Self::May => "may",
            Self::Observe => "observe",
        }
    }

    /// The level with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|level| level.name() == name)
    }
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Id of a sentence of the ledger, such as `send.size.input`.
///
/// Lower-case ASCII words of letters, digits and hyphens, joined by dots.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(transparent))]
pub struct SentenceId(String);

impl SentenceId {
    /// The id in `text`, if it has the form of one.
    pub fn parse(text: &str) -> Option<Self> {
        let word = |word: &str| {
            !word.is_empty()
                && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-')
        };
        text.split('.').all(word).then(|| Self(text.to_string()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SentenceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
