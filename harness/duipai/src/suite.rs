//! A suite: cases, the ledger of the sentences that they are evidence for, and
//! a digest that names exactly these files.

mod coverage;

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use include_dir::{Dir, include_dir};
use sha2::{Digest, Sha256};

pub use self::coverage::SentenceCoverage;
use crate::{
    case::{
        Case, Pair, decode,
        error::{LoadError, Problem},
        pair,
        source::{LEDGER_FILE, SourceFile, read_folder},
    },
    ledger::Ledger,
    sha256,
    subject::Answers,
};

static BUILT_IN: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../../cases");

/// The folder of the built-in suite, relative to the project.
const BUILT_IN_ROOT: &str = "cases";

/// What a fuzzer found waits here for a ruling. It is no part of the suite.
const CANDIDATES: &str = "candidates/";

/// A set of cases that belong together.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The cases of the package, sorted by id.
    pub cases: Vec<Case>,
    /// The cases of the platform, sorted by id.
    pub platform: Vec<Case>,
    /// The sentences.
    pub ledger: Ledger,
    /// `sha256:` and the digest of all files: their names within their folders
    /// and their content.
    pub digest: String,
    /// Version of the harness that the suite was loaded by.
    pub version: String,
}

impl Suite {
    /// The suite that is part of the harness.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with its files, and sentences without a case.
    pub fn builtin() -> Result<Self, LoadError> {
        let files = built_in_files()?;
        match files.iter().find(|file| file.is_ledger()) {
            Some(file) => Self::load(&files, Ledger::decode(file)?, Coverage::Required),
            None => Err(no_ledger().into()),
        }
    }

    /// The cases of `folders`, each read with all that is under it. A folder
    /// with a `spec.toml` in its root brings its own ledger, every sentence of
    /// which then needs a case; otherwise the built-in ledger holds.
    ///
    /// # Errors
    ///
    /// Everything that is wrong with the folders and files; two ledgers, or no
    /// folder at all.
    pub fn from_folders(folders: &[PathBuf]) -> Result<Self, LoadError> {
        if folders.is_empty() {
            return Err(Problem::nowhere("no folder of cases is given").into());
        }
        let mut files = Vec::new();
        let mut problems = Vec::new();
        for folder in folders {
            match read_folder(folder) {
                Ok(found) => files.extend(found),
                Err(problem) => problems.push(problem),
            }
        }
        let files = LoadError::unless_empty(files, problems)?;
        let mut ledgers = files.iter().filter(|file| file.is_ledger());
        match (ledgers.next(), ledgers.next()) {
            (None, _) => {
                let built_in = built_in_files()?;
                let Some(file) = built_in.iter().find(|file| file.is_ledger()) else {
                    return Err(no_ledger().into());
                };
                Self::load(&files, Ledger::decode(file)?, Coverage::Free)
            }
            (Some(file), None) => Self::load(&files, Ledger::decode(file)?, Coverage::Required),
            (Some(first), Some(second)) => {
                let message = format!("a second ledger; the first is {}", first.path);
                Err(Problem::whole(Arc::clone(&second.path), message).into())
            }
        }
    }

    /// The case with this id, or that had it once.
    pub fn find(&self, id: &str) -> Option<&Case> {
        find(&self.cases, id).or_else(|| find(&self.platform, id))
    }

    /// The cases of one kind, sorted by id.
    pub fn of(&self, kind: Answers) -> &[Case] {
        match kind {
            Answers::Package => &self.cases,
            Answers::Platform => &self.platform,
        }
    }

    fn load(files: &[SourceFile], ledger: Ledger, coverage: Coverage) -> Result<Self, LoadError> {
        let mut cases = Vec::new();
        let mut problems = Vec::new();
        for file in files.iter().filter(|file| !file.is_ledger()) {
            let (found, wrong) = decode::cases(file, &ledger);
            cases.extend(found);
            problems.extend(wrong);
        }
        // Sorting is stable: of equal ids, the first is the one read first.
        cases.sort_by(|a, b| a.id.cmp(&b.id));
        problems.extend(id_problems(&cases));
        let (cases, platform) = cases.into_iter().partition(|case| case.kind() == Answers::Package);
        let suite = Self {
            cases,
            platform,
            ledger,
            digest: digest(files),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        };
        // A case that could not be read would show up again as a missing twin
        // and as a sentence without evidence.
        if problems.is_empty() {
            problems.extend(suite.pair_problems());
            if coverage == Coverage::Required {
                problems.extend(suite.coverage_problems());
            }
        }
        LoadError::unless_empty(suite, problems)
    }

