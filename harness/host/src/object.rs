//! Plain objects with the key order of ECMAScript.

use std::{
    collections::{BTreeMap, HashMap, btree_map},
    fmt, slice,
};

use crate::{string::JsString, value::Value};

/// An object's own properties in the order in which JavaScript lists them:
/// array indices ascending, then the other keys in the order of their first
/// insertion. `__proto__` is a key like any other, as `JSON.parse` makes it.
#[derive(Clone, Default)]
pub struct Object(Box<Properties>);

/// Boxed, because a value should not be as large as this.
#[derive(Clone, Default)]
struct Properties {
    indices: BTreeMap<u32, (JsString, Value)>,
    names: Vec<(JsString, Value)>,
    /// Where each name stands; filled once a walk over them would be long.
    places: HashMap<JsString, usize>,
}

impl Object {
    /// Up to so many names, a walk finds a name.
    const WALKED: usize = 8;

    /// An object without properties.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a property. An existing key keeps its place.
    pub fn insert(&mut self, key: impl Into<JsString>, value: Value) {
        let key = key.into();
        if let Some(index) = array_index(&key) {
            self.0.indices.insert(index, (key, value));
        } else if let Some(place) = self.place(&key) {
            self.0.names[place].1 = value;
        } else {
            self.append(key, value);
        }
    }

    fn append(&mut self, key: JsString, value: Value) {
        let place = self.0.names.len();
        if place == Self::WALKED {
            let names = self.0.names.iter().zip(0..);
            self.0.places = names.map(|((key, _), place)| (key.clone(), place)).collect();
        }
        if place >= Self::WALKED {
            self.0.places.insert(key.clone(), place);
        }
        self.0.names.push((key, value));
    }

    /// The value of a key.
    pub fn get(&self, key: &JsString) -> Option<&Value> {
        match array_index(key) {
            Some(index) => self.0.indices.get(&index).map(|(_, value)| value),
            None => self.place(key).map(|place| &self.0.names[place].1),
        }
    }

    /// The value of a key.
    pub fn get_str(&self, key: &str) -> Option<&Value> {
        self.get(&JsString::from(key))
    }

    fn place(&self, key: &JsString) -> Option<usize> {
        if self.0.names.len() <= Self::WALKED {
            self.0.names.iter().position(|(name, _)| name == key)
        } else {
            self.0.places.get(key).copied()
        }
    }

    /// Number of properties.
    pub fn len(&self) -> usize {
        self.0.indices.len() + self.0.names.len()
    }

    /// Whether there is no property.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The properties in order.
    pub fn iter(&self) -> Members<'_> {
        Members { indices: self.0.indices.values(), names: self.0.names.iter() }
    }

    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut Value> {
        let indices = self.0.indices.values_mut();
        indices.chain(&mut self.0.names).map(|(_, value)| value)
    }

    pub(crate) fn take_values(&mut self) -> impl Iterator<Item = Value> + use<> {
        self.0.places.clear();
        let indices = std::mem::take(&mut self.0.indices).into_values();
        let names = std::mem::take(&mut self.0.names);
        indices.chain(names).map(|(_, value)| value)
    }

    /// The same keys, every value undefined.
    pub(crate) fn keys_only(&self) -> Self {
        let keys = self.iter().map(|(key, _)| (key.clone(), Value::Undefined));
        keys.collect()
    }
}

impl<K: Into<JsString>> FromIterator<(K, Value)> for Object {
    fn from_iter<I: IntoIterator<Item = (K, Value)>>(members: I) -> Self {
        let mut object = Self::new();
        for (key, value) in members {
            object.insert(key, value);
        }
        object
    }
}

impl<'a> IntoIterator for &'a Object {
    type Item = (&'a JsString, &'a Value);
    type IntoIter = Members<'a>;

    fn into_iter(self) -> Members<'a> {
        self.iter()
    }
}

impl fmt::Debug for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self).finish()
    }
}

/// The properties of an [`Object`] in order.
#[derive(Clone, Debug)]
pub struct Members<'a> {
    indices: btree_map::Values<'a, u32, (JsString, Value)>,
    names: slice::Iter<'a, (JsString, Value)>,
}

impl<'a> Iterator for Members<'a> {
    type Item = (&'a JsString, &'a Value);

    fn next(&mut self) -> Option<Self::Item> {
        let member = self.indices.next().or_else(|| self.names.next());
        member.map(|(key, value)| (key, value))
    }
}

/// The array index that `key` spells canonically: 0 to 2³² − 2.
fn array_index(key: &JsString) -> Option<u32> {
    let text = key.as_str()?;
    let canonical = text == "0" || !text.starts_with(['0', '+']);
    let index = text.parse().ok().filter(|_| canonical)?;
    (index != u32::MAX).then_some(index)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(keys: &[&str], expected: &[&str]) {
        let object: Object = keys.iter().map(|key| (*key, Value::Null)).collect();
        let seen: Vec<_> = object.iter().filter_map(|(key, _)| key.as_str()).collect();
        assert_eq!(seen, expected);
        assert_eq!(object.len(), expected.len());
    }

    #[test]
    fn indices_come_first_and_ascend() {
        check(&["b", "10", "a", "9", "0"], &["0", "9", "10", "b", "a"]);
        check(&["4294967295", "4294967294"], &["4294967294", "4294967295"]);
        check(&["01", "+1", "-1", "1.0", " 1", "1"], &["1", "01", "+1", "-1", "1.0", " 1"]);
        check(&["", "1e3", "00", "0"], &["0", "", "1e3", "00"]);
    }

    #[test]
    fn a_repeated_key_keeps_its_place() {
        check(&["a", "b", "a"], &["a", "b"]);
        check(&["__proto__", "x", "__proto__"], &["__proto__", "x"]);
        let mut object = Object::new();
        for (key, value) in [("a", 1.0), ("b", 2.0), ("a", 3.0)] {
            object.insert(key, Value::Number(value));
        }
        assert!(matches!(object.get_str("a"), Some(Value::Number(3.0))));
    }

    #[test]
    fn many_keys_are_all_found_again() {
        for count in [7, 8, 9, 10, 100] {
            let mut object = Object::new();
            for round in [0.0, 1.0] {
                for n in 0..count {
                    object.insert(format!("k{n}"), Value::Number(round));
                }
            }
            assert_eq!(object.len(), count);
            for n in 0..count {
                let value = object.get_str(&format!("k{n}"));
                assert!(matches!(value, Some(Value::Number(1.0))), "{n} of {count}: {value:?}");
            }
            assert!(object.get_str("k").is_none());
        }
    }
}
