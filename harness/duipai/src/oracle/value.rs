//! JSON values, as serde_json reads them and JavaScript writes them.
//!
//! serde_json is asked for raw slices only, one level at a time: it settles
//! what is JSON and where a value ends, and nothing that it does otherwise than
//! JavaScript has a part in it.

use std::{
    collections::{HashMap, hash_map::Entry},
    fmt,
};

use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

use super::known::{Differences, KnownDifference};

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number, perhaps an infinity.
    Number(f64),
    /// A string.
    String(Text),
    /// An array.
    Array(Vec<Json>),
    /// An object: its keys in the order of JavaScript, none twice.
    Object(Vec<(Text, Json)>),
    /// An array or object with more levels around it than are looked into.
    Deeper,
}

/// A string's UTF-8 bytes; a surrogate without a partner is coded as any other
/// code point of three bytes.
pub type Text = Vec<u8>;

/// Levels that are looked into: no limit of the interface lies beyond.
const LEVELS: usize = 100;

/// The members of an object, in the order of the text. Only an object is one:
/// a derived type would take an array, too.
pub struct Members<'a>(pub Vec<(&'a RawValue, &'a RawValue)>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut members = Vec::new();
        while let Some(member) = map.next_entry()? {
            members.push(member);
        }
        Ok(Members(members))
    }
}

/// The text as one raw slice, without the white space around it; `None` when it
/// is not JSON.
pub fn raw(text: &str) -> Option<&str> {
    serde_json::from_str::<&RawValue>(text).ok().map(RawValue::get)
}

/// The value of a text, and where JavaScript and serde_json differ over it;
/// `None` when it is not JSON.
pub fn read(text: &str) -> Option<(Json, Differences)> {
    let raw = raw(text)?;
    let mut differences = Differences::default();
    let value = read_raw(raw, 0, &mut differences)?;
    Some((value, differences))
}

fn read_raw(raw: &str, around: usize, differences: &mut Differences) -> Option<Json> {
    Some(match raw.as_bytes().first()? {
        b'n' => Json::Null,
        b't' => Json::Bool(true),
        b'f' => Json::Bool(false),
        b'"' => Json::String(unquoted(raw, differences)?),
        b'[' | b'{' if around == LEVELS => {
            differences.note(KnownDifference::DepthLimit);
            Json::Deeper
        }
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(raw).ok()?;
            let items = items.iter().map(|item| read_raw(item.get(), around + 1, differences));
            Json::Array(items.collect::<Option<_>>()?)
        }
        b'{' => {
            let Members(members) = serde_json::from_str(raw).ok()?;
            let mut object = Vec::with_capacity(members.len());
            let mut places = Places::default();
            for (key, value) in members {
                let key = unquoted(key.get(), differences)?;
                let value = read_raw(value.get(), around + 1, differences)?;
                match places.place(&object, &key) {
                    Some(place) => {
                        differences.note(KnownDifference::RepeatedKey);
                        let (_, known): &mut (Text, Json) = &mut object[place];
                        *known = value;
                    }
                    None => object.push((key, value)),
                }
            }
            indices_first(&mut object, differences);
            Json::Object(object)
        }
        _ => Json::Number(number(raw, differences)?),
    })
}

/// Where keys stand in an object that is being read.
#[derive(Default)]
struct Places(HashMap<Text, usize>);

impl Places {
    /// Up to so many members, a walk finds a key.
    const WALKED: usize = 8;

    /// Where the key stands; one that does not is about to be added.
    fn place(&mut self, object: &[(Text, Json)], key: &Text) -> Option<usize> {
        let count = object.len();
        if count <= Self::WALKED && self.0.is_empty() {
            let found = object.iter().position(|(known, _)| known == key);
            if found.is_some() || count < Self::WALKED {
                return found;
            }
            let places = object.iter().enumerate();
            self.0 = places.map(|(place, (key, _))| (key.clone(), place)).collect();
        }
        match self.0.entry(key.clone()) {
            Entry::Occupied(place) => Some(*place.get()),
            Entry::Vacant(place) => {
                place.insert(count);
                None
            }
        }
    }
}

fn indices_first(object: &mut [(Text, Json)], differences: &mut Differences) {
    let rank = |(key, _): &(Text, Json)| array_index(key).map_or(u64::MAX, u64::from);
    if !object.is_sorted_by_key(rank) {
        differences.note(KnownDifference::KeyOrder);
        object.sort_by_key(rank);
    }
}

/// The array index that a key spells: 0 to 2³² − 2, in plain digits.
fn array_index(key: &[u8]) -> Option<u32> {
    let digits = key.first().is_some_and(u8::is_ascii_digit);
    let index: u32 = str::from_utf8(key).ok().filter(|_| digits)?.parse().ok()?;
    (index != u32::MAX && index.to_string().as_bytes() == key).then_some(index)
}

/// Numbers of so many digits may move an exponent further than it is counted.
const LONG: usize = 1000;

fn number(raw: &str, differences: &mut Differences) -> Option<f64> {
    if raw.len() >= LONG && raw.contains(['e', 'E']) {
        differences.note(KnownDifference::LongNumber);
    }
    let number: f64 = raw.parse().ok()?;
    if number.is_infinite() {
        differences.note(KnownDifference::Overflow);
    } else if raw != ryu_js::Buffer::new().format_finite(number) {
        differences.note(KnownDifference::NumberText);
    }
    Some(number)
}

