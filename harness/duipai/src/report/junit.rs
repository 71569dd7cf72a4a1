//! The report for build servers: JUnit XML, one test suite for each family.
//!
//! A bad result is a failure only if conformance asks for the case; below that
//! level it is a skipped test that says what was found, so that the build
//! agrees with the verdict.

use quick_junit::{
    NonSuccessKind, Report as Junit, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use super::{Report, family::by_family};
use crate::{
    judge::printable,
    runner::{CaseResult, Ending, Status},
};

/// Whether durations are written; with them, no two documents are equal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Durations {
    /// Left out.
    #[default]
    Omit,
    /// Written.
    Write,
}

/// The report as JUnit XML.
///
/// # Errors
///
/// None that a report can cause; those of the XML writer are handed on.
pub fn render(report: &Report, durations: Durations) -> Result<String, SerializeError> {
    let mut junit = Junit::new("duipai");
    for (family, results) in by_family(report.results()) {
        let mut suite = TestSuite::new(family);
        for result in results {
            let status = status(result, report.is_enforced(result));
            let mut case = TestCase::new(printable(&result.id), status);
            case.set_classname(format!("{}.{family}", report.setting().identity.name));
            if durations == Durations::Write {
                case.set_time(result.elapsed);
            }
            suite.add_test_case(case);
        }
        junit.add_test_suite(suite);
    }
    junit.to_string()
}

fn status(result: &CaseResult, enforced: bool) -> TestCaseStatus {
    let detail = result.detail().unwrap_or_default();
    let skipped = |message: String| {
        let mut status = TestCaseStatus::skipped();
        status.set_message(message);
        status
    };
    let kind = match result.status() {
        Status::Passed => return TestCaseStatus::success(),
        Status::NotApplicable => return skipped(detail),
        Status::Known => {
            let reason = match &result.ending {
                Ending::Known { reason, .. } => reason,
                _ => "",
            };
            return skipped(format!("known deviation: {reason}: {detail}"));
        }
        _ if !enforced => {
            return skipped(format!("{} at level {}: {detail}", result.status(), result.level));
        }
        Status::Failed => NonSuccessKind::Failure,
        Status::Crashed | Status::TimedOut | Status::NotRun => NonSuccessKind::Error,
    };
    let mut status = TestCaseStatus::non_success(kind);
    status.set_type(result.status().name());
    status.set_message(detail);
    status.set_description(format!("{}\nrerun: {}", result.title, result.rerun));
    status
}
