//! The splitter on any text, byte by byte.
//!
//! Canonical text comes here only when it breaks a rule. Other text may hold
//! anything: then a quote opens and closes strings, a backslash escapes only
//! inside of them, and a bracket that closes nothing does not count.

use duipai_spec::{
    limits::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS, MAX_BODY_BYTES},
    messages,
};

use crate::split::{Item, seconds};

/// The elements of an array; `None` when the text is not between brackets.
pub(crate) fn elements(text: &str) -> Option<Vec<&str>> {
    Some(parts(text.strip_prefix('[')?.strip_suffix(']')?).collect())
}

/// The items of a batch, or the first rule that it breaks.
pub(crate) fn items(text: &str) -> Result<Vec<Item<'_>>, &'static str> {
    let elements = elements(text).ok_or(messages::BATCH_NOT_ARRAY)?;
    match elements.len() {
        0 => return Err(messages::BATCH_EMPTY),
        1..=MAX_BATCH_ITEMS => {}
        _ => return Err(messages::BATCH_TOO_MANY),
    }
    let mut items = Vec::with_capacity(elements.len());
    let mut total = 0;
    for element in elements {
        let item = item(element)?;
        total += item.body.len();
        items.push(item);
    }
    if total > MAX_BATCH_BYTES { Err(messages::BATCH_TOTAL_TOO_LARGE) } else { Ok(items) }
}

fn item(element: &str) -> Result<Item<'_>, &'static str> {
    let inside = element.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    let (mut body, mut delay, mut unknown) = (None, None, false);
    for part in parts(inside.ok_or(messages::ITEM_NOT_OBJECT)?) {
        let (key, value) = key_and_value(part).ok_or(messages::ITEM_NOT_OBJECT)?;
        match key {
            "\"body\"" => body = Some(value),
            "\"delaySeconds\"" => delay = Some(value),
            _ => unknown = true,
        }
    }
    let body = body.ok_or(messages::ITEM_NO_BODY)?;
    if unknown {
        return Err(messages::ITEM_UNKNOWN_FIELD);
    }
    let delay_seconds = delay.map_or(Some(0), seconds).ok_or(messages::ITEM_DELAY)?;
    if body.len() > MAX_BODY_BYTES {
        return Err(messages::ITEM_BODY_TOO_LARGE);
    }
    Ok(Item { body, delay_seconds })
}

/// What stands before and after the colon that no bracket or comma precedes.
fn key_and_value(part: &str) -> Option<(&str, &str)> {
    let mut scanner = Scanner::default();
    let first = part.bytes().position(|byte| scanner.structural(byte))?;
    let (key, rest) = part.split_at(first);
    Some((key, rest.strip_prefix(':')?))
}

/// Cuts a text at the commas that are outside of strings and brackets. An empty
/// text has no parts.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = (!text.is_empty()).then_some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut scanner = Scanner::default();
        let mut depth = 0_usize;
        // A part begins outside of everything, so each has a scanner of its own.
        let comma = text.bytes().position(|byte| {
            if scanner.structural(byte) {
                match byte {
                    b'[' | b'{' => depth += 1,
                    b']' | b'}' => depth = depth.saturating_sub(1),
                    _ => return byte == b',' && depth == 0,
                }
            }
            false
        });
        let (part, after) = match comma {
            Some(comma) => (&text[..comma], Some(&text[comma + 1..])),
            None => (text, None),
        };
        rest = after;
        Some(part)
    })
}

/// What is inside strings, from byte to byte.
#[derive(Default)]
enum Scanner {
    #[default]
    Outside,
    Inside,
    Escaped,
}

impl Scanner {
    /// Whether the next byte is a bracket, brace, comma or colon outside of
    /// strings.
    fn structural(&mut self, byte: u8) -> bool {
        *self = match (&self, byte) {
            (Self::Outside, b'"') => Self::Inside,
            (Self::Outside, _) => {
                return matches!(byte, b'[' | b']' | b'{' | b'}' | b',' | b':');
            }
            (Self::Inside, b'"') => Self::Outside,
            (Self::Inside, b'\\') => Self::Escaped,
            (Self::Inside | Self::Escaped, _) => Self::Inside,
        };
        false
    }
}
