//! Faults in 批量发送队列消息.

use alloc::{format, string::String, vec::Vec};

use duipai_queue::{scan, split};
use duipai_spec::{
    bridge::Failure,
    limits::{BATCH_ENVELOPE_DEPTH, MAX_BATCH_BYTES, MAX_BATCH_TEXT_BYTES, MAX_DEPTH},
    messages,
};

use crate::{
    Mutant,
    parts::{RawItem, call, check, checked_item, item_count, item_with},
};

/// The mutants.
pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "batch-101-accepted",
        breaks: "batch.count.most",
        does: "accepts 101 items",
        swap: |parts| {
            parts.batch.count = |count| item_count(if count == 101 { 100 } else { count });
        },
    },
    Mutant {
        name: "batch-100-refused",
        breaks: "batch.count.most",
        does: "refuses 100 items",
        swap: |parts| {
            parts.batch.count = |count| item_count(if count == 100 { 101 } else { count });
        },
    },
    Mutant {
        name: "batch-empty-accepted",
        breaks: "batch.count.least",
        does: "hands an empty batch to the platform",
        swap: |parts| parts.batch.count = |count| item_count(count.max(1)),
    },
    Mutant {
        name: "batch-total-unchecked",
        breaks: "batch.size.total",
        does: "limits the number of items but not the sum of their bytes",
        swap: |parts| parts.batch.total = |_| Ok(()),
    },
    Mutant {
        name: "batch-total-one-high",
        breaks: "batch.size.total",
        does: "accepts 256001 bytes in all",
        swap: |parts| {
            parts.batch.total =
                |bytes| check(bytes <= MAX_BATCH_BYTES + 1, messages::BATCH_TOTAL_TOO_LARGE);
        },
    },
    Mutant {
        name: "batch-total-one-low",
        breaks: "batch.size.total",
        does: "refuses exactly 256000 bytes in all",
        swap: |parts| {
            parts.batch.total =
                |bytes| check(bytes < MAX_BATCH_BYTES, messages::BATCH_TOTAL_TOO_LARGE);
        },
    },
    Mutant {
        name: "batch-text-unchecked",
        breaks: "batch.size.text",
        does: "does not look at the size of the array text",
        swap: |parts| parts.batch.text_size = |_| Ok(()),
    },
    Mutant {
        name: "batch-text-one-high",
        breaks: "batch.size.text",
        does: "accepts an array text of 1 MiB and one byte",
        swap: |parts| {
            parts.batch.text_size = |text| {
                check(text.len() <= MAX_BATCH_TEXT_BYTES + 1, messages::BATCH_TEXT_TOO_LARGE)
            };
        },
    },
    Mutant {
        name: "batch-text-in-characters",
        breaks: "batch.size.text",
        does: "counts the array text in characters",
        swap: |parts| {
            parts.batch.text_size = |text| {
                let characters = text.chars().count();
                check(characters <= MAX_BATCH_TEXT_BYTES, messages::BATCH_TEXT_TOO_LARGE)
            };
        },
    },
    Mutant {
        name: "batch-text-one-low",
        breaks: "batch.size.text",
        does: "refuses an array text of exactly 1 MiB",
        swap: |parts| {
            parts.batch.text_size =
                |text| check(text.len() < MAX_BATCH_TEXT_BYTES, messages::BATCH_TEXT_TOO_LARGE);
        },
    },
    Mutant {
        name: "batch-text-decimal-megabyte",
        breaks: "batch.size.text",
        does: "takes 1 MiB for 1000000 bytes",
        swap: |parts| {
            parts.batch.text_size =
                |text| check(text.len() <= 1_000_000, messages::BATCH_TEXT_TOO_LARGE);
        },
    },
    Mutant {
        name: "batch-body-unchecked",
        breaks: "batch.size.body",
        does: "does not look at the size of each body",
        swap: |parts| parts.batch.item = loose_item,
    },
    Mutant {
        name: "batch-depth-of-whole-text",
        breaks: "batch.depth.limit",
        does: "accepts 25 levels in a body",
        swap: |parts| {
            parts.batch.content = |text| {
                let most = MAX_DEPTH + BATCH_ENVELOPE_DEPTH + 1;
                check(!scan::has_marker(text), messages::BATCH_MARKER)?;
                check(scan::depth(text) <= most, messages::BATCH_TOO_DEEP)
            };
        },
    },
    Mutant {
        name: "batch-markers-missed",
        breaks: "batch.marker",
        does: "does not look for host markers",
        swap: |parts| {
            parts.batch.content = |text| {
                let most = MAX_DEPTH + BATCH_ENVELOPE_DEPTH;
                check(scan::depth(text) <= most, messages::BATCH_TOO_DEEP)
            };
        },
    },
    Mutant {
        name: "item-delay-dropped",
        breaks: "batch.item.delay-range",
        does: "does not tell the platform of an item's delay",
        swap: |parts| parts.batch.item_text = |item| item_with(item, ""),
    },
    Mutant {
        name: "item-delay-invented",
        breaks: "batch.item.delay-optional",
        does: "delays an item without delaySeconds by a second",
        swap: |parts| {
            parts.batch.item_text =
                |item| item_with(item, &format!(",\"delaySeconds\":{}", item.delay.max(1)));
        },
    },
    Mutant {
        name: "item-content-type-missing",
        breaks: "send.content-type",
        does: "leaves the content type of items to the platform",
        swap: |parts| {
            parts.batch.item_text = |item| {
                let text = parts_item_text(item);
                text.replace(",\"contentType\":\"json\"", "")
            };
        },
    },
    Mutant {
        name: "batch-sent-one-by-one",
        breaks: "batch.one-call",
        does: "sends the items one after another",
        swap: |parts| {
            parts.batch.deliver = |host, binding, items, failed| {
                for item in items {
                    call(host, binding, "sendBatch", &format!("[[{item}]]"), failed)?;
                }
                Ok(())
            };
        },
    },
    Mutant {
        name: "batch-good-items-kept",
        breaks: "batch.all-or-nothing",
        does: "sends the items before the first bad one",
        swap: |parts| parts.batch.keeps_good_items = true,
    },
    Mutant {
        name: "batch-order-reversed",
        breaks: "batch.one-call",
        does: "hands the items over in reverse",
        swap: |parts| {
            parts.batch.deliver = |host, binding, items, failed| {
                let reversed: Vec<_> = items.iter().rev().cloned().collect();
                let arguments = format!("[[{}]]", reversed.join(","));
                call(host, binding, "sendBatch", &arguments, failed)
            };
        },
    },
    Mutant {
        name: "batch-options-added",
        breaks: "batch.one-call",
        does: "hands over a second argument",
        swap: |parts| {
            parts.batch.deliver = |host, binding, items, failed| {
                let arguments = format!("[[{}],{{\"delaySeconds\":0}}]", items.join(","));
                call(host, binding, "sendBatch", &arguments, failed)
            };
        },
    },
    Mutant {
        name: "batch-refusal-with-send-prefix",
        breaks: "batch.rejected.prefix",
        does: "puts the prefix of a single send before the platform's text",
        swap: |parts| parts.batch.failed = |text| Some(messages::send_failed(text)),
    },
    Mutant {
        name: "batch-refusal-trimmed",
        breaks: "batch.rejected.verbatim",
        does: "cuts control characters off the platform's text",
        swap: |parts| {
            parts.batch.failed = |text| {
                let text: String = text.chars().filter(|c| !c.is_control()).collect();
                Some(messages::batch_failed(&text))
            };
        },
    },
    Mutant {
        name: "batch-retried-after-refusal",
        breaks: "batch.one-call",
        does: "sends once more when the platform refused",
        swap: |parts| {
            parts.batch.deliver = |host, binding, items, failed| {
                let arguments = format!("[[{}]]", items.join(","));
                match call(host, binding, "sendBatch", &arguments, failed) {
                    Err(Failure::Exception(_)) => {
                        call(host, binding, "sendBatch", &arguments, failed)
                    }
                    answer => answer,
                }
            };
        },
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
