//! `duipai coverage`.

use std::fmt::Write as _;

use crate::{
    cli::{CliError, Done, args::CoverageArgs, output},
    ledger::{Sentence, Status},
    suite::{SentenceCoverage, Suite},
};

/// Every sentence with the number of its cases, then the excluded ones with
/// their reasons. Fails if a sentence has no case.
pub(super) fn coverage(args: &CoverageArgs) -> Result<Done, CliError> {
    let suite =
        if args.cases.is_empty() { Suite::builtin()? } else { Suite::from_folders(&args.cases)? };
    let mut text = String::from("accepting  refusing  either  sentence\n");
    let coverage = suite.coverage();
    for covered in coverage.iter().filter(|covered| covered.sentence.level().is_some()) {
        row(&mut text, covered);
    }
    let excluded = || suite.ledger.sentences().iter().filter(|it| it.level().is_none());
    text.push_str("\nexcluded\n");
    for sentence in excluded() {
        exclusion(&mut text, sentence);
    }
    let uncovered: Vec<&Sentence> = suite.uncovered().collect();
    for sentence in &uncovered {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "UNCOVERED {}  {}", sentence.id, sentence.origin);
    }
    let rows = coverage.iter().filter(|c| c.sentence.row.is_some() && c.is_covered()).count();
    let sentences = suite.ledger.sentences().len();
    let _ = writeln!(
        text,
        "\n{} cases; {sentences} sentences: {} covered, {rows} of them table rows, {} excluded, \
         {} uncovered",
        suite.cases.len() + suite.platform.len(),
        sentences - excluded().count() - uncovered.len(),
        excluded().count(),
        uncovered.len(),
    );
    output::print(&text)?;
    Ok(Done::conformant_if(uncovered.is_empty()))
}

fn row(text: &mut String, covered: &SentenceCoverage<'_>) {
    let sentence = covered.sentence;
    let level = sentence.level().map_or("", duipai_spec::ledger::Level::name);
    let row = sentence.row.map(|row| format!(" row {row}")).unwrap_or_default();
    let finding = sentence.finding.as_ref().map(|it| format!(", {it}")).unwrap_or_default();
    let ambiguous = if sentence.ambiguity.is_some() { ", ambiguous" } else { "" };
    let _ = writeln!(
        text,
        "{:>9}  {:>8}  {:>6}  {} ({level}{ambiguous}{row}{finding})",
        covered.accepting.len(),
        covered.rejecting.len(),
        covered.open.len(),
        sentence.id,
    );
}

fn exclusion(text: &mut String, sentence: &Sentence) {
    if let Status::Excluded(reason) = &sentence.status {
        let _ = writeln!(text, "  {}: {reason}", sentence.id);
    }
}
