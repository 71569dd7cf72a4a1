//! The report as a snapshot for review: counts, and then only what is worth a
//! look.

use std::collections::BTreeMap;

use duipai_spec::{SPEC_NAME, SPEC_VERSION};

use super::{Report, Summary, family::by_family};
use crate::{
    judge::printable,
    runner::{CaseResult, Ending, Status},
};

/// The report as Markdown.
pub fn render(report: &Report) -> String {
    let setting = report.setting();
    let (suite, subject) = (&setting.suite, &setting.identity);
    let mut text = format!(
        "# {SPEC_NAME} {SPEC_VERSION}, suite {} {}\n\n\
         Subject: {} {} on {}, profile {}\n\n\
         {} at level {}\n\n",
        suite.version,
        suite.digest,
        printable(&subject.name),
        printable(&subject.version),
        printable(&subject.engine),
        setting.profile.name(),
        if report.conformant() { "Conformant" } else { "Not conformant" },
        setting.enforced,
    );
    counts(&mut text, report);
    for (title, status) in [
        ("Failed", Status::Failed),
        ("Crashed", Status::Crashed),
        ("Timed out", Status::TimedOut),
        ("Not run", Status::NotRun),
    ] {
        let of_status = report.results().iter().filter(|result| result.status() == status);
        section(&mut text, title, of_status.map(bad));
    }
    section(&mut text, "Known deviations", report.results().iter().filter_map(known));
    section(&mut text, "Not applicable", not_applicable(report).into_iter());
    let observed = report.results().iter().filter_map(|result| {
        result.behaviour().map(|behaviour| format!("{}: {behaviour}", code(&result.id)))
    });
    section(&mut text, "Observed behaviours", observed);
    text
}

fn counts(text: &mut String, report: &Report) {
    text.push_str("| family | declared |");
    for status in Status::ALL {
        text.push_str(&format!(" {status} |"));
    }
    text.push_str("\n| --- |");
    text.push_str(&" --: |".repeat(Status::ALL.len() + 1));
    text.push('\n');
    let mut row = |family: &str, summary: Summary| {
        text.push_str(&format!(
            "| {} | {} |",
            printable(family).replace('|', "\\|"),
            summary.declared
        ));
        for status in Status::ALL {
            text.push_str(&format!(" {} |", summary.count(status)));
        }
        text.push('\n');
    };
    row("all", report.summary());
    for (family, results) in by_family(report.results()) {
        row(family, Summary::of(results));
    }
}

/// A section with one point for each line; none if there is no line.
fn section(text: &mut String, title: &str, lines: impl Iterator<Item = String>) {
    let lines: Vec<_> = lines.collect();
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("\n## {title}\n\n"));
    for line in lines {
        text.push_str(&format!("- {}\n", printable(&line)));
    }
}

fn bad(result: &CaseResult) -> String {
    let detail = result.detail().unwrap_or_default();
    format!("{} ({}): {detail}", code(&result.id), result.level)
}

fn known(result: &CaseResult) -> Option<String> {
    match &result.ending {
        Ending::Known { outcome, reason } => {
            Some(format!("{}: {outcome}; because {reason}", code(&result.id)))
        }
        _ => None,
    }
}

/// One line for each reason.
fn not_applicable(report: &Report) -> Vec<String> {
    let mut reasons: BTreeMap<&str, Vec<String>> = BTreeMap::new();
    for result in report.results() {
        if let Ending::NotApplicable { reason } = &result.ending {
            reasons.entry(reason).or_default().push(code(&result.id));
        }
    }
    let line = |(reason, ids): (_, Vec<_>)| format!("{reason} ({}): {}", ids.len(), ids.join(", "));
    reasons.into_iter().map(line).collect()
}

/// An id as code, also if it holds backticks.
fn code(id: &str) -> String {
    if id.contains('`') { format!("`` {id} ``") } else { format!("`{id}`") }
}
