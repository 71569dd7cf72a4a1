//! JavaScript values as the host holds them.

use std::fmt;

pub use crate::object::{Members, Object};
use crate::{date, number, objects::HostObject, string::JsString, tagged::write_tagged};

/// A JavaScript value. Arrays and plain objects nest to any depth: cloning,
/// dropping and all walks in this crate keep their own stack.
pub enum Value {
    /// `undefined`.
    Undefined,
    /// `null`.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number.
    Number(f64),
    /// A BigInt: decimal digits without leading zeros, after `-` if negative.
    BigInt(String),
    /// A string.
    String(JsString),
    /// A symbol with this description.
    Symbol(JsString),
    /// A function with this name.
    Function(JsString),
    /// An array.
    Array(Vec<Value>),
    /// A plain object.
    Object(Object),
    /// A `Date`: Unix milliseconds, NaN when invalid.
    Date(f64),
    /// A `Map`: keys and their values.
    Map(Vec<[Value; 2]>),
    /// A `Set`.
    Set(Vec<Value>),
    /// A `Uint8Array`.
    Bytes(Vec<u8>),
    /// An `ArrayBuffer`.
    Buffer(Vec<u8>),
    /// An instance of some class, with these own properties.
    Class(Object),
    /// An object of the host.
    Host(HostObject),
}

impl Value {
    /// Greatest nesting; every array and every plain object counts one level,
    /// everything else none.
    pub fn depth(&self) -> usize {
        let mut deepest = 0;
        let mut open = vec![(self, 1)];
        while let Some((value, depth)) = open.pop() {
            if let Self::Array(_) | Self::Object(_) = value {
                deepest = deepest.max(depth);
                value.visit_children(|child| open.push((child, depth + 1)));
            }
        }
        deepest
    }

    /// About how many bytes of memory it takes, for bounds on what a program
    /// can make the host hold.
    pub(crate) fn memory(&self) -> usize {
        let mut bytes = 0;
        let mut open = vec![self];
        while let Some(value) = open.pop() {
            bytes += size_of::<Self>() + value.own_bytes();
            value.visit_children(|child| open.push(child));
        }
        bytes
    }

    /// Bytes beside the value itself and the values in it.
    fn own_bytes(&self) -> usize {
        match self {
            Self::String(text) | Self::Symbol(text) | Self::Function(text) => text.memory(),
            Self::BigInt(digits) => digits.len(),
            Self::Bytes(bytes) | Self::Buffer(bytes) => bytes.len(),
            Self::Object(object) | Self::Class(object) => {
                object.iter().map(|(key, _)| key.memory()).sum()
            }
            _ => 0,
        }
    }

    /// What a caller is told when JavaScript code throws this value, which is
    /// not an Error: a string `message` property if there is one, the
    /// description of a symbol, else `String(value)`.
    pub fn thrown_text(&self) -> String {
        match self {
            Self::Object(object) | Self::Class(object) => match object.get_str("message") {
                Some(Self::String(message)) => message.to_string_lossy().into_owned(),
                _ => self.to_text(),
            },
            Self::Symbol(description) => description.to_string_lossy().into_owned(),
            _ => self.to_text(),
        }
    }

    /// JavaScript's `String(value)`, except that a `Date` is written as in
    /// `toISOString`, and U+FFFD stands for a surrogate without a partner.
    pub fn to_text(&self) -> String {
        let Self::Array(items) = self else { return self.text_of_one() };
        // An array is its items' texts joined by commas, where null and
        // undefined have none. Nested arrays join with the same comma, so the
        // text is that of all leaves joined, an empty array being a leaf.
        let mut leaves = Vec::new();
        let mut open: Vec<&Self> = items.iter().rev().collect();
        while let Some(value) = open.pop() {
            match value {
                Self::Array(items) if !items.is_empty() => open.extend(items.iter().rev()),
                Self::Array(_) | Self::Null | Self::Undefined => leaves.push(String::new()),
                _ => leaves.push(value.text_of_one()),
            }
        }
        leaves.join(",")
    }

