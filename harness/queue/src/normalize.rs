//! Text → canonical text, made by the host: `JSON.parse`, then
//! `JSON.stringify` (宿主规范化).

use alloc::{format, string::String};

use duipai_spec::bridge::{Bridge, CallError};

use crate::host;

/// Why a text has no canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotCanonical {
    /// `JSON.parse` refuses it.
    Syntax,
    /// Some value lies deeper than the bridge carries.
    TooDeep,
}

/// The canonical text of `text`, in bridge form: a number that overflowed
/// stands there as a marker.
///
/// Whether the nesting is to blame is told by the kind of error, never by its
/// text: the text quotes the input, which may hold any words.
pub fn canonical<B: Bridge + ?Sized>(
    bridge: &mut B,
    text: &str,
) -> Result<Result<String, NotCanonical>, B::Abort> {
    let literal = host::literal(bridge, text)?;
    host::with_handles(bridge, |bridge, handles| {
        let json = bridge.global("JSON")?;
        handles.push(json);
        let parsed = bridge.call_safe(json, "parse", &format!("[{literal}]"))?;
        Ok(parsed.map_err(|error| match error {
            CallError::Thrown(_) => NotCanonical::Syntax,
            CallError::TooDeep => NotCanonical::TooDeep,
        }))
    })
}
