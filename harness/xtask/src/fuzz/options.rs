//! The command line of `cargo xtask fuzz`.

use std::{num::NonZeroUsize, time::Duration};

use super::tools;

/// What can be asked for.
pub(crate) const USAGE: &str = "\
  fuzz [--time 8h] [--jobs N] [--target T]…
           run the fuzz targets in turn, N at once, merge their corpora, report
  fuzz --smoke [--time 60s]
           run every target for a minute, two at once: nothing may be found but
           the canary's fault, and texts must mostly be accepted
  fuzz --compare [--time 20s]
           executions a second of the targets, beside a bare JSON parser
           with --no-wasm, what needs a WebAssembly engine is left out;
           with --sanitizer address, which needs a nightly toolchain, there is one
";

/// Longest run.
const MOST_SECONDS: u64 = 30 * 24 * 3600;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// As long as there is time; findings do not end it.
    Long,
    /// A short run.
    Smoke,
    /// The targets beside a bare parser.
    Compare,
}

/// What is asked for.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Options {
    pub(super) mode: Mode,
    /// Targets, in the order in which they are started.
    pub(super) targets: Vec<String>,
    /// Fuzzers at once.
    pub(super) jobs: usize,
    /// Whether the engine is built in.
    pub(super) wasm: bool,
    /// The sanitizer that they are built with, as cargo-fuzz names it.
    pub(super) sanitizer: String,
    time: Duration,
}

/// The target that there is only with the engine.
const NEEDS_WASM: &str = "guest_bytes";

impl Options {
    /// Reads the arguments; `known` are the targets.
    pub(super) fn parse(arguments: &[String], known: &[String]) -> Result<Self, String> {
        let mut mode = None;
        let (mut targets, mut jobs, mut time, mut wasm) = (Vec::new(), None, None, true);
        let mut sanitizer = tools::NONE.to_owned();
        let mut arguments = arguments.iter();
        while let Some(argument) = arguments.next() {
            let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                "--smoke" | "--compare" if mode.is_some() => {
                    return Err("--smoke and --compare are two runs".to_owned());
                }
                "--smoke" => mode = Some(Mode::Smoke),
                "--compare" => mode = Some(Mode::Compare),
                "--no-wasm" => wasm = false,
                "--time" => time = Some(duration(value()?)?),
                "--jobs" => jobs = Some(count(value()?)?),
                "--sanitizer" => sanitizer = known_sanitizer(value()?)?,
                "--target" => targets.push(target(value()?, known)?),
                other => return Err(format!("unknown argument {other}\n{USAGE}")),
            }
        }
        let mode = mode.unwrap_or(Mode::Long);
        if !wasm && targets.iter().any(|target| target == NEEDS_WASM) {
            return Err(format!("{NEEDS_WASM} is not there with --no-wasm"));
        }
        if targets.is_empty() {
            targets = known.iter().filter(|it| wasm || *it != NEEDS_WASM).cloned().collect();
        }
        targets.sort();
        targets.dedup();
        let default = match mode {
            Mode::Long => 8 * 3600,
            Mode::Smoke => 60,
            Mode::Compare => 20,
        };
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        Ok(Self {
            mode,
            targets,
            jobs: jobs.unwrap_or(if mode == Mode::Smoke { 2 } else { cores }),
            wasm,
            sanitizer,
            time: time.unwrap_or(Duration::from_secs(default)),
        })
    }

    /// The time of one target: a short run gives each of them all of it, a long
    /// one divides it among them.
    pub(super) fn each(&self) -> Duration {
        if self.mode != Mode::Long {
            return self.time;
        }
        let targets = self.targets.len().max(1) as u64;
        let jobs = (self.jobs as u64).min(targets);
        Duration::from_secs((self.time.as_secs() * jobs / targets).max(1))
    }

    /// Cargo's arguments that build the harness. With the engine it is built among
    /// the tests of all packages, as `cargo xtask test` does: for another choice of
    /// packages the engine would be built once more.
    pub(super) fn duipai(&self) -> &'static [&'static str] {
        const WITH: &[&str] =
            &["test", "--quiet", "--workspace", "--locked", "--no-run", "--test", "fuzz_cli"];
        const WITHOUT: &[&str] = &[
            "build",
            "--quiet",
            "--locked",
            "--package",
            "duipai",
            "--no-default-features",
            "--features",
            "quickjs",
        ];
        if self.wasm { WITH } else { WITHOUT }
    }
}

fn target(name: &str, known: &[String]) -> Result<String, String> {
    if known.iter().any(|it| it == name) {
        return Ok(name.to_owned());
    }
    Err(format!("unknown fuzz target `{name}`; there are {}", known.join(", ")))
}

fn known_sanitizer(name: &str) -> Result<String, String> {
    match name {
        tools::NONE | "address" | "thread" => Ok(name.to_owned()),
        _ => Err(format!("--sanitizer is {name}, expected none, address or thread")),
    }
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=64) => Ok(count),
        _ => Err(format!("--jobs is {text}, expected a number from 1 to 64")),
    }
}

/// A time such as `8h`, `30m`, `60s` or `60`.
fn duration(text: &str) -> Result<Duration, String> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "h" => Some(3600),
        "m" => Some(60),
        "s" | "" => Some(1),
        _ => None,
    };
    let seconds = digits.parse::<u64>().ok().zip(unit).and_then(|(n, unit)| n.checked_mul(unit));
    match seconds {
        Some(seconds @ 1..=MOST_SECONDS) => Ok(Duration::from_secs(seconds)),
        _ => Err(format!("--time is {text}, expected such as 8h, 30m or 60s, up to 720h")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(arguments: &[&str]) -> Result<Options, String> {
        let owned = |list: &[&str]| list.iter().map(|it| (*it).to_owned()).collect::<Vec<_>>();
        Options::parse(&owned(arguments), &owned(&["canary", "guest_bytes", "split"]))
    }

    #[test]
    fn arguments_are_read() {
        let smoke = parse(&["--smoke", "--no-wasm"]).expect("a smoke run");
        assert_eq!((smoke.mode, smoke.jobs, smoke.wasm), (Mode::Smoke, 2, false));
        assert_eq!(smoke.targets, ["canary", "split"]);
        assert_eq!(smoke.each(), Duration::from_secs(60));
        let long = parse(&["--time", "2h", "--jobs", "2", "--target", "split"]).expect("a run");
        assert_eq!((long.mode, &*long.targets), (Mode::Long, &["split".to_owned()][..]));
        assert_eq!(long.each(), Duration::from_secs(7200));
        let all = parse(&["--time", "3m", "--jobs", "1"]).expect("a run");
        assert_eq!(all.each(), Duration::from_secs(60));
    }

    #[test]
    fn bad_arguments_are_named() {
        for (arguments, expected) in [
            (&["--time"][..], "--time needs a value"),
            (&["--time", "0"], "--time is 0, expected"),
            (&["--time", "9d"], "--time is 9d, expected"),
            (&["--time", "é"], "--time is é, expected"),
            (&["--time", "99999999999999999999h"], "--time is 9"),
            (&["--sanitizer", "x"], "--sanitizer is x, expected none"),
            (&["--jobs", "0"], "--jobs is 0, expected"),
            (&["--target", "splat"], "unknown fuzz target `splat`; there are canary"),
            (&["--no-wasm", "--target", "guest_bytes"], "guest_bytes is not there"),
            (&["--smoke", "--compare"], "--smoke and --compare"),
            (&["x"], "unknown argument x"),
        ] {
            let error = parse(arguments).expect_err("a bad argument");
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
