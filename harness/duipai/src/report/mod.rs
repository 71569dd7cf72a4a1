//! What a run says about a subject, in several forms.
//!
//! A report holds no clock, host, path or duration: two runs of the same
//! commit give the same bytes. [Timings](timings) are a document of their own.

pub mod explain;
mod family;
pub mod file;
pub mod json;
pub mod junit;
pub mod md;
pub mod pretty;
mod scenario;
#[cfg(test)]
mod tests;
pub mod timings;

use std::sync::Arc;

use duipai_platform::Profile;
use duipai_spec::ledger::Level;
use serde::Serialize;
use thiserror::Error;

use crate::{
    runner::{CaseResult, Status},
    subject::Identity,
};

/// The suite that was run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SuiteId {
    /// Its version.
    pub version: String,
    /// SHA-256 of its cases, as `sha256:` and lower-case hexadecimal.
    pub digest: String,
}

/// What a run is about.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The suite.
    pub suite: SuiteId,
    /// The subject.
    pub identity: Identity,
    /// The platform whose behaviour was judged.
    pub profile: Profile,
    /// The least binding level that conformance asks for.
    pub enforced: Level,
}

/// How many cases stand how.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Summary {
    /// Cases of the run, counted before it began.
    pub declared: usize,
    /// What was seen is permitted.
    pub passed: usize,
    /// It is not.
    pub failed: usize,
    /// The subject broke.
    pub crashed: usize,
    /// The subject did not answer in time.
    pub timed_out: usize,
    /// Failed exactly as a known deviation says.
    pub known: usize,
    /// The subject cannot run them.
    pub not_applicable: usize,
    /// The run ended before them.
    pub not_run: usize,
}

/// A finished run. Every declared case has exactly one result.
#[derive(Clone, Debug)]
pub struct Report {
    setting: Setting,
    results: Vec<CaseResult>,
}

/// Results that do not make a report.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ReportError {
    /// Cases without a result, or results without a case.
    #[error("{declared} cases were declared, but {reported} have a result")]
    Count {
        /// Cases counted before the run.
        declared: usize,
        /// Results.
        reported: usize,
    },
    /// Two results for one case.
    #[error("case `{0}` has two results")]
    Twice(Arc<str>),
}

impl Report {
    /// The report of a run of `declared` cases, counted before it began.
    ///
    /// # Errors
    ///
    /// [`ReportError`] if there is not exactly one result for each case.
    pub fn new(
        setting: Setting,
        declared: usize,
        mut results: Vec<CaseResult>,
    ) -> Result<Self, ReportError> {
        let reported = results.len();
        if declared != reported {
            return Err(ReportError::Count { declared, reported });
        }
        results.sort_by(|a, b| a.id.cmp(&b.id));
        if let Some(pair) = results.windows(2).find(|pair| pair[0].id == pair[1].id) {
            return Err(ReportError::Twice(Arc::clone(&pair[0].id)));
        }
        Ok(Self { setting, results })
    }

    /// What the run is about.
    pub const fn setting(&self) -> &Setting {
        &self.setting
    }

    /// The results, sorted by id.
    pub fn results(&self) -> &[CaseResult] {
        &self.results
    }

    /// The counts, which add up to `declared`.
    pub fn summary(&self) -> Summary {
        Summary::of(&self.results)
    }

    /// Whether conformance asks for the case.
    pub fn is_enforced(&self, result: &CaseResult) -> bool {
        result.level <= self.setting.enforced
    }

    /// Whether no enforced case failed, crashed, timed out or was not run, and
    /// at least one was seen.
    ///
    /// Enforced cases that are not applicable are counted and reported, but do
    /// not decide: the adapter of a subject may be unable to show what they ask
    /// for. A subject that shows nothing of what counts does not conform; where
    /// nothing that counts was selected, it must show something.
    pub fn conformant(&self) -> bool {
        let breaks = |status: Status| status.is_bad() || status == Status::NotRun;
        !self.enforced_statuses().any(breaks) && self.saw_enforced()
    }

    /// Whether anything was seen of any case that conformance asks for, or, if
    /// it asks for none of those selected, of any case.
    fn saw_enforced(&self) -> bool {
        let seen = |status| !matches!(status, Status::NotApplicable | Status::NotRun);
        if self.enforced_statuses().next().is_some() {
            self.enforced_statuses().any(seen)
        } else {
            self.results.iter().map(CaseResult::status).any(seen)
        }
    }

    fn enforced_statuses(&self) -> impl Iterator<Item = Status> {
        let enforced = self.results.iter().filter(|result| self.is_enforced(result));
        enforced.map(CaseResult::status)
    }
}

impl Summary {
    fn of<'a>(results: impl IntoIterator<Item = &'a CaseResult>) -> Self {
        let mut summary = Self::default();
        for result in results {
            summary.declared += 1;
            *summary.count_mut(result.status()) += 1;
        }
        summary
    }

    /// How many cases stand so.
    pub const fn count(&self, status: Status) -> usize {
        match status {
            Status::Passed => self.passed,
            Status::Failed => self.failed,
            Status::Crashed => self.crashed,
            Status::TimedOut => self.timed_out,
            Status::Known => self.known,
            Status::NotApplicable => self.not_applicable,
            Status::NotRun => self.not_run,
        }
    }

    const fn count_mut(&mut self, status: Status) -> &mut usize {
        match status {
            Status::Passed => &mut self.passed,
            Status::Failed => &mut self.failed,
            Status::Crashed => &mut self.crashed,
            Status::TimedOut => &mut self.timed_out,
            Status::Known => &mut self.known,
            Status::NotApplicable => &mut self.not_applicable,
            Status::NotRun => &mut self.not_run,
        }
    }
}
