//! A TOML document as a tree in which every value knows where it stands.

use std::{cell::Cell, sync::Arc};

use toml::{
    Spanned,
    de::{DeInteger, DeTable, DeValue},
};

use super::{
    Origin,
    error::Problem,
    source::{Positions, SourceFile},
};

/// What one case may grow to when its texts and rows are written out, in bytes.
pub(crate) const MAX_CASE_BYTES: usize = 16 << 20;

/// What the cases of one file may grow to together, in bytes.
pub(crate) const MAX_EXPANDED_BYTES: usize = 512 << 20;

/// A file that is being decoded.
pub(crate) struct Document<'a> {
    file: &'a SourceFile,
    positions: Positions,
    case_left: Cell<usize>,
    left: Cell<usize>,
}

impl<'a> Document<'a> {
    pub(crate) fn new(file: &'a SourceFile) -> Self {
        Self {
            file,
            positions: Positions::new(&file.text),
            case_left: Cell::new(MAX_CASE_BYTES),
            left: Cell::new(MAX_EXPANDED_BYTES),
        }
    }

    /// The whole file as a table.
    pub(crate) fn parse(&self) -> Result<Node, Problem> {
        match DeTable::parse(&self.file.text) {
            Ok(table) => self.table(0, table.get_ref()),
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let message: Vec<&str> = error.message().lines().collect();
                Err(self.problem(at, format!("not TOML: {}", message.join(" "))))
            }
        }
    }

    pub(crate) fn origin(&self, at: usize) -> Origin {
        self.positions.origin(&self.file.path, &self.file.text, at)
    }

    pub(crate) fn problem(&self, at: usize, message: impl Into<String>) -> Problem {
        Problem::at(self.origin(at), message)
    }

    /// Begins another case, with an allowance of its own.
    pub(crate) fn next_case(&self) {
        self.case_left.set(MAX_CASE_BYTES);
    }

    /// Takes `bytes` from the allowance, before they are allocated.
    pub(crate) fn spend(&self, at: usize, bytes: usize) -> Result<(), Problem> {
        let take = |left: &Cell<usize>| left.get().checked_sub(bytes).map(|rest| left.set(rest));
        if take(&self.case_left).is_none() {
            let message = format!("the case grows to over {MAX_CASE_BYTES} bytes here");
            return Err(self.problem(at, message));
        }
        if take(&self.left).is_none() {
            let message = format!("the file's cases grow to over {MAX_EXPANDED_BYTES} bytes here");
            return Err(self.problem(at, message));
        }
        Ok(())
    }

    fn table(&self, at: usize, table: &DeTable<'_>) -> Result<Node, Problem> {
        let mut entries = Vec::with_capacity(table.len());
        for (name, value) in table {
            entries.push(Entry {
                name: Arc::from(&**name.get_ref()),
                at: name.span().start,
                value: self.value(value)?,
            });
        }
        entries.sort_by_key(|entry| entry.at);
        let data = Data::Table(entries);
        Ok(Node { at, data })
    }

    /// The parser has bounded the depth of what it accepts.
    fn value(&self, value: &Spanned<DeValue<'_>>) -> Result<Node, Problem> {
        let at = value.span().start;
        let data = match value.get_ref() {
            DeValue::String(text) => Data::Text(Arc::from(&**text)),
            DeValue::Integer(number) => Data::Integer(self.integer(at, number)?),
            DeValue::Boolean(value) => Data::Boolean(*value),
            DeValue::Float(_) => Data::Other("a float"),
            DeValue::Datetime(_) => Data::Other("a date or time"),
            DeValue::Array(values) => {
                let nodes: Result<_, _> = values.iter().map(|value| self.value(value)).collect();
                Data::List(nodes?)
            }
            DeValue::Table(table) => return self.table(at, table),
        };
        Ok(Node { at, data })
    }

    fn integer(&self, at: usize, number: &DeInteger<'_>) -> Result<i64, Problem> {
        i64::from_str_radix(number.as_str(), number.radix())
            .map_err(|_| self.problem(at, "the integer does not fit in 64 bits"))
    }
}

/// A value, and the byte of the file where it begins.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub(crate) at: usize,
    pub(crate) data: Data,
}

#[derive(Clone, Debug)]
pub(crate) enum Data {
    Text(Arc<str>),
    Integer(i64),
    Boolean(bool),
    List(Vec<Node>),
    Table(Vec<Entry>),
    /// A type that the format has no use for, named for messages.
    Other(&'static str),
}

impl Data {
    /// What it is, with an article.
    pub(crate) const fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "a string",
            Self::Integer(_) => "an integer",
            Self::Boolean(_) => "a boolean",
            Self::List(_) => "an array",
            Self::Table(_) => "a table",
            Self::Other(kind) => kind,
        }
    }
}

/// One field of a table; tables keep the order of the file.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) name: Arc<str>,
    pub(crate) at: usize,
    pub(crate) value: Node,
}
