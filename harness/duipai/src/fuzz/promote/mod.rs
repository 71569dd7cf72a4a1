//! From an input that a fuzzer found to a candidate case (候选样例).
//!
//! The input is shrunk as long as it fails in the same way, and written down
//! with what the model asks for. A candidate is no case yet: a person rules on
//! it, gives it its family, id and sentence, or throws it away. It never counts
//! in the built-in suite.
//!
//! | module | holds |
//! | --- | --- |
//! | `candidate` | the case, and the file that it is written to |
//! | `expected` | what must be observed, by the model |

mod candidate;
mod expected;
#[cfg(test)]
mod tests;

use std::{
    io,
    path::{Path, PathBuf},
};

use self::candidate::Candidate;
use crate::{
    case::LoadError,
    fuzz::{Driver, Finding, Input, Rejection, Run, StartError, shrink},
    regular, sha256,
};

/// Where candidates are put unless it is said otherwise.
pub const FOLDER: &str = "cases/candidates";

/// Where inputs are kept that are no case, under `corpus/<target>/`.
const REGRESSIONS: &str = "regressions";

/// An input cannot be promoted.
#[derive(Debug, thiserror::Error)]
pub enum PromoteError {
    /// The target cannot be started.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The input cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The input is longer than the target takes.
    #[error("{}: over {most} bytes, and target {target} takes no more", path.display())]
    TooLong {
        /// The file.
        path: PathBuf,
        /// The target's name.
        target: &'static str,
        /// Bytes that it takes.
        most: usize,
    },
    /// The candidate cannot be written.
    #[error("cannot write {}: {source}", path.display())]
    Unwritable {
        /// The file or folder.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The folder of candidates belongs to a project that is not here.
    #[error("there is no folder `{0}` here; run this in the project, or say where with --out")]
    NotInProject(&'static str),
    /// The suite, or a candidate that is there already, does not load.
    #[error("suite: {0}")]
    Suite(#[from] LoadError),
}

/// What came of an input.
#[derive(Debug)]
pub enum Promoted {
    /// It does not fail, so that there is nothing to promote.
    Holds(Option<Rejection>),
    /// There is such a case already.
    Known {
        /// What the input shows.
        finding: Finding,
        /// The case, with its place.
        case: String,
    },
    /// A candidate was written.
    Written {
        /// What the input shows.
        finding: Finding,
        /// The file.
        path: PathBuf,
        /// Id of the candidate case; none where the input is kept as it is,
        /// since no case can tell it.
        case: Option<String>,
        /// Bytes before and after it was shrunk.
        bytes: [usize; 2],
    },
}

/// Runs the target on the input in `path`, and writes what it finds to a file in
/// `out`.
///
/// # Errors
///
/// [`PromoteError`] when target, input or folder cannot be used.
pub fn promote(target: &str, path: &Path, out: Option<&Path>) -> Result<Promoted, PromoteError> {
    let driver = Driver::named(target)?;
    let target = driver.target();
    let bytes = regular::bytes(path, target.max_len as u64).map_err(|source| {
        let path = path.to_owned();
        match source.kind() {
            io::ErrorKind::FileTooLarge => {
                PromoteError::TooLong { path, target: target.name, most: target.max_len }
            }
            _ => PromoteError::Unreadable { path, source },
        }
    })?;
    let input = match driver.read(&bytes) {
        Ok(input) => input,
        Err(rejection) => return Ok(Promoted::Holds(Some(rejection))),
    };
    let first = match driver.check(&input) {
        Run::Accepted | Run::Refused => return Ok(Promoted::Holds(None)),
        Run::Rejected(rejection) => return Ok(Promoted::Holds(Some(rejection))),
        Run::Found(finding) => *finding,
    };
    let small = shrink::shrink(input, shrink::MOST_TRIES, |other| fails(&driver, other, &first));
    // The same way, but in the words of the small input.
    let finding = match driver.check(&small) {
        Run::Found(finding) => *finding,
        _ => first,
    };
    let sizes = [bytes.len(), small.to_bytes().len()];
    let digest = sha256::hex(&bytes);
    match Candidate::of(target.name, &small, &finding, &digest)? {
        Some(candidate) => write_case(candidate, finding, out, sizes),
        None => write_input(target.name, &small, finding, out, sizes),
    }
}

fn fails(driver: &Driver, input: &Input, first: &Finding) -> bool {
    // What is not an input that could be read again is none.
    let again = driver.read(&input.to_bytes()).is_ok_and(|again| again == *input);
    again && matches!(driver.check(input), Run::Found(found) if found.same_way(first))
}

fn write_case(
    candidate: Candidate,
    finding: Finding,
    out: Option<&Path>,
    bytes: [usize; 2],
) -> Result<Promoted, PromoteError> {
    let folder = match out {
        Some(folder) => folder.to_owned(),
        None if Path::new("cases").is_dir() => PathBuf::from(FOLDER),
        None => return Err(PromoteError::NotInProject("cases")),
    };
    if let Some(case) = candidate.known(&folder)? {
        return Ok(Promoted::Known { finding, case });
    }
    let path = folder.join(format!("{}.toml", candidate.name()));
    write(&folder, &path, candidate.text().as_bytes())?;
    Ok(Promoted::Written { finding, path, case: Some(candidate.id().to_owned()), bytes })
}

/// An input that no case can tell is kept as it is, for `cargo test` to replay.
fn write_input(
    target: &'static str,
    input: &Input,
    finding: Finding,
    out: Option<&Path>,
    bytes: [usize; 2],
) -> Result<Promoted, PromoteError> {
    let folder = match out {
        Some(folder) => folder.to_owned(),
        None if Path::new("corpus").is_dir() => Path::new("corpus").join(target).join(REGRESSIONS),
        None => return Err(PromoteError::NotInProject("corpus")),
    };
    let content = input.to_bytes();
    let mut digest = sha256::hex(&content);
    digest.truncate(candidate::DIGEST);
    let path = folder.join(format!("{target}-{digest}"));
    if path.exists() {
        return Ok(Promoted::Known { finding, case: path.display().to_string() });
    }
    write(&folder, &path, &content)?;
    Ok(Promoted::Written { finding, path, case: None, bytes })
}

fn write(folder: &Path, path: &Path, content: &[u8]) -> Result<(), PromoteError> {
    let unwritable = |path: &Path| {
        let path = path.to_owned();
        move |source| PromoteError::Unwritable { path, source }
    };
    std::fs::create_dir_all(folder).map_err(unwritable(folder))?;
    std::fs::write(path, content).map_err(unwritable(path))
}
