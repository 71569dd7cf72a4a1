//! The same value, spelt otherwise: white space, escapes, numbers.

use super::{Input, Source, batch, describe, features::Swarm, json, scene::one_call};
use crate::plan::{Action, Scene};

/// Two spellings of one value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Respelt {
    /// A valid text.
    pub one: String,
    /// The same value in another spelling.
    pub other: String,
    /// Whether the texts are batches, not bodies.
    pub batch: bool,
    /// What the value may have.
    pub swarm: Swarm,
}

impl Input for Respelt {
    fn draw(source: &mut Source<'_>) -> Self {
        let is_batch = source.one_in(2);
        let one = if is_batch {
            let mut items = String::new();
            batch::array(source, &mut items);
            items
        } else {
            json::valid(source)
        };
        // Whether `5.0` is an integer delay is open, so a batch keeps its numbers.
        let other = respell(source, &one, !is_batch);
        Self { one, other, batch: is_batch, swarm: source.swarm() }
    }

    fn describe(&self) -> String {
        let [one, other] = self.scenes();
        format!(
            "{}\n{}",
            describe::case(&one, "candidate.spelling.one"),
            describe::case(&other, "candidate.spelling.other")
        )
    }
}

impl Respelt {
    /// The scene of each spelling.
    pub fn scenes(&self) -> [Scene; 2] {
        [&self.one, &self.other].map(|text| {
            let binding = "PAGE_QUEUE".to_owned();
            let text = text.as_str().into();
            one_call(match self.batch {
                true => Action::SendBatch { binding, items: text },
                false => Action::Send { binding, body: text, delay: 0 },
            })
        })
    }
}

/// Another spelling of a valid JSON text.
pub fn respell(source: &mut Source<'_>, text: &str, numbers: bool) -> String {
    let mut out = String::new();
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '"' => {
                out.push('"');
                while let Some(char) = chars.next_if(|char| *char != '"') {
                    match char {
                        '\\' => escape(source, &mut chars, &mut out),
                        char => character(source, char, &mut out),
                    }
                }
                chars.next();
                out.push('"');
            }
            '-' | '0'..='9' => {
                let mut number = String::from(char);
                let part = |char: &char| char.is_ascii_digit() || "+-.eE".contains(*char);
                while let Some(char) = chars.next_if(part) {
                    number.push(char);
                }
                out.push_str(&number);
                if numbers && !number.contains(['.', 'e', 'E']) {
                    out.push_str(source.pick(&["", "", ".0", "e0", "E+0", ".000e-0"]));
                }
            }
            '[' | ']' | '{' | '}' | ',' | ':' => {
                space(source, &mut out);
                out.push(char);
                space(source, &mut out);
            }
            // White space between tokens need not stay.
            ' ' | '\t' | '\n' | '\r' => {}
            char => out.push(char),
        }
    }
    space(source, &mut out);
    out
}

fn space(source: &mut Source<'_>, out: &mut String) {
    out.push_str(source.pick(&["", "", "", "", " ", "\n", "\r\n\t"]));
}

/// An escape after its backslash; one of `/` is dropped at times.
fn escape(
    source: &mut Source<'_>,
    chars: &mut std::iter::Peekable<std::str::Chars<'_>>,
    out: &mut String,
) {
    let Some(kind) = chars.next() else { return out.push('\\') };
    let spellings: &[&str] = match kind {
        '/' => &["/", r"\/", r"\u002f", r"\u002F"],
        '"' => &[r#"\""#, r"\u0022"],
        '\\' => &[r"\\", r"\u005c", r"\u005C"],
        'b' => &[r"\b", r"\u0008"],
        't' => &[r"\t", r"\u0009"],
        'n' => &[r"\n", r"\u000a", r"\u000A"],
        'f' => &[r"\f", r"\u000c"],
        'r' => &[r"\r", r"\u000d", r"\u000D"],
        _ => {
            let digits: String = chars.by_ref().take(4).collect();
            let digits = match source.below(3) {
                0 => digits,
                1 => digits.to_ascii_uppercase(),
                _ => digits.to_ascii_lowercase(),
            };
            return out.push_str(&format!("\\{kind}{digits}"));
        }
    };
    out.push_str(source.pick(spellings));
}

fn character(source: &mut Source<'_>, char: char, out: &mut String) {
    if source.below(6) != 5 {
        return out.push(char);
    }
    for unit in char.encode_utf16(&mut [0; 2]) {
        out.push_str(&format!("\\u{unit:04x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generate::seeded;

    #[test]
    fn the_value_stays_the_same() {
        for (index, text) in [
            r#"{"a":[1,-2.5e3,"汉\/\\\"\ud800\n😀"],"b":{"":null}}"#,
            "  [ ]\n",
            r#""\uD83D\uDE00""#,
        ]
        .into_iter()
        .cycle()
        .take(300)
        .enumerate()
        {
            let bytes = seeded(1, index as u64);
            let other = respell(&mut Source::new(&bytes), text, true);
            let canonical = |text| duipai_host::json::canonical(text).map_err(|e| e.to_string());
            assert_eq!(canonical(&other), canonical(text), "{other}");
        }
    }
}
