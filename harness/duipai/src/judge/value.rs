//! JSON texts compared by value.

use duipai_host::{json, string::JsString, value::Value};

use super::text::{Shown, exact_line};

/// Longest path that is shown, in characters.
const PATH_CHARS: usize = 60;

/// Where two JSON texts first differ in value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ValueDifference {
    /// The text seen is not JSON.
    NotJson {
        /// The text.
        got: Shown,
    },
    /// A value differs.
    At {
        /// Where, such as `$.messages[0].id`; `$` is the whole.
        path: String,
        /// The canonical text that must stand there; `None` if nothing may.
        expected: Option<Shown>,
        /// The canonical text that stands there; `None` if nothing does.
        got: Option<Shown>,
    },
}

/// The first difference between the values of two JSON texts: keys in any
/// order, numbers as doubles by bit, strings by code unit. `None` if they are
/// equal.
pub(super) fn difference(expected: &str, got: &str) -> Option<ValueDifference> {
    if expected == got {
        return None;
    }
    match (json::parse(expected), json::parse(got)) {
        (Ok(expected), Ok(got)) => walk(&expected, &got),
        // An expectation that is not JSON is met by its own text only.
        _ => Some(ValueDifference::NotJson { got: Shown::new(got) }),
    }
}

/// Like [`difference`], with a value that has been read already.
pub(super) fn against(expected: &str, got: &Value) -> Option<ValueDifference> {
    match json::parse(expected) {
        Ok(expected) => walk(&expected, got),
        Err(_) => Some(ValueDifference::NotJson { got: Shown::new(&text(got)) }),
    }
}

/// The canonical text of a value that came from JSON, and so has one.
pub(super) fn text(value: &Value) -> String {
    json::stringify(value).unwrap_or_default()
}

/// Walks both values in step, with a stack of its own. Paths are as long as
/// `expected` is deep.
fn walk(expected: &Value, got: &Value) -> Option<ValueDifference> {
    let mut open = vec![(String::from("$"), expected, got)];
    while let Some((path, expected, got)) = open.pop() {
        match (expected, got) {
            (Value::Array(expected), Value::Array(got)) => {
                for index in (0..expected.len().max(got.len())).rev() {
                    let path = format!("{path}[{index}]");
                    match (expected.get(index), got.get(index)) {
                        (Some(expected), Some(got)) => open.push((path, expected, got)),
                        (expected, got) => return Some(at(&path, expected, got)),
                    }
                }
            }
            (Value::Object(expected), Value::Object(got)) => {
                let extra = got.iter().find(|(key, _)| expected.get(key).is_none());
                if let Some((key, value)) = extra {
                    return Some(at(&member(&path, key), None, Some(value)));
                }
                let first = open.len();
                for (key, expected) in expected.iter() {
                    let path = member(&path, key);
                    match got.get(key) {
                        Some(got) => open.push((path, expected, got)),
                        None => return Some(at(&path, Some(expected), None)),
                    }
                }
                open[first..].reverse();
            }
            (Value::Null, Value::Null) => {}
            (Value::Bool(a), Value::Bool(b)) if a == b => {}
            // Canonical text never holds -0, so one side has not been through it.
            (Value::Number(a), Value::Number(b)) if a.to_bits() == b.to_bits() => {}
            (Value::String(a), Value::String(b)) if a == b => {}
            (expected, got) => return Some(at(&path, Some(expected), Some(got))),
        }
    }
    None
}

fn member(path: &str, key: &JsString) -> String {
    format!("{path}.{}", key.to_string_lossy())
}

fn at(path: &str, expected: Option<&Value>, got: Option<&Value>) -> ValueDifference {
    let shown = |value: &Value| match value {
        Value::Number(number) if *number == 0.0 && number.is_sign_negative() => Shown::new("-0"),
        value => Shown::new(&text(value)),
    };
    let path = exact_line(path, PATH_CHARS);
    ValueDifference::At { path, expected: expected.map(shown), got: got.map(shown) }
}
