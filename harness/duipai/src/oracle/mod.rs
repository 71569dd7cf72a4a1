//! Oracles: independent answers to "what must happen", as plain functions.
//!
//! An oracle takes an input of the [generator](crate::generate) and an
//! implementation, and says whether the two agree. The implementation is an
//! argument, so that a planted fault can be passed in its place: an oracle that
//! lets one pass proves nothing.
//!
//! | module | compares |
//! | --- | --- |
//! | [`split`] | a splitter with serde_json's raw slices, and with another splitter |
//! | [`canonical`] | canonical texts with JavaScript's, with themselves, with another's |
//! | [`javascript`] | JavaScript, embedded |
//! | [`call`] | one call of the producer with the model |
//! | [`event`] | whole scenes with the model, or with another subject |
//! | [`metamorphic`] | what must not change when the input changes in form |
//!
//! The model is written from the sentences of the interface, and not from the
//! reference; serde_json does its parsing.
//!
//! | module | holds |
//! | --- | --- |
//! | [`value`] | JSON values, as serde_json reads them and JavaScript writes them |
//! | [`facts`] | what the rules ask of a value |
//! | [`known`] | where serde_json and JavaScript differ |
//! | [`producer`] | what is sent, or which rules are broken |
//! | [`consumer`] | what is read of a batch |
//! | [`rules`] | the rules that an input breaks, by the host's own parser |

pub mod call;
pub mod canonical;
pub mod consumer;
pub mod event;
pub mod facts;
#[cfg(feature = "quickjs")]
pub mod javascript;
pub mod known;
pub mod metamorphic;
pub mod producer;
pub mod rules;
pub mod split;
pub mod value;

use std::{collections::BTreeMap, fmt};

use crate::subject::Fault;
use known::KnownDifference;

/// What an oracle says of an input on which it and the implementation agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Held {
    /// The input keeps every rule.
    Accepted,
    /// The input breaks a rule, and was refused.
    Refused,
    /// The oracle cannot tell.
    Discarded(KnownDifference),
    /// The subject does not run such a scene, for this reason.
    NotApplicable(String),
}

/// The result of an oracle.
pub type Checked = Result<Held, Box<Disagreement>>;

/// An oracle and an implementation disagree.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct Disagreement {
    /// The oracle's name.
    pub oracle: &'static str,
    /// Ids of the sentences that it concerns, each once, the closest one first.
    pub sentences: Vec<&'static str>,
    /// What the oracle says.
    pub expected: String,
    /// What the implementation did.
    pub got: String,
    /// The input, to paste.
    pub input: String,
}

impl Disagreement {
    /// What was expected and what was got, cut down to what is around their first
    /// difference where they are long.
    pub fn shown(&self) -> (String, String) {
        around_difference(&self.expected, &self.got)
    }

    /// The same, with the input.
    #[must_use]
    pub fn of(mut self: Box<Self>, input: String) -> Box<Self> {
        self.input = input;
        self
    }
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "oracle {} disagrees over {}", self.oracle, self.sentences.join(", "))?;
        let (expected, got) = around_difference(&self.expected, &self.got);
        writeln!(f, "expected: {expected}")?;
        writeln!(f, "got:      {got}")?;
        write!(f, "input:\n{}", self.input)
    }
}

/// Both texts, cut down to what is around their first difference where they
/// are long.
fn around_difference(one: &str, other: &str) -> (String, String) {
    let same = one.bytes().zip(other.bytes()).take_while(|(one, other)| one == other).count();
    let cut = |text: &str| {
        let from = text.floor_char_boundary(same.saturating_sub(SHOWN / 2).min(text.len()));
        let to = text.floor_char_boundary((from + SHOWN).min(text.len()));
        if (from, to) == (0, text.len()) {
            return text.to_owned();
        }
        format!("… {} … (bytes {from} to {to} of {})", &text[from..to], text.len())
    };
    (cut(one), cut(other))
}

/// Most bytes that are shown of a text.
const SHOWN: usize = 600;

/// A fault of the subject as a disagreement: no input may break a subject.
fn broke(oracle: &'static str, fault: &Fault) -> Box<Disagreement> {
    let got = match fault {
        Fault::Crashed(reason) => format!("the subject crashed: {reason}"),
        Fault::TimedOut => "the subject did not answer in time".to_owned(),
    };
    disagreement(oracle, &["errors.exceptions"], "an answer".to_owned(), got)
}

fn disagreement(
    oracle: &'static str,
    sentences: &[&'static str],
    expected: String,
    got: String,
) -> Box<Disagreement> {
    // Two rules may be of one sentence.
    let mut named = Vec::with_capacity(sentences.len());
    for sentence in sentences {
        if !named.contains(sentence) {
            named.push(*sentence);
        }
    }
    let sentences = named;
    Box::new(Disagreement { oracle, sentences, expected, got, input: String::new() })
}

/// How often an oracle said what.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Inputs that keep every rule.
    pub accepted: u64,
    /// Inputs that break one.
    pub refused: u64,
    /// Inputs that the oracle cannot tell of, by reason.
    pub discarded: BTreeMap<KnownDifference, u64>,
    /// Inputs that the subject does not run.
    pub not_applicable: u64,
}

impl Tally {
    /// Counts one.
    pub fn count(&mut self, held: &Held) {
        match held {
            Held::Accepted => self.accepted += 1,
            Held::Refused => self.refused += 1,
            Held::Discarded(difference) => *self.discarded.entry(*difference).or_default() += 1,
            Held::NotApplicable(_) => self.not_applicable += 1,
        }
    }

    /// All that were counted.
    pub fn total(&self) -> u64 {
        self.accepted + self.refused + self.discarded.values().sum::<u64>() + self.not_applicable
    }

    /// The share of inputs that keep every rule.
    pub fn acceptance(&self) -> f64 {
        self.accepted as f64 / self.total().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_is_named_once() {
        let given = ["send.arguments", "batch.item.body-exact", "send.arguments"];
        let seen = disagreement("x", &given, String::new(), String::new());
        assert_eq!(seen.sentences, ["send.arguments", "batch.item.body-exact"]);
    }

    #[test]
    fn long_texts_are_shown_around_their_difference() {
        let (one, other) = (format!("{}a", "字".repeat(5000)), format!("{}b", "字".repeat(5000)));
        let disagreement = disagreement("x", &["send.arguments"], one, other);
        let shown = disagreement.of("body".to_owned()).to_string();
        assert!(shown.len() < 3000, "{shown}");
        assert!(shown.contains("字a …") && shown.contains("字b …"), "{shown}");
        assert!(shown.starts_with("oracle x disagrees over send.arguments\n"), "{shown}");
    }
}
