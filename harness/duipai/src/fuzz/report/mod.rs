//! What a run of the targets came to, for people and for programs.
//!
//! The folder of a run has one folder for each target, which holds
//!
//! | name | what |
//! | --- | --- |
//! | [`LOG`] | libFuzzer's log |
//! | [`COUNTS`] | the counts of its processes ([`counts`](super::counts)) |
//! | [`FINDINGS`] | the inputs that it found |
//!
//! Any of it may be missing, as after a run that was cut short; the report says
//! so, and takes nothing that it has not seen for good.

mod log;
mod render;

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::Serialize;

use self::log::Log;
use crate::{
    fuzz::{self, counts::Counts},
    regular,
};

/// Name of a target's log.
pub const LOG: &str = "log.txt";

/// Name of the folder with a target's counts.
pub const COUNTS: &str = "counts";

/// Name of the folder with the inputs that a target found.
pub const FINDINGS: &str = "findings";

/// Greatest size of a log, in bytes.
const MAX_LOG_BYTES: u64 = 64 << 20;

/// Greatest size of a file of counts, in bytes.
const MAX_COUNTS_BYTES: u64 = 64 << 10;

/// Most files that are looked at in one folder.
const MAX_FILES: usize = 100_000;

/// Beginnings of the names that libFuzzer gives to the inputs it found.
const FOUND: [&str; 4] = ["crash-", "timeout-", "oom-", "leak-"];

/// A run of targets cannot be reported.
#[derive(Debug, thiserror::Error)]
pub enum FuzzReportError {
    /// There is no folder, or none with a run in it.
    #[error("{} holds no run of a fuzz target: {reason}; `cargo xtask fuzz` makes one", path.display())]
    NoRun {
        /// The folder.
        path: PathBuf,
        /// What is missing.
        reason: String,
    },
    /// A file or folder of the run cannot be read.
    #[error("{}: cannot be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// A file of counts does not hold counts.
    #[error("{}: no counts of a fuzz target: {reason}", path.display())]
    NoCounts {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
}

/// What a run came to.
#[derive(Debug, Serialize)]
pub struct FuzzReport {
    /// Version of this form.
    pub format: u32,
    /// The targets, by name.
    pub targets: Vec<TargetReport>,
    /// Whether no target found what it must not, and every other one what it
    /// must.
    pub as_expected: bool,
}

/// What the run of one target came to. A figure that was not seen is null.
#[derive(Debug, Serialize)]
pub struct TargetReport {
    /// Its name.
    pub target: String,
    /// Inputs that were run.
    pub executions: Option<u64>,
    /// Of these, in one second.
    pub executions_a_second: Option<u64>,
    /// Time, in seconds.
    pub seconds: Option<u64>,
    /// Share of the counted executions that were accepted.
    pub acceptance: Option<f64>,
    /// What the processes counted.
    pub counts: Option<Counts>,
    /// Covered edges.
    pub coverage: Option<u64>,
    /// libFuzzer's features.
    pub features: Option<u64>,
    /// Inputs in the corpus.
    pub corpus_inputs: Option<u64>,
    /// Their size in bytes.
    pub corpus_bytes: Option<u64>,
    /// Most memory, in MiB.
    pub memory_mib: Option<u64>,
    /// Names of the inputs that were found.
    pub findings: Vec<String>,
    /// What the findings are.
    pub faults: Vec<String>,
    /// Whether the target must find something, since a fault is planted in it.
    pub must_find: bool,
    /// The acceptance that it must reach, if any.
    pub least_acceptance: Option<f64>,
    /// What cannot be told, and why.
    pub missing: Vec<String>,
}

impl TargetReport {
    /// Whether the target found what it must, and nothing else.
    pub fn as_expected(&self) -> bool {
        self.executions.is_some_and(|executions| executions > 0)
            && self.must_find != self.findings.is_empty()
            && self.accepts_enough()
    }

