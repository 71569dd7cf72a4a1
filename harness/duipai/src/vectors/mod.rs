//! Oracle vectors (JSON Lines) as cases.
//!
//! Two families, told apart by their fields: *canon* lines say what
//! `JSON.stringify(JSON.parse(text))` makes of a text, *verdict* lines say what
//! one call of the producer comes to. Either way the text is played through the
//! whole package of a subject. The line's `name`, whatever it holds, is
//! the case's id.
//!
//! Fields that are not known are ignored: an oracle may say more than is asked.

mod canon;
mod line;
mod verdict;

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read},
    path::Path,
    sync::Arc,
};

use duipai_spec::{event::EventKind, ledger::Level};
use sha2::{Digest, Sha256};

use crate::{
    case::{
        Case, EventCase, Expectation, ExpectedCall, ExpectedEnd, ExpectedMessage, ExpectedOutcome,
        Origin,
    },
    plan::{Action, Binding, EventPlan, Step},
    regular::RegularFile,
};

/// Greatest size of one vector file, in bytes.
const MAX_FILE_BYTES: u64 = 4 << 30;

/// Greatest length of one line of a vector file, in bytes.
const MAX_LINE_BYTES: u64 = 16 * 1024 * 1024;

/// Greatest size of all texts of one vector file, in bytes.
const MAX_FILE_TEXT_BYTES: usize = 1024 * 1024 * 1024;

/// A vector file cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum VectorError {
    /// The file cannot be read.
    #[error("{file}: cannot read the vector file: {source}")]
    Unreadable {
        /// The file.
        file: Arc<str>,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file holds no vector.
    #[error("{file}: the vector file is empty; a vector file has one JSON object a line")]
    Empty {
        /// The file.
        file: Arc<str>,
    },
    /// A line is wrong.
    #[error("{origin}: {message}")]
    Line {
        /// Where.
        origin: Origin,
        /// What is wrong, and what was expected.
        message: String,
    },
}

/// What vector files hold.
#[derive(Clone, Debug)]
pub struct Vectors {
    /// One case for every line, sorted by id.
    pub cases: Vec<Case>,
    /// SHA-256 of each file's bytes, in the order of the files.
    pub digests: Vec<[u8; 32]>,
}

/// Reads vector files and makes one case of every line.
///
/// # Errors
///
/// The first line that cannot be used; a file that is missing, is not a regular
/// file, or has no line; a name that is given twice.
pub fn load(files: &[impl AsRef<Path>]) -> Result<Vectors, VectorError> {
    let mut cases = Vec::new();
    let mut digests = Vec::new();
    let mut names: HashMap<Arc<str>, Origin> = HashMap::new();
    for file in files {
        let (found, digest) = load_file(file.as_ref())?;
        digests.push(digest);
        for case in found {
            if let Some(first) = names.get(&case.id) {
                let message =
                    format!("vector `{}` is given twice; it stands also at {first}", case.id);
                return Err(VectorError::Line { origin: case.origin, message });
            }
            names.insert(case.id.clone(), case.origin.clone());
            cases.push(case);
        }
    }
    cases.sort_by(|a, b| a.id.cmp(&b.id));
    Ok(Vectors { cases, digests })
}

/// The cases of one file, and the SHA-256 of what was read.
fn load_file(path: &Path) -> Result<(Vec<Case>, [u8; 32]), VectorError> {
    let file: Arc<str> = path.display().to_string().into();
    let unreadable = |source| VectorError::Unreadable { file: file.clone(), source };
    let mut reader = BufReader::new(RegularFile::open(path, MAX_FILE_BYTES).map_err(unreadable)?);
    let mut sha256 = Sha256::new();
    let mut cases = Vec::new();
    let mut bytes = 0;
    for line in 1.. {
        let at = |message: String| VectorError::Line {
            origin: Origin { file: file.clone(), line, column: 1 },
            message,
        };
        let mut text = Vec::new();
        let read = reader.by_ref().take(MAX_LINE_BYTES + 1).read_until(b'\n', &mut text);
        if read.map_err(unreadable)? == 0 {
            break;
        }
        if text.len() as u64 > MAX_LINE_BYTES {
            return Err(at(format!("the line is longer than {MAX_LINE_BYTES} bytes")));
        }
        sha256.update(&text);
        let text = str::from_utf8(&text).map_err(|_| at("the line is not UTF-8".to_owned()))?;
        if text.trim().is_empty() {
            continue;
        }
        let origin = Origin { file: file.clone(), line, column: 1 };
        let case = line::parse(text, origin).map_err(at)?;
        if case.id.is_empty() {
            return Err(at("the vector's name is empty".to_owned()));
        }
        bytes += case.events.iter().map(|event| text_bytes(&event.plan)).sum::<usize>();
        if bytes > MAX_FILE_TEXT_BYTES {
            let message =
                format!("the texts of the file take more than {MAX_FILE_TEXT_BYTES} bytes");
            return Err(at(message));
        }
        cases.push(case);
    }
    if cases.is_empty() {
        return Err(VectorError::Empty { file });
    }
    Ok((cases, sha256.finalize().into()))
}

fn text_bytes(plan: &EventPlan) -> usize {
    let bytes = |step: &Step| match &step.action {
        Action::Send { body, .. } => body.len(),
        Action::SendBatch { items, .. } => items.len(),
        _ => 0,
    };
    plan.steps.iter().map(bytes).sum()
}

/// The case of one vector: one call in one `fetch` event.
fn case(name: String, origin: Origin, title: String, played: Played) -> Case {
    let binding = match &played.action {
        Action::Send { binding, .. } | Action::SendBatch { binding, .. } => binding.clone(),
        _ => String::new(),
    };
    let expected = match played.messages.as_slice() {
        [] => ExpectedOutcome::Returned,
        [message] => ExpectedOutcome::Threw(ExpectedMessage::Exact(message.clone())),
        messages => ExpectedOutcome::Threw(ExpectedMessage::AnyOf(messages.to_vec())),
    };
    let plan = EventPlan {
        kind: EventKind::Fetch,
        grants: vec![binding.clone()],
        bindings: [(binding, played.platform)].into(),
        batch: None,
        steps: vec![Step { action: played.action, caught: true }],
    };
    let expectation = Expectation {
        behaviour: None,
        outcomes: vec![expected],
        calls: played.calls,
        end: ExpectedEnd::Fulfilled,
        after: Vec::new(),
    };
    Case {
        id: name.into(),
        was: Vec::new(),
        says: Vec::new(),
        level: Level::Must,
        title,
        why: None,
        pair: None,
        origin,
        events: vec![EventCase { plan, redelivered: false, permitted: vec![expectation] }],
        together: false,
        platform: None,
        needs: Default::default(),
    }
}

/// What a vector plays, and what must be seen.
struct Played {
    action: Action,
    platform: Binding,
    /// Permitted messages; none when the call must return.
    messages: Vec<String>,
    calls: Vec<ExpectedCall>,
}
