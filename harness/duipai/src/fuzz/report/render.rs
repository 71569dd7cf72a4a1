//! A report for people.

use std::fmt;

use super::{FuzzReport, TargetReport};

/// Findings of one target that are named.
const NAMED: usize = 5;

impl fmt::Display for FuzzReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{:<14} {:>12} {:>9} {:>9} {:>8} {:>9} {:>8} {:>9}",
            "target",
            "executions",
            "a second",
            "accepted",
            "edges",
            "features",
            "corpus",
            "findings"
        )?;
        for target in &self.targets {
            row(target, f)?;
        }
        for target in &self.targets {
            remarks(target, f)?;
        }
        let verdict = if self.as_expected { "as expected" } else { "NOT as expected" };
        writeln!(f, "{} targets: {verdict}", self.targets.len())
    }
}

fn row(target: &TargetReport, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let figure = |figure: Option<u64>| figure.map_or_else(|| "?".to_owned(), |it| it.to_string());
    let share =
        target.acceptance.map_or_else(|| "?".to_owned(), |it| format!("{:.1} %", it * 100.0));
    writeln!(
        f,
        "{:<14} {:>12} {:>9} {:>9} {:>8} {:>9} {:>8} {:>9}",
        target.target,
        figure(target.executions),
        figure(target.executions_a_second),
        share,
        figure(target.coverage),
        figure(target.features),
        figure(target.corpus_inputs),
        target.findings.len(),
    )
}

fn remarks(target: &TargetReport, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let name = &target.target;
    for missing in &target.missing {
        writeln!(f, "{name}: {missing}")?;
    }
    if target.executions.unwrap_or_default() == 0 {
        writeln!(f, "{name}: nothing was run")?;
    }
    if !target.accepts_enough() {
        let share = |share: Option<f64>| share.unwrap_or_default() * 100.0;
        let (accepted, least) = (share(target.acceptance), share(target.least_acceptance));
        writeln!(f, "{name}: accepted {accepted:.1} %, under {least:.1} %")?;
    }
    match (target.must_find, target.findings.is_empty()) {
        (true, true) => writeln!(f, "{name}: its planted fault was NOT found")?,
        (true, false) => writeln!(f, "{name}: found, as it must")?,
        (false, true) => {}
        (false, false) => {
            let named: Vec<&str> = target.findings.iter().take(NAMED).map(|it| &**it).collect();
            let more = target.findings.len() - named.len();
            let more = if more == 0 { String::new() } else { format!(", and {more} more") };
            writeln!(f, "{name}: FOUND {}{more}", named.join(", "))?;
        }
    }
    if !target.must_find {
        for fault in &target.faults {
            writeln!(f, "{name}:   {fault}")?;
        }
    }
    if let Some(counts) = &target.counts
        && !counts.rejected.is_empty()
    {
        let reasons: Vec<String> =
            counts.rejected.iter().map(|(reason, number)| format!("{number} {reason}")).collect();
        writeln!(f, "{name}: rejected {}", reasons.join(", "))?;
    }
    Ok(())
}
