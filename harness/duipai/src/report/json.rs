//! The report for machines: one JSON document.

use duipai_spec::{
    SPEC_NAME, SPEC_VERSION,
    ledger::{Level, SentenceId},
};
use serde::Serialize;

use super::{Report, SuiteId, Summary};
use crate::{
    runner::{CaseResult, Status},
    subject::Kind,
};

/// Version of the document's form.
const FORMAT: u32 = 1;

/// The report as pretty-printed JSON with a newline at its end.
///
/// # Errors
///
/// None that a report can cause; those of the JSON writer are handed on.
pub fn render(report: &Report) -> Result<String, serde_json::Error> {
    let text = serde_json::to_string_pretty(&Document::of(report))?;
    Ok(text + "\n")
}

#[derive(Serialize)]
struct Document<'a> {
    format: u32,
    spec: Spec,
    suite: &'a SuiteId,
    subject: Subject<'a>,
    results: Vec<Entry<'a>>,
    summary: Summary,
    conformant: bool,
}

#[derive(Serialize)]
struct Spec {
    name: &'static str,
    version: &'static str,
}

#[derive(Serialize)]
struct Subject<'a> {
    name: &'a str,
    kind: Kind,
    version: &'a str,
    engine: &'a str,
    profile: &'static str,
}

#[derive(Serialize)]
struct Entry<'a> {
    id: &'a str,
    status: Status,
    level: Level,
    says: &'a [SentenceId],
    behaviour: Option<&'a str>,
    detail: Option<String>,
    rerun: &'a str,
}

impl<'a> Document<'a> {
    fn of(report: &'a Report) -> Self {
        let setting = report.setting();
        let identity = &setting.identity;
        Self {
            format: FORMAT,
            spec: Spec { name: SPEC_NAME, version: SPEC_VERSION },
            suite: &setting.suite,
            subject: Subject {
                name: &identity.name,
                kind: identity.kind,
                version: &identity.version,
                engine: &identity.engine,
                profile: setting.profile.name(),
            },
            results: report.results().iter().map(Entry::of).collect(),
            summary: report.summary(),
            conformant: report.conformant(),
        }
    }
}

impl<'a> Entry<'a> {
    fn of(result: &'a CaseResult) -> Self {
        Self {
            id: &result.id,
            status: result.status(),
            level: result.level,
            says: &result.says,
            behaviour: result.behaviour(),
            detail: result.detail(),
            rerun: &result.rerun,
        }
    }
}
