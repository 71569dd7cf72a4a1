//! How long the reference takes for the built-in suite and for every vector.
//!
//! `cargo bench --bench suite`; each line is the best and the median of several
//! runs. Nothing is asserted: numbers belong to the machine.

#![expect(clippy::print_stdout, reason = "a bench speaks to a person")]
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::{fs, path::Path, sync::Arc, time::Instant};

use duipai::{
    case::Case,
    runner::{self, Options},
    subject::Subject,
    subjects,
    suite::Suite,
    vectors,
};

const RUNS: usize = 7;

fn main() {
    let subject = subjects::from_spec("native").unwrap();
    let suite = Suite::builtin().unwrap();
    bench("built-in suite, loading", 0, || drop(Suite::builtin().unwrap()));
    play("built-in suite", &suite.cases, &subject);
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/vectors");
    let mut files: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    bench("all vectors, loading", 0, || drop(vectors::load(&files).unwrap()));
    play("all vectors", &vectors::load(&files).unwrap().cases, &subject);
}

fn play(what: &str, cases: &[Case], subject: &Arc<dyn Subject>) {
    bench(what, cases.len(), || drop(runner::run(cases, subject, &Options::default(), &())));
}

fn bench(what: &str, cases: usize, run: impl Fn()) {
    let mut times: Vec<f64> = (0..RUNS)
        .map(|_| {
            let start = Instant::now();
            run();
            start.elapsed().as_secs_f64() * 1e3
        })
        .collect();
    times.sort_by(f64::total_cmp);
    let (best, median) = (times[0], times[RUNS / 2]);
    println!("{what:26} {cases:6} cases  best {best:8.1} ms  median {median:8.1} ms");
}
