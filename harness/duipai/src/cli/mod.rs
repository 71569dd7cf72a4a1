//! The command line. It only wires: what a verb does is in the library.

mod args;
mod coverage;
mod doctor;
mod explain;
mod fuzz_report;
mod list;
mod mutants;
mod output;
mod platform_mutants;
mod promote;
mod run;
mod select;

use std::{path::PathBuf, process::ExitCode};

use clap::Parser as _;
use duipai_platform::Profile;

use crate::{
    case::LoadError,
    filter::FilterError,
    fuzz::{promote::PromoteError, report::FuzzReportError},
    known::KnownError,
    report::ReportError,
    subjects::SubjectError,
    vectors::VectorError,
};

/// Runs the command line of this process.
pub fn main() -> ExitCode {
    use args::Verb;

    let done = match args::Cli::parse().verb {
        Verb::Run(args) => run::run(&args),
        Verb::List(args) => list::list(&args),
        Verb::Explain(args) => explain::explain(&args),
        Verb::Coverage(args) => coverage::coverage(&args),
        Verb::Mutants(args) if args.platform => platform_mutants::platform_mutants(&args),
        Verb::Mutants(args) => mutants::mutants(&args),
        Verb::FuzzReport(args) => fuzz_report::fuzz_report(&args),
        Verb::Promote(args) => promote::promote(&args),
        Verb::Doctor => doctor::doctor(),
    };
    match done {
        Ok(Done::Conformant) => ExitCode::SUCCESS,
        Ok(Done::NotConformant) => ExitCode::from(1),
        Err(error) => {
            output::complain(&error.to_string());
            ExitCode::from(2)
        }
    }
}

/// What a verb came to.
enum Done {
    Conformant,
    NotConformant,
}

impl Done {
    const fn conformant_if(holds: bool) -> Self {
        if holds { Self::Conformant } else { Self::NotConformant }
    }
}

/// Why a verb could not be carried out.
#[derive(Debug, thiserror::Error)]
enum CliError {
    #[error("suite: {0}")]
    Suite(#[from] LoadError),
    #[error("vectors: {0}")]
    Vectors(#[from] VectorError),
    #[error("filter: {0}")]
    Filter(#[from] FilterError),
    #[error("subject: {0}")]
    Subject(#[from] SubjectError),
    #[error("known deviations: {}", lines(.0))]
    Known(Vec<KnownError>),
    #[error("cannot read {}: {source}", path.display())]
    Unreadable { path: PathBuf, source: std::io::Error },
    #[error("cannot write {}: {source}", path.display())]
    Unwritable { path: PathBuf, source: std::io::Error },
    #[error("cannot write to standard output: {0}")]
    Output(std::io::Error),
    #[error("no case has level {0} or a stricter one")]
    NothingAtLevel(duipai_spec::ledger::Level),
    #[error("none of the selected cases is for this subject, which answers {0} cases only")]
    NothingAnswered(&'static str),
    #[error("the subject is the platform {}, and no other profile can be asked of it", .0.name())]
    OtherProfile(Profile),
    #[error("no case or sentence is called `{id}`{hint}")]
    UnknownId { id: String, hint: String },
    #[error(transparent)]
    Promote(#[from] PromoteError),
    #[error(transparent)]
    FuzzReport(#[from] FuzzReportError),
    #[error("the report cannot be written: {0}")]
    Report(String),
}

impl From<ReportError> for CliError {
    fn from(error: ReportError) -> Self {
        Self::Report(error.to_string())
    }
}

fn lines(errors: &[KnownError]) -> String {
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}
