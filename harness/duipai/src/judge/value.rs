//! JSON texts compared by value.

use serde_json::Value;

use super::text::Shown;

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
/// order, numbers as doubles, strings by code unit. `None` if they are equal.
pub(super) fn difference(expected: &str, got: &str) -> Option<ValueDifference> {
    if expected == got {
        return None;
    }
    let not_json = || Some(ValueDifference::NotJson { got: Shown::new(got) });
    let (Ok(expected), Ok(got)) = (serde_json::from_str(expected), serde_json::from_str(got))
    else {
        return not_json();
    };
    walk(&expected, &got)
}

fn walk(expected: &Value, got: &Value) -> Option<ValueDifference> {
    let mut open = vec![(String::from("$"), expected, got)];
    while let Some((path, expected, got)) = open.pop() {
        let at = |path, expected: Option<&Value>, got: Option<&Value>| {
            let shown = |value: &Value| Shown::new(&value.to_string());
            ValueDifference::At { path, expected: expected.map(shown), got: got.map(shown) }
        };
        match (expected, got) {
            (Value::Array(expected), Value::Array(got)) => {
                let count = expected.len().max(got.len());
                for index in (0..count).rev() {
                    let path = format!("{path}[{index}]");
                    match (expected.get(index), got.get(index)) {
                        (Some(expected), Some(got)) => open.push((path, expected, got)),
                        (expected, got) => return Some(at(path, expected, got)),
                    }
                }
            }
            (Value::Object(expected), Value::Object(got)) => {
                if let Some((key, value)) = got.iter().find(|(key, _)| !expected.contains_key(*key))
                {
                    return Some(at(format!("{path}.{key}"), None, Some(value)));
                }
                for (key, expected) in expected.iter().rev() {
                    let path = format!("{path}.{key}");
                    match got.get(key) {
                        Some(got) => open.push((path, expected, got)),
                        None => return Some(at(path, Some(expected), None)),
                    }
                }
            }
            (Value::Number(a), Value::Number(b)) if a.as_f64() == b.as_f64() => {}
            (a, b) if a == b => {}
            (expected, got) => return Some(at(path, Some(expected), Some(got))),
        }
    }
    None
}
