//! The wrong implementations of the package are killed as guests too.

use std::{env, path::Path, sync::Arc};

use duipai::{
    case::Case,
    mutants::{self, Fault, Mutant},
    runner::{self, Options, Status},
    subject::Subject,
    subjects::wasm::Mutants,
    suite::Suite,
};
use duipai_spec::ledger::Level;

/// Names a file to take the guest from, in place of the one that is checked in.
const FILE: &str = "DUIPAI_MUTANTS";

/// Every one of them, by a must-level case that speaks of the sentence that it
/// breaks.
#[test]
fn every_mutant_of_the_package_is_killed_as_a_guest() {
    let suite = Suite::builtin().unwrap();
    let built = env::var_os(FILE).map(|file| Mutants::from_file(Path::new(&file)).unwrap());
    let guest = built.as_ref().unwrap_or_else(|| Mutants::builtin().unwrap());
    let (mut guests, mut survivors) = (0, Vec::new());
    for mutant in mutants::all().filter(|mutant| matches!(mutant.fault, Fault::Part(_))) {
        guests += 1;
        if !killed(mutant, &suite, guest) {
            survivors.push(mutant.name);
        }
    }
    assert_eq!(survivors, Vec::<&str>::new());
    assert!(guests >= 90, "{guests} mutants of the package");
}

fn killed(mutant: &'static Mutant, suite: &Suite, guest: &Mutants) -> bool {
    let of_sentence = |case: &&Case| case.says.iter().any(|says| says.as_str() == mutant.breaks);
    let cases: Vec<Case> = suite.cases.iter().filter(of_sentence).cloned().collect();
    let guest: Arc<dyn Subject> = Arc::new(guest.mutant(mutant.name));
    runner::run(&cases, &guest, &Options::default(), &())
        .iter()
        .any(|result| result.level == Level::Must && result.status() == Status::Failed)
}

/// What the harness does not know is refused where the guest is named.
#[test]
fn only_mutants_of_the_package_are_guests() {
    let refused = |spec: &str| match duipai::subjects::from_spec(spec) {
        Ok(_) => panic!("{spec} was started"),
        Err(error) => error.to_string(),
    };
    assert_eq!(
        refused("wasm-mutant:uncaught-swallowed"),
        "mutant `uncaught-swallowed` is a fault of the host, not of a guest; run it as \
         `mutant:uncaught-swallowed`"
    );
    assert!(refused("wasm-mutant:no-such").starts_with("unknown mutant `no-such`"));
}
