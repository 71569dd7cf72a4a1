//! The suite as a `cargo test` target: one test for each case.
//!
//! A crate with an implementation of its own needs one file, with
//! `harness = false` in its manifest:
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! use duipai::{package::Reference, subjects::native::Native};
//!
//! fn main() -> ExitCode {
//!     // In place of `Reference`, a type of your own that implements `Package`.
//!     duipai::testing::main(Native::new("mine", "1.0.0", || Reference))
//! }
//! ```

use std::{env, path::Path, process::ExitCode, sync::Arc};

use libtest_mimic::{Arguments, Completion, Failed, Trial};

use crate::{
    case::Case,
    report::pretty::{Look, failure},
    runner::{self, Options, Rerun, RunLine, Status},
    subject::Subject,
    subjects,
    suite::Suite,
};

/// Runs the built-in suite against `subject` as tests, with the arguments of
/// the process: `cargo test`'s filters and flags, nextest's protocol.
///
/// A case that the subject cannot run is shown as ignored, with the reason; so
/// is a finding below the must level, which speaks against no conformance.
pub fn main(subject: impl Subject + 'static) -> ExitCode {
    let program = env::args_os().next().unwrap_or_default();
    run(Arc::new(subject), &Rerun::test_program(Path::new(&program)))
}

/// Like [`main`], for the subject that `DUIPAI_SUBJECT` names (`native` if it
/// is not set).
pub fn main_from_env() -> ExitCode {
    let spec = env::var("DUIPAI_SUBJECT").unwrap_or_else(|_| "native".to_owned());
    match subjects::from_spec(&spec) {
        Ok(subject) => run(subject, &Rerun::Run(RunLine::new(spec))),
        Err(error) => complain(&format!("subject: {error}")),
    }
}

fn run(subject: Arc<dyn Subject>, rerun: &Rerun) -> ExitCode {
    let mut arguments = Arguments::from_args();
    if let Some(jobs) = subject.jobs() {
        arguments.test_threads.get_or_insert(jobs.get());
    }
    // Two tests that wait for one subject would share one time limit.
    let most = subject.at_once().get();
    if most < usize::MAX {
        arguments.test_threads = Some(arguments.test_threads.map_or(most, |n| n.min(most)));
    }
    let suite = match Suite::builtin() {
        Ok(suite) => Arc::new(suite),
        Err(error) => return complain(&format!("suite: {error}")),
    };
    let trials = (0..suite.of(subject.answers()).len())
        .map(|index| trial(index, &suite, &subject, rerun))
        .collect::<Vec<_>>();
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn trial(index: usize, suite: &Arc<Suite>, subject: &Arc<dyn Subject>, rerun: &Rerun) -> Trial {
    let kind = subject.answers();
    let (id, level) = (suite.of(kind)[index].id.to_string(), suite.of(kind)[index].level);
    let (suite, subject, rerun) = (Arc::clone(suite), Arc::clone(subject), rerun.clone());
    let options = Options { rerun, ..Options::of(&*subject) };
    let check = move || check(&suite, &suite.of(kind)[index], &subject, &options);
    Trial::ignorable_test(id, check).with_kind(level.name())
}

fn check(
    suite: &Suite,
    case: &Case,
    subject: &Arc<dyn Subject>,
    options: &Options,
) -> Result<Completion, Failed> {
    let enforced = subject.answers().enforced();
    let look = Look { sentence: &|id| suite.ledger.said(id), colour: false };
    for result in runner::run(std::slice::from_ref(case), subject, options, &()) {
        let detail = || result.detail().unwrap_or_default();
        match result.status() {
            Status::Passed => {}
            Status::NotApplicable => return Ok(Completion::ignored_with(detail())),
            _ if case.level > enforced => {
                let finding = format!("a finding at level {}: {}", case.level, detail());
                return Ok(Completion::ignored_with(finding));
            }
            _ => return Err(failure(&result, case, enforced, &look).into()),
        }
    }
    Ok(Completion::Completed)
}

/// Nothing can be tested; nobody is to take that for a pass.
#[expect(clippy::print_stderr, reason = "a test program speaks on standard error")]
fn complain(text: &str) -> ExitCode {
    eprintln!("error: {text}");
    ExitCode::from(2)
}
