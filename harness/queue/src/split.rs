//! Canonical batch text → checked items (批量拆分).
//!
//! One pass over the structural bytes cuts the array into items, a second one
//! over each item cuts it into members. Bodies stay opaque slices of the
//! canonical text and are never parsed.

use alloc::vec::Vec;

use duipai_spec::{limits::MAX_BODY_BYTES, messages};

use crate::{delay::Delay, scan::structurals};

/// One checked item of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// The body's canonical text.
    pub body: &'a str,
    /// Its delay; none when the item has no `delaySeconds`.
    pub delay: Delay,
}

/// The raw texts of the elements of a canonical array; `None` when the text is
/// not an array.
pub fn elements(canonical: &str) -> Option<Vec<&str>> {
    let inner = canonical.strip_prefix('[')?.strip_suffix(']')?;
    Some(split_level(inner, b','))
}

/// The members of a canonical object as raw key literal and raw value; `None`
/// when the text is not an object.
pub fn members(canonical: &str) -> Option<Vec<(&str, &str)>> {
    let inner = canonical.strip_prefix('{')?.strip_suffix('}')?;
    split_level(inner, b',').into_iter().map(member).collect()
}

fn member(text: &str) -> Option<(&str, &str)> {
    // The first structural byte of a member is the colon after its key.
    let colon = structurals(text).next()?;
    (colon.byte == b':').then(|| (&text[..colon.at], &text[colon.at + 1..]))
}

/// Cuts `text` at every `separator` that is outside strings and brackets.
fn split_level(text: &str, separator: u8) -> Vec<&str> {
    let mut parts = Vec::new();
    if text.is_empty() {
        return parts;
    }
    let mut depth = 0_usize;
    let mut start = 0;
    for structural in structurals(text) {
        match structural.byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            byte if byte == separator && depth == 0 => {
                parts.push(&text[start..structural.at]);
                start = structural.at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[start..]);
    parts
}

/// Checks one element of the batch array.
///
/// # Errors
///
/// The message of the first rule that it breaks, in this order: it is an
/// object, it has a body, it has no other field than `body` and
/// `delaySeconds`, its delay is an integer in range, its body is not too large.
pub fn item(element: &str) -> Result<Item<'_>, &'static str> {
    let members = members(element).ok_or(messages::ITEM_NOT_OBJECT)?;
    let mut body = None;
    let mut delay = None;
    let mut unknown = false;
    for (key, value) in members {
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
    let delay = match delay {
        Some(number) => Delay::from_canonical(number).ok_or(messages::ITEM_DELAY)?,
        None => Delay::NONE,
    };
    if body.len() > MAX_BODY_BYTES {
        return Err(messages::ITEM_BODY_TOO_LARGE);
    }
    Ok(Item { body, delay })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(element: &str, expected: Result<(&str, u32), &str>) {
        let seen = item(element).map(|item| (item.body, item.delay.seconds()));
        assert_eq!(seen, expected, "{element}");
    }

    #[test]
    fn elements_are_cut_outside_strings_and_brackets() {
        let expected: [(&str, Option<&[&str]>); 6] = [
            ("[]", Some(&[])),
            ("[1]", Some(&["1"])),
            ("[[1,2],{\"a\":[3,4]},\",]\"]", Some(&["[1,2]", "{\"a\":[3,4]}", "\",]\""])),
            ("[\"\\\\\",\"\\\"\",1]", Some(&["\"\\\\\"", "\"\\\"\"", "1"])),
            ("{}", None),
            ("null", None),
        ];
        for (text, parts) in expected {
            assert_eq!(elements(text).as_deref(), parts, "{text}");
        }
    }

    #[test]
    fn items_are_checked_in_order() {
        check("{\"body\":1}", Ok(("1", 0)));
        check("{\"body\":{\"delaySeconds\":9,\"x\":[\"}\"]},\"delaySeconds\":5}", {
            Ok(("{\"delaySeconds\":9,\"x\":[\"}\"]}", 5))
        });
        check("{\"delaySeconds\":43200,\"body\":null}", Ok(("null", 43_200)));
        check("[1]", Err(messages::ITEM_NOT_OBJECT));
        check("{}", Err(messages::ITEM_NO_BODY));
        check("{\"x\":1}", Err(messages::ITEM_NO_BODY));
        check("{\"body\":1,\"x\":1,\"delaySeconds\":-1}", Err(messages::ITEM_UNKNOWN_FIELD));
        check("{\"body\":1,\"__proto__\":{}}", Err(messages::ITEM_UNKNOWN_FIELD));
        check("{\"body\":1,\"delaySeconds\":null}", Err(messages::ITEM_DELAY));
    }
}
