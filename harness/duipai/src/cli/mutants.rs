//! `duipai mutants`.

use std::{collections::BTreeSet, fmt::Write as _};

use duipai_spec::ledger::Level;
use globset::Glob;

use crate::{
    case::Case,
    cli::{CliError, Done, args::MutantsArgs, output},
    filter::FilterError,
    ledger::Sentence,
    mutants::{self, Mutant},
    runner::{self, CaseResult, Options},
    suite::Suite,
};

/// Killers that are named unless all are asked for.
const NAMED: usize = 3;

/// Runs the built-in suite against every mutant.
pub(super) fn mutants(args: &MutantsArgs) -> Result<Done, CliError> {
    let chosen = chosen(&args.filter)?;
    if args.list {
        let line = |mutant: &&Mutant| {
            format!("{}  breaks {}: {}\n", mutant.name, mutant.breaks, mutant.does)
        };
        output::print(&chosen.iter().map(line).collect::<String>())?;
        return Ok(Done::Conformant);
    }
    let suite = Suite::builtin()?;
    let mut survivors = 0;
    for mutant in &chosen {
        let killers = killers(mutant, &suite.cases);
        survivors += usize::from(killers.is_empty());
        output::print(&row(mutant, &killers, args.all_killers))?;
    }
    let broken: BTreeSet<&str> = mutants::all().map(|mutant| mutant.breaks).collect();
    let must = |sentence: &&Sentence| sentence.level() == Some(Level::Must);
    let musts = suite.ledger.sentences().iter().filter(must);
    let (with, all) = musts.fold((0, 0), |(with, all), sentence| {
        (with + usize::from(broken.contains(sentence.id.as_str())), all + 1)
    });
    output::print(&format!("{with} of {all} must-level sentences have a mutant of their own\n"))?;
    let killed = chosen.len() - survivors;
    output::print(&format!("{} mutants, {killed} killed, {survivors} survived\n", chosen.len()))?;
    Ok(Done::conformant_if(survivors == 0))
}

fn chosen(patterns: &[String]) -> Result<Vec<&'static Mutant>, CliError> {
    let mut globs = Vec::new();
    for pattern in patterns {
        let glob = Glob::new(pattern).map_err(|error| FilterError::NotAGlob {
            pattern: pattern.clone(),
            reason: error.kind().to_string(),
        })?;
        globs.push(glob.compile_matcher());
    }
    let matches =
        |mutant: &&Mutant| globs.is_empty() || globs.iter().any(|glob| glob.is_match(mutant.name));
    let chosen: Vec<_> = mutants::all().filter(matches).collect();
    if chosen.is_empty() {
        let patterns = patterns.join(", ");
        let nearest = "; `duipai mutants --list` names all".to_owned();
        return Err(FilterError::Nothing { patterns, nearest }.into());
    }
    Ok(chosen)
}

/// The must-level cases that the mutant does not pass.
fn killers(mutant: &'static Mutant, cases: &[Case]) -> Vec<CaseResult> {
    let results = runner::run(cases, &mutant.subject(), &Options::default(), &());
    let kills = |result: &CaseResult| result.level == Level::Must && result.status().is_bad();
    results.into_iter().filter(kills).collect()
}

fn row(mutant: &Mutant, killers: &[CaseResult], all: bool) -> String {
    let of_sentence = |killer: &&CaseResult| {
        killer.says.iter().any(|sentence| sentence.as_str() == mutant.breaks)
    };
    let mut text = format!(
        "{} {}  breaks {}: {}\n",
        if killers.is_empty() { "SURVIVED" } else { "killed" },
        mutant.name,
        mutant.breaks,
        mutant.does,
    );
    if killers.is_empty() {
        return text;
    }
    // Those that speak of the broken sentence first: they are the proof.
    let (own, others): (Vec<_>, Vec<_>) = killers.iter().partition(of_sentence);
    let count = if all { killers.len() } else { NAMED };
    let named: Vec<&str> = own.iter().chain(&others).take(count).map(|k| &*k.id).collect();
    let more = killers.len() - named.len();
    let more = if more == 0 { String::new() } else { format!(", and {more} more") };
    // Writing to a string cannot fail.
    let _ = writeln!(
        text,
        "    by {} ({} of its sentence): {}{more}",
        killers.len(),
        own.len(),
        named.join(", "),
    );
    text
}
