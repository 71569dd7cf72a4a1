//! What is wrong with a suite's files, one line for each problem.

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use super::Origin;

/// Why a suite could not be loaded: at least one [`Problem`], one line each.
/// Of many, the first are told.
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
    const SHOWN: usize = 20;
    let mut lines: Vec<String> = problems.iter().take(SHOWN).map(Problem::to_string).collect();
    if let Some(more @ 1..) = problems.len().checked_sub(SHOWN) {
        lines.push(format!("and {more} more"));
    }
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

    /// A problem of what was asked for, not of any file.
    pub(crate) fn nowhere(message: impl Into<String>) -> Self {
        Self { place: Place::Nowhere, message: message.into() }
    }

    pub(crate) fn whole(path: impl Into<Arc<str>>, message: impl Into<String>) -> Self {
        Self { place: Place::Whole(path.into()), message: message.into() }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = match &self.place {
            Place::Nowhere => String::new(),
            Place::Whole(path) => format!("{path}: "),
            Place::At(origin) => format!("{origin}: "),
        };
        // Paths and quoted texts may hold anything; the line stays one line.
        for c in place.chars().chain(self.message.chars()) {
            if c.is_control() {
                write!(f, "{}", c.escape_default())?;
            } else {
                f.write_char(c)?;
            }
        }
        Ok(())
    }
}

/// What a [`Problem`] is about.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// No file: nothing was given to read.
    Nowhere,
    /// A file or folder as a whole.
    Whole(Arc<str>),
    /// A place in a file.
    At(Origin),
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
