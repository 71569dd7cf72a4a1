//! Faults in how a batch is cut and how its items are read.

use alloc::vec::Vec;

use duipai_queue::{scan, split};
use duipai_spec::messages;

use crate::{
    Mutant,
    parts::{RawItem, checked_item},
};

/// The mutants.
pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "split-inside-strings",
        breaks: "batch.item.body-exact",
        does: "takes brackets and commas inside strings for structure",
        swap: |parts| {
            parts.batch.elements = |text| naive_elements(text, |_, _| false);
        },
    },
    Mutant {
        name: "split-without-escapes",
        breaks: "batch.item.body-exact",
        does: "ends a string at an escaped quote",
        swap: |parts| {
            parts.batch.elements = |text| naive_elements(text, |inside, _| !inside);
        },
    },
    Mutant {
        name: "split-by-byte-before",
        breaks: "batch.item.body-exact",
        does: "takes a quote after any backslash for an escaped one",
        swap: |parts| {
            parts.batch.elements = |text| {
                naive_elements(
                    text,
                    |inside, before| if before == b'\\' { inside } else { !inside },
                )
            };
        },
    },
    Mutant {
        name: "split-ignores-arrays",
        breaks: "batch.item.body-exact",
        does: "follows braces only, so that a comma in an array of a body ends the body",
        swap: |parts| {
            parts.batch.item = |element| {
                let members = split::members(element).ok_or(messages::ITEM_NOT_OBJECT)?;
                if commas_outside_braces(element) + 1 == members.len().max(1) {
                    checked_item(element)
                } else {
                    Err(messages::ITEM_UNKNOWN_FIELD)
                }
            };
        },
    },
    Mutant {
        name: "item-not-object-accepted",
        breaks: "batch.item.object",
        does: "reads an array as an item, as a derived parser does",
        swap: |parts| {
            parts.batch.item = |element| match split::elements(element).as_deref() {
                Some([body]) => Ok(RawItem { body, delay: 0 }),
                Some([body, delay]) => {
                    Ok(RawItem { body, delay: delay.parse().map_err(|_| messages::ITEM_DELAY)? })
                }
                _ => checked_item(element),
            };
        },
    },
    Mutant {
        name: "item-unknown-fields-ignored",
        breaks: "batch.item.no-other-fields",
        does: "ignores fields that it does not know",
        swap: |parts| {
            parts.batch.item = |element| with_members(element, |_| true);
        },
    },
    Mutant {
        name: "item-content-type-accepted",
        breaks: "batch.item.no-other-fields",
        does: "accepts contentType because the platform knows it",
        swap: |parts| {
            parts.batch.item = |element| with_members(element, |key| key == "\"contentType\"");
        },
    },
    Mutant {
        name: "item-proto-ignored",
        breaks: "batch.item.no-other-fields",
        does: "loses a field named __proto__",
        swap: |parts| {
            parts.batch.item = |element| with_members(element, |key| key == "\"__proto__\"");
        },
    },
    Mutant {
        name: "item-body-missing-as-null",
        breaks: "batch.item.body",
        does: "sends null for a missing body",
        swap: |parts| {
            parts.batch.item = |element| match checked_item(element) {
                Err(messages::ITEM_NO_BODY) => Ok(RawItem { body: "null", delay: 0 }),
                item => item,
            };
        },
    },
    Mutant {
        name: "item-delay-truncated",
        breaks: "batch.item.delay-integer",
        does: "cuts a delay of 1.5 seconds to 1",
        swap: |parts| {
            parts.batch.item =
                |element| with_delay(element, |delay| delay.split('.').next().unwrap_or(delay));
        },
    },
    Mutant {
        name: "item-delay-null-as-absent",
        breaks: "batch.item.delay-integer",
        does: "takes a null delay for none",
        swap: |parts| {
            parts.batch.item =
                |element| with_delay(element, |delay| if delay == "null" { "0" } else { delay });
        },
    },
    Mutant {
        name: "item-delay-string-accepted",
        breaks: "batch.item.delay-integer",
        does: "accepts a delay written as a string",
        swap: |parts| {
            parts.batch.item = |element| with_delay(element, |delay| delay.trim_matches('"'));
        },
    },
    Mutant {
        name: "item-delay-negative-accepted",
        breaks: "batch.item.delay-range",
        does: "takes the absolute value of a negative delay",
        swap: |parts| {
            parts.batch.item = |element| with_delay(element, |delay| delay.trim_start_matches('-'));
        },
    },
];

/// An item that may have the extra members that `ignored` names.
fn with_members(element: &str, ignored: fn(&str) -> bool) -> Result<RawItem<'_>, &'static str> {
    let members = split::members(element).ok_or(messages::ITEM_NOT_OBJECT)?;
    let value = |name: &str| members.iter().find(|(key, _)| *key == name).map(|(_, v)| *v);
    let known = |key: &str| key == "\"body\"" || key == "\"delaySeconds\"";
    let body = value("\"body\"").ok_or(messages::ITEM_NO_BODY)?;
    if !members.iter().all(|(key, _)| known(key) || ignored(key)) {
        return Err(messages::ITEM_UNKNOWN_FIELD);
    }
    let delay = delay_seconds(value("\"delaySeconds\"").unwrap_or("0"))?;
    Ok(RawItem { body, delay })
}

/// An item whose delay is read as `reading` says.
fn with_delay<'a>(
    element: &'a str,
    reading: for<'b> fn(&'b str) -> &'b str,
) -> Result<RawItem<'a>, &'static str> {
    match checked_item(element) {
        Err(messages::ITEM_DELAY) => {
            let members = split::members(element).ok_or(messages::ITEM_NOT_OBJECT)?;
            let value = |name: &str| members.iter().find(|(key, _)| *key == name).map(|(_, v)| *v);
            let body = value("\"body\"").ok_or(messages::ITEM_NO_BODY)?;
            let delay = delay_seconds(reading(value("\"delaySeconds\"").unwrap_or("0")))?;
            Ok(RawItem { body, delay })
        }
        item => item,
    }
}

fn delay_seconds(number: &str) -> Result<u32, &'static str> {
    let delay = duipai_queue::delay::Delay::from_canonical(number);
    Ok(delay.ok_or(messages::ITEM_DELAY)?.seconds())
}

/// Cuts an array with a wrong idea of where strings are: `quote_inside` says
/// whether a string is open after a quote, given whether one was open before it
/// and the byte before it.
fn naive_elements(text: &str, quote_inside: fn(bool, u8) -> bool) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let mut parts = Vec::new();
    let (mut depth, mut start, mut inside, mut before) = (0_i32, 0, false, 0);
    for (at, byte) in inner.bytes().enumerate() {
        match byte {
            b'"' => inside = quote_inside(inside, before),
            b'[' | b'{' if !inside => depth += 1,
            b']' | b'}' if !inside => depth -= 1,
            b',' if !inside && depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        before = byte;
    }
    if !inner.is_empty() {
        parts.push(&inner[start..]);
    }
    Some(parts)
}

/// Commas of an object that lie in no other object and in no string.
fn commas_outside_braces(object: &str) -> usize {
    let mut depth = 0_usize;
    let mut commas = 0;
    for structural in scan::structurals(object) {
        match structural.byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b',' if depth == 1 => commas += 1,
            _ => {}
        }
    }
    commas
}
