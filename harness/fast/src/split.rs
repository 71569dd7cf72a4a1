//! Canonical batch text → checked items (批量拆分).
//!
//! A batch has few values at its top and a great many bytes inside them, so the
//! items are read as they are written and every body is stepped over by a
//! kernel. Whatever is not as canonical text has it, and whatever breaks a rule
//! in a way that takes more reading, is left to [`plain`].

use std::ops::Range;

use duipai_spec::{
    limits::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS, MAX_BODY_BYTES, MAX_DELAY_SECONDS},
    messages,
};

use crate::{
    kernel::{Kernel, Vector, dispatch},
    plain,
};

/// One checked item of a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item<'a> {
    /// The body's canonical text.
    pub body: &'a str,
    /// Its delay in seconds (延迟秒数); 0 when the item has no `delaySeconds`.
    pub delay_seconds: u32,
}

/// The raw texts of the elements of a canonical array; `None` when the text is
/// not an array.
///
/// Of a text that is not canonical it says the same as `duipai-queue` does.
pub fn elements(canonical: &str) -> Option<Vec<&str>> {
    let elements = elements_with(Kernel::best(), canonical);
    debug_assert_eq!(elements, plain::elements(canonical), "{}", Kernel::best().name());
    elements
}

/// [`elements`] with a given kernel.
pub fn elements_with(kernel: Kernel, canonical: &str) -> Option<Vec<&str>> {
    dispatch!(kernel, vector => cut(vector, canonical)).or_else(|| plain::elements(canonical))
}

/// The items of a canonical batch: 1 to 100, each in order, together at most
/// 256000 UTF-8 bytes of bodies.
///
/// Of a text that is not canonical it says the same as `duipai-queue` does.
///
/// # Errors
///
/// The message of the first rule that the batch breaks, in this order: it is an
/// array, it has an item, it has not too many; the first item that breaks one
/// is an object, has a body, no unknown field, a delay in range and a body that
/// is not too large; the bodies together are not too large.
pub fn items(canonical: &str) -> Result<Vec<Item<'_>>, &'static str> {
    let items = items_with(Kernel::best(), canonical);
    debug_assert_eq!(items, plain::items(canonical), "{}", Kernel::best().name());
    items
}

/// [`items`] with a given kernel.
///
/// # Errors
///
/// As [`items`].
pub fn items_with(kernel: Kernel, canonical: &str) -> Result<Vec<Item<'_>>, &'static str> {
    dispatch!(kernel, vector => checked(vector, canonical))
        .unwrap_or_else(|| plain::items(canonical))
}

/// The elements, if the text is as canonical text is.
fn cut<V: Vector>(vector: V, text: &str) -> Option<Vec<&str>> {
    let bytes = text.as_bytes();
    let last = text.len().checked_sub(1)?;
    if text == "[]" {
        return Some(Vec::new());
    }
    let mut parts = Vec::new();
    let mut at = after(bytes, 0, b'[')?;
    loop {
        let end = value_end(vector, bytes, at)?;
        parts.push(text.get(at..end)?);
        match bytes.get(end)? {
            b',' => at = end + 1,
            b']' if end == last => return Some(parts),
            _ => return None,
        }
    }
}

/// The items or the first broken rule, if the text is as canonical text is.
fn checked<V: Vector>(vector: V, text: &str) -> Option<Result<Vec<Item<'_>>, &'static str>> {
    let bytes = text.as_bytes();
    let last = text.len().checked_sub(1)?;
    let mut at = after(bytes, 0, b'[')?;
    // An item takes ten bytes and more.
    let mut items = Vec::with_capacity((text.len() / 10 + 1).min(MAX_BATCH_ITEMS));
    let mut broken = None;
    let mut total = 0;
    for index in 0.. {
        let (members, end) = members(vector, bytes, at)?;
        if index == MAX_BATCH_ITEMS {
            // What does not even end as an array is none.
            return (bytes[last] == b']').then_some(Err(messages::BATCH_TOO_MANY));
        }
        match members.check(text) {
            Ok(item) => {
                total += item.body.len();
                items.push(item);
            }
            Err(rule) => {
                broken.get_or_insert(rule);
            }
        }
        match bytes.get(end)? {
            b',' => at = end + 1,
            b']' if end == last => break,
            _ => return None,
        }
    }
    if total > MAX_BATCH_BYTES {
        broken = broken.or(Some(messages::BATCH_TOTAL_TOO_LARGE));
    }
    Some(broken.map_or(Ok(items), Err))
}

/// Where the values of an item stand.
#[derive(Default)]
struct Members {
    body: Option<Range<usize>>,
    delay: Option<Range<usize>>,
}

impl Members {
    fn check(self, text: &str) -> Result<Item<'_>, &'static str> {
        let body = self.body.ok_or(messages::ITEM_NO_BODY)?;
        let delay_seconds = match self.delay {
            Some(number) => seconds(&text[number]).ok_or(messages::ITEM_DELAY)?,
            None => 0,
        };
        if body.len() > MAX_BODY_BYTES {
            return Err(messages::ITEM_BODY_TOO_LARGE);
        }
        Ok(Item { body: &text[body], delay_seconds })
    }
}

