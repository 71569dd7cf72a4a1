//! What came of one case.

use std::{fmt, sync::Arc, time::Duration};

use duipai_spec::ledger::{Level, SentenceId};
use serde::Serialize;

use crate::{
    case::{Case, Origin},
    judge::Differences,
};

/// How a case stands after a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// What was seen is permitted.
    Passed,
    /// It is not.
    Failed,
    /// The subject broke.
    Crashed,
    /// The subject did not answer in time.
    TimedOut,
    /// It failed exactly as a known deviation says.
    Known,
    /// The subject cannot run it.
    NotApplicable,
    /// The run ended before it.
    NotRun,
}

impl Status {
    /// All of them, in the order of the report's summary.
    pub const ALL: [Self; 7] = [
        Self::Passed,
        Self::Failed,
        Self::Crashed,
        Self::TimedOut,
        Self::Known,
        Self::NotApplicable,
        Self::NotRun,
    ];

    /// The name used in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::Failed => "failed",
            Self::Crashed => "crashed",
            Self::TimedOut => "timed-out",
            Self::Known => "known",
            Self::NotApplicable => "not-applicable",
            Self::NotRun => "not-run",
        }
    }

    /// Whether it speaks against the subject.
    pub const fn is_bad(self) -> bool {
        matches!(self, Self::Failed | Self::Crashed | Self::TimedOut)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What came of running a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Everything seen is permitted.
    Passed {
        /// Which permitted behaviour was seen, where there is a choice.
        behaviour: Option<String>,
    },
    /// Something is not.
    Failed(Differences),
    /// The subject panicked, trapped outside an event, or died.
    Crashed {
        /// Why, in one line.
        reason: String,
    },
    /// The subject did not answer within the time limit.
    TimedOut,
    /// It ended badly, exactly as a known deviation says.
    Known {
        /// The detail that was seen and is declared.
        outcome: String,
        /// Why the deviation is accepted.
        reason: String,
    },
    /// It passed, although a deviation is declared; this is a failure.
    DeviationGone {
        /// The declared outcome.
        declared: String,
    },
    /// It ended badly, but not as the declared deviation says.
    DeviationDiffers {
        /// How it ended.
        ending: Unexpected,
        /// The declared outcome.
        declared: String,
    },
    /// The subject does not support what the case needs.
    NotApplicable {
        /// What it lacks and why.
        reason: String,
    },
    /// The run ended before it.
    NotRun {
        /// Why.
        reason: &'static str,
    },
}

/// A bad ending beside a declared deviation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unexpected {
    /// Something seen is not permitted.
    Failed(Differences),
    /// The subject broke; holds the reason.
    Crashed(String),
    /// The subject did not answer within the time limit.
    TimedOut,
}

/// The detail of every case that ran out of time.
const TIMED_OUT: &str = "no answer within the time limit";

impl fmt::Display for Unexpected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(differences) => differences.fmt(f),
            Self::Crashed(reason) => f.write_str(reason),
            Self::TimedOut => f.write_str(TIMED_OUT),
        }
    }
}

impl Ending {
    /// How the case stands.
    pub const fn status(&self) -> Status {
        match self {
            Self::Passed { .. } => Status::Passed,
            Self::Failed(_) | Self::DeviationGone { .. } => Status::Failed,
            Self::Crashed { .. } => Status::Crashed,
            Self::TimedOut => Status::TimedOut,
            Self::Known { .. } => Status::Known,
            Self::DeviationDiffers { ending, .. } => match ending {
                Unexpected::Failed(_) => Status::Failed,
                Unexpected::Crashed(_) => Status::Crashed,
                Unexpected::TimedOut => Status::TimedOut,
            },
            Self::NotApplicable { .. } => Status::NotApplicable,
            Self::NotRun { .. } => Status::NotRun,
        }
    }

    /// What there is to say beside the status, in one line.
    pub fn detail(&self) -> Option<String> {
        Some(match self {
            Self::Passed { .. } => return None,
            Self::Failed(differences) => differences.to_string(),
            Self::Crashed { reason } | Self::NotApplicable { reason } => reason.clone(),
            Self::TimedOut => String::from(TIMED_OUT),
            Self::Known { outcome, .. } => outcome.clone(),
            Self::DeviationGone { declared } => {
                format!("the known deviation no longer occurs: {declared}")
            }
            Self::DeviationDiffers { ending, declared } => {
                format!("{ending}; this is not the known deviation: {declared}")
            }
            Self::NotRun { reason } => String::from(*reason),
        })
    }

    /// The differences, if the judge found any.
    pub const fn differences(&self) -> Option<&Differences> {
        match self {
            Self::Failed(differences)
            | Self::DeviationDiffers { ending: Unexpected::Failed(differences), .. } => {
                Some(differences)
            }
            _ => None,
        }
    }
}

/// The result of one case.
#[derive(Clone, Debug)]
pub struct CaseResult {
    /// The case's id.
    pub id: Arc<str>,
    /// How binding it is.
    pub level: Level,
    /// The sentences that it is evidence for.
    pub says: Vec<SentenceId>,
    /// One line for people.
    pub title: String,
    /// Where it is written.
    pub origin: Origin,
    /// What came of it.
    pub ending: Ending,
    /// What the program wrote to its console, event by event.
    pub console: Vec<String>,
    /// The command that runs exactly this case.
    pub rerun: String,
    /// How long it ran; never part of a report, only of timings.
    pub elapsed: Duration,
}

impl CaseResult {
    pub(crate) fn new(case: &Case, ending: Ending, rerun: String) -> Self {
        Self {
            id: Arc::clone(&case.id),
            level: case.level,
            says: case.says.clone(),
            title: case.title.clone(),
            origin: case.origin.clone(),
            ending,
            console: Vec::new(),
            rerun,
            elapsed: Duration::ZERO,
        }
    }

    /// How the case stands.
    pub const fn status(&self) -> Status {
        self.ending.status()
    }

    /// Which permitted behaviour was seen, where there is a choice.
    pub fn behaviour(&self) -> Option<&str> {
        match &self.ending {
            Ending::Passed { behaviour } => behaviour.as_deref(),
            _ => None,
        }
    }

    /// What there is to say beside the status, in one line.
    pub fn detail(&self) -> Option<String> {
        self.ending.detail()
    }
}
