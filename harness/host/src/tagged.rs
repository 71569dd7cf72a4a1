//! Tagged JSON text: JSON in which an object with one key that begins with `#`
//! stands for a JavaScript value that JSON cannot hold.
//!
//! | tag | value |
//! | --- | --- |
//! | `{"#undefined":true}` | undefined |
//! | `{"#nan":true}`, `{"#infinity":1}`, `{"#infinity":-1}`, `{"#minus-zero":true}` | numbers |
//! | `{"#bigint":"9007199254740993"}` | BigInt, in decimal |
//! | `{"#symbol":"name"}`, `{"#function":"name"}` | a symbol, a function |
//! | `{"#date":0}` | a `Date`, in Unix milliseconds; `null` for an invalid one |
//! | `{"#map":[[k,v]]}`, `{"#set":[v]}` | a `Map`, a `Set` |
//! | `{"#bytes":"00ff"}`, `{"#buffer":"00ff"}` | a `Uint8Array`, an `ArrayBuffer`, in hexadecimal |
//! | `{"#class":{…}}` | an instance of a class, with these own properties |
//! | `{"#host":"Queue"}` | an object of the host; only written, never read |
//!
//! A plain object that has one key beginning with `#` is written as it is, and
//! cannot be told from a tag. Tagged text is for case files and call logs, where
//! no such object occurs.

use std::{convert::Infallible, fmt::Write as _, mem};

use crate::{
    date,
    json::{
        self, SyntaxError,
        write::{Begun, Dialect, Open, begin_plain, quote_into, write},
    },
    number,
    string::JsString,
    value::Value,
};

/// Why a text is not tagged JSON.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TaggedError {
    /// It is not JSON.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// An object has the form of a tag, but there is no such tag.
    #[error("unknown tag {0:?}")]
    UnknownTag(String),
    /// What stands under a tag does not fit it.
    #[error("the value of tag {0:?} does not fit it")]
    Unfit(String),
}

/// The value of a tagged text.
///
/// # Errors
///
/// When the text is not JSON, or holds a tag that is unknown or unfit.
pub fn parse_tagged(text: &str) -> Result<Value, TaggedError> {
    let mut root = json::parse(text)?;
    let mut open = vec![&mut root];
    while let Some(value) = open.pop() {
        if let Some(meant) = untagged(value)? {
            *value = meant;
        }
        value.visit_children_mut(|child| open.push(child));
    }
    Ok(root)
}

/// The value that an object stands for, if it is a tag. Values inside of it are
/// left as they are.
fn untagged(value: &mut Value) -> Result<Option<Value>, TaggedError> {
    let Value::Object(object) = value else { return Ok(None) };
    let mut keys = object.iter().map(|(key, _)| key.as_str());
    let (Some(Some(tag)), None) = (keys.next(), keys.next()) else { return Ok(None) };
    if !tag.starts_with('#') {
        return Ok(None);
    }
    let tag = tag.to_owned();
    object.take_values().next().map(|content| meaning(&tag, content)).transpose()
}

fn meaning(tag: &str, mut content: Value) -> Result<Value, TaggedError> {
    let unfit = || TaggedError::Unfit(tag.to_owned());
    Ok(match (tag, &mut content) {
        ("#undefined", Value::Bool(true)) => Value::Undefined,
        ("#nan", Value::Bool(true)) => Value::Number(f64::NAN),
        ("#infinity", Value::Number(1.0)) => Value::Number(f64::INFINITY),
        ("#infinity", Value::Number(-1.0)) => Value::Number(f64::NEG_INFINITY),
        ("#minus-zero", Value::Bool(true)) => Value::Number(-0.0),
        ("#bigint", Value::String(digits)) => {
            let digits = digits.as_str().and_then(number::parse_bigint);
            Value::BigInt(digits.ok_or_else(unfit)?)
        }
        ("#symbol", Value::String(name)) => Value::Symbol(name.clone()),
        ("#function", Value::String(name)) => Value::Function(name.clone()),
        ("#date", Value::Number(time)) => Value::Date(*time),
        ("#date", Value::Null) => Value::Date(f64::NAN),
        ("#map", Value::Array(entries)) => {
            let entries = entries.iter_mut().map(pair).collect::<Option<_>>();
            Value::Map(entries.ok_or_else(unfit)?)
        }
        ("#set", Value::Array(items)) => Value::Set(mem::take(items)),
        ("#bytes", Value::String(hex)) => Value::Bytes(bytes(hex).ok_or_else(unfit)?),
        ("#buffer", Value::String(hex)) => Value::Buffer(bytes(hex).ok_or_else(unfit)?),
        ("#class", Value::Object(object)) => Value::Class(mem::take(object)),
        _ if TAGS.contains(&tag) => return Err(unfit()),
        _ => return Err(TaggedError::UnknownTag(tag.to_owned())),
    })
}

const TAGS: [&str; 13] = [
    "#undefined",
    "#nan",
    "#infinity",
    "#minus-zero",
    "#bigint",
    "#symbol",
    "#function",
    "#date",
    "#map",
    "#set",
    "#bytes",
    "#buffer",
    "#class",
];

fn pair(entry: &mut Value) -> Option<[Value; 2]> {
    let Value::Array(items) = entry else { return None };
    mem::take(items).try_into().ok()
}

