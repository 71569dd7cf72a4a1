//! How texts are shown in one line: short ones whole, long ones by size,
//! digest and the stretch around the first difference.

use std::fmt;

use crate::sha256;

/// Longest text, in UTF-8 bytes, that is shown whole.
const WHOLE_BYTES: usize = 48;

/// Bytes shown before the first difference of a long text.
const BEFORE_BYTES: usize = 12;

/// Longest excerpt of a long text, in characters as shown.
const EXCERPT_CHARS: usize = 30;

/// Hexadecimal digits of a digest that are shown.
const DIGEST_CHARS: usize = 12;

/// Longest text shown whole, in characters as shown.
const WHOLE_CHARS: usize = 72;

/// `text` in one line of at most `chars` characters, control characters
/// escaped; what does not fit is replaced by `…`.
pub fn one_line(text: &str, chars: usize) -> String {
    let (shown, whole) = escaped(text, chars);
    if whole { shown } else { shown + "…" }
}

/// Like [`one_line`]; what does not fit is replaced by the digest of the whole,
/// so that different texts stay different.
pub(super) fn exact_line(text: &str, chars: usize) -> String {
    let (shown, whole) = escaped(text, chars);
    if whole { shown } else { format!("{shown}… {}", digest(text)) }
}

/// `text` in one line, whole. Characters that a terminal would act on instead
/// of showing them are escaped; a backslash stands as it is.
pub fn printable(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_printable(c) {
            shown.push(c);
        } else {
            shown.extend(c.escape_debug());
        }
    }
    shown
}

/// Whether a terminal shows `c` as itself.
pub(crate) fn is_printable(c: char) -> bool {
    matches!(c, '"' | '\'' | '\\') || c.escape_debug().len() == 1
}

/// `sha256:` and as much of the digest of `text` as lines hold.
pub(super) fn digest(text: &str) -> String {
    format!("sha256:{}", &sha256::hex(text)[..DIGEST_CHARS])
}

/// A text, in as much detail as one line holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown(String);

impl Shown {
    /// Shows `text`; if it is long, from its beginning.
    pub fn new(text: &str) -> Self {
        Self::around(text, 0)
    }

    /// Shows `text`; if it is long, the stretch around byte `at`, which is on a
    /// character boundary.
    fn around(text: &str, at: usize) -> Self {
        if text.len() <= WHOLE_BYTES {
            let (shown, whole) = escaped(text, WHOLE_CHARS);
            if whole {
                return Self(format!("`{shown}`"));
            }
        }
        let from = text.floor_char_boundary(at.saturating_sub(BEFORE_BYTES));
        let (excerpt, to_end) = escaped(&text[from..], EXCERPT_CHARS);
        let head = if from == 0 { "" } else { "…" };
        let tail = if to_end { "" } else { "…" };
        Self(format!("{} bytes {} `{head}{excerpt}{tail}`", text.len(), digest(text)))
    }
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Two texts that should be equal and are not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextDifference {
    /// The text that must be seen.
    pub expected: Shown,
    /// The text that was seen.
    pub got: Shown,
    /// Offset of the first difference, in UTF-8 bytes; the texts are equal
    /// before it.
    pub at: usize,
    /// The code points that differ there; `None` is the end of the text.
    pub code_points: (Option<char>, Option<char>),
}

impl TextDifference {
    /// The first difference of two texts, compared code point by code point;
    /// `None` if they are equal.
    pub fn between(expected: &str, got: &str) -> Option<Self> {
        if expected == got {
            return None;
        }
        let common = expected.bytes().zip(got.bytes()).take_while(|(a, b)| a == b).count();
        // Equal bytes may end inside a character; both texts have the same
        // bytes before, so the boundary is the same in both.
        let at = expected.floor_char_boundary(common);
        Some(Self {
            expected: Shown::around(expected, at),
            got: Shown::around(got, at),
            at,
            code_points: (expected[at..].chars().next(), got[at..].chars().next()),
        })
    }

    /// Names the first difference: its offset and the two code points.
    pub fn place(&self) -> String {
        let (expected, got) = self.code_points;
        format!("at byte {}: {} against {}", self.at, CodePoint(expected), CodePoint(got))
    }
}

/// A code point by number and look, such as `U+FF1A ：`.
struct CodePoint(Option<char>);

impl fmt::Display for CodePoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            None => f.write_str("the end"),
            Some(' ') => f.write_str("U+0020 space"),
            Some(c) => {
                write!(f, "U+{:04X} {}", c as u32, escaped(c.encode_utf8(&mut [0; 4]), 12).0)
            }
        }
    }
}

/// At most `chars` characters of the escaped `text`, and whether that is all.
/// Quotes stay as they are, since most texts are JSON.
fn escaped(text: &str, chars: usize) -> (String, bool) {
    let mut shown = String::new();
    let mut used = 0;
    for c in text.chars() {
        let start = shown.len();
        match c {
            '"' | '\'' => shown.push(c),
            _ => shown.extend(c.escape_debug()),
        }
        used += shown[start..].chars().count();
        if used > chars {
            shown.truncate(start);
            return (shown, false);
        }
    }
    (shown, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_place(expected: &str, got: &str, place: &str) {
        let difference = TextDifference::between(expected, got).unwrap();
        assert_eq!(difference.place(), place);
    }

    #[test]
    fn first_difference_names_both_code_points() {
        check_place("失败：x", "失败:x", "at byte 6: U+FF1A ： against U+003A :");
        check_place("abc", "ab", "at byte 2: U+0063 c against the end");
        check_place("", "\n", "at byte 0: the end against U+000A \\n");
        // `é` and `è` share their first byte.
        check_place("xé", "xè", "at byte 1: U+00E9 é against U+00E8 è");
        check_place("a", "\u{202e}", "at byte 0: U+0061 a against U+202E \\u{202e}");
        assert_eq!(TextDifference::between("同", "同"), None);
    }

    #[test]
    fn short_texts_are_shown_whole() {
        assert_eq!(Shown::new("{\"a\":\"\\n\n\"}").to_string(), "`{\"a\":\"\\\\n\\n\"}`");
    }

    #[test]
    fn long_texts_are_shown_by_size_digest_and_excerpt() {
        let text = "x".repeat(1000) + "y";
        let difference = TextDifference::between(&text, &"x".repeat(1000)).unwrap();
        assert_eq!(difference.at, 1000);
        let shown = difference.expected.to_string();
        assert_eq!(shown, format!("1001 bytes {} `…xxxxxxxxxxxxy`", digest(&text)));
    }

    #[test]
    fn one_line_is_one_line_and_bounded() {
        assert_eq!(one_line("a\nb", 10), "a\\nb");
        assert_eq!(one_line(&"字".repeat(50), 3), "字字字…");
        assert_eq!(one_line("abc", 3), "abc");
    }

    #[test]
    fn what_an_exact_line_leaves_out_is_in_its_digest() {
        assert_eq!(exact_line("abc", 3), "abc");
        assert_eq!(exact_line("abcd", 3), "abc… sha256:88d4266fd4e6");
        assert_ne!(exact_line("abce", 3), exact_line("abcd", 3));
    }

    #[test]
    fn printable_text_does_nothing_to_a_terminal() {
        let check = |text, expected| assert_eq!(printable(text), expected);
        check("失败：\"\\n'", "失败：\"\\n'");
        check("a\nb\r\t\u{1b}[31m\u{9b}0m", "a\\nb\\r\\t\\u{1b}[31m\\u{9b}0m");
        check("\u{202e}\u{2028}\0", "\\u{202e}\\u{2028}\\0");
    }
}
