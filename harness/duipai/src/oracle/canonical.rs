//! Canonical texts (规范文字): against JavaScript, against themselves, against
//! those of another implementation.

use super::{Checked, Held, disagreement};
use crate::generate::literal::literal;

/// Text → canonical text; `None` when the text is not JSON.
pub type Canonical<'f> = &'f dyn Fn(&str) -> Option<String>;

/// The host's own.
pub fn simple(text: &str) -> Option<String> {
    duipai_host::json::canonical(text).ok()
}

/// The one at full speed.
pub fn fast(text: &str) -> Option<String> {
    duipai_fast::canonical(text).ok().map(|canonical| canonical.text.into_owned())
}

/// The canonical text is the one that JavaScript makes.
///
/// # Errors
///
/// When it is another, or when only one of the two takes the text.
#[cfg(feature = "quickjs")]
pub fn javascript(text: &str, canonical: Canonical<'_>) -> Checked {
    match super::javascript::canonical(text) {
        Ok(expected) => compare("canonical-javascript", text, expected, canonical(text)),
        Err(not_told) => Ok(Held::NotApplicable(not_told.to_string())),
    }
}

/// Two implementations make the same of a text.
///
/// # Errors
///
/// When they differ.
pub fn same(text: &str, expected: Canonical<'_>, canonical: Canonical<'_>) -> Checked {
    compare("canonical-same", text, expected(text), canonical(text))
}

/// The canonical text is its own canonical text.
///
/// # Errors
///
/// When it is not.
pub fn idempotent(text: &str, canonical: Canonical<'_>) -> Checked {
    match canonical(text) {
        None => Ok(Held::Refused),
        Some(once) => compare("canonical-idempotent", text, Some(once.clone()), canonical(&once)),
    }
}

fn compare(
    oracle: &'static str,
    text: &str,
    expected: Option<String>,
    got: Option<String>,
) -> Checked {
    if expected == got {
        return Ok(if got.is_some() { Held::Accepted } else { Held::Refused });
    }
    let sentences: &[&str] = match (&expected, &got) {
        (Some(_), Some(_)) => &[
            "send.canonical.structure",
            "send.canonical.escapes",
            "send.canonical.numbers",
            "send.canonical.whitespace",
        ],
        _ => &["send.not-json", "batch.not-json"],
    };
    let shown = |text: Option<String>| text.unwrap_or_else(|| "not JSON".to_owned());
    let it = disagreement(oracle, sentences, shown(expected), shown(got));
    Err(it.of(literal(text)))
}
