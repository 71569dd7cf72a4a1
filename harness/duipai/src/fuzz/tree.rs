//! Where the values and members of a JSON text stand, told without parsing it:
//! a mutator and a shrinker work on texts that may be broken.

use std::ops::Range;

/// The spans of a text, in bytes, in the order in which they end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tree {
    /// Values, and the keys of objects.
    pub(crate) values: Vec<Range<usize>>,
    /// Elements of arrays and members of objects, without their comma.
    pub(crate) elements: Vec<Element>,
}

/// An element of an array, or a member of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Element {
    /// The element itself.
    pub(crate) span: Range<usize>,
    /// What goes when it goes: with one of the commas beside it.
    pub(crate) with_comma: Range<usize>,
}

/// A container that is open.
struct Open {
    bracket: usize,
    /// Where the current element begins.
    element: usize,
    /// The comma before it.
    comma: Option<usize>,
}

impl Tree {
    /// The spans of `text`. Never fails: what is not JSON has some spans too.
    pub(crate) fn of(text: &[u8]) -> Self {
        let mut tree = Self::default();
        let mut open: Vec<Open> = Vec::new();
        let mut at = 0;
        while let Some(&byte) = text.get(at) {
            match byte {
                b'"' => {
                    let end = string_end(text, at);
                    tree.values.push(at..end);
                    at = end;
                    continue;
                }
                b'[' | b'{' => open.push(Open { bracket: at, element: at + 1, comma: None }),
                b']' | b'}' => {
                    if let Some(closed) = open.pop() {
                        tree.end_element(&closed, at, None);
                        tree.values.push(closed.bracket..at + 1);
                    }
                }
                b',' => {
                    if let Some(inside) = open.last_mut() {
                        tree.end_element(inside, at, Some(at));
                        inside.element = at + 1;
                        inside.comma = Some(at);
                    }
                }
                b':' | b' ' | b'\t' | b'\n' | b'\r' => {}
                _ => {
                    let end = scalar_end(text, at);
                    tree.values.push(at..end);
                    at = end;
                    continue;
                }
            }
            at += 1;
        }
        tree
    }

    fn end_element(&mut self, open: &Open, end: usize, comma_after: Option<usize>) {
        let span = open.element..end;
        if span.is_empty() {
            return;
        }
        let with_comma = match (comma_after, open.comma) {
            (Some(after), _) => span.start..after + 1,
            (None, Some(before)) => before..end,
            (None, None) => span.clone(),
        };
        self.elements.push(Element { span, with_comma });
    }
}

/// The end of the string that begins at `start`, its quote included if it has
/// one.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'"' => return at + 1,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    text.len()
}

fn scalar_end(text: &[u8], start: usize) -> usize {
    let ends = |byte: &u8| b"\"[]{},: \t\n\r".contains(byte);
    text[start..].iter().position(ends).map_or(text.len(), |length| start + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, values: &[&str], removed: &[&str]) {
        let tree = Tree::of(text.as_bytes());
        let seen: Vec<&str> = tree.values.iter().map(|span| &text[span.clone()]).collect();
        assert_eq!(seen, values, "{text}");
        let without = |element: &Element| {
            let gone = &element.with_comma;
            format!("{}{}", &text[..gone.start], &text[gone.end..])
        };
        let seen: Vec<String> = tree.elements.iter().map(without).collect();
        assert_eq!(seen, removed, "{text}");
    }

    #[test]
    fn spans_are_found() {
        check("", &[], &[]);
        check("null", &["null"], &[]);
        check("[]", &["[]"], &[]);
        check(
            "[1,{\"a\":\"],\"}]",
            &["1", "\"a\"", "\"],\"", "{\"a\":\"],\"}", "[1,{\"a\":\"],\"}]"],
            &["[{\"a\":\"],\"}]", "[1,{}]", "[1]"],
        );
        check(
            "[\"\\\"\",\"\\\\\"]",
            &["\"\\\"\"", "\"\\\\\"", "[\"\\\"\",\"\\\\\"]"],
            &["[\"\\\\\"]", "[\"\\\"\"]"],
        );
    }

    #[test]
    fn broken_text_has_spans_too() {
        for text in ["\"", "\"\\", "[1,,]", "]]", "[\"a", "{:}", ",", "\u{0}\u{1}"] {
            Tree::of(text.as_bytes());
        }
        assert_eq!(Tree::of(b"\"\\").values.first(), Some(&(0..2)));
    }
}
