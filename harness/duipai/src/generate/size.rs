//! Texts around the size limits, made by repetition.

use duipai_spec::limits::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS, MAX_BATCH_TEXT_BYTES, MAX_BODY_BYTES};

use super::Source;

/// What a string is filled with: what is written, and its bytes in canonical
/// text.
const UNITS: [(&str, usize); 11] = [
    ("x", 1),
    ("é", 2),
    ("字", 3),
    ("😀", 4),
    (r"\n", 2),
    (r"\u000a", 2),
    (r"\u0041", 1),
    (r"\u6c49", 3),
    (r"\ud83d\ude00", 4),
    (r"\ud800\u0078", 7),
    (r#"\""#, 2),
];

/// Writes a body whose text, as given or in canonical form, has about as many
/// bytes as a body may have.
pub(super) fn body(source: &mut Source<'_>, out: &mut String) {
    let bytes = MAX_BODY_BYTES - 1 + source.below(3);
    match source.below(9) {
        6 => spaced(source, out, bytes),
        7 => growing(out, bytes),
        8 => {
            // Many small values.
            let values = (bytes - 3) / 2;
            out.push_str(&format!(
                "[{}{}]",
                "1,".repeat(values),
                if bytes.is_multiple_of(2) { "10" } else { "1" }
            ));
        }
        _ => filled(source, out, bytes),
    }
}

/// Numbers that take so many bytes in canonical text, and far fewer as given.
fn growing(out: &mut String, bytes: usize) {
    const SHORT: &str = "1e20,";
    const LONG: usize = "100000000000000000000,".len();
    let room = bytes - "[\"\"]".len();
    out.push('[');
    out.push_str(&SHORT.repeat(room / LONG));
    out.push('"');
    out.push_str(&"x".repeat(room % LONG));
    out.push_str("\"]");
}

/// A string of about `bytes` bytes as given, or in canonical form.
fn filled(source: &mut Source<'_>, out: &mut String, bytes: usize) {
    let (unit, canonical) = source.pick(&UNITS);
    // The text as given is the longer one, and must fit as well.
    let measured = if source.one_in(4) { canonical } else { unit.len() };
    string(out, bytes, unit, measured);
}

fn string(out: &mut String, bytes: usize, unit: &str, measured: usize) {
    let room = bytes.saturating_sub(2);
    out.push('"');
    out.push_str(&unit.repeat(room / measured));
    out.push_str(&"x".repeat(room % measured));
    out.push('"');
}

/// A short value with white space up to `bytes` bytes.
fn spaced(source: &mut Source<'_>, out: &mut String, bytes: usize) {
    let value = source.pick(&["1", "[]", "{}", "\"字\""]);
    let spaces = |around: usize| " ".repeat(bytes - around);
    match source.below(3) {
        0 => out.push_str(&format!("{value}{}", spaces(value.len()))),
        1 => out.push_str(&format!("{}{value}", spaces(value.len()))),
        _ => out.push_str(&format!("[{}1]", spaces("[1]".len()))),
    }
}

/// Writes a batch around one of the limits on sizes.
pub(super) fn batch(source: &mut Source<'_>, out: &mut String) {
    let nudge = source.below(3);
    let bodies: Vec<usize> = match source.below(6) {
        0 => vec![MAX_BODY_BYTES, MAX_BATCH_BYTES - MAX_BODY_BYTES - 1 + nudge],
        1 => vec![MAX_BODY_BYTES - 1 + nudge],
        2 => {
            let size = MAX_BATCH_BYTES / MAX_BATCH_ITEMS;
            let mut sizes = vec![size; MAX_BATCH_ITEMS];
            sizes[0] = size - 1 + nudge;
            sizes
        }
        3 => vec![MAX_BODY_BYTES - 1, 2, MAX_BODY_BYTES - 2 + nudge],
        4 => return padded(source, out, MAX_BATCH_TEXT_BYTES - 1 + nudge),
        _ => return one_filled(source, out),
    };
    out.push('[');
    for (index, bytes) in bodies.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        out.push_str("{\"body\":");
        let unit = if index == 0 { source.pick(&["x", "字", "é", r"\n"]) } else { "x" };
        string(out, bytes, unit, unit.len());
        out.push('}');
    }
    out.push(']');
}

/// One item whose body is of any spelling.
fn one_filled(source: &mut Source<'_>, out: &mut String) {
    out.push_str("[{\"body\":");
    body(source, out);
    out.push_str(source.pick(&["}]", ",\"delaySeconds\":1}]", "},{\"body\":1}]"]));
}

/// A small batch with white space up to `bytes` bytes, or with wide characters
/// in a repeated field that the last one replaces.
fn padded(source: &mut Source<'_>, out: &mut String, bytes: usize) {
    let (open, unit, close) = source.pick(&[
        ("[{\"body\":1}", " ", "]"),
        ("[", "\n", "{\"body\":\"字\"}]"),
        ("[{\"body\":\"", "字", "\",\"body\":1}]"),
    ]);
    let room = bytes - open.len() - close.len();
    out.push_str(open);
    out.push_str(&unit.repeat(room / unit.len()));
    out.push_str(&"x".repeat(room % unit.len()));
    out.push_str(close);
}
