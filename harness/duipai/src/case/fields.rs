//! Decoding of tables by hand, so that every message has a place and says what
//! was expected there.

use std::sync::Arc;

use super::{
    Origin,
    error::{Problem, quoted},
    node::{Data, Document, Entry, Node},
};

/// A table whose fields are taken out by name.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'a> {
    document: &'a Document<'a>,
    at: usize,
    entries: &'a [Entry],
}

impl<'a> Fields<'a> {
    /// Refuses every field that is not one of `known`.
    pub(crate) fn only(self, known: &[&str]) -> Result<Self, Problem> {
        match self.entries.iter().find(|entry| !known.contains(&&*entry.name)) {
            None => Ok(self),
            Some(entry) => {
                let message = format!(
                    "unknown field {}; known here: {}",
                    quoted(&entry.name),
                    known.join(", ")
                );
                Err(self.document.problem(entry.at, message))
            }
        }
    }

    pub(crate) fn optional(&self, name: &str) -> Option<Value<'a>> {
        let entry = self.entries.iter().find(|entry| &*entry.name == name)?;
        Some(self.value(entry))
    }

    pub(crate) fn required(&self, name: &str) -> Result<Value<'a>, Problem> {
        self.optional(name).ok_or_else(|| self.problem(format!("missing field \"{name}\"")))
    }

    /// The field of which exactly one must be there, and its name.
    pub(crate) fn one_of(
        &self,
        names: &[&'static str],
    ) -> Result<(&'static str, Value<'a>), Problem> {
        let mut found =
            names.iter().filter_map(|name| self.optional(name).map(|value| (*name, value)));
        match (found.next(), found.next()) {
            (Some(field), None) => Ok(field),
            (None, _) => {
                Err(self.problem(format!("expected one of the fields {}", names.join(", "))))
            }
            (Some((first, _)), Some((second, value))) => {
                Err(value.problem(format!("\"{second}\" cannot stand beside \"{first}\"")))
            }
        }
    }

    /// Refuses the fields `names`, because of `why`.
    pub(crate) fn without(&self, names: &[&str], why: &str) -> Result<(), Problem> {
        match self.entries.iter().find(|entry| names.contains(&&*entry.name)) {
            None => Ok(()),
            Some(entry) => {
                let message = format!("\"{}\" cannot stand {why}", entry.name);
                Err(self.document.problem(entry.at, message))
            }
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = Value<'a>> {
        let fields = *self;
        fields.entries.iter().map(move |entry| fields.value(entry))
    }

    pub(crate) fn entries(&self) -> &'a [Entry] {
        self.entries
    }

    pub(crate) fn origin(&self) -> Origin {
        self.document.origin(self.at)
    }

    pub(crate) fn problem(&self, message: impl Into<String>) -> Problem {
        self.document.problem(self.at, message)
    }

    pub(crate) fn spend(&self, bytes: usize) -> Result<(), Problem> {
        self.document.spend(self.at, bytes)
    }

    fn value(&self, entry: &'a Entry) -> Value<'a> {
        Value { document: self.document, name: &entry.name, node: &entry.value }
    }
}

/// A value, and the name of the field that it is the value of or stands in.
#[derive(Clone, Copy)]
pub(crate) struct Value<'a> {
    document: &'a Document<'a>,
    name: &'a str,
    node: &'a Node,
}

impl<'a> Value<'a> {
    /// A value that `name` stands for in messages.
    pub(crate) fn new(document: &'a Document<'a>, name: &'a str, node: &'a Node) -> Self {
        Self { document, name, node }
    }

    pub(crate) fn name(&self) -> &'a str {
        self.name
    }

    pub(crate) fn node(&self) -> &'a Node {
        self.node
    }

    pub(crate) fn text(&self) -> Result<&'a Arc<str>, Problem> {
        match &self.node.data {
            Data::Text(text) => Ok(text),
            _ => Err(self.expected("a string")),
        }
    }

    /// A text with something in it.
    pub(crate) fn words(&self) -> Result<&'a Arc<str>, Problem> {
        let text = self.text()?;
        if text.trim().is_empty() {
            return Err(self.problem(format!("{} is empty", self.quoted_name())));
        }
        Ok(text)
    }

    pub(crate) fn texts(&self) -> Result<Vec<String>, Problem> {
        self.list()?.map(|value| value.text().map(ToString::to_string)).collect()
    }

    pub(crate) fn integer(&self) -> Result<i64, Problem> {
        match self.node.data {
            Data::Integer(number) => Ok(number),
            _ => Err(self.expected("an integer")),
        }
    }

    /// An integer that `T` can hold.
    pub(crate) fn number<T: TryFrom<i64>>(&self) -> Result<T, Problem> {
        let number = self.integer()?;
        T::try_from(number).map_err(|_| {
            let name = self.quoted_name();
            self.problem(format!("{name} cannot be {number}: out of range"))
        })
    }

    pub(crate) fn boolean(&self) -> Result<bool, Problem> {
        match self.node.data {
            Data::Boolean(value) => Ok(value),
            _ => Err(self.expected("a boolean")),
        }
    }

    pub(crate) fn list(&self) -> Result<impl ExactSizeIterator<Item = Self> + use<'a>, Problem> {
        let value = *self;
        match &self.node.data {
            Data::List(nodes) => Ok(nodes.iter().map(move |node| Self { node, ..value })),
            _ => Err(self.expected("an array")),
        }
    }

    pub(crate) fn table(&self) -> Result<Fields<'a>, Problem> {
        match &self.node.data {
            Data::Table(entries) => {
                Ok(Fields { document: self.document, at: self.node.at, entries })
            }
            _ => Err(self.expected("a table")),
        }
    }

    /// One of the named values.
    pub(crate) fn choice<T>(
        &self,
        names: &[&str],
        from_name: impl Fn(&str) -> Option<T>,
    ) -> Result<T, Problem> {
        let text = self.text()?;
        from_name(text).ok_or_else(|| {
            let name = self.quoted_name();
            let names = names.join(", ");
            self.problem(format!("{name} is {}, expected one of {names}", quoted(text)))
        })
    }

    /// The value is not what it should be.
    pub(crate) fn expected(&self, what: &str) -> Problem {
        let name = self.quoted_name();
        self.problem(format!("{name} must be {what}, not {}", self.node.data.kind()))
    }

    pub(crate) fn problem(&self, message: impl Into<String>) -> Problem {
        self.document.problem(self.node.at, message)
    }

    pub(crate) fn spend(&self, bytes: usize) -> Result<(), Problem> {
        self.document.spend(self.node.at, bytes)
    }

    fn quoted_name(&self) -> String {
        quoted(self.name)
    }
}
