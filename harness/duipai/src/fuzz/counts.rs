//! How many inputs a target took: executions, and what became of them.
//!
//! libFuzzer counts executions but not what they were worth. Where the
//! environment names a folder ([`FOLDER_VARIABLE`]), every process writes its
//! counts there, now and then and at its end, for `duipai fuzz-report`; and it
//! tells them on standard error.

use std::{
    env, fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde::{Deserialize, Serialize};

use crate::fuzz::run::{Rejection, Run};

/// Names the folder that counts are written to.
pub const FOLDER_VARIABLE: &str = "DUIPAI_FUZZ_COUNTS";

/// Time between two writings.
const PAUSE: Duration = Duration::from_secs(1);

/// Executions from which on counts are told at every doubling.
const FIRST_TOLD: u64 = 1 << 12;

/// Executions between two looks at the clock.
const LOOK: u64 = 64;

/// What became of a target's executions.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Inputs that were run.
    pub executions: u64,
    /// Inputs that were well-formed, so that what is judged got past its parser.
    pub accepted: u64,
    /// Those of them that break a rule.
    pub refused: u64,
    /// Inputs that disagreed.
    pub found: u64,
    /// Inputs that were rejected: reason and number.
    pub rejected: Vec<(String, u64)>,
}

impl Counts {
    /// Share of the executions that were accepted; `None` without any.
    pub fn acceptance(&self) -> Option<f64> {
        // Counts stay far below 2^52.
        (self.executions > 0).then(|| self.accepted as f64 / self.executions as f64)
    }

    /// Adds what another process counted.
    pub fn add(&mut self, other: &Self) {
        self.executions = self.executions.saturating_add(other.executions);
        self.accepted = self.accepted.saturating_add(other.accepted);
        self.refused = self.refused.saturating_add(other.refused);
        self.found = self.found.saturating_add(other.found);
        for (reason, number) in &other.rejected {
            match self.rejected.iter_mut().find(|(known, _)| known == reason) {
                Some((_, sum)) => *sum = sum.saturating_add(*number),
                None => self.rejected.push((reason.clone(), *number)),
            }
        }
    }

    /// The counts in one line.
    pub fn line(&self) -> String {
        let share = self.acceptance().unwrap_or_default() * 100.0;
        let mut line =
            format!("{} executions, {} accepted ({share:.1} %)", self.executions, self.accepted);
        if self.refused > 0 {
            line += &format!(", {} of them against a rule", self.refused);
        }
        for (reason, number) in &self.rejected {
            line += &format!(", {number} {reason}");
        }
        if self.found > 0 {
            line += &format!(", {} found", self.found);
        }
        line
    }
}

/// The counts of this process for one target.
#[derive(Debug)]
pub struct Counter {
    target: &'static str,
    executions: u64,
    accepted: u64,
    refused: u64,
    found: u64,
    rejected: [u64; Rejection::ALL.len()],
    file: Option<PathBuf>,
    /// Whether the counts are told on standard error.
    tells: bool,
    written: Instant,
}

impl Counter {
    /// Counts that are kept in this process only.
    pub fn new(target: &'static str) -> Self {
        Self {
            target,
            executions: 0,
            accepted: 0,
            refused: 0,
            found: 0,
            rejected: [0; Rejection::ALL.len()],
            file: None,
            tells: false,
            written: Instant::now(),
        }
    }

    /// Counts that are told on standard error, and written to the folder which
    /// the environment names, if it does.
    pub fn from_env(target: &'static str) -> Self {
        let file = env::var_os(FOLDER_VARIABLE).map(|folder| free(Path::new(&folder), target));
        Self { file, tells: true, ..Self::new(target) }
    }

    /// Counts `run`.
    pub fn count(&mut self, run: &Run) {
        self.executions += 1;
        match run {
            Run::Accepted => self.accepted += 1,
            Run::Refused => {
                self.accepted += 1;
                self.refused += 1;
            }
            Run::Found(_) => self.found += 1,
            Run::Rejected(reason) => self.rejected[reason.index()] += 1,
        }
        let round = self.executions.is_power_of_two();
        // A finding ends the process.
        let due = matches!(run, Run::Found(_))
            || round
            || (self.executions.is_multiple_of(LOOK) && self.written.elapsed() >= PAUSE);
        if due {
            self.write();
        }
        if round && self.executions >= FIRST_TOLD {
            self.tell();
        }
    }

    /// The counts so far.
    pub fn counts(&self) -> Counts {
        let rejected = Rejection::ALL.into_iter().zip(self.rejected);
        let rejected = rejected.filter(|(_, number)| *number > 0);
        Counts {
            executions: self.executions,
            accepted: self.accepted,
            refused: self.refused,
            found: self.found,
            rejected: rejected.map(|(reason, n)| (reason.name().to_owned(), n)).collect(),
        }
    }

    /// A count that cannot be written is missing in the report, which says so;
    /// it is no reason to stop looking for faults.
    fn write(&mut self) {
        self.written = Instant::now();
        let Some(file) = &self.file else { return };
        let Ok(text) = serde_json::to_vec(&self.counts()) else { return };
        // A reader never sees half of it.
        let whole = file.with_extension("part");
        let _ = fs::write(&whole, text).and_then(|()| fs::rename(&whole, file));
    }

    #[expect(clippy::print_stderr, reason = "a target speaks beside libFuzzer")]
    fn tell(&self) {
        if !self.tells {
            return;
        }
        eprintln!("duipai: {}: {}", self.target, self.counts().line());
    }
}

/// The last word of a process that libFuzzer ends by `exit`.
impl Drop for Counter {
    fn drop(&mut self) {
        if self.executions > 0 {
            self.write();
            self.tell();
        }
    }
}

/// A name for this process's counts that no earlier process left behind.
fn free(folder: &Path, target: &str) -> PathBuf {
    let process = std::process::id();
    let name = |at: u32| folder.join(format!("{target}.{process}.{at}.json"));
    (0..).map(name).find(|path| !path.exists()).unwrap_or_else(|| name(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_counted_by_what_they_came_to() {
        let mut counter = Counter::new("split");
        for run in [Run::Accepted, Run::Rejected(Rejection::NotJson), Run::Refused] {
            counter.count(&run);
        }
        let mut counts = counter.counts();
        assert_eq!(
            counts.line(),
            "3 executions, 2 accepted (66.7 %), 1 of them against a rule, 1 not JSON"
        );
        counts.add(&Counts {
            executions: 1,
            rejected: vec![("too long".to_owned(), 1)],
            ..Counts::default()
        });
        let expected =
            "4 executions, 2 accepted (50.0 %), 1 of them against a rule, 1 not JSON, 1 too long";
        assert_eq!(counts.line(), expected);
        assert_eq!(Counts::default().acceptance(), None);
    }

    #[test]
    fn counts_are_written_at_the_end() {
        let folder = tempfile::tempdir().unwrap();
        let file = free(folder.path(), "split");
        let mut counter = Counter { file: Some(file.clone()), ..Counter::new("split") };
        (0..3).for_each(|_| counter.count(&Run::Accepted));
        drop(counter);
        let counts: Counts = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
        assert_eq!((counts.executions, counts.accepted), (3, 3));
        assert_ne!(free(folder.path(), "split"), file);
    }
}
