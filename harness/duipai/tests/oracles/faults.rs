//! Planted faults: small wrong functions and packages.

use duipai::{
    oracle::{
        canonical,
        split::{RawItem, Splitter},
    },
    package::{Host, Package, Reference},
};
use duipai_host::Abort;
use duipai_queue::split;
use duipai_spec::{bridge::Failure, messages};

/// Wrong text → canonical text.
type Canonical = fn(&str) -> Option<String>;

/// Splitters that are wrong.
pub(crate) const SPLITTERS: [(&str, Splitter); 6] = [
    ("brackets-in-strings-counted", Splitter { elements: without_strings, ..Splitter::SIMPLE }),
    ("escapes-forgotten", Splitter { elements: without_escapes, ..Splitter::SIMPLE }),
    ("backslash-pair-forgotten", Splitter { elements: without_pairs, ..Splitter::SIMPLE }),
    ("null-delay-as-absent", Splitter { items: null_delay_as_absent, ..Splitter::SIMPLE }),
    ("arrays-as-items", Splitter { items: arrays_as_items, ..Splitter::SIMPLE }),
    ("empty-array-of-one", Splitter { elements: empty_array_of_one, ..Splitter::SIMPLE }),
];

/// Cuts at commas of the top level, as `inside` tells strings.
fn cut(text: &str, inside: impl Fn(&[u8], usize, bool) -> bool) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    let (mut parts, mut start, mut depth, mut string) = (Vec::new(), 0, 0_i64, false);
    if inner.is_empty() {
        return Some(parts);
    }
    for (at, byte) in inner.bytes().enumerate() {
        if byte == b'"' {
            string = inside(inner.as_bytes(), at, string);
            continue;
        }
        match byte {
            _ if string => {}
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b',' if depth == 0 => {
                parts.push(&inner[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&inner[start..]);
    Some(parts)
}

fn without_strings(text: &str) -> Option<Vec<&str>> {
    cut(text, |_, _, _| false)
}

fn without_escapes(text: &str) -> Option<Vec<&str>> {
    cut(text, |_, _, string| !string)
}

/// A quote after a backslash is escaped, even after two.
fn without_pairs(text: &str) -> Option<Vec<&str>> {
    cut(text, |bytes, at, string| !string || bytes[at - 1] == b'\\')
}

fn empty_array_of_one(text: &str) -> Option<Vec<&str>> {
    match text {
        "[]" => Some(vec![""]),
        text => split::elements(text),
    }
}

fn null_delay_as_absent(text: &str) -> Result<Vec<RawItem<'_>>, &'static str> {
    match (Splitter::SIMPLE.items)(text) {
        Err(messages::ITEM_DELAY) if text.contains("\"delaySeconds\":null") => Ok(Vec::new()),
        items => items,
    }
}

/// What a derived type makes of an item: an array is one, too.
fn arrays_as_items(text: &str) -> Result<Vec<RawItem<'_>>, &'static str> {
    #[derive(serde::Deserialize)]
    struct Item<'a>(#[serde(borrow)] &'a serde_json::value::RawValue, #[serde(default)] u32);
    match serde_json::from_str::<Vec<Item<'_>>>(text) {
        Ok(items) if !items.is_empty() => Ok(items
            .into_iter()
            .map(|item| RawItem { body: item.0.get(), delay: item.1 })
            .collect()),
        _ => (Splitter::SIMPLE.items)(text),
    }
}

/// Canonical texts that are wrong.
pub(crate) const CANONICAL: [(&str, Canonical); 6] = [
    ("serde-json", |text| {
        serde_json::from_str::<serde_json::Value>(text).ok().map(|it| it.to_string())
    }),
    ("lone-surrogates-replaced", |text| {
        Some(canonical::simple(text)?.replace(r"\ud800", "\u{fffd}"))
    }),
    ("minus-zero-kept", |text| {
        if text.trim() == "-0" { Some("-0".into()) } else { canonical::simple(text) }
    }),
    ("exponent-sign-dropped", |text| Some(canonical::simple(text)?.replace("e+", "e"))),
    ("byte-order-mark-dropped", |text| canonical::simple(text.trim_start_matches('\u{feff}'))),
    ("capital-escapes", |text| Some(canonical::simple(text)?.replace(r"\u001f", r"\u001F"))),
];

/// Canonical texts that are not canonical themselves.
pub(crate) const UNSTABLE: [(&str, Canonical); 2] = [
    ("space-after-commas", |text| Some(canonical::simple(text)?.replace(',', ", "))),
    ("backslash-doubled", |text| Some(canonical::simple(text)?.replace(r"\n", r"\\n"))),
];

/// Passes everything on to the package inside, but for what a fault changes.
macro_rules! passes_on {
    (send) => {
        fn send(&mut self, host: &mut Host<'_>, binding: &str, body: &str, delay: i64) -> Done {
            Reference.send(host, binding, body, delay)
        }
    };
    (batch) => {
        fn send_batch(&mut self, host: &mut Host<'_>, binding: &str, items: &str) -> Done {
            Reference.send_batch(host, binding, items)
        }
    };
    (read) => {
        fn read_batch(&mut self, host: &mut Host<'_>) -> Result<String, Failure<Abort>> {
            Reference.read_batch(host)
        }
    };
    (settle) => {
        fn ack(&mut self, host: &mut Host<'_>, index: i64) -> Done {
            Reference.ack(host, index)
        }

        fn retry(&mut self, host: &mut Host<'_>, index: i64, delay: i64) -> Done {
            Reference.retry(host, index, delay)
        }
    };
}

type Done = Result<(), Failure<Abort>>;

/// Looks for the field names in the text as given.
pub(crate) struct EscapedFieldsUnknown(pub(crate) Reference);

impl Package for EscapedFieldsUnknown {
    fn send_batch(&mut self, host: &mut Host<'_>, binding: &str, items: &str) -> Done {
        if items.contains(r#""\u0062ody""#) {
            return Err(Failure::exception(messages::ITEM_UNKNOWN_FIELD));
        }
        self.0.send_batch(host, binding, items)
    }

    passes_on!(send);
    passes_on!(read);
    passes_on!(settle);
}

/// Forgets what the second call of an event asks for.
#[derive(Default)]
pub(crate) struct SecondSettleLost {
    calls: u32,
}

impl Package for SecondSettleLost {
    fn ack(&mut self, host: &mut Host<'_>, index: i64) -> Done {
        self.calls += 1;
        if self.calls == 2 { Ok(()) } else { Reference.ack(host, index) }
    }

    fn retry(&mut self, host: &mut Host<'_>, index: i64, delay: i64) -> Done {
        self.calls += 1;
        if self.calls == 2 { Ok(()) } else { Reference.retry(host, index, delay) }
    }

    passes_on!(send);
    passes_on!(batch);
    passes_on!(read);
}

/// Takes indices in ascending order only.
#[derive(Default)]
pub(crate) struct AscendingOnly {
    least: i64,
}

impl AscendingOnly {
    fn ascends(&mut self, index: i64) -> Done {
        let fits = index >= self.least;
        self.least = self.least.max(index);
        if fits { Ok(()) } else { Err(Failure::exception(messages::INDEX_RANGE)) }
    }
}

impl Package for AscendingOnly {
    fn ack(&mut self, host: &mut Host<'_>, index: i64) -> Done {
        self.ascends(index)?;
        Reference.ack(host, index)
    }

    fn retry(&mut self, host: &mut Host<'_>, index: i64, delay: i64) -> Done {
        self.ascends(index)?;
        Reference.retry(host, index, delay)
    }

    passes_on!(send);
    passes_on!(batch);
    passes_on!(read);
}
