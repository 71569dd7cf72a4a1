//! Which cases a command is about.

use std::{collections::HashMap, path::PathBuf, sync::Arc};

use duipai_spec::ledger::Level;
use sha2::{Digest, Sha256};

use crate::{
    case::{Case, Origin},
    cli::{CliError, args::SelectArgs},
    filter::Filter,
    ledger::Ledger,
    report::SuiteId,
    sha256,
    subject::Answers,
    suite::Suite,
    vectors::{self, VectorError},
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

impl Selection {
    /// Without the cases that are not for a subject of this kind.
    ///
    /// # Errors
    ///
    /// Nothing is left.
    pub(super) fn answered(mut self, kind: Answers) -> Result<Self, CliError> {
        self.cases.retain(|case| case.kind() == kind);
        if self.cases.is_empty() { Err(CliError::NothingAnswered(kind.name())) } else { Ok(self) }
    }
}

/// The built-in suite, or exactly the folders and files that are named.
pub(super) fn load(
    folders: &[PathBuf],
    vector_files: &[PathBuf],
) -> Result<(SuiteId, Ledger, Vec<Case>), CliError> {
    let suite = if folders.is_empty() { Suite::builtin()? } else { Suite::from_folders(folders)? };
    let mut id = SuiteId { version: suite.version, digest: suite.digest };
    let mut cases = suite.cases;
    cases.extend(suite.platform);
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    if vector_files.is_empty() {
        return Ok((id, suite.ledger, cases));
    }
    if folders.is_empty() {
        cases.clear();
        id.digest.clear();
    }
    let vectors = vectors::load(vector_files)?;
    apart(&cases, &vectors.cases)?;
    cases.extend(vectors.cases);
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    id.digest = digest(&id.digest, vectors.digests);
    Ok((id, suite.ledger, cases))
}

/// No vector has the id, or an earlier id, of a case.
fn apart(cases: &[Case], vectors: &[Case]) -> Result<(), VectorError> {
    let mut taken: HashMap<&str, &Origin> = HashMap::new();
    for case in cases {
        let ids = case.was.iter().map(|was| &**was).chain([&*case.id]);
        taken.extend(ids.map(|id| (id, &case.origin)));
    }
    match vectors.iter().find_map(|it| taken.get(&*it.id).map(|other| (it, *other))) {
        None => Ok(()),
        Some((vector, other)) => {
            let message = format!("vector `{}` has the id of the case at {other}", vector.id);
            Err(VectorError::Line { origin: vector.origin.clone(), message })
        }
    }
}

/// The digest of `base` and the contents of the files, in whatever order.
fn digest(base: &str, mut files: Vec<[u8; 32]>) -> String {
    files.sort_unstable();
    let mut all = Sha256::new();
    all.update(base);
    files.iter().for_each(|one| all.update(one));
    format!("sha256:{}", sha256::finish(all))
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

#[cfg(test)]
mod tests {
    use super::*;

    const CASE: &str = "format = 1\n[[case]]\nid = \"a.b\"\nwas = [\"old\"]\nsays = [\"send.delay.range\"]\nlevel = \"must\"\ntitle = \"t\"\nsteps = []\ncalls = []\n";

    fn vector(name: &str) -> String {
        format!(
            r#"{{"name":"{name}","op":"send","binding":"Q","text_b64":"MQ==","text_bytes":1,"verdict":"ok","message":null,"calls":[]}}"#
        )
    }

    fn check(name: &str, expected: Result<&[&str], &str>) {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let (cases, vectors) = (folder.path().join("cases"), folder.path().join("v.jsonl"));
        std::fs::create_dir(&cases).expect("a folder");
        std::fs::write(cases.join("a.toml"), CASE).expect("a case");
        std::fs::write(&vectors, vector(name)).expect("a vector");
        let seen = load(&[cases], &[vectors]);
        let seen = seen
            .map(|(_, _, cases)| cases.iter().map(|case| case.id.to_string()).collect::<Vec<_>>());
        let root = folder.path().display().to_string();
        match (seen, expected) {
            (Ok(ids), Ok(expected)) => assert_eq!(ids, expected),
            (Err(error), Err(expected)) => {
                assert_eq!(error.to_string().replace(&root, "@"), expected);
            }
            (seen, expected) => panic!("{seen:?} is not {expected:?}"),
        }
    }

    #[test]
    fn an_id_belongs_to_a_case_or_a_vector() {
        check("a.c", Ok(&["a.b", "a.c"]));
        let taken = |name: &str| {
            format!(
                "vectors: @/v.jsonl:1:1: vector `{name}` has the id of the case at @/cases/a.toml:2:1"
            )
        };
        check("a.b", Err(&taken("a.b")));
        check("old", Err(&taken("old")));
    }
}
