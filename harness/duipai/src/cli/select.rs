//! Which cases a command is about.

use std::{fs, path::PathBuf, sync::Arc};

use duipai_spec::ledger::Level;
use sha2::{Digest, Sha256};

use crate::{
    case::Case,
    cli::{CliError, args::SelectArgs},
    filter::Filter,
    ledger::Ledger,
    report::SuiteId,
    suite::Suite,
    vectors,
};

/// The cases of a command, sorted by id.
pub(super) struct Selection {
    /// The suite or the files that they come from.
    pub(super) suite: SuiteId,
    /// The selected cases.
    pub(super) cases: Vec<Case>,
    /// The ids of all cases, before any filter.
    pub(super) declared: Vec<Arc<str>>,
    /// The sentences.
    pub(super) ledger: Ledger,
}

/// The cases that the arguments select.
pub(super) fn select(args: &SelectArgs) -> Result<Selection, CliError> {
    let (suite, ledger, cases) = load(&args.cases, &args.vectors)?;
    let declared: Vec<Arc<str>> = cases.iter().map(|case| Arc::clone(&case.id)).collect();
    let cases = filtered(cases, &args.filter, args.level)?;
    Ok(Selection { suite, cases, declared, ledger })
}

/// The built-in suite, or exactly the folders and files that are named.
pub(super) fn load(
    folders: &[PathBuf],
    vector_files: &[PathBuf],
) -> Result<(SuiteId, Ledger, Vec<Case>), CliError> {
    let suite = if folders.is_empty() { Suite::builtin()? } else { Suite::from_folders(folders)? };
    let mut id = SuiteId { version: suite.version, digest: suite.digest };
    let mut cases = suite.cases;
    if vector_files.is_empty() {
        return Ok((id, suite.ledger, cases));
    }
    if folders.is_empty() {
        cases.clear();
        id.digest.clear();
    }
    cases.extend(vectors::load(vector_files)?);
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    id.digest = digest(&id.digest, vector_files)?;
    Ok((id, suite.ledger, cases))
}

/// The digest of `base` and the contents of the files, whatever their names.
fn digest(base: &str, files: &[PathBuf]) -> Result<String, CliError> {
    let mut contents = Vec::new();
    for path in files {
        let unreadable = |source| CliError::Unreadable { path: path.clone(), source };
        let mut hash = Sha256::new();
        let mut file = fs::File::open(path).map_err(unreadable)?;
        std::io::copy(&mut file, &mut HashWriter(&mut hash)).map_err(unreadable)?;
        contents.push(hash.finalize());
    }
    contents.sort();
    let mut all = Sha256::new();
    all.update(base);
    contents.iter().for_each(|one| all.update(one));
    let hex: String = all.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok(format!("sha256:{hex}"))
}

struct HashWriter<'a>(&'a mut Sha256);

impl std::io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

fn filtered(
    cases: Vec<Case>,
    patterns: &[String],
    level: Option<Level>,
) -> Result<Vec<Case>, CliError> {
    let ids: Vec<&str> = cases.iter().map(|case| &*case.id).collect();
    let chosen = Filter::new(patterns).select(&ids)?;
    let at_level = |case: &Case| level.is_none_or(|level| case.level <= level);
    let cases: Vec<Case> = cases
        .into_iter()
        .zip(chosen)
        .filter_map(|(case, chosen)| (chosen && at_level(&case)).then_some(case))
        .collect();
    match level {
        Some(level) if cases.is_empty() => Err(CliError::NothingAtLevel(level)),
        _ => Ok(cases),
    }
}
