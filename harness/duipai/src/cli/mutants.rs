//! `duipai mutants`.

use std::{collections::BTreeSet, fmt::Write as _, sync::Arc};

use duipai_spec::ledger::Level;
use globset::Glob;

use crate::{
    case::Case,
    cli::{CliError, Done, args::MutantsArgs, output},
    filter::FilterError,
    ledger::Sentence,
    mutants::{self, Mutant},
    runner::{self, CaseResult, Options},
    subject::Subject,
    suite::Suite,
};
#[cfg(feature = "wasm")]
use crate::{mutants::Fault, subjects::SubjectError};

/// Killers that are named unless all are asked for.
const NAMED: usize = 3;

/// Runs the built-in suite against every mutant.
pub(super) fn mutants(args: &MutantsArgs) -> Result<Done, CliError> {
    let chosen = chosen(args)?;
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
        let killers = killers(&subject(mutant, args)?, &suite.cases);
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

fn chosen(args: &MutantsArgs) -> Result<Vec<&'static Mutant>, CliError> {
    chosen_of(mutants::all().filter(|mutant| runs(mutant, args)), |mutant| mutant.name, args)
}

/// Those of `all` whose name is asked for.
pub(super) fn chosen_of<M>(
    all: impl Iterator<Item = M>,
    name: fn(&M) -> &'static str,
    args: &MutantsArgs,
) -> Result<Vec<M>, CliError> {
    let patterns = &args.filter;
    let mut globs = Vec::new();
    for pattern in patterns {
        let glob = Glob::new(pattern).map_err(|error| FilterError::NotAGlob {
            pattern: pattern.clone(),
            reason: error.kind().to_string(),
        })?;
        globs.push(glob.compile_matcher());
    }
    let matches =
        |mutant: &M| globs.is_empty() || globs.iter().any(|glob| glob.is_match(name(mutant)));
    let chosen: Vec<_> = all.filter(matches).collect();
    if chosen.is_empty() {
        let patterns = patterns.join(", ");
        let platform = if args.platform { " --platform" } else { "" };
        let nearest = format!("; `duipai mutants{platform} --list` names all");
        return Err(FilterError::Nothing { patterns, nearest }.into());
    }
    Ok(chosen)
}

/// Whether the mutant can be run in the way that is asked for.
#[cfg(feature = "wasm")]
fn runs(mutant: &Mutant, args: &MutantsArgs) -> bool {
    !args.guests || matches!(mutant.fault, Fault::Part(_))
}
#[cfg(not(feature = "wasm"))]
fn runs(_: &Mutant, _: &MutantsArgs) -> bool {
    true
}

/// The mutant as a subject, in the way that is asked for.
fn subject(mutant: &'static Mutant, args: &MutantsArgs) -> Result<Arc<dyn Subject>, CliError> {
    #[cfg(feature = "wasm")]
    if args.guests
        && let Some(guest) = mutant.guest().map_err(SubjectError::from)?
    {
        return Ok(guest);
    }
    #[cfg(not(feature = "wasm"))]
    let _ = args;
    Ok(mutant.subject())
}

/// The must-level cases that the mutant does not pass.
fn killers(mutant: &Arc<dyn Subject>, cases: &[Case]) -> Vec<CaseResult> {
    let results = runner::run(cases, mutant, &Options::default(), &());
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
    let named = named(own.iter().chain(&others).copied(), killers.len(), all);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "    by {} ({} of its sentence): {named}", killers.len(), own.len());
    text
}

/// The ids of the killers, or of the first few of them.
pub(super) fn named<'a>(
    killers: impl Iterator<Item = &'a CaseResult>,
    count: usize,
    all: bool,
) -> String {
    let most = if all { count } else { NAMED };
    let named: Vec<&str> = killers.take(most).map(|killer| &*killer.id).collect();
    match count - named.len() {
        0 => named.join(", "),
        more => format!("{}, and {more} more", named.join(", ")),
    }
}
