//! What one execution of a target came to.

use std::fmt;

/// What came of one input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Run {
    /// It was well-formed, and whatever was compared agreed.
    Accepted,
    /// It was well-formed but breaks a rule, and was refused as it must be.
    Refused,
    /// It was not well-formed, and for this reason. Where the reason is the
    /// subject's to see (a text that is no JSON), its refusal was compared all the
    /// same.
    Rejected(Rejection),
    /// Something disagreed.
    Found(Box<Finding>),
}

/// Why an input was not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Rejection {
    /// Longer than the target takes.
    TooLong,
    /// Not UTF-8.
    NotUtf8,
    /// The text is not JSON.
    NotJson,
    /// The value is none that the target is about.
    NotOfTheKind,
    /// Not a plan: an unknown field or step, or a value out of bounds.
    NotAPlan,
    /// A known difference between the two that are compared.
    KnownDifference,
    /// The subject cannot show it.
    NotExpressible,
    /// The loader refuses the file, with a place in it.
    NotACaseFile,
    /// The bytes are no guest of the world.
    NotAGuest,
}

impl Rejection {
    /// Every reason.
    pub const ALL: [Self; 9] = [
        Self::TooLong,
        Self::NotUtf8,
        Self::NotJson,
        Self::NotOfTheKind,
        Self::NotAPlan,
        Self::KnownDifference,
        Self::NotExpressible,
        Self::NotACaseFile,
        Self::NotAGuest,
    ];

    /// The reason in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::TooLong => "too long",
            Self::NotUtf8 => "not UTF-8",
            Self::NotJson => "not JSON",
            Self::NotOfTheKind => "not of the kind",
            Self::NotAPlan => "not a plan",
            Self::KnownDifference => "known difference",
            Self::NotExpressible => "not expressible",
            Self::NotACaseFile => "not a case file",
            Self::NotAGuest => "not a guest",
        }
    }

    /// Its place in [`ALL`](Self::ALL).
    pub(crate) const fn index(self) -> usize {
        self as usize
    }
}

/// A disagreement that an input shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of disagreement, in words that do not depend on the input: two
    /// inputs fail the same way when they have this and the sentences in common.
    pub fault: String,
    /// Ids of the sentences that are broken; none where no sentence speaks of
    /// it, as of a panic of the loader.
    pub says: Vec<String>,
    /// What was expected and what was got, in a few lines.
    pub detail: String,
    /// The input, to be pasted into a case or a test.
    pub input: String,
}

impl Finding {
    /// Whether `other` shows the same fault.
    pub fn same_way(&self, other: &Self) -> bool {
        self.fault == other.fault && self.says == other.says
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "finding: {}", self.fault)?;
        if !self.says.is_empty() {
            writeln!(f, "  breaks {}", self.says.join(", "))?;
        }
        for line in self.detail.lines() {
            writeln!(f, "  {line}")?;
        }
        write!(f, "  input:\n{}", self.input)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_know_their_place() {
        for (at, reason) in Rejection::ALL.into_iter().enumerate() {
            assert_eq!(reason.index(), at, "{}", reason.name());
        }
    }
}
