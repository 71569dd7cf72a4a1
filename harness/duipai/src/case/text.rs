//! Texts, and the tables that generate big ones.

use std::sync::Arc;

use super::{
    error::Problem,
    fields::{Fields, Value},
    json, rows,
};

/// The field that says which generator a table is.
const GENERATORS: [&str; 6] = ["string", "nest", "items", "bodies", "pieces", "escaped"];

/// The text that a string is, or that a table generates.
pub(crate) fn text(value: Value<'_>) -> Result<Arc<str>, Problem> {
    if let Ok(fields) = value.table() {
        return generated(fields);
    }
    match value.text() {
        Ok(text) => Ok(Arc::clone(text)),
        Err(_) => Err(value.expected("a string or a table that generates a text")),
    }
}

fn generated(fields: Fields<'_>) -> Result<Arc<str>, Problem> {
    let generator = Generator::decode(fields)?;
    let declared = fields.required("bytes")?;
    let bytes: usize = declared.number()?;
    let made = generator.bytes(fields)?;
    if made != bytes {
        let message = format!("the text has {made} bytes, not {bytes}");
        return Err(declared.problem(message));
    }
    declared.spend(made)?;
    let text = generator.text();
    if let Some(declared) = fields.optional("canonical_bytes") {
        let bytes: usize = declared.number()?;
        let canonical = json::canonical(&text)
            .map_err(|error| declared.problem(format!("the text is not JSON: {error}")))?;
        if canonical.len() != bytes {
            let made = canonical.len();
            let message = format!("the canonical text has {made} bytes, not {bytes}");
            return Err(declared.problem(message));
        }
    }
    Ok(text.into())
}

/// How a text is made. Its size is known before it is written out.
enum Generator {
    /// Pieces, each so often.
    Pieces(Vec<(Arc<str>, usize)>),
    /// An array of so many items, `${i}` being the index.
    Items { count: usize, item: Arc<str> },
}

impl Generator {
    fn decode(fields: Fields<'_>) -> Result<Self, Problem> {
        let (kind, value) = fields.one_of(&GENERATORS)?;
        let known: &[&str] = match kind {
            "nest" => &["nest", "open", "close", "inner", "bytes", "canonical_bytes"],
            "items" => &["items", "item", "bytes", "canonical_bytes"],
            other => &[other, "bytes", "canonical_bytes"],
        };
        let fields = fields.only(known)?;
        match kind {
            "string" => {
                let quoted: usize = fields.required("bytes")?.number()?;
                json_string(value, value.text()?, quoted).map(Self::Pieces)
            }
            "nest" => nest(fields, value.number()?).map(Self::Pieces),
            "items" => Ok(Self::Items {
                count: value.number()?,
                item: Arc::clone(fields.required("item")?.text()?),
            }),
            "bodies" => bodies(value).map(Self::Pieces),
            "pieces" => value.list()?.map(piece).collect::<Result<_, _>>().map(Self::Pieces),
            _ => Ok(Self::Pieces(vec![(Arc::clone(value.text()?), 1)])),
        }
    }

    fn bytes(&self, fields: Fields<'_>) -> Result<usize, Problem> {
        match self {
            Self::Pieces(pieces) => pieces
                .iter()
                .try_fold(0usize, |sum, (piece, times)| {
                    sum.checked_add(piece.len().checked_mul(*times)?)
                })
                .ok_or_else(|| fields.problem("the text's size does not fit in 64 bits")),
            Self::Items { count, item } => {
                // The allowance bounds the work before the sizes are added up.
                fields.spend(count.saturating_mul(item.len() + 1))?;
                let items: usize = (0..*count).map(|i| rows::indexed_bytes(item, i)).sum();
                Ok("[]".len() + items + count.saturating_sub(1))
            }
        }
    }

    fn text(&self) -> String {
        match self {
            Self::Pieces(pieces) => {
                pieces.iter().map(|(piece, times)| piece.repeat(*times)).collect()
            }
            Self::Items { count, item } => {
                let items: Vec<String> = (0..*count).map(|i| rows::indexed(item, i)).collect();
                format!("[{}]", items.join(","))
            }
        }
    }
}

/// A JSON string of `unit`, filled up with `x` to `bytes`, quotes included.
fn json_string(
    value: Value<'_>,
    unit: &Arc<str>,
    bytes: usize,
) -> Result<Vec<(Arc<str>, usize)>, Problem> {
    if unit.is_empty() {
        return Err(value.problem("the repeated unit is empty"));
    }
    let Some(inner) = bytes.checked_sub(2) else {
        let message = format!("a JSON string has 2 bytes at the least, not {bytes}");
        return Err(value.problem(message));
    };
    Ok(vec![
        ("\"".into(), 1),
        (Arc::clone(unit), inner / unit.len()),
        ("x".into(), inner % unit.len()),
        ("\"".into(), 1),
    ])
}

fn nest(fields: Fields<'_>, depth: usize) -> Result<Vec<(Arc<str>, usize)>, Problem> {
    let part = |name: &str, default: &str| match fields.optional(name) {
        Some(value) => value.text().cloned(),
        None => Ok(default.into()),
    };
    Ok(vec![(part("open", "[")?, depth), (part("inner", "")?, 1), (part("close", "]")?, depth)])
}

fn bodies(value: Value<'_>) -> Result<Vec<(Arc<str>, usize)>, Problem> {
    let mut pieces = vec![("[".into(), 1)];
    let unit = "x".into();
    for (index, size) in value.list()?.enumerate() {
        let open = if index == 0 { "{\"body\":" } else { ",{\"body\":" };
        pieces.push((open.into(), 1));
        pieces.extend(json_string(size, &unit, size.number()?)?);
        pieces.push(("}".into(), 1));
    }
    pieces.push(("]".into(), 1));
    Ok(pieces)
}

/// `['piece', times]`.
fn piece(value: Value<'_>) -> Result<(Arc<str>, usize), Problem> {
    let parts: Vec<Value<'_>> = value.list()?.collect();
    match *parts {
        [piece, times] => Ok((Arc::clone(piece.text()?), times.number()?)),
        _ => Err(value.problem("a piece is an array of a string and how often it is repeated")),
    }
}
