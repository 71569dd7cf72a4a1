//! Placeholders: `${name}` in the strings of a case, and `${i}` in the strings
//! that a generator repeats.

use std::sync::Arc;

use super::{
    error::Problem,
    node::{Data, Document, Entry, Node},
};

/// The placeholder that generators fill in, and rows therefore leave alone.
const INDEX: &str = "i";

/// What one node costs of a case's allowance, in bytes, beside its text.
const NODE_BYTES: usize = 64;

/// A copy of the case in `node`, without its rows, in which every placeholder
/// has the value of `row`.
pub(crate) fn case(document: &Document<'_>, node: &Node, row: &[Entry]) -> Result<Node, Problem> {
    let Data::Table(entries) = &node.data else {
        return fill(document, node, row);
    };
    let mut filled = Vec::with_capacity(entries.len());
    for entry in entries.iter().filter(|entry| &*entry.name != "each") {
        filled.push(fill_entry(document, entry, row)?);
    }
    let data = Data::Table(filled);
    Ok(Node { at: node.at, data })
}

fn fill_entry(document: &Document<'_>, entry: &Entry, row: &[Entry]) -> Result<Entry, Problem> {
    Ok(Entry {
        name: Arc::clone(&entry.name),
        at: entry.at,
        value: fill(document, &entry.value, row)?,
    })
}

/// A copy of `node` in which every placeholder has the value of `row`.
fn fill(document: &Document<'_>, node: &Node, row: &[Entry]) -> Result<Node, Problem> {
    document.spend(node.at, NODE_BYTES)?;
    let data = match &node.data {
        Data::Text(text) => return fill_text(document, node.at, text, row),
        Data::List(nodes) => {
            let nodes: Result<_, _> = nodes.iter().map(|node| fill(document, node, row)).collect();
            Data::List(nodes?)
        }
        Data::Table(entries) => {
            let entries: Result<_, _> =
                entries.iter().map(|entry| fill_entry(document, entry, row)).collect();
            Data::Table(entries?)
        }
        other => other.clone(),
    };
    Ok(Node { at: node.at, data })
}

fn fill_text(
    document: &Document<'_>,
    at: usize,
    text: &Arc<str>,
    row: &[Entry],
) -> Result<Node, Problem> {
    let mut filled = String::new();
    let mut rest: &str = text;
    while let Some(found) = Placeholder::first(rest) {
        let (before, after) = (&rest[..found.start], &rest[found.end..]);
        let value = match value_of(document, at, found.name, row)? {
            None => &rest[found.start..found.end],
            Some(node) if found.end - found.start == text.len() => {
                return copy(document, node);
            }
            Some(node) => &inline(document, at, found.name, &node.data)?,
        };
        document.spend(at, before.len() + value.len())?;
        filled.push_str(before);
        filled.push_str(value);
        rest = after;
    }
    // A text that is shared counts too: every row reads it again.
    document.spend(at, rest.len())?;
    let text = if rest.len() == text.len() {
        Arc::clone(text)
    } else {
        filled.push_str(rest);
        filled.into()
    };
    let data = Data::Text(text);
    Ok(Node { at, data })
}

/// A row's value as it is, at its own place.
fn copy(document: &Document<'_>, node: &Node) -> Result<Node, Problem> {
    document.spend(node.at, size(node))?;
    Ok(node.clone())
}

fn size(node: &Node) -> usize {
    NODE_BYTES
        + match &node.data {
            Data::List(nodes) => nodes.iter().map(size).sum(),
            Data::Table(entries) => entries.iter().map(|entry| size(&entry.value)).sum(),
            Data::Text(text) => text.len(),
            _ => 0,
        }
}

fn value_of<'a>(
    document: &Document<'_>,
    at: usize,
    name: &str,
    row: &'a [Entry],
) -> Result<Option<&'a Node>, Problem> {
    if name == INDEX {
        return Ok(None);
    }
    // The search counts as growth, so that the allowance bounds it too.
    document.spend(at, row.len())?;
    match row.iter().find(|entry| &*entry.name == name) {
        Some(entry) => Ok(Some(&entry.value)),
        None => {
            let names: Vec<String> =
                row.iter().map(|entry| format!("${{{}}}", entry.name)).collect();
            let known = match &*names {
                [] => "the case has no rows".to_owned(),
                names => format!("known here: {}", names.join(", ")),
            };
            Err(document.problem(at, format!("unknown placeholder ${{{name}}}; {known}")))
        }
    }
}

fn inline(
    document: &Document<'_>,
    at: usize,
    name: &str,
    data: &Data,
) -> Result<Arc<str>, Problem> {
    match data {
        Data::Text(text) => Ok(Arc::clone(text)),
        Data::Integer(number) => Ok(number.to_string().into()),
        Data::Boolean(value) => Ok(value.to_string().into()),
        other => {
            let kind = other.kind();
            let message = format!("${{{name}}} is {kind}, which cannot stand inside a string");
            Err(document.problem(at, message))
        }
    }
}

/// Whether `text` differs from index to index.
pub(crate) fn is_indexed(text: &str) -> bool {
    text.contains("${i}")
}

/// `text` with every `${i}` replaced by `index`.
pub(crate) fn indexed(text: &str, index: usize) -> String {
    text.replace("${i}", &index.to_string())
}

/// How many bytes [`indexed`] makes of `text`.
pub(crate) fn indexed_bytes(text: &str, index: usize) -> usize {
    let places = text.matches("${i}").count();
    let digits = index.checked_ilog10().unwrap_or(0) as usize + 1;
    text.len() + places * digits - places * "${i}".len()
}

/// `${name}` in a text, where the name is made of `a-z 0-9 _`.
struct Placeholder<'a> {
    start: usize,
    end: usize,
    name: &'a str,
}

impl<'a> Placeholder<'a> {
    fn first(text: &'a str) -> Option<Self> {
        text.match_indices("${").find_map(|(start, open)| {
            let inner = &text[start + open.len()..];
            let stop = inner.find(|c: char| !matches!(c, 'a'..='z' | '0'..='9' | '_'))?;
            let closed = stop > 0 && inner[stop..].starts_with('}');
            closed.then(|| Self { start, end: start + open.len() + stop + 1, name: &inner[..stop] })
        })
    }
}
