//! A splitter against serde_json's raw slices, and against another splitter.

use duipai_queue::{producer, split};
use duipai_spec::{limits::MAX_DELAY_SECONDS, messages};
use serde_json::value::RawValue;

use super::{
    Checked, Held, disagreement,
    value::{self, Members},
};
use crate::generate::literal::literal;

/// One item of a batch: its body as a slice of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawItem<'a> {
    /// The body's text.
    pub body: &'a str,
    /// The delay in seconds.
    pub delay: u32,
}

/// A splitter under test. It is given canonical texts.
#[derive(Clone, Copy, Debug)]
pub struct Splitter {
    /// The elements of an array, as slices of the text; `None` when the text is
    /// no array.
    pub elements: for<'a> fn(&'a str) -> Option<Vec<&'a str>>,
    /// The items of a batch, or the message of a rule that it breaks.
    pub items: for<'a> fn(&'a str) -> Result<Vec<RawItem<'a>>, &'static str>,
}

impl Splitter {
    /// The reference's.
    pub const SIMPLE: Self = Self { elements: split::elements, items: simple_items };

    /// The one at full speed.
    pub const FAST: Self = Self { elements: duipai_fast::elements, items: fast_items };
}

fn simple_items(canonical: &str) -> Result<Vec<RawItem<'_>>, &'static str> {
    let items = producer::checked_items(canonical)?;
    Ok(items
        .into_iter()
        .map(|item| RawItem { body: item.body, delay: item.delay.seconds() })
        .collect())
}

fn fast_items(canonical: &str) -> Result<Vec<RawItem<'_>>, &'static str> {
    let items = duipai_fast::items(canonical)?;
    Ok(items
        .into_iter()
        .map(|item| RawItem { body: item.body, delay: item.delay_seconds })
        .collect())
}

/// The splitter cuts a canonical text where serde_json does, byte for byte, and
/// refuses the items that break a rule.
///
/// # Errors
///
/// When it does something else.
pub fn raw(canonical: &str, splitter: &Splitter) -> Checked {
    let fail = |sentences: &[&'static str], expected: String, got: String| {
        Err(disagreement("split-raw", sentences, expected, got).of(literal(canonical)))
    };
    let elements = serde_json::from_str::<Vec<&RawValue>>(canonical).ok();
    let elements: Option<Vec<&str>> =
        elements.map(|elements| elements.into_iter().map(RawValue::get).collect());
    let got = (splitter.elements)(canonical);
    if got != elements {
        let sentences = ["adapter.split.scan", "batch.item.body-exact", "batch.array"];
        return fail(&sentences, format!("{elements:?}"), format!("{got:?}"));
    }
    let expected = expected_items(elements.as_deref());
    let got = (splitter.items)(canonical);
    let fits = match (&expected, &got) {
        (Ok(expected), Ok(got)) => expected == got,
        (Err(permitted), Err(message)) => permitted.contains(message),
        _ => false,
    };
    if !fits {
        let sentences = [
            "batch.item.body-exact",
            "batch.item.object",
            "batch.item.delay-integer",
            "batch.item.no-other-fields",
        ];
        return fail(&sentences, format!("{expected:?}"), format!("{got:?}"));
    }
    Ok(if got.is_ok() { Held::Accepted } else { Held::Refused })
}

/// Two splitters do the same with any text.
///
/// # Errors
///
/// When they differ.
pub fn same(text: &str, expected: &Splitter, splitter: &Splitter) -> Checked {
    let both = |splitter: &Splitter| ((splitter.elements)(text), (splitter.items)(text));
    let (expected, got) = (both(expected), both(splitter));
    if expected != got {
        let sentences = ["adapter.split.scan", "batch.item.body-exact"];
        let it =
            disagreement("split-same", &sentences, format!("{expected:?}"), format!("{got:?}"));
        return Err(it.of(literal(text)));
    }
    Ok(if got.1.is_ok() { Held::Accepted } else { Held::Refused })
}

/// The items, or the messages of the rules that they break.
fn expected_items<'a>(elements: Option<&[&'a str]>) -> Result<Vec<RawItem<'a>>, Vec<&'static str>> {
    let Some(elements) = elements else { return Err(vec![messages::BATCH_NOT_ARRAY]) };
    let mut broken = Vec::new();
    let mut rule = |broken_one: bool, message| {
        if broken_one {
            broken.push(message);
        }
    };
    rule(elements.is_empty(), messages::BATCH_EMPTY);
    rule(elements.len() > 100, messages::BATCH_TOO_MANY);
    let mut items = Vec::new();
    for element in elements {
        let Ok(Members(members)) = serde_json::from_str::<Members<'_>>(element) else {
            rule(true, messages::ITEM_NOT_OBJECT);
            continue;
        };
        let (mut body, mut delay) = (None, 0);
        for (key, value) in members {
            match key.get() {
                "\"body\"" => body = Some(value.get()),
                "\"delaySeconds\"" => match integer(value.get()) {
                    Some(seconds) => delay = seconds,
                    None => rule(true, messages::ITEM_DELAY),
                },
                _ => rule(true, messages::ITEM_UNKNOWN_FIELD),
            }
        }
        match body {
            Some(body) => {
                rule(body.len() > 128_000, messages::ITEM_BODY_TOO_LARGE);
                items.push(RawItem { body, delay });
            }
            None => rule(true, messages::ITEM_NO_BODY),
        }
    }
    rule(items.iter().map(|item| item.body.len()).sum::<usize>() > 256_000, {
        messages::BATCH_TOTAL_TOO_LARGE
    });
    if broken.is_empty() { Ok(items) } else { Err(broken) }
}

/// The delay that a canonical number is, if it is in range.
fn integer(number: &str) -> Option<u32> {
    let value: u32 = serde_json::from_str(number).ok()?;
    (value <= MAX_DELAY_SECONDS && value::raw(number).is_some()).then_some(value)
}
