//! What the loader asks of the JSON texts in a case.

use duipai_host::{
    json::{self, SyntaxError},
    tagged::{TaggedError, parse_tagged, write_tagged},
};

/// `JSON.stringify(JSON.parse(text))`.
pub(crate) fn canonical(text: &str) -> Result<String, SyntaxError> {
    json::canonical(text)
}

/// Tagged JSON text in its one canonical spelling.
pub(crate) fn tagged(text: &str) -> Result<String, TaggedError> {
    parse_tagged(text).map(|value| write_tagged(&value))
}

/// Greatest nesting of arrays and objects in a JSON text, and the number of
/// items of the array that it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) depth: usize,
    pub(crate) items: usize,
}

impl Shape {
    /// The shape of `text`; of what is not JSON, something.
    pub(crate) fn of(text: &str) -> Self {
        let mut shape = Self::default();
        let mut depth = 0usize;
        let mut commas = 0;
        let mut filled = false;
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            let before = depth;
            match byte {
                b'"' => skip_string(&mut bytes),
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                b',' if depth == 1 => commas += 1,
                _ => {}
            }
            shape.depth = shape.depth.max(depth);
            filled |= before == 1 && depth > 0 && !byte.is_ascii_whitespace();
        }
        if filled {
            shape.items = commas + 1;
        }
        shape
    }
}

fn skip_string(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, depth: usize, items: usize) {
        assert_eq!(Shape::of(text), Shape { depth, items }, "{text}");
    }

    #[test]
    fn shapes_do_not_look_into_strings() {
        check("1", 0, 0);
        check(" [ ] ", 1, 0);
        check("[1]", 1, 1);
        check("[[], 2]", 2, 2);
        check(r#"["[,\\\",", {"a":[1,2]}]"#, 3, 2);
        check(r#"["\\", "]"]"#, 1, 2);
    }
}