    fn text_of_one(&self) -> String {
        match self {
            Self::Undefined => "undefined".to_owned(),
            Self::Null => "null".to_owned(),
            Self::Bool(bool) => bool.to_string(),
            Self::Number(number) => number::to_string(*number),
            Self::BigInt(digits) => digits.clone(),
            Self::String(text) => text.to_string_lossy().into_owned(),
            Self::Symbol(description) => format!("Symbol({})", description.to_string_lossy()),
            Self::Function(name) => format!("function {}() {{}}", name.to_string_lossy()),
            Self::Array(_) => String::new(),
            Self::Object(_) | Self::Class(_) | Self::Host(_) => "[object Object]".to_owned(),
            Self::Date(time) => {
                date::to_iso_string(*time).unwrap_or_else(|| "Invalid Date".to_owned())
            }
            Self::Map(_) => "[object Map]".to_owned(),
            Self::Set(_) => "[object Set]".to_owned(),
            Self::Bytes(bytes) => {
                let bytes: Vec<_> = bytes.iter().map(u8::to_string).collect();
                bytes.join(",")
            }
            Self::Buffer(_) => "[object ArrayBuffer]".to_owned(),
        }
    }

    pub(crate) fn visit_children<'a>(&'a self, mut visit: impl FnMut(&'a Self)) {
        match self {
            Self::Array(items) | Self::Set(items) => items.iter().for_each(visit),
            Self::Object(object) | Self::Class(object) => {
                object.iter().for_each(|(_, value)| visit(value));
            }
            Self::Map(pairs) => pairs.iter().flatten().for_each(visit),
            _ => {}
        }
    }

    pub(crate) fn visit_children_mut<'a>(&'a mut self, visit: impl FnMut(&'a mut Self)) {
        match self {
            Self::Array(items) | Self::Set(items) => items.iter_mut().for_each(visit),
            Self::Object(object) | Self::Class(object) => object.values_mut().for_each(visit),
            Self::Map(pairs) => pairs.iter_mut().flatten().for_each(visit),
            _ => {}
        }
    }

    fn take_children(&mut self, taken: &mut Vec<Self>) {
        match self {
            Self::Array(items) | Self::Set(items) => taken.append(items),
            Self::Object(object) | Self::Class(object) => taken.extend(object.take_values()),
            Self::Map(pairs) => taken.extend(pairs.drain(..).flatten()),
            _ => {}
        }
    }

    /// The same value, with undefined in place of every child.
    fn without_children(&self) -> Self {
        let undefined = |items: &Vec<Self>| items.iter().map(|_| Self::Undefined).collect();
        match self {
            Self::Undefined => Self::Undefined,
            Self::Null => Self::Null,
            Self::Bool(bool) => Self::Bool(*bool),
            Self::Number(number) => Self::Number(*number),
            Self::BigInt(digits) => Self::BigInt(digits.clone()),
            Self::String(text) => Self::String(text.clone()),
            Self::Symbol(description) => Self::Symbol(description.clone()),
            Self::Function(name) => Self::Function(name.clone()),
            Self::Array(items) => Self::Array(undefined(items)),
            Self::Object(object) => Self::Object(object.keys_only()),
            Self::Date(time) => Self::Date(*time),
            Self::Map(pairs) => {
                Self::Map(pairs.iter().map(|_| [Self::Undefined, Self::Undefined]).collect())
            }
            Self::Set(items) => Self::Set(undefined(items)),
            Self::Bytes(bytes) => Self::Bytes(bytes.clone()),
            Self::Buffer(bytes) => Self::Buffer(bytes.clone()),
            Self::Class(object) => Self::Class(object.keys_only()),
            Self::Host(object) => Self::Host(object.clone()),
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::String(JsString::from(text))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::String(JsString::from(text))
    }
}

impl Clone for Value {
    fn clone(&self) -> Self {
        let mut root = Self::Undefined;
        let mut open = vec![(self, &mut root)];
        while let Some((from, to)) = open.pop() {
            *to = from.without_children();
            let mut children = Vec::new();
            from.visit_children(|child| children.push(child));
            let mut children = children.into_iter();
            to.visit_children_mut(|to| open.extend(children.next().map(|from| (from, to))));
        }
        root
    }
}

impl Drop for Value {
    fn drop(&mut self) {
        let mut taken = Vec::new();
        self.take_children(&mut taken);
        while let Some(mut value) = taken.pop() {
            value.take_children(&mut taken);
        }
    }
}

/// The [tagged text](crate::tagged) of the value.
impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&write_tagged(self))
    }
}