/// A number as JavaScript writes it in JSON.
pub fn number_text(number: f64) -> String {
    match number.is_finite() {
        true => ryu_js::Buffer::new().format_finite(number).to_owned(),
        false => "null".to_owned(),
    }
}

/// The string of a literal. Asked for bytes, serde_json lets surrogates pass.
fn unquoted(raw: &str, differences: &mut Differences) -> Option<Text> {
    struct Bytes;

    impl Visitor<'_> for Bytes {
        type Value = Text;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string")
        }

        fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Text, E> {
            Ok(bytes.to_vec())
        }
    }

    let mut deserializer = serde_json::Deserializer::from_str(raw);
    let text = deserializer.deserialize_bytes(Bytes).ok()?;
    if str::from_utf8(&text).is_err() {
        differences.note(KnownDifference::LoneSurrogate);
    }
    Some(text)
}

/// The canonical text of a value: `JSON.stringify`.
pub fn canonical(value: &Json) -> String {
    let mut out = String::new();
    write(value, &mut out);
    out
}

fn write(value: &Json, out: &mut String) {
    match value {
        Json::Null => out.push_str("null"),
        Json::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Json::Number(number) => out.push_str(&number_text(*number)),
        Json::String(text) => quote(text, out),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                write(item, out);
            }
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (key, value)) in members.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                quote(key, out);
                out.push(':');
                write(value, out);
            }
            out.push('}');
        }
        Json::Deeper => out.push('…'),
    }
}

/// Writes a string literal as JavaScript does.
pub fn quote(text: &[u8], out: &mut String) {
    out.push('"');
    let mut rest = text;
    loop {
        let valid = match str::from_utf8(rest) {
            Ok(valid) => valid,
            Err(error) => str::from_utf8(&rest[..error.valid_up_to()]).unwrap_or_default(),
        };
        valid.chars().for_each(|char| escaped(char, out));
        // Only a surrogate is coded otherwise than as UTF-8.
        let Some(&[lead, middle, last]) = rest[valid.len()..].first_chunk() else { break };
        let bits = |byte: u8, mask: u8| u32::from(byte & mask);
        let unit = bits(lead, 0x0f) << 12 | bits(middle, 0x3f) << 6 | bits(last, 0x3f);
        out.push_str(&format!("\\u{unit:04x}"));
        rest = &rest[valid.len() + 3..];
    }
    out.push('"');
}

fn escaped(char: char, out: &mut String) {
    match char {
        '"' => out.push_str("\\\""),
        '\\' => out.push_str("\\\\"),
        '\u{8}' => out.push_str("\\b"),
        '\t' => out.push_str("\\t"),
        '\n' => out.push_str("\\n"),
        '\u{c}' => out.push_str("\\f"),
        '\r' => out.push_str("\\r"),
        '\0'..='\x1f' => out.push_str(&format!("\\u{:04x}", u32::from(char))),
        char => out.push(char),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Option<&str>) {
        let seen = read(text).map(|(value, _)| canonical(&value));
        assert_eq!(seen.as_deref(), expected, "{text}");
    }

    #[test]
    fn values_are_written_as_javascript_does() {
        check(" [1.0, -0,\n1e21,1e999 ]", Some("[1,0,1e+21,null]"));
        check(r#"{"b":1,"1":2,"b":3,"0":4}"#, Some(r#"{"0":4,"1":2,"b":3}"#));
        check(r#"{"01":1,"4294967295":2,"4294967294":3}"#, {
            Some(r#"{"4294967294":3,"01":1,"4294967295":2}"#)
        });
        check(r#""\uD800\uD83D\uDE00\udc00x\u001F\/""#, Some(r#""\ud800😀\udc00x\u001f/""#));
        check(
            r#"{"\ud800":"\ud800","__proto__":[]}"#,
            Some(r#"{"\ud800":"\ud800","__proto__":[]}"#),
        );
        let keys =
            |suffix: &str| (0..20).map(|n| format!("\"k{n}\":{n}{suffix}")).collect::<Vec<_>>();
        let twice = [keys(".5"), keys("")].concat().join(",");
        check(&format!("{{{twice}}}"), Some(&format!("{{{}}}", keys("").join(","))));
        for text in ["", "[1,]", "\u{feff}1", "01", "\"\n\"", "[1]]", r#""\x""#, "{1:2}", "nul"] {
            check(text, None);
        }
    }

    #[test]
    fn differences_are_noted() {
        let check = |text: &str, expected: &[KnownDifference]| {
            let seen: Vec<_> = read(text).map(|(_, it)| it.iter().collect()).unwrap_or_default();
            assert_eq!(seen, expected, "{text}");
        };
        check(r#"["\ud800"]"#, &[KnownDifference::LoneSurrogate]);
        check("1.0", &[KnownDifference::NumberText]);
        check("-1e999", &[KnownDifference::Overflow]);
        check(r#"{"a":1,"0":2}"#, &[KnownDifference::KeyOrder]);
        check(r#"{"a":1,"\u0061":2}"#, &[KnownDifference::RepeatedKey]);
        check(
            &format!("0.{}1e1200", "0".repeat(1199)),
            &[KnownDifference::NumberText, KnownDifference::LongNumber],
        );
        let deep = |levels: usize| "[".repeat(levels) + &"]".repeat(levels);
        check(&deep(100), &[]);
        check(&deep(101), &[KnownDifference::DepthLimit]);
    }
}
