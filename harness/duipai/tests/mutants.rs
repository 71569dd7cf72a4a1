//! The suite must fail when it must: every mutant is killed, by a must-level
//! case, and by one that speaks of the sentence that the mutant breaks.

use std::{collections::BTreeSet, sync::Arc};

use duipai::{
    mutants::{self, Mutant},
    runner::{self, CaseResult, Options, Status},
    subject::Subject,
    subjects::native::Native,
    suite::Suite,
};
use duipai_mutants::parts::Parts;
use duipai_spec::ledger::Level;

fn run(suite: &Suite, subject: &Arc<dyn Subject>) -> Vec<CaseResult> {
    runner::run(&suite.cases, subject, &Options::default(), &())
}

#[test]
fn names_are_unique_and_sentences_exist() {
    let suite = Suite::builtin().unwrap();
    let mut names = BTreeSet::new();
    for mutant in mutants::all() {
        assert!(names.insert(mutant.name), "{} is named twice", mutant.name);
        let sentence = suite.ledger.find(mutant.breaks);
        let level = sentence.unwrap_or_else(|| panic!("{}: no sentence", mutant.name)).level();
        assert!(level.is_some(), "{} breaks an excluded sentence", mutant.name);
    }
    assert!(names.len() >= 30, "{} mutants", names.len());
}

/// With nothing swapped, the parts are the reference: what kills a mutant is
/// its fault and not the way it is put together.
#[test]
fn the_parts_put_together_pass_everything() {
    let suite = Suite::builtin().unwrap();
    let parts: Arc<dyn Subject> = Arc::new(Native::new("parts", "0", || Parts::REFERENCE));
    for result in run(&suite, &parts) {
        let detail = result.detail().unwrap_or_default();
        assert_eq!(result.status(), Status::Passed, "{}: {detail}", result.id);
    }
}

#[test]
fn every_mutant_is_killed() {
    let suite = Suite::builtin().unwrap();
    let mut holes = Vec::new();
    for mutant in mutants::all() {
        if let Err(hole) = killed(mutant, &suite) {
            holes.push(hole);
        }
    }
    assert!(holes.is_empty(), "{}", holes.join("\n"));
}

fn killed(mutant: &'static Mutant, suite: &Suite) -> Result<(), String> {
    let results = run(suite, &mutant.subject());
    let killers: Vec<_> = results
        .iter()
        .filter(|result| result.level == Level::Must && result.status().is_bad())
        .collect();
    if killers.is_empty() {
        return Err(format!("{} survives: {}", mutant.name, mutant.does));
    }
    let of_sentence =
        |killer: &&&CaseResult| killer.says.iter().any(|says| says.as_str() == mutant.breaks);
    match killers.iter().find(of_sentence) {
        Some(_) => Ok(()),
        None => Err(format!("{} is killed by no case of {}", mutant.name, mutant.breaks)),
    }
}