    fn pair_problems(&self) -> impl Iterator<Item = Problem> {
        let sizes: Vec<usize> = self.cases.iter().map(pair::size).collect();
        let mut left = pair::MAX_COMPARED_BYTES;
        let mut check = move |at: usize, case: &Case, pair: &Pair| {
            let Ok(twin) = self.cases.binary_search_by(|it| (*it.id).cmp(&pair.with)) else {
                return Err(format!("there is no case {}", pair.with));
            };
            left = left.checked_sub(sizes[at] + sizes[twin]).ok_or_else(|| {
                format!("the pairs of the suite compare over {} bytes", pair::MAX_COMPARED_BYTES)
            })?;
            pair::check(case, pair, &self.cases[twin])
        };
        self.cases.iter().enumerate().filter_map(move |(at, case)| {
            let why = check(at, case, case.pair.as_ref()?).err()?;
            let message = format!("the pair of {} does not hold: {why}", case.id);
            Some(Problem::at(case.origin.clone(), message))
        })
    }

    fn coverage_problems(&self) -> impl Iterator<Item = Problem> {
        self.uncovered().map(|sentence| {
            let message = format!("no case is evidence for the sentence {}", sentence.id);
            Problem::at(sentence.origin.clone(), message)
        })
    }
}

/// The one of `cases`, sorted by id, with this id, or that had it once.
pub(crate) fn find<'a>(cases: &'a [Case], id: &str) -> Option<&'a Case> {
    match cases.binary_search_by(|case| (*case.id).cmp(id)) {
        Ok(index) => cases.get(index),
        Err(_) => cases.iter().find(|case| case.was.iter().any(|was| was == id)),
    }
}

/// Whether every sentence needs a case.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Coverage {
    Required,
    Free,
}

fn built_in_files() -> Result<Vec<SourceFile>, Problem> {
    let mut files = Vec::new();
    let mut open = vec![&BUILT_IN];
    while let Some(folder) = open.pop() {
        open.extend(folder.dirs());
        for file in folder.files() {
            let name = file.path().to_string_lossy().replace('\\', "/");
            if name.ends_with(".toml") && !name.starts_with(CANDIDATES) {
                files.push(SourceFile::new(BUILT_IN_ROOT, &name, file.contents().to_vec())?);
            }
        }
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

fn no_ledger() -> Problem {
    Problem::whole(BUILT_IN_ROOT, format!("the built-in suite has no {LEDGER_FILE}"))
}

/// Names and contents go in with their sizes, so that no two lists of files
/// give the same bytes.
fn digest(files: &[SourceFile]) -> String {
    let mut sorted: Vec<(&str, &str)> = files.iter().map(|it| (&*it.name, &*it.text)).collect();
    sorted.sort_unstable();
    let mut hasher = Sha256::new();
    for part in sorted.into_iter().flat_map(|(name, text)| [name, text]) {
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    format!("sha256:{}", sha256::finish(hasher))
}

/// Ids that are used twice, in `cases` sorted by id.
fn id_problems(cases: &[Case]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for pair in cases.windows(2) {
        if let [first, second] = pair
            && first.id == second.id
        {
            let message = format!("duplicate case {}, first at {}", first.id, first.origin);
            problems.push(Problem::at(second.origin.clone(), message));
        }
    }
    let mut taken: BTreeMap<&str, &Case> = cases.iter().map(|case| (&*case.id, case)).collect();
    for case in cases {
        for was in &case.was {
            if let Some(other) = taken.insert(was, case) {
                let message = format!("the earlier id {was} is taken by {}", other.origin);
                problems.push(Problem::at(case.origin.clone(), message));
            }
        }
    }
    problems
}
