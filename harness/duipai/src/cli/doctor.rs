//! `duipai doctor`.

use std::{env, fmt::Write as _, thread};

use duipai_spec::{SPEC_NAME, SPEC_VERSION};

use crate::{
    cli::{CliError, Done, output},
    mutants,
    runner::{self, Options, Status},
    subjects,
    suite::Suite,
};

/// What is in place, and what a run would trip over.
pub(super) fn doctor() -> Result<Done, CliError> {
    let mut text = String::new();
    let mut well = true;
    let mut line = |holds: bool, what: &str| {
        well &= holds;
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{} {what}", if holds { "ok  " } else { "FAIL" });
    };
    line(true, &format!("duipai {} for {SPEC_NAME} {SPEC_VERSION}", env!("CARGO_PKG_VERSION")));
    line(true, &format!("{} cores", thread::available_parallelism().map_or(1, usize::from)));
    match Suite::builtin() {
        Err(error) => line(false, &format!("built-in suite: {error}")),
        Ok(suite) => {
            let (count, digest) = (suite.cases.len(), &suite.digest);
            line(true, &format!("built-in suite: {count} cases, {digest}"));
            let reference = subjects::from_spec("native")?;
            let results = runner::run(&suite.cases, &reference, &Options::default(), &());
            let passed = results.iter().filter(|r| r.status() == Status::Passed).count();
            line(passed == count, &format!("subject native: {passed} of {count} passed"));
        }
    }
    line(true, &format!("subject mutant:NAME: {} mutants", mutants::all().count()));
    if let Ok(spec) = env::var("DUIPAI_SUBJECT") {
        match subjects::from_spec(&spec) {
            Ok(_) => line(true, &format!("DUIPAI_SUBJECT={spec}")),
            Err(error) => line(false, &format!("DUIPAI_SUBJECT: {error}")),
        }
    }
    output::print(&text)?;
    Ok(Done::conformant_if(well))
}