fn bytes(hex: &JsString) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16).map(|digit| digit as u8);
    let (pairs, rest) = hex.as_str()?.as_bytes().as_chunks::<2>();
    let byte = |[high, low]: &[u8; 2]| Some(digit(high)? << 4 | digit(low)?);
    rest.is_empty().then(|| pairs.iter().map(byte).collect()).flatten()
}

/// The tagged text of a value: `JSON.stringify`, except that nothing is left
/// out and whatever JSON cannot hold is a tag.
pub fn write_tagged(value: &Value) -> String {
    let Ok(text) = write(value, &mut Tagged);
    text
}

struct Tagged;

impl Dialect for Tagged {
    type Error = Infallible;

    fn begin<'a>(
        &mut self,
        value: &'a Value,
        _: usize,
        out: &mut String,
    ) -> Result<Begun<'a>, Infallible> {
        let minus_zero = matches!(value, Value::Number(n) if *n == 0.0 && n.is_sign_negative());
        if !minus_zero && let Some(begun) = begin_plain(value, out) {
            return Ok(begun);
        }
        match value {
            Value::Number(n) if n.is_nan() => out.push_str("{\"#nan\":true}"),
            Value::Number(n) if n.is_infinite() => {
                out.push_str(&format!("{{\"#infinity\":{}}}", n.signum()));
            }
            Value::Number(_) => out.push_str("{\"#minus-zero\":true}"),
            Value::BigInt(digits) => out.push_str(&format!("{{\"#bigint\":\"{digits}\"}}")),
            Value::Symbol(name) => named_into("{\"#symbol\":", name, out),
            Value::Function(name) => named_into("{\"#function\":", name, out),
            Value::Date(time) => match date::clip(*time) {
                Some(millis) => out.push_str(&format!("{{\"#date\":{millis}}}")),
                None => out.push_str("{\"#date\":null}"),
            },
            Value::Bytes(bytes) => hex_into("{\"#bytes\":\"", bytes, out),
            Value::Buffer(bytes) => hex_into("{\"#buffer\":\"", bytes, out),
            Value::Map(pairs) => return Ok(Open::pairs("{\"#map\":[", pairs, "]}", out)),
            Value::Set(items) => return Ok(Open::items("{\"#set\":[", items, "]}", out)),
            Value::Class(object) => {
                return Ok(Open::members("{\"#class\":{", object, "}}", out));
            }
            Value::Host(object) => out.push_str(&format!("{{\"#host\":\"{}\"}}", object.name())),
            // Plain values have been written above.
            _ => out.push_str("{\"#undefined\":true}"),
        }
        Ok(Begun::Written)
    }
}

fn named_into(open: &str, name: &JsString, out: &mut String) {
    out.push_str(open);
    quote_into(name, out);
    out.push('}');
}

fn hex_into(open: &str, bytes: &[u8], out: &mut String) {
    out.push_str(open);
    for byte in bytes {
        write!(out, "{byte:02x}").expect("a String takes everything");
    }
    out.push_str("\"}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Object;

    fn check(text: &str) {
        let value = parse_tagged(text).expect(text);
        assert_eq!(write_tagged(&value), text);
        assert_eq!(write_tagged(&value.clone()), text, "cloned");
        assert_eq!(format!("{value:?}"), text);
    }

    fn check_refused(text: &str, expected: &str) {
        let error = parse_tagged(text).expect_err(text);
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn every_tag_is_written_as_it_is_read() {
        check(r##"[{"#undefined":true},{"#nan":true},{"#infinity":1},{"#infinity":-1}]"##);
        check(r##"{"a":{"#minus-zero":true},"b":0,"c":{"#bigint":"-9007199254740993"}}"##);
        check(r##"[{"#symbol":"x\ud800"},{"#function":"ø"},{"#date":-86400000},{"#date":null}]"##);
        check(r##"{"#map":[[1,{"#set":[{"#date":0}]}],[[],{"#map":[]}]]}"##);
        check(r##"{"#set":[{"#bytes":"00ff"},{"#buffer":""}]}"##);
        check(r##"{"#class":{"x":{"#nan":true},"y":[{"#class":{}}]}}"##);
        check(r##"{"#a":1,"#b":2}"##);
        check(r##"{"a#":1}"##);
    }

    #[test]
    fn undefined_members_are_kept() {
        let object: Object = [("a", Value::Undefined)].into_iter().collect();
        let written = write_tagged(&Value::Object(object));
        assert_eq!(written, r##"{"a":{"#undefined":true}}"##);
    }

    #[test]
    fn unknown_and_unfit_tags_are_refused() {
        check_refused(r##"[{"#dat":0}]"##, "unknown tag \"#dat\"");
        check_refused(r##"{"#host":"Queue"}"##, "unknown tag \"#host\"");
        for (tag, content) in [
            ("#date", "\"x\""),
            ("#undefined", "1"),
            ("#infinity", "2"),
            ("#bigint", "\"1.5\""),
            ("#bytes", "\"0\""),
            ("#bytes", "\"0g\""),
            ("#map", "[[1]]"),
            ("#map", "[1]"),
            ("#class", "[]"),
        ] {
            let text = format!("{{\"{tag}\":{content}}}");
            check_refused(&text, &format!("the value of tag {tag:?} does not fit it"));
        }
        check_refused("[", "Unexpected end of JSON input");
    }
}
