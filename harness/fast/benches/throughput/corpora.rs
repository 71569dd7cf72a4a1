//! The texts that are timed, from a seed.
//!
//! | corpus | is |
//! | --- | --- |
//! | A | 100 items of two strings, a third of them Chinese, every 25th character escaped |
//! | B | 100 items of small objects inside each other |
//! | C | two strings of 127 KB, Chinese and Latin, nothing escaped |
//! | D | two strings of 100 KB, every character escaped |
//! | E | 100 items of a few bytes |

use std::fmt::Write as _;

/// A text and how it is called in the table.
pub(crate) struct Corpus {
    pub(crate) name: &'static str,
    pub(crate) text: String,
}

/// The canonical batches A to E.
pub(crate) fn canonical() -> Vec<Corpus> {
    let mut random = Random(2026);
    let item = |body: String| format!("{{\"body\":{body}}}");
    let batch = |items: Vec<String>| format!("[{}]", items.join(","));
    let a = (0..100).map(|_| {
        let (one, other) = (mixed(&mut random, 720, 25), mixed(&mut random, 720, 25));
        item(format!("{{\"title\":\"{one}\",\"text\":\"{other}\"}}"))
    });
    let a = batch(a.collect());
    let b = batch((0..100).map(|_| item(nested(&mut random, 2_450))).collect());
    let c = batch((0..2).map(|_| item(format!("\"{}\"", mixed(&mut random, 78_000, 0)))).collect());
    let d = batch((0..2).map(|_| item(format!("\"{}\"", escapes(&mut random, 100_000)))).collect());
    let e = (0..100).map(|index| match index % 4 {
        0 => format!("{{\"body\":{index},\"delaySeconds\":{}}}", random.below(43_200)),
        1 => format!("{{\"body\":\"第{index}条\"}}"),
        2 => format!("{{\"body\":{{\"n\":{index}}},\"delaySeconds\":5}}"),
        _ => format!("{{\"body\":[{index},true]}}"),
    });
    let e = batch(e.collect());
    let named = ["A", "B", "C", "D", "E"].into_iter().zip([a, b, c, d, e]);
    named.map(|(name, text)| Corpus { name, text }).collect()
}

/// The same batches as a person or another library might write them: white
/// space after commas and colons, and escapes where none are needed.
pub(crate) fn respelled() -> Vec<Corpus> {
    let mut corpora = canonical();
    for corpus in &mut corpora {
        corpus.text = respell(&corpus.text);
    }
    corpora
}

fn respell(canonical: &str) -> String {
    let mut text = String::new();
    let (mut in_string, mut escaped, mut letters) = (false, false, 0);
    for char in canonical.chars() {
        let plain = in_string && !escaped && char.is_alphabetic();
        letters += usize::from(plain);
        if plain && letters % 40 == 0 && (char as u32) < 0x1_0000 {
            write!(text, "\\u{:04x}", char as u32).unwrap();
        } else {
            text.push(char);
        }
        if !in_string && matches!(char, ',' | ':') {
            text.push(' ');
        }
        in_string ^= char == '"' && !escaped;
        escaped = in_string && char == '\\' && !escaped;
    }
    text
}

/// The content of a string of so many characters; every so manieth is escaped.
fn mixed(random: &mut Random, characters: usize, escaped: u64) -> String {
    let mut text = String::new();
    for _ in 0..characters {
        if escaped > 0 && random.below(escaped) == 0 {
            text.push_str(["\\n", "\\\"", "\\\\", "\\t"][random.below(4) as usize]);
        } else if random.below(10) < 3 {
            text.extend(char::from_u32(0x4e00 + random.below(0x5000) as u32));
        } else {
            text.push(char::from(b'a' + random.below(26) as u8));
        }
    }
    text
}

/// The content of a string of so many bytes, all of them escapes.
fn escapes(random: &mut Random, bytes: usize) -> String {
    let mut text = String::new();
    while text.len() < bytes {
        text.push_str(
            ["\\n", "\\\"", "\\\\", "\\t", "\\\\\\\"", "\\u0001"][random.below(6) as usize],
        );
    }
    text
}

/// An array of small objects, of so many bytes.
fn nested(random: &mut Random, bytes: usize) -> String {
    let mut text = "[".to_owned();
    while text.len() < bytes {
        if text.len() > 1 {
            text.push(',');
        }
        object(random, &mut text, 0);
    }
    text.push(']');
    text
}

fn object(random: &mut Random, text: &mut String, depth: u32) {
    const KEYS: [&str; 8] = ["id", "name", "x", "y", "tags", "on", "left", "right"];
    text.push('{');
    let start = random.below(4) as usize;
    for (index, key) in KEYS[start..start + 2 + random.below(3) as usize].iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write!(text, "\"{key}\":").unwrap();
        match random.below(if depth < 4 { 7 } else { 4 }) {
            0 => write!(text, "{}", random.below(10_000)).unwrap(),
            1 => write!(text, "{}.{}", random.below(100), 1 + random.below(9)).unwrap(),
            2 => text.push_str(["true", "false", "null"][random.below(3) as usize]),
            3 => write!(text, "\"v{}\"", random.below(1000)).unwrap(),
            4 => text.push_str("[1,2]"),
            _ => object(random, text, depth + 1),
        }
    }
    text.push('}');
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ bits >> 31) % bound
    }
}
