//! Runs cases against a subject.
//!
//! Cases run on worker threads. A case that panics or hangs costs that case
//! alone: a thread that does not come back in time is left behind and replaced.

pub(crate) mod panics;
mod play;
mod pool;
mod rerun;
mod result;
#[cfg(test)]
mod tests;

use std::{num::NonZeroUsize, sync::Arc, thread, time::Duration};

use duipai_platform::Profile;
use duipai_spec::ledger::Level;

pub use rerun::{Rerun, RunLine};
pub use result::{CaseResult, Ending, Status, Unexpected};

use crate::{case::Case, known::Applicable, subject::Subject};

/// Time for one case, if nothing else is asked for.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(30);

/// How cases are run.
#[derive(Clone, Debug)]
pub struct Options {
    /// The platform whose behaviour is judged.
    pub profile: Profile,
    /// Time for one case, all its events together.
    pub timeout: Duration,
    /// Cases that run at the same time.
    pub jobs: NonZeroUsize,
    /// Stop at the first bad result of a case of this level or a stricter one.
    pub fail_fast: Option<Level>,
    /// Known deviations.
    pub known: Applicable,
    /// What the rerun commands say beside the case's id.
    pub rerun: Rerun,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            profile: Profile::default(),
            timeout: DEFAULT_TIMEOUT,
            jobs: thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            fail_fast: None,
            known: Applicable::default(),
            rerun: Rerun::default(),
        }
    }
}

impl Options {
    /// What suits `subject` best.
    pub fn of(subject: &dyn Subject) -> Self {
        let default = Self::default();
        Self {
            profile: subject.profile().unwrap_or(default.profile),
            timeout: subject.timeout().unwrap_or(default.timeout),
            jobs: subject.jobs().unwrap_or(default.jobs),
            ..default
        }
    }
}

/// Is told how a run goes on.
pub trait Progress {
    /// A case has a result. Called from the thread that called [`run`], in the
    /// order in which the cases end.
    fn finished(&self, result: &CaseResult);
}

/// Tells nobody.
impl Progress for () {
    fn finished(&self, _: &CaseResult) {}
}

/// Runs `cases` and returns one result for each, in the same order.
pub fn run(
    cases: &[Case],
    subject: &Arc<dyn Subject>,
    options: &Options,
    progress: &dyn Progress,
) -> Vec<CaseResult> {
    pool::run(cases, subject, options, progress)
}
