//! Faults in 批量发送队列消息.

use duipai_queue::{scan, split};
use duipai_spec::{
    bridge::Failure,
    limits::{BATCH_ENVELOPE_DEPTH, MAX_BATCH_BYTES, MAX_BATCH_TEXT_BYTES, MAX_DEPTH},
    messages,
};

use crate::mutants::{
    Fault, Mutant,
    parts::{RawItem, call, check, checked_item, item_count, item_with},
};

/// The mutants.
pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "batch-101-accepted",
        breaks: "batch.count.most",
        does: "accepts 101 items",
        fault: Fault::Part(|parts| {
            parts.batch.count = |count| item_count(if count == 101 { 100 } else { count });
        }),
    },
    Mutant {
        name: "batch-100-refused",
        breaks: "batch.count.most",
        does: "refuses 100 items",
        fault: Fault::Part(|parts| {
            parts.batch.count = |count| item_count(if count == 100 { 101 } else { count });
        }),
    },
    Mutant {
        name: "batch-empty-accepted",
        breaks: "batch.count.least",
        does: "hands an empty batch to the platform",
        fault: Fault::Part(|parts| parts.batch.count = |count| item_count(count.max(1))),
    },
    Mutant {
        name: "batch-total-unchecked",
        breaks: "batch.size.total",
        does: "limits the number of items but not the sum of their bytes",
        fault: Fault::Part(|parts| parts.batch.total = |_| Ok(())),
    },
    Mutant {
        name: "batch-total-one-high",
        breaks: "batch.size.total",
        does: "accepts 256001 bytes in all",
        fault: Fault::Part(|parts| {
            parts.batch.total =
                |bytes| check(bytes <= MAX_BATCH_BYTES + 1, messages::BATCH_TOTAL_TOO_LARGE);
        }),
    },
    Mutant {
        name: "batch-total-one-low",
        breaks: "batch.size.total",
        does: "refuses exactly 256000 bytes in all",
        fault: Fault::Part(|parts| {
            parts.batch.total =
                |bytes| check(bytes < MAX_BATCH_BYTES, messages::BATCH_TOTAL_TOO_LARGE);
        }),
    },
    // Whether white space counts towards the 1 MiB is open, so a limit that is
    // too high can be told from the document's only by the vectors.
    Mutant {
        name: "batch-text-one-low",
        breaks: "batch.size.text",
        does: "refuses an array text of exactly 1 MiB",
        fault: Fault::Part(|parts| {
            parts.batch.text_size =
                |text| check(text.len() < MAX_BATCH_TEXT_BYTES, messages::BATCH_TEXT_TOO_LARGE);
        }),
    },
    Mutant {
        name: "batch-text-decimal-megabyte",
        breaks: "batch.size.text",
        does: "takes 1 MiB for 1000000 bytes",
        fault: Fault::Part(|parts| {
            parts.batch.text_size =
                |text| check(text.len() <= 1_000_000, messages::BATCH_TEXT_TOO_LARGE);
        }),
    },
    Mutant {
        name: "batch-body-unchecked",
        breaks: "batch.size.body",
        does: "does not look at the size of each body",
        fault: Fault::Part(|parts| parts.batch.item = loose_item),
    },
    Mutant {
        name: "batch-depth-of-whole-text",
        breaks: "batch.depth.limit",
        does: "accepts 25 levels in a body",
        fault: Fault::Part(|parts| {
            parts.batch.content = |text| {
                let most = MAX_DEPTH + BATCH_ENVELOPE_DEPTH + 1;
                check(!scan::has_marker(text), messages::BATCH_MARKER)?;
                check(scan::depth(text) <= most, messages::BATCH_TOO_DEEP)
            };
        }),
    },
    Mutant {
        name: "batch-markers-missed",
        breaks: "batch.marker",
        does: "does not look for host markers",
        fault: Fault::Part(|parts| {
            parts.batch.content = |text| {
                let most = MAX_DEPTH + BATCH_ENVELOPE_DEPTH;
                check(scan::depth(text) <= most, messages::BATCH_TOO_DEEP)
            };
        }),
    },
    Mutant {
        name: "split-inside-strings",
        breaks: "batch.item.body-exact",
        does: "takes brackets and commas inside strings for structure",
        fault: Fault::Part(|parts| {
            parts.batch.elements = |text| naive_elements(text, |_, _| false);
        }),
    },
    Mutant {
        name: "split-without-escapes",
        breaks: "batch.item.body-exact",
        does: "ends a string at an escaped quote",
        fault: Fault::Part(|parts| {
            parts.batch.elements = |text| naive_elements(text, |inside, _| !inside);
        }),
    },
    Mutant {
        name: "split-by-byte-before",
        breaks: "batch.item.body-exact",
        does: "takes a quote after any backslash for an escaped one",
        fault: Fault::Part(|parts| {
            parts.batch.elements = |text| {
                naive_elements(
                    text,
                    |inside, before| if before == b'\\' { inside } else { !inside },
                )
            };
        }),
    },
    Mutant {
        name: "split-ignores-arrays",
        breaks: "batch.item.body-exact",
        does: "follows braces only, so that a comma in an array of a body ends the body",
        fault: Fault::Part(|parts| {
            parts.batch.item = |element| {
                let members = split::members(element).ok_or(messages::ITEM_NOT_OBJECT)?;
                if commas_outside_braces(element) + 1 == members.len().max(1) {
                    checked_item(element)
                } else {
                    Err(messages::ITEM_UNKNOWN_FIELD)
                }
            };
        }),
    },
    Mutant {
        name: "item-not-object-accepted",
        breaks: "batch.item.object",
        does: "reads an array as an item, as a derived parser does",
        fault: Fault::Part(|parts| {
            parts.batch.item = |element| match split::elements(element).as_deref() {
                Some([body]) => Ok(RawItem { body, delay: 0 }),
                Some([body, delay]) => {
                    Ok(RawItem { body, delay: delay.parse().map_err(|_| messages::ITEM_DELAY)? })
                }
                _ => checked_item(element),
            };
        }),
    },
    Mutant {
        name: "item-unknown-fields-ignored",
        breaks: "batch.item.no-other-fields",
        does: "ignores fields that it does not know",
        fault: Fault::Part(|parts| {
            parts.batch.item = |element| with_members(element, |_| true);
        }),
    },
    Mutant {
        name: "item-content-type-accepted",
        breaks: "batch.item.no-other-fields",
        does: "accepts contentType because the platform knows it",
        fault: Fault::Part(|parts| {
            parts.batch.item = |element| with_members(element, |key| key == "\"contentType\"");
        }),
    },
    Mutant {
        name: "item-proto-ignored",
        breaks: "batch.item.no-other-fields",
        does: "loses a field named __proto__",
        fault: Fault::Part(|parts| {
            parts.batch.item = |element| with_members(element, |key| key == "\"__proto__\"");
        }),
    },
    Mutant {
        name: "item-body-missing-as-null",
        breaks: "batch.item.body",
        does: "sends null for a missing body",
        fault: Fault::Part(|parts| {
            parts.batch.item = |element| match checked_item(element) {
                Err(messages::ITEM_NO_BODY) => Ok(RawItem { body: "null", delay: 0 }),
                item => item,
            };
        }),
    },
    Mutant {
        name: "item-delay-truncated",
        breaks: "batch.item.delay-integer",
        does: "cuts a delay of 1.5 seconds to 1",
        fault: Fault::Part(|parts| {
            parts.batch.item =
                |element| with_delay(element, |delay| delay.split('.').next().unwrap_or(delay));
        }),
    },
    Mutant {
        name: "item-delay-null-as-absent",
        breaks: "batch.item.delay-integer",
        does: "takes a null delay for none",
        fault: Fault::Part(|parts| {
            parts.batch.item =
                |element| with_delay(element, |delay| if delay == "null" { "0" } else { delay });
        }),
    },
    Mutant {
        name: "item-delay-string-accepted",
        breaks: "batch.item.delay-integer",
        does: "accepts a delay written as a string",
        fault: Fault::Part(|parts| {
            parts.batch.item = |element| with_delay(element, |delay| delay.trim_matches('"'));
        }),
    },
    Mutant {
        name: "item-delay-negative-accepted",
        breaks: "batch.item.delay-range",
        does: "takes the absolute value of a negative delay",
        fault: Fault::Part(|parts| {
            parts.batch.item = |element| with_delay(element, |delay| delay.trim_start_matches('-'));
        }),
    },
    Mutant {
        name: "item-delay-dropped",
        breaks: "batch.item.delay-range",
        does: "does not tell the platform of an item's delay",
        fault: Fault::Part(|parts| parts.batch.item_text = |item| item_with(item, "")),
    },
    Mutant {
        name: "item-delay-zero-sent",
        breaks: "batch.item.delay-optional",
        does: "tells the platform of a delay of 0 seconds",
        fault: Fault::Part(|parts| {
            parts.batch.item_text =
                |item| item_with(item, &format!(",\"delaySeconds\":{}", item.delay));
        }),
    },
    Mutant {
        name: "item-content-type-missing",
        breaks: "send.content-type",
        does: "leaves the content type of items to the platform",
        fault: Fault::Part(|parts| {
            parts.batch.item_text = |item| {
                let text = parts_item_text(item);
                text.replace(",\"contentType\":\"json\"", "")
            };
        }),
    },
    Mutant {
        name: "batch-sent-one-by-one",
        breaks: "batch.one-call",
        does: "sends the items one after another",
        fault: Fault::Part(|parts| {
            parts.batch.deliver = |host, binding, items, failed| {
                for item in items {
                    call(host, binding, "sendBatch", &format!("[[{item}]]"), failed)?;
                }
                Ok(())
            };
        }),
    },
    Mutant {
        name: "batch-good-items-kept",
        breaks: "batch.all-or-nothing",
        does: "sends the items before the first bad one",
        fault: Fault::Part(|parts| parts.batch.keeps_good_items = true),
    },
    Mutant {
        name: "batch-order-reversed",
        breaks: "batch.one-call",
        does: "hands the items over in reverse",
        fault: Fault::Part(|parts| {
            parts.batch.deliver = |host, binding, items, failed| {
                let reversed: Vec<_> = items.iter().rev().cloned().collect();
                let arguments = format!("[[{}]]", reversed.join(","));
                call(host, binding, "sendBatch", &arguments, failed)
            };
        }),
    },
    Mutant {
        name: "batch-options-added",
        breaks: "batch.one-call",
        does: "hands over a second argument",
        fault: Fault::Part(|parts| {
            parts.batch.deliver = |host, binding, items, failed| {
                let arguments = format!("[[{}],{{\"delaySeconds\":0}}]", items.join(","));
                call(host, binding, "sendBatch", &arguments, failed)
            };
        }),
    },
    Mutant {
        name: "batch-refusal-with-send-prefix",
        breaks: "batch.rejected.prefix",
        does: "puts the prefix of a single send before the platform's text",
        fault: Fault::Part(|parts| parts.batch.failed = |text| Some(messages::send_failed(text))),
    },
    Mutant {
        name: "batch-retried-after-refusal",
        breaks: "batch.one-call",
        does: "sends once more when the platform refused",
        fault: Fault::Part(|parts| {
            parts.batch.deliver = |host, binding, items, failed| {
                let arguments = format!("[[{}]]", items.join(","));
                match call(host, binding, "sendBatch", &arguments, failed) {
                    Err(Failure::Exception(_)) => {
                        call(host, binding, "sendBatch", &arguments, failed)
                    }
                    answer => answer,
                }
            };
        }),
    },
];

fn parts_item_text(item: &RawItem<'_>) -> String {
    item_with(item, &super::parts::delay_member(item.delay))
}

/// An item whose rules hold, but for the size of its body.
fn loose_item(element: &str) -> Result<RawItem<'_>, &'static str> {
    match checked_item(element) {
        Err(messages::ITEM_BODY_TOO_LARGE) => {
            let members = split::members(element).ok_or(messages::ITEM_NOT_OBJECT)?;
            let body = members.iter().find(|(key, _)| *key == "\"body\"");
            Ok(RawItem { body: body.ok_or(messages::ITEM_NO_BODY)?.1, delay: 0 })
        }
        item => item,
    }
}

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
