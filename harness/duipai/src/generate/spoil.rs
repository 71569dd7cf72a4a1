//! One change that mostly makes a text invalid, near what parsers differ in.

use super::{Source, features::Feature};

const PIECES: [&str; 26] = [
    ",",
    "]",
    "}",
    "[",
    "{",
    ":",
    "\"",
    "\\",
    "0",
    "-",
    "+",
    ".",
    "e",
    "\u{0}",
    "\u{1f}",
    "\n",
    "\u{a0}",
    "\u{feff}",
    "\u{2028}",
    "NaN",
    "'",
    "//",
    "\\u12",
    "\\x41",
    "tru",
    "嵌套过深",
];

/// Makes one or two changes to the text, if it may be spoilt.
pub(super) fn spoil(source: &mut Source<'_>, text: &mut String) {
    if !source.has(Feature::Spoilt, 1) || source.one_in(4) {
        return;
    }
    change(source, text);
    if source.one_in(4) {
        change(source, text);
    }
}

fn change(source: &mut Source<'_>, text: &mut String) {
    let at = text.floor_char_boundary(source.below(text.len() + 1));
    match source.below(7) {
        0 => text.insert_str(at, source.pick(&PIECES)),
        1 => {
            if at < text.len() {
                text.remove(at);
            }
        }
        2 => text.truncate(at),
        3 => text.insert_str(0, source.pick(&["\u{feff}", "\u{a0}", ",", "[", "0"])),
        4 => text.push_str(source.pick(&["\u{0}", ",", "]", "}", "1", " x", "\u{feff}", "\n\n"])),
        5 => {
            text.clear();
            text.push_str(source.pick(&[
                "",
                " ",
                "undefined",
                "nul",
                "+1",
                "01",
                "1.",
                ".5",
                "0x1",
            ]));
        }
        // A comma before an end, or a quote lost.
        _ => match text.rfind(source.pick(&[']', '}', '"'])) {
            Some(end) if text[end..].starts_with('"') => drop(text.remove(end)),
            Some(end) => text.insert(end, ','),
            None => text.push(','),
        },
    }
}
