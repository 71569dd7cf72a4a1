//! `duipai mutants --platform`.

use std::sync::Arc;

use duipai_platform::mutants::{MUTANTS, Mutant};

use crate::{
    case::Case,
    cli::{
        CliError, Done,
        args::MutantsArgs,
        mutants::{chosen_of, named},
        output,
    },
    runner::{self, CaseResult, Options},
    subject::{Answers, Subject},
    subjects::platform::WrongModel,
    suite::Suite,
};

/// Runs the platform cases of the built-in suite against every wrong platform.
pub(super) fn platform_mutants(args: &MutantsArgs) -> Result<Done, CliError> {
    let chosen = chosen_of(MUTANTS.iter(), |mutant| mutant.name, args)?;
    if args.list {
        let line = |mutant: &&Mutant| {
            let Mutant { name, profile, does, .. } = mutant;
            format!("{name}  of platform:{}: {does}\n", profile.name())
        };
        output::print(&chosen.iter().map(line).collect::<String>())?;
        return Ok(Done::Conformant);
    }
    let suite = Suite::builtin()?;
    let mut survivors = 0;
    for mutant in &chosen {
        let killers = killers(mutant, suite.of(Answers::Platform));
        survivors += usize::from(killers.is_empty());
        output::print(&row(mutant, &killers, args.all_killers))?;
    }
    let killed = chosen.len() - survivors;
    output::print(&format!("{} mutants, {killed} killed, {survivors} survived\n", chosen.len()))?;
    Ok(Done::conformant_if(survivors == 0))
}

/// The cases that the mutant does not pass.
fn killers(mutant: &'static Mutant, cases: &[Case]) -> Vec<CaseResult> {
    let subject: Arc<dyn Subject> = Arc::new(WrongModel::new(mutant));
    let results = runner::run(cases, &subject, &Options::of(&*subject), &());
    results.into_iter().filter(|result| result.status().is_bad()).collect()
}

fn row(mutant: &Mutant, killers: &[CaseResult], all: bool) -> String {
    let Mutant { name, breaks, does, .. } = mutant;
    let word = if killers.is_empty() { "SURVIVED" } else { "killed" };
    let mut text = format!("{word} {name}  breaks \"{breaks}\": {does}\n");
    if !killers.is_empty() {
        let named = named(killers.iter(), killers.len(), all);
        text += &format!("    by {}: {named}\n", killers.len());
    }
    text
}
