//! `JSON.parse`, with a stack of its own: a text may nest to any depth.

use crate::{
    json::{SyntaxError, plain::plain_length},
    number,
    string::{JsString, JsStringBuilder},
    value::{Object, Value},
};

/// `JSON.parse(text)`. U+FEFF is not white space, a repeated key keeps its place
/// and takes the last value, an escaped surrogate needs no partner, and a number
/// beyond the doubles is an infinity.
///
/// # Errors
///
/// When the text is not JSON.
pub fn parse(text: &str) -> Result<Value, SyntaxError> {
    Parser { text, at: 0 }.document()
}

/// [`parse`] of a JavaScript string. A surrogate without a partner may stand as
/// it is inside a string of the text.
///
/// # Errors
///
/// When the text is not JSON.
pub fn parse_js(text: &JsString) -> Result<Value, SyntaxError> {
    match text.as_str() {
        Some(text) => parse(text),
        None => parse(&with_escapes(text)),
    }
}

/// The text with every surrogate that has no partner written as an escape: as
/// good inside a string, and as wrong outside of one. After a backslash that is
/// not escaped itself nothing may become valid, so U+FFFD stands there.
fn with_escapes(text: &JsString) -> String {
    let mut escaped = String::new();
    let mut after_backslash = false;
    for point in text.code_points() {
        match point {
            Ok(char) => escaped.push(char),
            Err(_) if after_backslash => escaped.push('\u{fffd}'),
            Err(unit) => escaped.push_str(&format!("\\u{unit:04x}")),
        }
        after_backslash = point == Ok('\\') && !after_backslash;
    }
    escaped
}

struct Parser<'a> {
    text: &'a str,
    /// UTF-8 bytes read; always a character boundary.
    at: usize,
}

/// An array or object whose end has not come.
enum Open {
    Array(Vec<Value>),
    /// The members so far, and the key whose value comes next.
    Object(Object, JsString),
}

/// What follows a value inside an array or object.
enum Next {
    Value(Open),
    End(Value),
}

impl Parser<'_> {
    fn document(mut self) -> Result<Value, SyntaxError> {
        let mut open: Vec<Open> = Vec::new();
        loop {
            let Some(mut value) = self.begin(&mut open)? else { continue };
            // The value may be the last of any number of arrays and objects.
            loop {
                let Some(parent) = open.pop() else { return self.end(value) };
                match self.put(parent, value)? {
                    Next::End(parent) => value = parent,
                    Next::Value(parent) => {
                        open.push(parent);
                        break;
                    }
                }
            }
        }
    }

    fn end(mut self, value: Value) -> Result<Value, SyntaxError> {
        self.skip_space();
        if self.at == self.text.len() { Ok(value) } else { Err(self.unexpected()) }
    }

    /// Reads a value that has no children, or opens one that has.
    fn begin(&mut self, open: &mut Vec<Open>) -> Result<Option<Value>, SyntaxError> {
        self.skip_space();
        let value = match self.peek() {
            Some(b'[') => {
                self.at += 1;
                self.skip_space();
                if !self.eat(b']') {
                    open.push(Open::Array(Vec::new()));
                    return Ok(None);
                }
                Value::Array(Vec::new())
            }
            Some(b'{') => {
                self.at += 1;
                self.skip_space();
                if !self.eat(b'}') {
                    let key = self.key()?;
                    open.push(Open::Object(Object::new(), key));
                    return Ok(None);
                }
                Value::Object(Object::new())
            }
            Some(b'"') => Value::String(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(b'n') => self.word("null", Value::Null)?,
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            _ => return Err(self.unexpected()),
        };
        Ok(Some(value))
    }

    /// Puts a value into its parent, and reads the comma or the end after it.
    fn put(&mut self, parent: Open, value: Value) -> Result<Next, SyntaxError> {
        self.skip_space();
        match parent {
            Open::Array(mut items) => {
                items.push(value);
                if self.eat(b',') {
                    Ok(Next::Value(Open::Array(items)))
                } else {
                    self.expect(b']')?;
                    Ok(Next::End(Value::Array(items)))
                }
            }
            Open::Object(mut object, key) => {
                object.insert(key, value);
                if self.eat(b',') {
                    self.skip_space();
                    let key = self.key()?;
                    Ok(Next::Value(Open::Object(object, key)))
                } else {
                    self.expect(b'}')?;
                    Ok(Next::End(Value::Object(object)))
                }
            }
        }
    }

    /// A key and the colon after it.
    fn key(&mut self) -> Result<JsString, SyntaxError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        let key = self.string()?;
        self.skip_space();
        self.expect(b':')?;
        Ok(key)
    }

    fn string(&mut self) -> Result<JsString, SyntaxError> {
        self.expect(b'"')?;
        let mut string = JsStringBuilder::default();
        loop {
            string.push_str(self.plain_run());
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string.finish());
                }
                Some(b'\\') => {
                    self.at += 1;
                    self.escape(&mut string)?;
                }
                _ => return Err(self.unexpected()),
            }
        }
    }

    /// The text up to the next quote, backslash or control character.
    fn plain_run(&mut self) -> &str {
        let rest = &self.text[self.at..];
        let length = plain_length(rest);
        self.at += length;
        &rest[..length]
    }

    /// What stands after a backslash.
    fn escape(&mut self, string: &mut JsStringBuilder) -> Result<(), SyntaxError> {
        let char = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                string.push_unit(self.four_hex_digits()?);
                return Ok(());
            }
            _ => return Err(self.unexpected()),
        };
        self.at += 1;
        string.push_char(char);
        Ok(())
    }

    fn four_hex_digits(&mut self) -> Result<u16, SyntaxError> {
        let mut unit = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16));
            let digit = digit.ok_or_else(|| self.unexpected())?;
            unit = unit << 4 | digit as u16;
            self.at += 1;
        }
        Ok(unit)
    }

    fn number(&mut self) -> Result<f64, SyntaxError> {
        let start = self.at;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(number::parse(&self.text[start..self.at]))
    }

    /// At least one digit.
    fn digits(&mut self) -> Result<(), SyntaxError> {
        let rest = &self.text.as_bytes()[self.at..];
        match rest.iter().take_while(|byte| byte.is_ascii_digit()).count() {
            0 => Err(self.unexpected()),
            count => {
                self.at += count;
                Ok(())
            }
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, SyntaxError> {
        for byte in word.bytes() {
            self.expect(byte)?;
        }
        Ok(value)
    }

    fn skip_space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Steps over an ASCII character if it comes next.
    fn eat(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }

    fn expect(&mut self, byte: u8) -> Result<(), SyntaxError> {
        if self.eat(byte) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn unexpected(&self) -> SyntaxError {
        SyntaxError::at(self.text, self.at)
    }
}
