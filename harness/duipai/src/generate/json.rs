//! JSON texts, mostly valid.

use super::{
    Input, Source, describe,
    features::{Feature, Swarm},
    number::number,
    size, spoil,
    string::{key, marker_key, string},
};

/// A text that is mostly JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText {
    /// The text.
    pub text: String,
    /// What it may have.
    pub swarm: Swarm,
}

impl Input for JsonText {
    fn draw(source: &mut Source<'_>) -> Self {
        let mut text = String::new();
        if source.has(Feature::Big, 6) {
            size::body(source, &mut text);
        } else {
            text = valid(source);
        }
        spoil::spoil(source, &mut text);
        Self { text, swarm: source.swarm() }
    }

    fn describe(&self) -> String {
        describe::literal(&self.text)
    }
}

/// A JSON text that is valid.
pub fn valid(source: &mut Source<'_>) -> String {
    let mut text = String::new();
    gap(source, &mut text);
    deep_value(source, &mut text, 0);
    gap(source, &mut text);
    text
}

/// White space, or none.
pub(super) fn gap(source: &mut Source<'_>, out: &mut String) {
    if source.has(Feature::Space, 3) {
        out.push_str(source.pick(&[" ", "\n", "\t", "\r\n", "  ", " \t\r\n "]));
    }
}

/// Writes a value. It may be nested about as deep as is permitted, given that
/// `around` levels are open already.
pub(super) fn deep_value(source: &mut Source<'_>, out: &mut String, around: usize) {
    let levels = if source.has(Feature::Bridge, 2) {
        match source.one_in(8) {
            // Where parsers that recurse give up.
            true => source.pick(&[100, 101, 127, 128, 129, 512, 1000]),
            false => 31 + source.below(4),
        }
    } else if source.has(Feature::Deep, 4) {
        23 + source.below(4)
    } else {
        return value(source, out, 4);
    };
    nested(source, out, levels.saturating_sub(around));
}

/// A value of exactly `levels` levels, the innermost with or without content.
fn nested(source: &mut Source<'_>, out: &mut String, levels: usize) {
    let mut close = String::new();
    for level in 0..levels {
        // Siblings do not make it deeper, but they mislead whoever only counts.
        let (before, after) = match source.below(6) {
            3 => ("[[],", ",[]]"),
            4 => (r#"{"]":"[","a":"#, "}"),
            5 => (r#"{"a":"#, r#","b":{}}"#),
            1 => ("{\"a\":", "}"),
            _ => ("[", "]"),
        };
        // The last levels have room for no sibling.
        let (before, after) = if level + 1 == levels { ("[", "]") } else { (before, after) };
        out.push_str(before);
        close.insert_str(0, after);
    }
    if levels > 0 && source.one_in(2) {
        out.push_str(source.pick(&["1", "\"[\"", "null"]));
    } else if levels == 0 {
        out.push_str("[]");
    }
    out.push_str(&close);
}

/// Writes a value with at most `levels` levels.
pub(super) fn value(source: &mut Source<'_>, out: &mut String, levels: usize) {
    if source.has(Feature::Markers, 5) {
        return marker(source, out);
    }
    match source.below(if levels == 0 { 6 } else { 12 }) {
        0 => out.push_str("null"),
        1 => out.push_str("true"),
        2 => out.push_str("false"),
        3 => number(source, out),
        4 | 5 => string(source, out),
        6..9 => array(source, out, levels),
        _ => object(source, out, levels),
    }
}

fn array(source: &mut Source<'_>, out: &mut String, levels: usize) {
    out.push('[');
    gap(source, out);
    for index in 0..source.below(5) {
        if index > 0 {
            out.push(',');
            gap(source, out);
        }
        value(source, out, levels - 1);
        gap(source, out);
    }
    out.push(']');
}

fn object(source: &mut Source<'_>, out: &mut String, levels: usize) {
    out.push('{');
    gap(source, out);
    let mut last_key: Option<String> = None;
    for index in 0..source.below(5) {
        if index > 0 {
            out.push(',');
            gap(source, out);
        }
        let start = out.len();
        match &last_key {
            Some(last) if source.has(Feature::Repeats, 3) => out.push_str(last),
            _ => key(source, out),
        }
        last_key = Some(out[start..].to_owned());
        gap(source, out);
        out.push(':');
        gap(source, out);
        value(source, out, levels - 1);
        gap(source, out);
    }
    out.push('}');
}

/// An object that is a host marker, or that has one beside other keys.
fn marker(source: &mut Source<'_>, out: &mut String) {
    let shape = source.below(6);
    out.push('{');
    if shape == 4 {
        out.push_str(source.pick(&["\"a\":1,", "\"0\":1,", "\"$\":1,"]));
    }
    marker_key(source, out);
    out.push(':');
    out.push_str(source.pick(&["\"1\"", "true", "\"NaN\"", "null", "[]", "{}"]));
    if shape == 5 {
        out.push_str(source.pick(&[",\"a\":1", ",\"0\":1", ",\"$句柄\":2"]));
    }
    out.push('}');
}