/// The members of the item at `at` and the place after it; `None` when it has
/// any other field.
#[inline(always)]
fn members<V: Vector>(vector: V, bytes: &[u8], at: usize) -> Option<(Members, usize)> {
    const BODY: &[u8] = b"\"body\":";
    const DELAY: &[u8] = b"\"delaySeconds\":";
    let mut members = Members::default();
    let mut at = after(bytes, at, b'{')?;
    if let Some(end) = after(bytes, at, b'}') {
        return Some((members, end));
    }
    loop {
        let rest = &bytes[at..];
        let (field, start) = if rest.starts_with(BODY) {
            (&mut members.body, at + BODY.len())
        } else if rest.starts_with(DELAY) {
            (&mut members.delay, at + DELAY.len())
        } else {
            return None;
        };
        let end = value_end(vector, bytes, start)?;
        *field = Some(start..end);
        at = end + 1;
        match bytes.get(end)? {
            b',' => {}
            b'}' => return Some((members, at)),
            _ => return None,
        }
    }
}

/// The place after the value at `at`; `None` when no value is there.
#[inline(always)]
fn value_end<V: Vector>(vector: V, bytes: &[u8], at: usize) -> Option<usize> {
    match bytes.get(at)? {
        b'"' => vector.string_end(bytes, at),
        b'[' | b'{' => vector.container_end(bytes, at),
        _ => {
            let scalar =
                |byte: &&u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'+' | b'.');
            let length = bytes[at..].iter().take_while(scalar).count();
            (length > 0).then_some(at + length)
        }
    }
}

/// The place after `byte`, if it stands at `at`.
#[inline(always)]
fn after(bytes: &[u8], at: usize, byte: u8) -> Option<usize> {
    (bytes.get(at) == Some(&byte)).then_some(at + 1)
}

/// The delay that `number` writes: digits alone, in range.
pub(crate) fn seconds(number: &str) -> Option<u32> {
    let mut seconds = 0_u32;
    for byte in number.bytes() {
        let digit = byte.is_ascii_digit().then(|| byte - b'0')?;
        seconds = seconds.saturating_mul(10).saturating_add(digit.into());
    }
    (!number.is_empty() && seconds <= MAX_DELAY_SECONDS).then_some(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Canonical text must not need [`plain`], which would give the same answer
    /// slowly, and hide what is wrong here.
    fn check(bodies: &[&str]) {
        let item = |body: &&str| format!("{{\"body\":{body},\"delaySeconds\":7}}");
        let batch = format!("[{}]", bodies.iter().map(item).collect::<Vec<_>>().join(","));
        let array = format!("[{}]", bodies.join(","));
        for kernel in Kernel::available() {
            let name = kernel.name();
            let parts = dispatch!(kernel, vector => cut(vector, &array));
            assert_eq!(parts.as_deref(), Some(bodies), "{name} cuts {array}");
            let items = dispatch!(kernel, vector => checked(vector, &batch));
            let items = items.unwrap_or_else(|| panic!("{name} does not read {batch}"));
            let expected = bodies.iter().map(|body| Item { body, delay_seconds: 7 });
            assert_eq!(items, Ok(expected.collect()), "{name} checks {batch}");
        }
    }

    #[test]
    fn canonical_text_is_read_wherever_its_blocks_end() {
        let step = if cfg!(miri) { 13 } else { 1 };
        for before in (0..140).step_by(step) {
            let before = "x".repeat(before);
            for piece in
                ["", "\\\"", "\\\"]", "\\\\", "\\\\\\\"}", "句", "{[", "]}", ",", "\\n\\\""]
            {
                let string = format!("\"{before}{piece}\"");
                let longer = format!("\"{before}{piece}{}\"", "y".repeat(67));
                let array = format!("[{string},[[]],{{}},[{longer}]]");
                let object = format!("{{\"a\":{{{string}:[{longer}]}},{longer}:[{{}}]}}");
                check(&[&string, &longer, "-1.5e+30", &array, "null", &object, "[]", "{}"]);
            }
        }
    }

    #[test]
    fn canonical_text_is_read_whatever_the_run_of_backslashes() {
        let step = if cfg!(miri) { 41 } else { 1 };
        for run in (0..=200).step_by(step) {
            let run = "\\\\".repeat(run / 2) + if run % 2 == 1 { "\\\"" } else { "" };
            for before in (0..66).step_by(if run.len() % 64 < 4 { step } else { 13 }) {
                let string = format!("\"{}{run}\"", "x".repeat(before));
                let array = format!("[{string},[{string}]]");
                check(&[&string, &array, &string, "1"]);
            }
        }
    }

    #[test]
    fn rules_are_told_without_reading_again() {
        for kernel in Kernel::available() {
            let told =
                |text: &str| dispatch!(kernel, vector => checked(vector, text).map(drop_items));
            let item = "{\"body\":1}";
            let many = |count| format!("[{}]", vec![item; count].join(","));
            assert_eq!(told(&many(100)), Some(Ok(())));
            assert_eq!(told(&many(101)), Some(Err(messages::BATCH_TOO_MANY)));
            assert_eq!(
                told("[{},{\"body\":1,\"delaySeconds\":-1}]"),
                Some(Err(messages::ITEM_NO_BODY))
            );
            let late = format!("[{item},{{\"body\":1,\"delaySeconds\":43201}},{{}}]");
            assert_eq!(told(&late), Some(Err(messages::ITEM_DELAY)));
            let body = |bytes: usize| format!("{{\"body\":\"{}\"}}", "x".repeat(bytes - 2));
            let (most, more) = (body(MAX_BODY_BYTES), body(MAX_BODY_BYTES + 1));
            assert_eq!(told(&format!("[{more}]")), Some(Err(messages::ITEM_BODY_TOO_LARGE)));
            assert_eq!(told(&format!("[{most},{most}]")), Some(Ok(())));
            let total = Some(Err(messages::BATCH_TOTAL_TOO_LARGE));
            assert_eq!(told(&format!("[{most},{most},{item}]")), total);
        }
    }

    fn drop_items(result: Result<Vec<Item<'_>>, &'static str>) -> Result<(), &'static str> {
        result.map(drop)
    }
}
