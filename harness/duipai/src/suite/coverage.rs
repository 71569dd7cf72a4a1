//! Which cases are evidence for which sentence.

use std::collections::BTreeMap;

use super::Suite;
use crate::{case::Case, ledger::Sentence};

/// A sentence and the cases that are evidence for it, each sorted by id.
#[derive(Clone, Debug)]
pub struct SentenceCoverage<'a> {
    /// The sentence.
    pub sentence: &'a Sentence,
    /// Cases whose input is accepted.
    pub accepting: Vec<&'a Case>,
    /// Cases whose input is refused.
    pub rejecting: Vec<&'a Case>,
    /// Cases in which the document permits either.
    pub open: Vec<&'a Case>,
}

impl SentenceCoverage<'_> {
    /// Whether there is any case.
    pub fn is_covered(&self) -> bool {
        !(self.accepting.is_empty() && self.rejecting.is_empty() && self.open.is_empty())
    }
}

impl Suite {
    /// The evidence for every sentence, in the order of the ledger.
    pub fn coverage(&self) -> Vec<SentenceCoverage<'_>> {
        let mut evidence: BTreeMap<&str, Vec<&Case>> = BTreeMap::new();
        for case in self.cases.iter().chain(&self.platform) {
            for sentence in &case.says {
                evidence.entry(sentence.as_str()).or_default().push(case);
            }
        }
        self.ledger
            .sentences()
            .iter()
            .map(|sentence| {
                let cases = evidence.remove(sentence.id.as_str()).unwrap_or_default();
                let of = |accepts| {
                    let mut cases = cases.clone();
                    cases.retain(|case| case.accepts() == accepts);
                    cases
                };
                SentenceCoverage {
                    sentence,
                    accepting: of(Some(true)),
                    rejecting: of(Some(false)),
                    open: of(None),
                }
            })
            .collect()
    }

    /// Sentences that should have a case and have none.
    pub fn uncovered(&self) -> impl Iterator<Item = &Sentence> {
        self.coverage()
            .into_iter()
            .filter(|it| it.sentence.level().is_some() && !it.is_covered())
            .map(|it| it.sentence)
    }
}
