//! JavaScript strings: sequences of UTF-16 units, which may hold surrogates
//! without a partner.

use std::{borrow::Cow, fmt};

use crate::json;

/// A JavaScript string.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct JsString(Units);

/// Every string has one form only, so that equality and hashing can be derived.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Units {
    WellFormed(String),
    /// At least one surrogate has no partner.
    IllFormed(Vec<u16>),
}

impl JsString {
    /// Bytes of memory that its content takes.
    pub(crate) fn memory(&self) -> usize {
        match &self.0 {
            Units::WellFormed(text) => text.len(),
            Units::IllFormed(units) => size_of_val(units.as_slice()),
        }
    }

    /// The string of these UTF-16 units.
    pub fn from_units(units: Vec<u16>) -> Self {
        match String::from_utf16(&units) {
            Ok(text) => Self(Units::WellFormed(text)),
            Err(_) => Self(Units::IllFormed(units)),
        }
    }

    /// The text, unless some surrogate has no partner.
    pub fn as_str(&self) -> Option<&str> {
        match &self.0 {
            Units::WellFormed(text) => Some(text),
            Units::IllFormed(_) => None,
        }
    }

    /// The text, with U+FFFD for every surrogate without a partner.
    pub fn to_string_lossy(&self) -> Cow<'_, str> {
        match &self.0 {
            Units::WellFormed(text) => Cow::Borrowed(text),
            Units::IllFormed(units) => Cow::Owned(String::from_utf16_lossy(units)),
        }
    }

    /// The characters in order; a surrogate without a partner is an `Err`.
    pub fn code_points(&self) -> impl Iterator<Item = Result<char, u16>> + '_ {
        let (text, units): (_, &[u16]) = match &self.0 {
            Units::WellFormed(text) => (text.as_str(), &[]),
            Units::IllFormed(units) => ("", units),
        };
        let unpaired = |error: std::char::DecodeUtf16Error| error.unpaired_surrogate();
        let units = char::decode_utf16(units.iter().copied());
        text.chars().map(Ok).chain(units.map(move |point| point.map_err(unpaired)))
    }
}

impl From<String> for JsString {
    fn from(text: String) -> Self {
        Self(Units::WellFormed(text))
    }
}

impl From<&str> for JsString {
    fn from(text: &str) -> Self {
        Self::from(text.to_owned())
    }
}

impl PartialEq<str> for JsString {
    fn eq(&self, other: &str) -> bool {
        self.as_str() == Some(other)
    }
}

impl fmt::Debug for JsString {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&json::quote(self))
    }
}

/// Puts a string together from texts and UTF-16 units. A low surrogate that
/// follows a high one becomes its partner, wherever the two came from.
#[derive(Clone, Debug, Default)]
pub struct JsStringBuilder {
    text: String,
    /// Everything so far, once a surrogate has come up; `text` is then empty.
    units: Option<Vec<u16>>,
}

impl JsStringBuilder {
    /// Adds a text.
    pub fn push_str(&mut self, text: &str) {
        match &mut self.units {
            None => self.text.push_str(text),
            Some(units) => units.extend(text.encode_utf16()),
        }
    }

    /// Adds a character.
    pub fn push_char(&mut self, char: char) {
        self.push_str(char.encode_utf8(&mut [0; 4]));
    }

    /// Adds a UTF-16 unit.
    pub fn push_unit(&mut self, unit: u16) {
        match char::from_u32(u32::from(unit)) {
            Some(char) => self.push_char(char),
            None => {
                let text = &mut self.text;
                let units = self.units.get_or_insert_with(|| text.encode_utf16().collect());
                text.clear();
                units.push(unit);
            }
        }
    }

    /// The string.
    pub fn finish(self) -> JsString {
        match self.units {
            None => JsString::from(self.text),
            Some(units) => JsString::from_units(units),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn built(units: &[u16]) -> JsString {
        let mut builder = JsStringBuilder::default();
        builder.push_str("a");
        for unit in units {
            builder.push_unit(*unit);
        }
        builder.push_char('é');
        builder.finish()
    }

    fn check(units: &[u16], as_str: Option<&str>, lossy: &str) {
        let string = built(units);
        assert_eq!(string.as_str(), as_str, "{units:x?}");
        assert_eq!(string.to_string_lossy(), lossy, "{units:x?}");
        let mut again = JsStringBuilder::default();
        for point in string.code_points() {
            match point {
                Ok(char) => again.push_char(char),
                Err(unit) => again.push_unit(unit),
            }
        }
        assert_eq!(again.finish(), string, "{units:x?}");
    }

    #[test]
    fn surrogates_join_or_stand_alone() {
        check(&[], Some("aé"), "aé");
        check(&[0x41], Some("aAé"), "aAé");
        check(&[0xd83d, 0xde00], Some("a😀é"), "a😀é");
        check(&[0xd83d], None, "a\u{fffd}é");
        check(&[0xde00, 0xd83d], None, "a\u{fffd}\u{fffd}é");
        check(&[0xd83d, 0xd83d, 0xde00], None, "a\u{fffd}😀é");
        check(&[0xd83d, 0x20, 0xde00], None, "a\u{fffd} \u{fffd}é");
    }

    #[test]
    fn equal_strings_have_one_form() {
        assert_eq!(built(&[0xd83d, 0xde00]), JsString::from("a😀é"));
        assert_ne!(built(&[0xd83d]), JsString::from("a\u{fffd}é"));
        assert_eq!(format!("{:?}", built(&[0xd83d])), r#""a\ud83dé""#);
    }
}
