//! How long the cases took. Kept apart from the report, which is the same for
//! every run.

use std::time::Duration;

use serde::Serialize;

use super::Report;

/// The timings as pretty-printed JSON with a newline at its end: microseconds
/// of each case, and their sum.
///
/// # Errors
///
/// None that a report can cause; those of the JSON writer are handed on.
pub fn render(report: &Report) -> Result<String, serde_json::Error> {
    let results = report.results().iter();
    let cases: Vec<_> = results
        .map(|result| Timing { id: &result.id, micros: result.elapsed.as_micros() })
        .collect();
    let total: Duration = report.results().iter().map(|result| result.elapsed).sum();
    let timings = Timings { format: 1, cases, total_micros: total.as_micros() };
    Ok(serde_json::to_string_pretty(&timings)? + "\n")
}

#[derive(Serialize)]
struct Timings<'a> {
    format: u32,
    cases: Vec<Timing<'a>>,
    total_micros: u128,
}

#[derive(Serialize)]
struct Timing<'a> {
    id: &'a str,
    micros: u128,
}
