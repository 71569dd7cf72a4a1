//! Strings: what misleads a scanner, in all spellings that JSON has.

use duipai_spec::markers;

use super::{Source, features::Feature};

/// Text that looks like the structure of a batch.
const TRAPS: [&str; 17] = [
    "],[",
    "},{",
    "]",
    "[",
    "}",
    "{",
    ",",
    ":",
    r#"\""#,
    r"\\",
    r#"\\\""#,
    r#"{\"body\":1}"#,
    r#"\",\"body\":\""#,
    r#"\\\\"#,
    "//",
    "/*",
    "嵌套过深",
];

const WIDE: [&str; 12] = [
    "é",
    "汉",
    "字",
    "豫言",
    "😀",
    "\u{2028}",
    "\u{2029}",
    "\u{7f}",
    "\u{feff}",
    "\u{e000}",
    "\u{10ffff}",
    "\u{fffd}",
];

/// Escapes, of which some are needed and some are not.
const ESCAPES: [&str; 22] = [
    r"\u0041",
    r"\u0061",
    r"\/",
    r"\b",
    r"\t",
    r"\n",
    r"\f",
    r"\r",
    r"\u0008",
    r"\u000a",
    r"\u000A",
    r"\u0000",
    r"\u001f",
    r"\u001F",
    r"\u0022",
    r"\u005c",
    r"\u005C",
    r"\u6c49",
    r"\u6C49",
    r"\u2028",
    r"\u007f",
    r"\ud83d\ude00",
];

/// Surrogates without a partner, beside others and beside pairs.
const SURROGATES: [&str; 8] = [
    r"\ud800",
    r"\udfff",
    r"\uDC00\uD800",
    r"\ud83d\ud83d\ude00",
    r"\ud83d\ude00\ude00",
    r"\ud800\u0041",
    r"\uD83D😀",
    r"\ud83d\\ude00",
];

/// Inside a string, text in the form of a marker is only text.
const LOOKALIKES: [&str; 5] = [
    r#"{\"$句柄\":\"1\"}"#,
    r#"{\"$数字\":"#,
    "$句柄",
    r#"{\u0022$未定义\u0022:true}"#,
    r#"{\"$大整数\""#,
];

/// Writes a string with its quotes.
pub(super) fn string(source: &mut Source<'_>, out: &mut String) {
    out.push('"');
    for _ in 0..source.below(5) {
        piece(source, out);
    }
    out.push('"');
}

fn piece(source: &mut Source<'_>, out: &mut String) {
    if source.has(Feature::Traps, 2) {
        if source.one_in(8) {
            // Runs across the blocks of a scanner that reads many bytes at once.
            let run = r"\\".repeat(source.below(70));
            return out.push_str(&run);
        }
        return out.push_str(source.pick(&TRAPS));
    }
    if source.has(Feature::Wide, 2) {
        return out.push_str(source.pick(&WIDE));
    }
    if source.has(Feature::Escapes, 2) {
        return out.push_str(source.pick(&ESCAPES));
    }
    if source.has(Feature::Surrogates, 3) {
        return out.push_str(source.pick(&SURROGATES));
    }
    if source.has(Feature::Lookalikes, 3) {
        return out.push_str(source.pick(&LOOKALIKES));
    }
    match source.below(4) {
        0..3 => out.push(char::from(b'a' + source.byte() % 26)),
        _ => out.push_str(&"x".repeat(source.below(80))),
    }
}

const PLAIN_KEYS: [&str; 8] = ["a", "b", "c", "body", "delaySeconds", "contentType", "", "#nan"];

const INDICES: [&str; 12] = [
    "0",
    "1",
    "2",
    "10",
    "9",
    "4294967294",
    "4294967295",
    "-1",
    "01",
    "1.0",
    "1e3",
    "9007199254740993",
];

const INHERITED: [&str; 7] = [
    "__proto__",
    "constructor",
    "toJSON",
    "hasOwnProperty",
    r"\u005f_proto__",
    "length",
    "valueOf",
];

/// Writes a key with its quotes.
pub(super) fn key(source: &mut Source<'_>, out: &mut String) {
    let key = if source.has(Feature::Indices, 2) {
        source.pick(&INDICES)
    } else if source.has(Feature::Inherited, 3) {
        source.pick(&INHERITED)
    } else if source.one_in(4) {
        return string(source, out);
    } else {
        source.pick(&PLAIN_KEYS)
    };
    out.push('"');
    out.push_str(key);
    out.push('"');
}

/// Writes the key of a host marker with its quotes, perhaps with an escape.
pub(super) fn marker_key(source: &mut Source<'_>, out: &mut String) {
    let key = source.pick(&markers::KEYS);
    out.push('"');
    match source.below(3) {
        0 => out.push_str(key),
        1 => out.push_str(&key.replace('$', r"\u0024")),
        _ => {
            for char in key.chars() {
                out.push_str(&format!(r"\u{:04X}", u32::from(char)));
            }
        }
    }
    out.push('"');
}
