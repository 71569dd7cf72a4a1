//! What the simple implementations say.

use std::borrow::Cow;

use duipai_fast::{Canonical, Kernel, Normalizer, SyntaxError, elements_with, items_with};
use duipai_host::{json, value::Value};
use duipai_queue::{producer, scan, split};

/// Holds every kernel's splitter against `duipai-queue` on any text.
pub(crate) fn check_split(text: &str) {
    let elements = split::elements(text);
    let items = producer::checked_items(text);
    let items = items.map(|items| {
        items.into_iter().map(|item| (item.body, item.delay.seconds())).collect::<Vec<_>>()
    });
    for kernel in Kernel::available() {
        let name = kernel.name();
        assert_eq!(elements_with(kernel, text), elements, "{name} cuts {text:?}");
        let seen = items_with(kernel, text).map(|items| {
            items.into_iter().map(|item| (item.body, item.delay_seconds)).collect::<Vec<_>>()
        });
        assert_eq!(seen, items, "{name} checks {text:?}");
    }
}

/// What `duipai-host` and `duipai-queue` say of a text.
pub(crate) fn canonical(text: &str) -> Result<Canonical<'static>, usize> {
    let value = json::parse(text).map_err(|error| error.offset())?;
    let canonical = json::stringify(&value).unwrap();
    Ok(Canonical {
        depth: scan::depth(&canonical),
        marker: scan::has_marker(&canonical),
        non_finite: has_infinity(&value),
        text: Cow::Owned(canonical),
    })
}

fn has_infinity(value: &Value) -> bool {
    let mut rest = vec![value];
    while let Some(value) = rest.pop() {
        match value {
            Value::Number(number) if !number.is_finite() => return true,
            Value::Array(items) => rest.extend(items),
            Value::Object(object) => rest.extend(object.iter().map(|(_, value)| value)),
            _ => {}
        }
    }
    false
}

/// One normalizer for each kernel, used over and over.
pub(crate) struct Normalizers(Vec<(Kernel, Normalizer)>);

impl Normalizers {
    pub(crate) fn new() -> Self {
        Self(Kernel::available().map(|kernel| (kernel, Normalizer::with(kernel))).collect())
    }

    /// Holds every kernel's normalizer against the simple one; whether the text
    /// is JSON.
    pub(crate) fn check(&mut self, text: &str) -> bool {
        let expected = canonical(text);
        for (kernel, normalizer) in &mut self.0 {
            let name = kernel.name();
            let seen = normalizer.canonical(text).map_err(SyntaxError::offset);
            assert_eq!(seen, expected, "{name} of {text:?}");
            // Canonical text is its own, and nothing is copied to say so.
            if let Ok(expected) = &expected {
                let again = normalizer.canonical(&expected.text).unwrap();
                assert_eq!(again.text, expected.text, "{name} of canonical text");
                assert!(std::ptr::eq(&*again.text, &*expected.text), "{name} copies {again:?}");
            }
        }
        // With debug assertions this compares kernels once more, by itself.
        assert_eq!(duipai_fast::canonical(text).map_err(SyntaxError::offset), expected, "{text:?}");
        expected.is_ok()
    }
}
