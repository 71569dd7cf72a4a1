//! What the rules ask of a value.

use duipai_spec::markers;

use super::value::Json;

/// How deep a value is, and what in it is no plain data.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// Levels of arrays and objects.
    pub depth: usize,
    /// How many levels below the root the lowest value lies.
    pub lowest: usize,
    /// A number is an infinity.
    pub infinite: bool,
    /// An object is a host marker: its only key is one of the four.
    pub marker: bool,
    /// An object has one of the four keys beside others.
    pub like_marker: bool,
    /// It is not looked into to the bottom.
    pub deeper: bool,
}

impl Facts {
    /// The facts of a value.
    pub fn of(value: &Json) -> Self {
        let mut facts = Self::default();
        facts.add(value, 0);
        facts
    }

    fn add(&mut self, value: &Json, level: usize) {
        self.lowest = self.lowest.max(level);
        match value {
            Json::Array(items) => {
                self.depth = self.depth.max(level + 1);
                items.iter().for_each(|item| self.add(item, level + 1));
            }
            Json::Object(members) => {
                self.depth = self.depth.max(level + 1);
                if members.iter().any(|(key, _)| is_marker(key)) {
                    self.marker |= members.len() == 1;
                    self.like_marker |= members.len() > 1;
                }
                members.iter().for_each(|(_, value)| self.add(value, level + 1));
            }
            Json::Deeper => {
                self.depth = self.depth.max(level + 1);
                self.deeper = true;
            }
            Json::Number(number) => self.infinite |= number.is_infinite(),
            Json::Null | Json::Bool(_) | Json::String(_) => {}
        }
    }
}

fn is_marker(key: &[u8]) -> bool {
    markers::KEYS.iter().any(|marker| marker.as_bytes() == key)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::value::read;

    #[test]
    fn facts_count_levels_and_values() {
        let facts = |text: &str| read(text).map(|(value, _)| Facts::of(&value)).unwrap_or_default();
        let both = |text: &str| (facts(text).depth, facts(text).lowest);
        assert_eq!(both("1"), (0, 0));
        assert_eq!(both("[]"), (1, 0));
        assert_eq!(both("[1]"), (1, 1));
        assert_eq!(both(r#"{"a":[{}],"b":1}"#), (3, 2));
        assert!(facts(r#"[{"\u0024句柄":1}]"#).marker);
        assert!(facts(r#"[{"$句柄":1,"a":2}]"#).like_marker);
        assert!(!facts(r#"["{\"$句柄\":1}"]"#).marker);
    }
}
