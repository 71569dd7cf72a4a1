//! The command line (a contract: verbs and flags keep their names).

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use duipai_platform::Profile;
use duipai_spec::ledger::Level;

/// Says whether an implementation of the 豫言 message-queue interface is right,
/// sentence by sentence.
///
/// Exit status: 0 conformant; 1 not conformant; 2 the command, a file or the
/// subject cannot be used.
#[derive(Debug, Parser)]
#[command(name = "duipai", version, max_term_width = 100)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) verb: Verb,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(super) enum Verb {
    /// Judge a subject and report.
    Run(RunArgs),
    /// List the cases that a run would declare.
    List(SelectArgs),
    /// Show one case: its sentences, its input, what must be observed.
    Explain(ExplainArgs),
    /// Show every sentence with its cases; fails if one has none.
    Coverage(CoverageArgs),
    /// Judge every mutant and show which cases kill it; fails if one survives.
    Mutants(MutantsArgs),
    /// Sum up a run of the fuzz targets; fails if one found something.
    FuzzReport(FuzzReportArgs),
    /// Shrink an input that a fuzz target found, and write a candidate case;
    /// fails if the input does not, or if there is such a case.
    Promote(PromoteArgs),
    /// Say what is in place and what is missing on this machine.
    Doctor,
}

/// Which cases.
#[derive(Debug, Args)]
pub(super) struct SelectArgs {
    /// Folder of case files, instead of the built-in suite (may be repeated).
    #[arg(long, value_name = "DIR")]
    pub(super) cases: Vec<PathBuf>,
    /// File of oracle vectors, instead of the built-in suite (may be repeated).
    #[arg(long, value_name = "FILE")]
    pub(super) vectors: Vec<PathBuf>,
    /// Only cases whose id matches; `!GLOB` leaves cases out (may be repeated).
    #[arg(long, value_name = "GLOB")]
    pub(super) filter: Vec<String>,
    /// Only cases of this level and stricter ones, and all of them count for
    /// the exit status. Without it everything runs and the must level counts.
    #[arg(long, value_name = "LEVEL", value_parser = level)]
    pub(super) level: Option<Level>,
}

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(super) struct RunArgs {
    /// What to judge: `native`, `wasm`, `wasm:FILE`, `worker`, `worker:DIR`,
    /// `worker-wire`, `worker-wire:DIR`, `http:URL`, `mutant:NAME`,
    /// `platform:PROFILE`, or `miniflare`.
    #[arg(long, value_name = "SUBJECT", default_value = "native", env = "DUIPAI_SUBJECT")]
    pub(super) subject: String,
    /// Let `http:URL` lead to another machine.
    #[arg(long)]
    pub(super) allow_remote: bool,
    #[command(flatten)]
    pub(super) select: SelectArgs,
    /// The queue platform whose behaviour after an event is expected, by default
    /// `cloudflare`. A subject that is a platform has its own.
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    pub(super) profile: Option<Profile>,
    /// File of known deviations.
    #[arg(long, value_name = "FILE")]
    pub(super) known: Option<PathBuf>,
    /// Longest time for one case, in seconds; by default 30, and 120 for a subject
    /// that plays many cases together in real time.
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    pub(super) timeout: Option<f64>,
    /// Cases run at the same time; by default one for each core.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: Option<u16>,
    /// Stop at the first case that counts and fails.
    #[arg(long)]
    pub(super) fail_fast: bool,
    /// Form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub(super) format: Format,
    /// Write the report to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    pub(super) out: Option<PathBuf>,
    /// Write how long every case took to this file, as JSON.
    #[arg(long, value_name = "FILE")]
    pub(super) timings: Option<PathBuf>,
}

/// Form of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// For people.
    Pretty,
    /// One JSON document.
    Json,
    /// JUnit XML.
    Junit,
    /// Markdown.
    Md,
}

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// Id of a case, or of a sentence.
    pub(super) id: String,
    /// Folder of case files, instead of the built-in suite (may be repeated).
    #[arg(long, value_name = "DIR")]
    pub(super) cases: Vec<PathBuf>,
    /// File of oracle vectors, instead of the built-in suite (may be repeated).
    #[arg(long, value_name = "FILE")]
    pub(super) vectors: Vec<PathBuf>,
}

/// Arguments of `coverage`.
#[derive(Debug, Args)]
pub(super) struct CoverageArgs {
    /// Folder of case files, instead of the built-in suite (may be repeated).
    #[arg(long, value_name = "DIR")]
    pub(super) cases: Vec<PathBuf>,
}

/// Arguments of `mutants`.
#[derive(Debug, Args)]
pub(super) struct MutantsArgs {
    /// Only mutants whose name matches (may be repeated).
    #[arg(long, value_name = "GLOB")]
    pub(super) filter: Vec<String>,
    /// Name the mutants and what they do, and run nothing.
    #[arg(long)]
    pub(super) list: bool,
    /// Name every case that kills a mutant, not only the first few.
    #[arg(long)]
    pub(super) all_killers: bool,
    /// Run the wrong platforms against the platform cases, instead of the wrong
    /// packages and hosts.
    #[arg(long)]
    pub(super) platform: bool,
    /// Run those of the package as WebAssembly guests, instead of all of them
    /// natively.
    #[cfg(feature = "wasm")]
    #[arg(long, conflicts_with = "platform")]
    pub(super) guests: bool,
}

/// Arguments of `fuzz-report`.
#[derive(Debug, Args)]
pub(super) struct FuzzReportArgs {
    /// Folder of the run, with a folder for each target; `cargo xtask fuzz`
    /// says which it is.
    pub(super) folder: PathBuf,
    /// Form of the report.
    #[arg(long, value_name = "FORMAT", default_value = "pretty")]
    pub(super) format: FuzzReportFormat,
    /// Fail also where a target over JSON accepted less than this share of its
    /// inputs, in per cent.
    #[arg(long, value_name = "PERCENT", value_parser = percent)]
    pub(super) least_acceptance: Option<f64>,
}

/// Form of the report of a fuzz run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum FuzzReportFormat {
    /// For people.
    Pretty,
    /// One JSON document.
    Json,
}

/// Arguments of `promote`.
#[derive(Debug, Args)]
pub(super) struct PromoteArgs {
    /// The input, as the target found it.
    pub(super) input: PathBuf,
    /// The target that found it.
    #[arg(long, value_name = "TARGET")]
    pub(super) target: String,
    /// Folder for the candidate, instead of `cases/candidates`.
    #[arg(long, value_name = "DIR")]
    pub(super) out: Option<PathBuf>,
}

fn level(name: &str) -> Result<Level, String> {
    let names = || Level::ALL.map(Level::name).join(", ");
    Level::from_name(name).ok_or_else(|| format!("one of {}", names()))
}

fn profile(name: &str) -> Result<Profile, String> {
    let names = || Profile::ALL.map(Profile::name).join(", ");
    Profile::from_name(name).ok_or_else(|| format!("one of {}", names()))
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(seconds) if (0.001..=86_400.0).contains(&seconds) => Ok(seconds),
        _ => Err("a number of seconds from 0.001 to 86400".to_owned()),
    }
}

fn percent(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(share) if (0.0..=100.0).contains(&share) => Ok(share),
        _ => Err("a share from 0 to 100 per cent".to_owned()),
    }
}
