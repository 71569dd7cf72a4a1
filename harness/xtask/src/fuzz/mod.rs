//! `cargo xtask fuzz`: the fuzz targets, for as long as there is time.
//!
//! | module | holds |
//! | --- | --- |
//! | `options` | the command line |
//! | `tools` | what must be installed; the one build |
//! | `pool` | several fuzzers at once, bounded, none left behind |
//! | `compare` | executions a second beside a bare parser |

mod compare;
mod options;
mod pool;
mod tools;

use std::{
    fs,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
    time::Duration,
};

use self::{
    options::{Mode, Options},
    pool::{Job, Pool},
    tools::Fuzzers,
};
use crate::{cargo, project, succeeds, tell};

pub(crate) use self::options::USAGE;

/// The target with a planted fault, which it must find soon.
const CANARY: &str = "canary";

/// Executions within which the canary must find its fault.
const CANARY_RUNS: &str = "-runs=20000";

/// Acceptance that targets over JSON must reach in a short run, in per cent.
const LEAST_ACCEPTANCE: &str = "30";

/// Memory of one fuzzer, in MiB.
const MEMORY: &str = "-rss_limit_mb=2048";

/// Time for one input, in seconds.
const INPUT_SECONDS: &str = "-timeout=20";

/// Time that a fuzzer is given to come to its end by itself.
const GRACE: Duration = Duration::from_secs(60);

/// Longest merge of one target's corpus.
const MERGE: Duration = Duration::from_secs(600);

/// Runs what `arguments` ask for.
pub(crate) fn fuzz(arguments: &[String]) -> ExitCode {
    match prepare(arguments) {
        Ok((options, fuzzers)) => {
            let done = match options.mode {
                Mode::Compare => compare::compare(&options, &fuzzers),
                Mode::Smoke | Mode::Long => run(&options, &fuzzers),
            };
            match done {
                Ok(true) => ExitCode::SUCCESS,
                Ok(false) => ExitCode::FAILURE,
                Err(error) => complain(&error),
            }
        }
        Err(error) => complain(&error),
    }
}

fn complain(error: &str) -> ExitCode {
    tell(&format!("error: {error}\n"));
    ExitCode::from(2)
}

fn prepare(arguments: &[String]) -> Result<(Options, Fuzzers), String> {
    let options = Options::parse(arguments, &targets()?)?;
    tools::installed(&options.sanitizer)?;
    let fuzzers = Fuzzers::build(&options)?;
    Ok((options, fuzzers))
}

/// The targets: each has its folder in `corpus/`, which a test holds to the
/// registry.
fn targets() -> Result<Vec<String>, String> {
    let folder = corpus();
    let unreadable = |error| format!("{}: {error}", folder.display());
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        if entry.path().is_dir() && name != "vectors" {
            names.push(name);
        }
    }
    names.sort();
    Ok(names)
}

fn corpus() -> PathBuf {
    project_absolute().join("corpus")
}

/// The project's folder, for programs that run in another.
fn project_absolute() -> PathBuf {
    let project = project();
    project.canonicalize().unwrap_or(project)
}

/// Runs the targets, merges what they learnt, and reports.
fn run(options: &Options, fuzzers: &Fuzzers) -> Result<bool, String> {
    let folder = fuzzers.new_run()?;
    tell(&format!(
        "{} targets, {} at once, {} s each; all of it is in {}\n",
        options.targets.len(),
        options.jobs,
        options.each().as_secs(),
        folder.display()
    ));
    let mut pool = Pool::new(options.jobs)?;
    let mut jobs = Vec::new();
    for target in &options.targets {
        jobs.push(job(options, fuzzers, target, &folder.join(target))?);
    }
    let mut whole = pool.run(jobs);
    if whole && options.mode == Mode::Long {
        let mut merges = Vec::new();
        for target in &options.targets {
            merges.push(merge(fuzzers, target, &folder.join(target))?);
        }
        whole = pool.run(merges);
    }
    // What was found before an interruption is worth telling too.
    let path = folder.display().to_string();
    let mut report = vec!["fuzz-report".to_owned(), path];
    if options.mode == Mode::Smoke {
        report.extend(["--least-acceptance", LEAST_ACCEPTANCE].map(str::to_owned));
    }
    let mut duipai = Command::new(tools::target_folder().join("debug/duipai"));
    let expected = cargo(options.duipai(), &[]) && succeeds(duipai.args(&report));
    if !whole {
        tell("the run was cut short\n");
    }
    Ok(whole && expected)
}

/// One target's fuzzer, with its folders made.
fn job(options: &Options, fuzzers: &Fuzzers, target: &str, folder: &Path) -> Result<Job, String> {
    for name in ["corpus", "counts", "findings"] {
        make(&folder.join(name))?;
    }
    let each = options.each();
    let mut command = fuzzer(fuzzers, target, folder);
    command.env("DUIPAI_FUZZ_COUNTS", folder.join("counts"));
    command.arg(format!("-artifact_prefix={}/", folder.join("findings").display()));
    command.arg(format!("-max_total_time={}", each.as_secs()));
    command.args(["-print_final_stats=1", INPUT_SECONDS]);
    if target == CANARY {
        command.arg(CANARY_RUNS);
    } else if options.mode == Mode::Long {
        // A process of its own for every stretch, so that a finding, a hang or a
        // leak does not end the night.
        command.args(["-fork=1", "-ignore_crashes=1", "-ignore_timeouts=1", "-ignore_ooms=1"]);
    }
    if options.mode == Mode::Smoke {
        command.arg("-seed=1");
    }
    // New inputs go to the first folder; the other is read, regressions included.
    command.arg(folder.join("corpus")).arg(corpus().join(target));
    Ok(Job { name: target.to_owned(), command, log: folder.join("log.txt"), limit: each + GRACE })
}

/// A fuzzer that keeps of the corpus what it takes to reach what all of it does.
fn merge(fuzzers: &Fuzzers, target: &str, folder: &Path) -> Result<Job, String> {
    let minimised = folder.join("minimised");
    make(&minimised)?;
    let mut command = fuzzer(fuzzers, target, folder);
    command.arg("-merge=1").arg(format!("-max_total_time={}", MERGE.as_secs()));
    command.arg(&minimised).arg(folder.join("corpus"));
    if target != CANARY {
        command.arg(corpus().join(target));
    }
    Ok(Job {
        name: format!("{target}, corpus"),
        command,
        log: folder.join("merge.txt"),
        limit: MERGE + GRACE,
    })
}

fn fuzzer(fuzzers: &Fuzzers, target: &str, folder: &Path) -> Command {
    let mut command = Command::new(fuzzers.program(target));
    // Whatever libFuzzer writes without being asked stays in the run's folder.
    command.current_dir(folder);
    command.arg(format!("-dict={}", project_absolute().join("fuzz/duipai.dict").display()));
    command.arg(MEMORY);
    command
}

fn make(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("cannot make {}: {error}", folder.display()))
}
