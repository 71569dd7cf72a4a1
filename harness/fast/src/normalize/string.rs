//! Strings: every escape that JavaScript would not write is replaced by what it
//! writes.

use crate::{
    kernel::Vector,
    normalize::{SyntaxError, reader::Reader},
};

impl<V: Vector> Reader<'_, V> {
    /// The string that begins here.
    #[inline(always)]
    pub(super) fn string(&mut self) -> Result<(), SyntaxError> {
        self.at += 1;
        loop {
            self.at += self.vector.plain(&self.text.as_bytes()[self.at..]);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(b'\\') => self.escapes()?,
                _ => return Err(self.unexpected()),
            }
        }
    }

    /// One escape after another.
    fn escapes(&mut self) -> Result<(), SyntaxError> {
        while let [b'\\', rest @ ..] = &self.text.as_bytes()[self.at..] {
            match rest {
                [b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't', ..] => self.at += 2,
                [b'u', ..] => self.unicode_escape()?,
                [b'/', ..] => self.replace(2, "/"),
                _ => {
                    self.at += 1;
                    return Err(self.unexpected());
                }
            }
        }
        Ok(())
    }

    fn unicode_escape(&mut self) -> Result<(), SyntaxError> {
        let digits = &self.text.as_bytes()[self.at + 2..];
        let unit = match hex(digits) {
            Ok(unit) => unit,
            Err(valid) => {
                self.at += 2 + valid;
                return Err(self.unexpected());
            }
        };
        match (char::from_u32(unit.into()), unit) {
            (Some('"'), _) => self.replace(6, "\\\""),
            (Some('\\'), _) => self.replace(6, "\\\\"),
            (Some('\u{8}'), _) => self.replace(6, "\\b"),
            (Some('\t'), _) => self.replace(6, "\\t"),
            (Some('\n'), _) => self.replace(6, "\\n"),
            (Some('\u{c}'), _) => self.replace(6, "\\f"),
            (Some('\r'), _) => self.replace(6, "\\r"),
            (Some(char @ ' '..), _) => self.replace(6, char.encode_utf8(&mut [0; 4])),
            (None, high @ 0xd800..0xdc00) if let Some(char) = pair(high, &digits[4..]) => {
                self.replace(12, char.encode_utf8(&mut [0; 4]));
            }
            // What stays an escape differs at most in the case of its digits.
            _ if digits[..4].iter().any(u8::is_ascii_uppercase) => {
                self.replace(6, &format!("\\u{unit:04x}"));
            }
            _ => self.at += 6,
        }
        Ok(())
    }
}

/// The character of a high surrogate and the escape that follows it, if that is
/// of a low one.
fn pair(high: u16, following: &[u8]) -> Option<char> {
    let low = hex(following.strip_prefix(b"\\u")?).ok()?;
    char::decode_utf16([high, low]).next()?.ok()
}

/// The number that four hexadecimal digits write, or how many there are.
fn hex(digits: &[u8]) -> Result<u16, usize> {
    let mut number = 0;
    for place in 0..4 {
        let digit = digits.get(place).and_then(|byte| char::from(*byte).to_digit(16));
        number = number << 4 | digit.ok_or(place)? as u16;
    }
    Ok(number)
}
