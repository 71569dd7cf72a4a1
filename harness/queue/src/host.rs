//! Values of the host: handles that are let go again, string literals, and
//! argument texts.

use alloc::{format, string::String, vec::Vec};

use duipai_spec::{
    bridge::{Bridge, Handle},
    markers,
};

/// The bridge form of a handle, `{"$句柄":"123"}`.
pub fn reference(handle: Handle) -> String {
    format!("{{\"{}\":\"{handle}\"}}", markers::HANDLE)
}

/// The handle that `text` is the bridge form of.
pub fn parse_reference(text: &str) -> Option<Handle> {
    let digits = text.strip_prefix(markers::PREFIXES[0])?.strip_prefix('"')?.strip_suffix("\"}")?;
    digits.parse().ok().map(Handle::from_number)
}

/// Runs `use_it` with handles, and lets go of all of them afterwards, so that
/// a batch of any size stays within the table.
pub fn with_handles<B: Bridge + ?Sized, T>(
    bridge: &mut B,
    use_it: impl FnOnce(&mut B, &mut Vec<Handle>) -> Result<T, B::Abort>,
) -> Result<T, B::Abort> {
    let mut handles = Vec::new();
    let result = use_it(bridge, &mut handles)?;
    for handle in handles {
        bridge.release(handle)?;
    }
    Ok(result)
}

/// The JSON string literal of `text`, made by the host from its UTF-8 bytes, so
/// that no character needs escaping on this side.
///
/// The decoder is told to keep a leading U+FEFF: by default it would drop the
/// character, and a text that is not JSON would become one that is.
pub fn literal<B: Bridge + ?Sized>(bridge: &mut B, text: &str) -> Result<String, B::Abort> {
    if let Some(literal) = plain_literal(text) {
        return Ok(literal);
    }
    with_handles(bridge, |bridge, handles| {
        let constructor = bridge.global("TextDecoder")?;
        handles.push(constructor);
        let decoder = bridge.construct(constructor, r#"["utf-8",{"ignoreBOM":true}]"#)?;
        handles.push(decoder);
        let bytes = bridge.bytes_to_handle(text.as_bytes())?;
        handles.push(bytes);
        bridge.call(decoder, "decode", &format!("[{}]", reference(bytes)))
    })
}

/// The literal of a short text of visible ASCII without quotes or backslashes,
/// which needs no help of the host.
fn plain_literal(text: &str) -> Option<String> {
    let plain = |b: u8| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\';
    text.bytes().all(plain).then(|| format!("\"{text}\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn references_round_trip() {
        let handle = Handle::from_number(9_007_199_254_740_991);
        assert_eq!(reference(handle), r#"{"$句柄":"9007199254740991"}"#);
        assert_eq!(parse_reference(&reference(handle)), Some(handle));
        for text in ["", "1", r#"{"$句柄":"x"}"#, r#"{"$句柄":1}"#, r#"{"$数字":"1"}"#] {
            assert_eq!(parse_reference(text), None, "{text}");
        }
    }

    #[test]
    fn only_visible_ascii_is_quoted_here() {
        assert_eq!(plain_literal("m-0 {x}"), Some("\"m-0 {x}\"".into()));
        for text in ["\"", "\\", "\u{7f}", "\u{0}", "é", "\u{feff}x"] {
            assert_eq!(plain_literal(text), None, "{text:?}");
        }
    }
}
