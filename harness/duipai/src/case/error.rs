//! What is wrong with a suite's files, one line for each problem.

use std::{fmt, sync::Arc};

use super::Origin;

/// Why a suite could not be loaded: at least one [`Problem`], one line each.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", lines(.problems))]
pub struct LoadError {
    problems: Vec<Problem>,
}

impl LoadError {
    /// Passes `value` on if there is no problem. Problems that are equal, as
    /// the rows of one case have them, are told once.
    pub(crate) fn unless_empty<T>(value: T, mut problems: Vec<Problem>) -> Result<T, Self> {
        if problems.is_empty() {
            return Ok(value);
        }
        problems.sort();
        problems.dedup();
        Err(Self { problems })
    }

    /// The problems, by file, line and column.
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }
}

impl From<Problem> for LoadError {
    fn from(problem: Problem) -> Self {
        Self { problems: vec![problem] }
    }
}

fn lines(problems: &[Problem]) -> String {
    let lines: Vec<String> = problems.iter().map(Problem::to_string).collect();
    lines.join("\n")
}

/// One thing that is wrong with the files of a suite.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// Where.
    pub place: Place,
    /// What, on one line.
    pub message: String,
}

impl Problem {
    pub(crate) fn at(origin: Origin, message: impl Into<String>) -> Self {
        Self { place: Place::At(origin), message: message.into() }
    }

    pub(crate) fn whole(path: impl Into<Arc<str>>, message: impl Into<String>) -> Self {
        Self { place: Place::Whole(path.into()), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Place::Whole(path) => write!(f, "{}: {}", Shown(path), self.message),
            Place::At(origin) => write!(
                f,
                "{}:{}:{}: {}",
                Shown(&origin.file),
                origin.line,
                origin.column,
                self.message
            ),
        }
    }
}

/// What a [`Problem`] is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// A file or folder as a whole.
    Whole(Arc<str>),
    /// A place in a file.
    At(Origin),
}

/// A path on one line, whatever characters it is made of.
struct Shown<'a>(&'a str);

impl fmt::Display for Shown<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            if c.is_control() {
                write!(f, "{}", c.escape_default())?;
            } else {
                write!(f, "{c}")?;
            }
        }
        Ok(())
    }
}

/// Text out of a file, as a message quotes it: escaped, on one line, and cut
/// when it is long.
pub(crate) fn quoted(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        None => format!("{text:?}"),
        Some((end, _)) => format!("{:?}…", &text[..end]),
    }
}
