//! Times, and the table of their ratios.

use std::{hint::black_box, time::Instant};

use crate::corpora::Corpus;

/// One way to do it: how it is called, and what it does.
pub(crate) struct Way {
    pub(crate) name: String,
    run: Box<dyn Fn(&str)>,
}

impl Way {
    pub(crate) fn new<T>(name: impl Into<String>, run: impl Fn(&str) -> T + 'static) -> Self {
        let run = move |text: &str| drop(black_box(run(black_box(text))));
        Self { name: name.into(), run: Box::new(run) }
    }
}

/// A row of the table: microseconds for each corpus.
#[derive(Clone)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) micros: Vec<f64>,
}

impl Row {
    /// How much of another row's time this one takes, for each corpus.
    pub(crate) fn ratios(&self, to: &Self) -> Vec<f64> {
        self.micros.iter().zip(&to.micros).map(|(one, other)| one / other).collect()
    }
}

pub(crate) fn geometric_mean(numbers: &[f64]) -> f64 {
    (numbers.iter().map(|number| number.ln()).sum::<f64>() / numbers.len() as f64).exp()
}

/// The best of many short rounds. The ways take turns, so that a disturbance
/// falls on all of them.
pub(crate) fn measure(ways: &[Way], corpora: &[Corpus]) -> Vec<Row> {
    const ROUNDS: usize = 250;
    /// A round is at least about as long as this.
    const MICROS: f64 = 60.0;
    let mut rows: Vec<_> =
        ways.iter().map(|way| Row { name: way.name.clone(), micros: Vec::new() }).collect();
    for Corpus { text, .. } in corpora {
        let once = |way: &Way, times: usize| {
            let start = Instant::now();
            for _ in 0..times {
                (way.run)(text);
            }
            start.elapsed().as_secs_f64() * 1e6 / times as f64
        };
        let times: Vec<_> = ways
            .iter()
            .map(|way| {
                let shortest = (0..5).map(|_| once(way, 3)).fold(f64::INFINITY, f64::min);
                (MICROS / shortest).clamp(1.0, 1000.0) as usize
            })
            .collect();
        let mut best = vec![f64::INFINITY; ways.len()];
        for _ in 0..ROUNDS {
            for ((way, times), best) in ways.iter().zip(&times).zip(&mut best) {
                *best = best.min(once(way, *times));
            }
        }
        for (row, best) in rows.iter_mut().zip(best) {
            row.micros.push(best);
        }
    }
    rows
}

/// Prints the rows as ratios to the first one, which stands in microseconds.
pub(crate) fn print(title: &str, corpora: &[Corpus], rows: &[Row]) {
    let Some(first) = rows.first() else { return };
    println!("\n{title}");
    print!("{:38}", "");
    for corpus in corpora {
        print!("{:>9}", corpus.name);
    }
    println!("{:>9}", "geo");
    line(&format!("{}, µs", first.name), &first.micros, geometric_mean(&first.micros), 1);
    for row in &rows[1..] {
        let ratios = row.ratios(first);
        line(&row.name, &ratios, geometric_mean(&ratios), 3);
    }
}

fn line(name: &str, numbers: &[f64], mean: f64, decimals: usize) {
    print!("{name:38}");
    for number in numbers {
        print!("{number:9.decimals$}");
    }
    println!("{mean:9.decimals$}");
}

/// Prints whether something is reached.
pub(crate) fn verdict(what: &str, reached: bool, seen: &str) {
    println!("{:12} {what}: {seen}", if reached { "reached" } else { "NOT REACHED" });
}