    /// Whether it accepted the share of inputs that it must. One that has not
    /// counted has not shown it.
    pub fn accepts_enough(&self) -> bool {
        let enough = |least| self.acceptance.is_some_and(|share| share >= least);
        self.least_acceptance.is_none_or(enough)
    }
}

/// Reads the run in `folder`, where targets over JSON must accept this share of
/// their inputs, if any.
///
/// # Errors
///
/// [`FuzzReportError`] when it holds none, or holds what is no part of one.
pub fn read(folder: &Path, least_acceptance: Option<f64>) -> Result<FuzzReport, FuzzReportError> {
    let no_run = |reason: String| FuzzReportError::NoRun { path: folder.to_owned(), reason };
    let entries = names(folder).map_err(|error| no_run(error.to_string()))?;
    let mut targets = Vec::new();
    for name in entries {
        let Some(target) = fuzz::find(&name) else { continue };
        targets.push(of_target(target, &folder.join(&name), least_acceptance)?);
    }
    if targets.is_empty() {
        return Err(no_run("no folder in it has the name of a target".to_owned()));
    }
    let as_expected = targets.iter().all(TargetReport::as_expected);
    Ok(FuzzReport { format: 1, targets, as_expected })
}

fn of_target(
    target: &fuzz::Target,
    folder: &Path,
    least_acceptance: Option<f64>,
) -> Result<TargetReport, FuzzReportError> {
    let mut missing = Vec::new();
    let path = folder.join(LOG);
    let log = match regular::bytes(&path, MAX_LOG_BYTES) {
        Ok(bytes) => Log::read(&String::from_utf8_lossy(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            missing.push("there is no log".to_owned());
            Log::default()
        }
        Err(source) => return Err(FuzzReportError::Unreadable { path, source }),
    };
    let counts = counts(&folder.join(COUNTS))?;
    if counts.is_none() {
        missing.push("nothing was counted".to_owned());
    }
    let findings = names_if_any(&folder.join(FINDINGS))?;
    let findings: Vec<String> = findings
        .into_iter()
        .filter(|name| FOUND.iter().any(|beginning| name.starts_with(beginning)))
        .collect();
    if !log.done && findings.is_empty() && log != Log::default() {
        missing.push("the run did not come to its end".to_owned());
    }
    Ok(TargetReport {
        target: target.name.to_owned(),
        executions: log.executions.or(counts.as_ref().map(|counts| counts.executions)),
        executions_a_second: log.a_second,
        seconds: log.seconds,
        acceptance: counts.as_ref().and_then(Counts::acceptance),
        counts,
        coverage: log.coverage,
        features: log.features,
        corpus_inputs: log.corpus_inputs,
        corpus_bytes: log.corpus_bytes,
        memory_mib: log.memory,
        findings,
        faults: log.faults,
        must_find: target.must_find(),
        // The canary ends at its first finding, and says nothing of shares.
        least_acceptance: least_acceptance.filter(|_| target.parses_json() && !target.must_find()),
        missing,
    })
}

/// The sum of what the processes of one target counted.
fn counts(folder: &Path) -> Result<Option<Counts>, FuzzReportError> {
    let mut sum: Option<Counts> = None;
    for name in names_if_any(folder)? {
        if !name.ends_with(".json") {
            continue;
        }
        let path = folder.join(&name);
        let bytes = regular::bytes(&path, MAX_COUNTS_BYTES)
            .map_err(|source| FuzzReportError::Unreadable { path: path.clone(), source })?;
        let counts: Counts = serde_json::from_slice(&bytes)
            .map_err(|error| FuzzReportError::NoCounts { path, reason: error.to_string() })?;
        sum.get_or_insert_default().add(&counts);
    }
    Ok(sum)
}

fn names_if_any(folder: &Path) -> Result<Vec<String>, FuzzReportError> {
    match names(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        Err(source) => Err(FuzzReportError::Unreadable { path: folder.to_owned(), source }),
        Ok(names) => Ok(names),
    }
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in fs::read_dir(folder)?.take(MAX_FILES) {
        names.push(entry?.file_name().to_string_lossy().into_owned());
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use tempfile::TempDir;

    use super::*;

    fn run(files: &[(&str, &str)]) -> TempDir {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in files {
            let path = folder.path().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        folder
    }

    const DONE: &str = "#9\tDONE cov: 5 ft: 6 corp: 7/80b exec/s: 9 rss: 30Mb\n";
    const TWO_OF_THREE: &str =
        r#"{"executions":3,"accepted":2,"refused":0,"found":0,"rejected":[["not JSON",1]]}"#;

    #[test]
    fn a_run_is_summed_up() {
        let folder = run(&[
            ("split/log.txt", DONE),
            ("split/counts/split.1.0.json", TWO_OF_THREE),
            ("split/counts/split.2.0.json", TWO_OF_THREE),
            ("split/counts/split.3.0.part", "half"),
            ("canary/log.txt", DONE),
            ("canary/findings/crash-1", "x"),
            ("elsewhere/log.txt", "x"),
        ]);
        let report = read(folder.path(), None).unwrap();
        let names: Vec<&str> = report.targets.iter().map(|it| &*it.target).collect();
        assert_eq!(names, ["canary", "split"]);
        let split = &report.targets[1];
        assert_eq!(split.counts.as_ref().unwrap().accepted, 4);
        assert_eq!(split.missing, [""; 0]);
        assert!(report.as_expected);
        let text = report.to_string();
        for part in ["split", "66.7 %", "found, as it must"] {
            assert!(text.contains(part), "no {part} in\n{text}");
        }
    }

    #[test]
    fn a_finding_is_not_expected_but_of_the_canary() {
        let found = run(&[("split/log.txt", DONE), ("split/findings/crash-1", "x")]);
        assert!(!read(found.path(), None).unwrap().as_expected);
        let silent = run(&[("canary/log.txt", DONE)]);
        assert!(!read(silent.path(), None).unwrap().as_expected);
    }

    #[test]
    fn what_was_not_seen_is_not_expected() {
        let nothing = run(&[("split/log.txt", "error: no such file\n")]);
        let report = read(nothing.path(), None).unwrap();
        assert!(!report.as_expected);
        assert_eq!(report.targets[0].executions, None);
        let absent = run(&[("split/findings/slow-unit-1", "x")]);
        assert_eq!(
            read(absent.path(), None).unwrap().targets[0].missing,
            ["there is no log", "nothing was counted"]
        );
    }

    #[test]
    fn too_little_accepted_is_not_expected() {
        let run = run(&[
            ("split/log.txt", DONE),
            ("split/counts/split.1.0.json", TWO_OF_THREE),
            ("case_file/log.txt", DONE),
        ]);
        assert!(read(run.path(), Some(0.6)).unwrap().as_expected);
        let report = read(run.path(), Some(0.7)).unwrap();
        assert!(!report.as_expected);
        assert!(report.to_string().contains("split: accepted 66.7 %, under 70.0 %"), "{report}");
    }

    fn refused(files: &[(&str, &str)], expected: &str) {
        let folder = run(files);
        let error = read(folder.path(), None).unwrap_err().to_string();
        let error = error.replace(&folder.path().display().to_string(), "RUN");
        assert!(error.starts_with(expected), "{error}");
        assert_eq!(error.lines().count(), 1);
    }

    #[test]
    fn hostile_files_are_refused() {
        refused(&[], "RUN holds no run of a fuzz target: no folder in it has the name");
        refused(&[("split/counts/a.json", "{")], "RUN/split/counts/a.json: no counts");
        refused(&[("split/counts/a.json", "[1]")], "RUN/split/counts/a.json: no counts");
        refused(&[("split/counts", "x")], "RUN/split/counts: cannot be read: ");
        refused(&[("split/log.txt/x", "x")], "RUN/split/log.txt: cannot be read: a folder");
        let error = read(Path::new("/no such folder"), None).unwrap_err().to_string();
        assert!(error.contains("holds no run of a fuzz target"), "{error}");
    }
}
