//! Executions a second of the targets beside a bare JSON parser: what is left of
//! a fuzzer's speed when an input is not only parsed but judged.

use std::{fs, path::Path, time::Duration};

use super::{
    GRACE, corpus, fuzzer, make,
    options::Options,
    pool::{Job, Pool},
    tools::Fuzzers,
};
use crate::tell;

/// The parser and nothing else.
const BARE: &str = "bare_json";

/// The targets that are held against it.
const COMPARED: [&str; 3] = ["split", "batch_verdict", "send_verdict"];

/// What is to be left.
const LEAST: f64 = 0.5;

/// Prints the table; whether every target keeps its share.
pub(super) fn compare(options: &Options, fuzzers: &Fuzzers) -> Result<bool, String> {
    let folder = fuzzers.new_run()?;
    // One at a time, so that they do not take each other's time.
    let mut pool = Pool::new(1)?;
    let mut table = format!("{:<14} {:>10} {:>10} {:>6}\n", "corpus of", "bare", "target", "ratio");
    let mut kept = true;
    for target in COMPARED.iter().filter(|name| options.targets.iter().any(|it| it == *name)) {
        let mut speed = |program: &str| -> Result<u64, String> {
            let own = folder.join(format!("{target}-{program}"));
            let job = job(fuzzers, program, target, &own, options.each())?;
            let log = job.log.clone();
            if !pool.run(vec![job]) {
                return Err(format!("{program} did not come to its end; see {}", log.display()));
            }
            a_second(&log)
        };
        let (bare, judged) = (speed(BARE)?, speed(target)?);
        // Executions a second stay far below 2^52.
        let ratio = judged as f64 / bare.max(1) as f64;
        kept &= ratio >= LEAST;
        table += &format!("{target:<14} {bare:>10} {judged:>10} {ratio:>6.2}\n");
    }
    tell(&table);
    Ok(kept)
}

fn job(
    fuzzers: &Fuzzers,
    program: &str,
    target: &str,
    folder: &Path,
    time: Duration,
) -> Result<Job, String> {
    make(&folder.join("corpus"))?;
    let mut command = fuzzer(fuzzers, program, folder);
    command.args(["-print_final_stats=1", "-seed=1", "-max_len=1024"]);
    command.arg(format!("-max_total_time={}", time.as_secs()));
    command.arg(folder.join("corpus")).arg(corpus().join(target));
    let name = format!("{program} on the corpus of {target}");
    Ok(Job { name, command, log: folder.join("log.txt"), limit: time + GRACE })
}

/// The average that libFuzzer tells at its end.
fn a_second(log: &Path) -> Result<u64, String> {
    let text = fs::read(log).map_err(|error| format!("{}: {error}", log.display()))?;
    let text = String::from_utf8_lossy(&text);
    let average = text.lines().find_map(|line| line.strip_prefix("stat::average_exec_per_sec:"));
    let average = average.and_then(|average| average.trim().parse().ok());
    average.ok_or_else(|| format!("{} tells no executions a second", log.display()))
}
