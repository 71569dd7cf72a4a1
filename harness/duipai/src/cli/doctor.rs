//! `duipai doctor`.

use std::{env, fmt::Write as _, thread};

use duipai_spec::{SPEC_NAME, SPEC_VERSION};

use crate::{
    cli::{CliError, Done, output},
    mutants,
    runner::{self, Options, Status},
    subject::Answers,
    subjects::{self, miniflare, worker},
    suite::Suite,
};

/// The subjects that need nothing but this program.
#[cfg(feature = "wasm")]
const BUILT_IN: &[&str] = &["native", "wasm", "platform:cloudflare", "platform:miniflare"];
#[cfg(not(feature = "wasm"))]
const BUILT_IN: &[&str] = &["native", "platform:cloudflare", "platform:miniflare"];

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
            let of = |kind| suite.of(kind).len();
            let (package, platform) = (of(Answers::Package), of(Answers::Platform));
            let digest = &suite.digest;
            let what = format!(
                "built-in suite: {package} cases, and {platform} of the platform, {digest}"
            );
            line(true, &what);
            let workerd = worker::installed();
            match &workerd {
                Ok(version) => line(true, &format!("workerd {version}")),
                // Whoever does not judge Workers does not miss it.
                Err(error) => line(true, &format!("no subject worker: {error}")),
            }
            match miniflare::installed() {
                Ok(what) => line(true, &what),
                Err(error) => line(true, &format!("no subject miniflare: {error}")),
            }
            let worker = workerd.is_ok().then_some(&"worker");
            for spec in BUILT_IN.iter().chain(worker) {
                let subject = match subjects::from_spec(spec) {
                    Ok(subject) => subject,
                    Err(error) => {
                        line(false, &format!("subject {spec}: {error}"));
                        continue;
                    }
                };
                let cases = suite.of(subject.answers());
                let results = runner::run(cases, &subject, &Options::of(&*subject), &());
                let with = |status| results.iter().filter(|r| r.status() == status).count();
                let asked = cases.len() - with(Status::NotApplicable);
                let passed = with(Status::Passed);
                let engine = subject.identity().engine;
                let what = format!("subject {spec} on {engine}: {passed} of {asked} passed");
                line(passed == asked, &what);
            }
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
