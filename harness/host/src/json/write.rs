//! Writing values as JSON text. What plain JSON can hold is written here; each
//! dialect says what becomes of the rest. The writer keeps its own stack.

use std::{fmt::Write as _, slice};

use crate::{
    json::plain::plain_length,
    number,
    string::JsString,
    value::{Members, Object, Value},
};

/// What a kind of text makes of values that JSON cannot hold.
pub(crate) trait Dialect {
    /// Why a value has no text.
    type Error;

    /// Writes a value that has no children, or opens one that has. `level` is
    /// how many arrays and objects are open around it.
    fn begin<'a>(
        &mut self,
        value: &'a Value,
        level: usize,
        out: &mut String,
    ) -> Result<Begun<'a>, Self::Error>;

    /// Whether an object is written without a member of this value.
    fn omits(&self, _: &Value) -> bool {
        false
    }
}

/// How far a value has been written.
pub(crate) enum Begun<'a> {
    /// All of it.
    Written,
    /// Up to its children.
    Open(Open<'a>),
}

/// A value whose children are still to be written.
pub(crate) struct Open<'a> {
    rest: Rest<'a>,
    first: bool,
    close: &'static str,
}

enum Rest<'a> {
    Items(slice::Iter<'a, Value>),
    Members(Members<'a>),
    Pairs(slice::Iter<'a, [Value; 2]>),
}

/// What comes next of an open value.
enum Next<'a> {
    Value(&'a Value),
    Open(Open<'a>),
    End,
}

/// The text of `value` in a dialect.
pub(crate) fn write<D: Dialect>(value: &Value, dialect: &mut D) -> Result<String, D::Error> {
    let mut out = String::new();
    let mut open = Vec::new();
    let mut begun = dialect.begin(value, 0, &mut out)?;
    loop {
        if let Begun::Open(value) = begun {
            open.push(value);
        }
        let Some(innermost) = open.last_mut() else { return Ok(out) };
        begun = match innermost.next(dialect, &mut out) {
            Next::Value(child) => dialect.begin(child, open.len(), &mut out)?,
            Next::Open(child) => Begun::Open(child),
            Next::End => {
                open.pop();
                Begun::Written
            }
        };
    }
}

impl<'a> Open<'a> {
    /// The items of an array, between these texts.
    pub(crate) fn items(
        open: &str,
        items: &'a [Value],
        close: &'static str,
        out: &mut String,
    ) -> Begun<'a> {
        Self::between(open, Rest::Items(items.iter()), close, out)
    }

    /// The members of an object, between these texts.
    pub(crate) fn members(
        open: &str,
        object: &'a Object,
        close: &'static str,
        out: &mut String,
    ) -> Begun<'a> {
        Self::between(open, Rest::Members(object.iter()), close, out)
    }

    /// Arrays of two, between these texts.
    pub(crate) fn pairs(
        open: &str,
        pairs: &'a [[Value; 2]],
        close: &'static str,
        out: &mut String,
    ) -> Begun<'a> {
        Self::between(open, Rest::Pairs(pairs.iter()), close, out)
    }

    fn between(open: &str, rest: Rest<'a>, close: &'static str, out: &mut String) -> Begun<'a> {
        out.push_str(open);
        Begun::Open(Self { rest, first: true, close })
    }

    /// Writes what stands before the next child.
    fn next(&mut self, dialect: &impl Dialect, out: &mut String) -> Next<'a> {
        let next = match &mut self.rest {
            Rest::Items(items) => items.next().map(|item| (None, Next::Value(item))),
            Rest::Members(members) => members
                .find(|(_, value)| !dialect.omits(value))
                .map(|(key, value)| (Some(key), Next::Value(value))),
            Rest::Pairs(pairs) => pairs.next().map(|pair| {
                let items = Rest::Items(pair.iter());
                (None, Next::Open(Open { rest: items, first: true, close: "]" }))
            }),
        };
        let Some((key, next)) = next else {
            out.push_str(self.close);
            return Next::End;
        };
        if !self.first {
            out.push(',');
        }
        self.first = false;
        if let Some(key) = key {
            quote_into(key, out);
            out.push(':');
        }
        if let Next::Open(_) = next {
            out.push('[');
        }
        next
    }
}

/// Writes or opens a value of plain JSON; `None` for any other.
pub(crate) fn begin_plain<'a>(value: &'a Value, out: &mut String) -> Option<Begun<'a>> {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) if number.is_finite() => {
            out.push_str(&number::finite_to_string(*number));
        }
        Value::String(text) => quote_into(text, out),
        Value::Array(items) => return Some(Open::items("[", items, "]", out)),
        Value::Object(object) => return Some(Open::members("{", object, "}", out)),
        _ => return None,
    }
    Some(Begun::Written)
}

/// The JSON string literal of a string as `JSON.stringify` writes it: a
/// surrogate without a partner is escaped.
pub fn quote(string: &JsString) -> String {
    let mut out = String::new();
    quote_into(string, &mut out);
    out
}

pub(crate) fn quote_into(string: &JsString, out: &mut String) {
    out.push('"');
    match string.as_str() {
        Some(text) => escape_into(text, out),
        None => {
            for point in string.code_points() {
                match point {
                    Ok(char) => escape_into(char.encode_utf8(&mut [0; 4]), out),
                    Err(unit) => unicode_escape_into(unit, out),
                }
            }
        }
    }
    out.push('"');
}

fn escape_into(text: &str, out: &mut String) {
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_length(rest));
        out.push_str(plain);
        let Some(byte) = special.bytes().next() else { return };
        match byte {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0c => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            control => unicode_escape_into(u16::from(control), out),
        }
        rest = &special[1..];
    }
}

fn unicode_escape_into(unit: u16, out: &mut String) {
    write!(out, "\\u{unit:04x}").expect("a String takes everything");
}
