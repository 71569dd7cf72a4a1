//! Changes to a JSON text.

use super::random::Random;
use crate::fuzz::tree::Tree;

/// Values that rules, parsers and splitters trip over.
const VALUES: &[&str] = &[
    "null",
    "true",
    "[]",
    "{}",
    "\"\"",
    "0",
    "-0",
    "1.0",
    "1e3",
    "1e21",
    "1e999",
    "-1e-999",
    "0.1e-7",
    "9007199254740993",
    "1.5777777777770001",
    "43200",
    "43201",
    "5.0",
    "\"\\\"\"",
    "\"\\\\\"",
    "\"\\\\\\\"\"",
    "\"],[\"",
    "\"},{\\\"body\\\":2}\"",
    "\"\\ud800\"",
    "\"\\ud83d\\ude00\"",
    "\"汉\"",
    "\"\\u0000\\n\"",
    "{\"$句柄\":1}",
    "{\"$未定义\":true}",
    "{\"$大整数\":\"1\"}",
    "{\"$数字\":\"NaN\"}",
    "{\"__proto__\":{\"x\":1},\"y\":2}",
    "{\"2\":0,\"1\":0}",
    "{\"a\":1,\"a\":2}",
    "{\"body\":1}",
    "{\"body\":1,\"delaySeconds\":5}",
    "{\"delaySeconds\":0,\"body\":{}}",
    "[[1,2]]",
];

/// Keys that mean something.
const KEYS: &[&str] = &[
    "\"body\"",
    "\"delaySeconds\"",
    "\"contentType\"",
    "\"__proto__\"",
    "\"0\"",
    "\"4294967295\"",
    "\"\"",
    "\"$句柄\"",
    "\"\\u0062ody\"",
    "\"}\"",
];

/// Characters in strings.
const CHARACTERS: &[&str] = &[
    "\\\"", "\\\\", "\\u0041", "\\ud800", "\\udc00", "\\/", "\\n", "[", "]", "{", "}", ",", ":",
    "汉", "😀", "é", "x", "\u{7f}", "\u{2028}",
];

/// What may stand between tokens.
const SPACES: &[&str] = &[" ", "\t", "\n", "\r", "  "];

/// Deepest wrapping in one change; the limits are at 24 to 34.
const WRAPS: u64 = 26;

/// A value to begin with.
pub(super) fn value(random: &mut Random) -> &'static str {
    random.pick(VALUES).copied().unwrap_or("0")
}

/// `text` with one change, or a few.
pub(super) fn change(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(2) {
        text = once(&text, random);
    }
    text
}

fn once(text: &str, random: &mut Random) -> String {
    let tree = Tree::of(text.as_bytes());
    let Some(span) = random.pick(&tree.values).cloned() else {
        return value(random).to_owned();
    };
    let old = &text[span.clone()];
    let with = |new: &str| format!("{}{new}{}", &text[..span.start], &text[span.end..]);
    let is_key = text[span.end..].trim_start().starts_with(':');
    match random.below(10) {
        0 if is_key => with(random.pick(KEYS).copied().unwrap_or_default()),
        0 | 1 if !is_key => with(value(random)),
        2 if !is_key => {
            let times = 1 + random.below(WRAPS) as usize;
            let (open, close) = if random.below(2) == 0 { ("[", "]") } else { ("{\"a\":", "}") };
            with(&format!("{}{old}{}", open.repeat(times), close.repeat(times)))
        }
        // Another value of the text, so that its parts meet.
        3 if !is_key => match random.pick(&tree.values) {
            Some(other) => with(&text[other.clone()]),
            None => with("null"),
        },
        4 | 5 => element(text, &tree, random),
        6 => {
            let space = random.pick(SPACES).copied().unwrap_or(" ");
            let at = if random.below(2) == 0 { span.start } else { span.end };
            format!("{}{space}{}", &text[..at], &text[at..])
        }
        _ if old.starts_with('"') => with(&string(old, random)),
        7 if !is_key && old.starts_with(|c: char| c == '-' || c.is_ascii_digit()) => {
            with(&number(old, random))
        }
        _ => element(text, &tree, random),
    }
}

/// An element goes, or comes twice, or a new one comes beside it.
fn element(text: &str, tree: &Tree, random: &mut Random) -> String {
    let Some(element) = random.pick(&tree.elements) else {
        return format!("[{text}]");
    };
    let old = &text[element.span.clone()];
    let (before, after) = (&text[..element.span.start], &text[element.span.start..]);
    match random.below(4) {
        0 | 1 => {
            let gone = &element.with_comma;
            format!("{}{}", &text[..gone.start], &text[gone.end..])
        }
        2 => format!("{before}{old},{after}"),
        _ if Tree::of(old.as_bytes()).values.len() > 1 && old.contains(':') => {
            let key = random.pick(KEYS).copied().unwrap_or_default();
            format!("{before}{key}:{},{after}", value(random))
        }
        _ => format!("{before}{},{after}", value(random)),
    }
}

/// A string with a character more, or with its last ones gone.
fn string(old: &str, random: &mut Random) -> String {
    let inner = old.strip_prefix('"').unwrap_or(old);
    let inner = inner.strip_suffix('"').unwrap_or(inner);
    match random.below(6) {
        0 => "\"\"".to_owned(),
        1 => {
            let character = random.pick(CHARACTERS).copied().unwrap_or_default();
            format!("\"{}\"", character.repeat(1 + random.place(40)))
        }
        _ => {
            let places: Vec<usize> = inner.char_indices().map(|(at, _)| at).collect();
            let at = random.pick(&places).copied().unwrap_or(0);
            // Not between a backslash and what it escapes.
            let cut = inner[..at].bytes().rev().take_while(|&byte| byte == b'\\').count();
            let at = if cut.is_multiple_of(2) { at } else { at - 1 };
            let character = random.pick(CHARACTERS).copied().unwrap_or_default();
            format!("\"{}{character}{}\"", &inner[..at], &inner[at..])
        }
    }
}

/// A number spelt otherwise, or a near one.
fn number(old: &str, random: &mut Random) -> String {
    match random.below(6) {
        0 => format!("{old}0"),
        1 => format!("{old}.0"),
        2 => format!("{old}e1"),
        3 => format!("{old}E-2"),
        4 if !old.starts_with('-') => format!("-{old}"),
        _ => match old.parse::<i64>() {
            Ok(number) => number.wrapping_add(1).to_string(),
            Err(_) => "1".to_owned(),
        },
    }
}
