//! Every seed and every regression of `corpus/`, through its target: one test
//! for each file.
//!
//! A seed is an input on which all agree. A regression is one that was a
//! finding once. The canary's fault stays planted, so that it has none: libFuzzer
//! reads folders with all that is under them, and would have found it before it
//! began.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

use duipai::fuzz::{Driver, Run, StartError, TARGETS, Target};
use libtest_mimic::{Arguments, Completion, Failed, Trial};

/// Folder of a target's inputs that were findings.
const REGRESSIONS: &str = "regressions";

/// Folders of `corpus/` that are of no target.
const OTHERS: [&str; 1] = ["vectors"];

/// Greatest size of all of it, vectors left out, in bytes.
const MAX_BYTES: u64 = 5_000_000;

fn corpus() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus")
}

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let mut trials = vec![
        Trial::test("every_folder_has_a_target", || Ok(no_orphans(&corpus())?)),
        Trial::test("the_corpus_is_small", || Ok(small()?)),
        Trial::test("an_orphan_is_seen", || Ok(an_orphan_is_seen()?)),
    ];
    for target in TARGETS {
        match files(target) {
            Ok(files) => trials.extend(files.into_iter().map(|file| file.trial(target))),
            // What cannot be read must not pass for what holds.
            Err(error) => {
                trials.push(Trial::test(target.name, move || Err(Failed::from(error))));
            }
        }
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// An input of a target's folder.
struct File {
    path: PathBuf,
    name: String,
    regression: bool,
}

/// The inputs of a target; an error where it has no seed.
fn files(target: &Target) -> Result<Vec<File>, String> {
    let folder = corpus().join(target.name);
    let seeds = list(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    if seeds.is_empty() {
        return Err(format!("{} holds no seed", folder.display()));
    }
    let regressions = folder.join(REGRESSIONS);
    let regressions = match list(&regressions) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
        other => other.map_err(|error| format!("{}: {error}", regressions.display()))?,
    };
    if target.must_find() && !regressions.is_empty() {
        return Err(format!("{} must find its fault by itself", target.name));
    }
    let file = |regression: bool| {
        move |path: PathBuf| {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            File { path, name, regression }
        }
    };
    let seeds = seeds.into_iter().map(file(false));
    Ok(seeds.chain(regressions.into_iter().map(file(true))).collect())
}

/// The files in a folder, sorted.
fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

impl File {
    fn trial(self, target: &'static Target) -> Trial {
        let folder = if self.regression { "/regressions" } else { "" };
        let name = format!("{}{folder}/{}", target.name, self.name);
        Trial::ignorable_test(name, move || self.check(target))
    }

    fn check(&self, target: &'static Target) -> Result<Completion, Failed> {
        let mut driver = match Driver::start(target) {
            Err(error @ StartError::Without { .. }) => {
                return Ok(Completion::ignored_with(error.to_string()));
            }
            other => other?,
        };
        match driver.run(&fs::read(&self.path)?) {
            Run::Found(finding) => Err(finding.to_string().into()),
            Run::Accepted | Run::Refused | Run::Rejected(_) => Ok(Completion::Completed),
        }
    }
}

/// Whether every folder of `corpus` is a target's.
fn no_orphans(corpus: &Path) -> Result<(), String> {
    let unreadable = |error: io::Error| format!("{}: {error}", corpus.display());
    for entry in fs::read_dir(corpus).map_err(unreadable)? {
        let path = entry.map_err(unreadable)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let known = OTHERS.contains(&&*name) || duipai::fuzz::find(&name).is_some();
        if path.is_dir() && !known {
            return Err(format!("corpus/{name} is the corpus of no target"));
        }
    }
    Ok(())
}

fn an_orphan_is_seen() -> Result<(), String> {
    let corpus = tempfile::tempdir().map_err(|error| error.to_string())?;
    let make = |name| fs::create_dir(corpus.path().join(name)).map_err(|error| error.to_string());
    make("split")?;
    no_orphans(corpus.path())?;
    make("splat")?;
    match no_orphans(corpus.path()) {
        Err(error) if error == "corpus/splat is the corpus of no target" => Ok(()),
        other => Err(format!("{other:?}")),
    }
}

fn small() -> Result<(), String> {
    let mut bytes = 0;
    for target in TARGETS {
        for file in files(target)? {
            bytes += fs::metadata(&file.path).map_err(|error| error.to_string())?.len();
        }
    }
    if bytes <= MAX_BYTES {
        return Ok(());
    }
    Err(format!("the corpus has {bytes} bytes, over {MAX_BYTES}"))
}
