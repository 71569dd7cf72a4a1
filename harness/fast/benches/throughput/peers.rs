//! How other parsers are best asked for the same, without their unsafe ways.

use std::{borrow::Cow, marker::PhantomData};

use duipai_spec::limits::MAX_DELAY_SECONDS;
use serde::de::{Deserialize, Deserializer, Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use sonic_rs::{JsonValueTrait as _, LazyValue};

/// Bodies and delays, as much as a peer can tell of a batch.
pub(crate) type Items<'a> = Vec<(Cow<'a, str>, u32)>;

/// serde_json, bodies as raw values.
pub(crate) fn serde_json_raw(text: &str) -> Option<Items<'_>> {
    let members: Vec<Member<&RawValue>> = serde_json::from_str(text).ok()?;
    let items = members.into_iter().map(|member| (member.body.get().into(), member.delay_seconds));
    Some(items.collect())
}

/// sonic-rs through serde, bodies as lazy values.
pub(crate) fn sonic_lazy(text: &str) -> Option<Items<'_>> {
    let members: Vec<Member<LazyValue<'_>>> = sonic_rs::from_str(text).ok()?;
    Some(
        members
            .into_iter()
            .map(|member| (member.body.as_raw_cow(), member.delay_seconds))
            .collect(),
    )
}

/// sonic-rs by its iterators.
pub(crate) fn sonic_iterators(text: &str) -> Option<Items<'_>> {
    let mut items = Vec::new();
    for item in sonic_rs::to_array_iter(text) {
        let (mut body, mut delay_seconds) = (None, 0);
        for member in item.ok()?.into_object_iter()? {
            let (key, value) = member.ok()?;
            match &*key {
                "body" => body = Some(value.as_raw_cow()),
                "delaySeconds" => {
                    delay_seconds = value.as_u64()?.try_into().ok()?;
                    if delay_seconds > MAX_DELAY_SECONDS {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        items.push((body?, delay_seconds));
    }
    Some(items)
}

/// simd-json's tape, which has no raw texts; how many items there are. It
/// parses in place, so the copy belongs to it.
pub(crate) fn simd_json_tape(text: &str) -> Option<usize> {
    let mut bytes = text.as_bytes().to_vec();
    match simd_json::to_tape(&mut bytes).ok()?.0.first()? {
        simd_json::Node::Array { len, .. } => Some(*len),
        _ => None,
    }
}

/// An item that is read from a map only: a derived struct would take an array
/// of its fields too, and a derived option would take null.
struct Member<R> {
    body: R,
    delay_seconds: u32,
}

impl<'de, R: Deserialize<'de>> Deserialize<'de> for Member<R> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Members(PhantomData))
    }
}

struct Members<R>(PhantomData<R>);

impl<'de, R: Deserialize<'de>> Visitor<'de> for Members<R> {
    type Value = Member<R>;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("an item")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut body, mut delay_seconds) = (None, 0);
        while let Some(key) = map.next_key::<&str>()? {
            match key {
                "body" => body = Some(map.next_value()?),
                "delaySeconds" => delay_seconds = map.next_value()?,
                _ => return Err(A::Error::custom("an unknown field")),
            }
        }
        if delay_seconds > MAX_DELAY_SECONDS {
            return Err(A::Error::custom("a delay out of range"));
        }
        let body = body.ok_or_else(|| A::Error::missing_field("body"))?;
        Ok(Member { body, delay_seconds })
    }
}
