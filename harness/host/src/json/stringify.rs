//! `JSON.stringify`.

use crate::{
    date,
    json::write::{Begun, Dialect, Open, begin_plain, write},
    objects::HostObject,
    value::Value,
};

/// Why `JSON.stringify` gives no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotText {
    /// It returns undefined for undefined, functions and symbols.
    #[error("undefined has no JSON text")]
    Undefined,
    /// It throws when it meets a BigInt.
    #[error("a BigInt has no JSON text")]
    BigInt,
}

/// `JSON.stringify(value)`.
///
/// # Errors
///
/// When the value has no JSON text.
pub fn stringify(value: &Value) -> Result<String, NotText> {
    write(value, &mut Json)
}

struct Json;

impl Dialect for Json {
    type Error = NotText;

    fn begin<'a>(
        &mut self,
        value: &'a Value,
        level: usize,
        out: &mut String,
    ) -> Result<Begun<'a>, NotText> {
        if let Some(begun) = begin_plain(value, out) {
            return Ok(begun);
        }
        if self.omits(value) && level == 0 {
            return Err(NotText::Undefined);
        }
        match value {
            Value::BigInt(_) => return Err(NotText::BigInt),
            Value::Class(object) => return Ok(Open::members("{", object, "}", out)),
            Value::Date(time) => match date::to_iso_string(*time) {
                Some(text) => {
                    out.push('"');
                    out.push_str(&text);
                    out.push('"');
                }
                None => out.push_str("null"),
            },
            Value::Bytes(bytes) => bytes_into(bytes, out),
            Value::Map(_) | Value::Set(_) | Value::Buffer(_) => out.push_str("{}"),
            Value::Host(_) if !self.omits(value) => out.push_str("{}"),
            // Numbers that are not finite, and what is undefined in an array.
            _ => out.push_str("null"),
        }
        Ok(Begun::Written)
    }

    fn omits(&self, value: &Value) -> bool {
        match value {
            Value::Undefined | Value::Function(_) | Value::Symbol(_) => true,
            Value::Host(HostObject::Global(global)) => global.is_function(),
            _ => false,
        }
    }
}

/// A typed array has its indices for keys.
fn bytes_into(bytes: &[u8], out: &mut String) {
    out.push('{');
    for (index, byte) in bytes.iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str(&format!("\"{index}\":{byte}"));
    }
    out.push('}');
}
