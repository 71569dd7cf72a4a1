//! Texts as TOML.

use std::fmt::Write as _;

/// A short text as a TOML string, literal where it can be.
pub fn literal(text: &str) -> String {
    let plain = |char: char| char != '\'' && !char.is_control() && !invisible(char);
    match text.chars().all(plain) {
        true => format!("'{text}'"),
        false => basic(text),
    }
}

/// A short text as a basic TOML string.
pub fn basic(text: &str) -> String {
    let mut out = String::from('"');
    for char in text.chars() {
        match char {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            char if char.is_control() || invisible(char) => {
                let _ = write!(out, "\\U{:08X}", u32::from(char));
            }
            char => out.push(char),
        }
    }
    out.push('"');
    out
}

/// Characters that a reader would miss, or take for another.
fn invisible(char: char) -> bool {
    matches!(
        char,
        '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{feff}'
            | '\u{e000}'..='\u{f8ff}' | '\u{fff0}'..='\u{fffd}' | '\u{10fffe}'..
    )
}

/// Longer texts are given as pieces, each so often.
const LONG: usize = 2000;

/// Longest piece that is looked for, in characters.
const LONGEST_PIECE: usize = 40;

/// Fewest times that a piece is worth being one.
const FEWEST: usize = 8;

/// A text as TOML: as it is if it is short, else as pieces that are repeated.
pub(super) fn text(text: &str) -> String {
    if text.len() <= LONG {
        return literal(text);
    }
    let pieces: Vec<String> = pieces(text)
        .into_iter()
        .map(|(piece, times)| format!("[{}, {times}]", literal(&piece)))
        .collect();
    format!("{{ pieces = [{}], bytes = {} }}", pieces.join(", "), text.len())
}

/// The text as pieces, each so often.
fn pieces(text: &str) -> Vec<(String, usize)> {
    let chars: Vec<char> = text.chars().collect();
    let mut pieces = Vec::new();
    let mut single = String::new();
    let mut at = 0;
    while at < chars.len() {
        match repeated(&chars[at..]) {
            Some((length, times)) => {
                if !single.is_empty() {
                    pieces.push((std::mem::take(&mut single), 1));
                }
                pieces.push((chars[at..at + length].iter().collect(), times));
                at += length * times;
            }
            None => {
                single.push(chars[at]);
                at += 1;
            }
        }
    }
    if !single.is_empty() {
        pieces.push((single, 1));
    }
    pieces
}

/// The shortest piece that the text begins with often enough, and how often.
fn repeated(chars: &[char]) -> Option<(usize, usize)> {
    (1..=LONGEST_PIECE.min(chars.len())).find_map(|length| {
        let piece = &chars[..length];
        let times = chars.chunks(length).take_while(|chunk| *chunk == piece).count();
        (times >= FEWEST).then_some((length, times))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_quoted_as_toml() {
        assert_eq!(literal(r#"{"a":"\n"}"#), r#"'{"a":"\n"}'"#);
        assert_eq!(literal("it's"), r#""it's""#);
        assert_eq!(literal("\u{0}\u{feff}\"\n"), r#""\U00000000\U0000FEFF\"\n""#);
    }

    #[test]
    fn long_texts_are_given_as_pieces() {
        let long = format!("[\"{}\",{}1]", "字".repeat(900), "[],".repeat(20));
        let expected = r#"{ pieces = [['["', 1], ['字', 900], ['"', 1], [',[]', 20], [',1]', 1]], bytes = 2766 }"#;
        assert_eq!(text(&long), expected);
    }
}
