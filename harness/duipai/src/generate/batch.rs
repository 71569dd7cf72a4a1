//! Inputs of 批量发送队列消息.

use super::{
    Input, Source, describe,
    features::{Feature, Swarm},
    json::{deep_value, gap},
    send::binding,
    size, spoil,
    string::key,
};

/// The arguments of one call of 批量发送队列消息.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BatchInput {
    /// Name of the queue binding.
    pub binding: String,
    /// The array's text.
    pub items: String,
    /// What the input may have.
    pub swarm: Swarm,
}

impl Input for BatchInput {
    fn draw(source: &mut Source<'_>) -> Self {
        let binding = binding(source).to_owned();
        let mut items = String::new();
        if source.has(Feature::Big, 6) {
            size::batch(source, &mut items);
        } else {
            array(source, &mut items);
        }
        spoil::spoil(source, &mut items);
        Self { binding, items, swarm: source.swarm() }
    }

    fn describe(&self) -> String {
        describe::case(&self.scene(), "candidate.batch")
    }
}

/// Writes the array. Rarely it is something else.
pub(super) fn array(source: &mut Source<'_>, out: &mut String) {
    gap(source, out);
    if source.has(Feature::BadItems, 8) {
        let other =
            ["[]", "{}", "null", "1", "\"[]\"", "{\"body\":1}", "[[]]", "[[[]]]", "[[1,2]]"];
        out.push_str(source.pick(&other));
        return gap(source, out);
    }
    out.push('[');
    gap(source, out);
    if source.has(Feature::Many, 2) {
        // As many as are permitted, with the one that follows, or one too many.
        let same = source.pick(&[
            "{\"body\":1},",
            "{\"body\":[]},",
            "{\"delaySeconds\":1,\"body\":\"],[\"},",
        ]);
        out.push_str(&same.repeat(97 + source.below(4)));
    }
    for index in 0..1 + source.below(5) {
        if index > 0 {
            out.push(',');
            gap(source, out);
        }
        item(source, out);
        gap(source, out);
    }
    out.push(']');
    gap(source, out);
}

fn item(source: &mut Source<'_>, out: &mut String) {
    if source.has(Feature::BadItems, 6) {
        return out.push_str(source.pick(&BAD_ITEMS));
    }
    let body_first = source.below(2) == 0;
    let delays = usize::from(source.one_in(2)) + usize::from(source.has(Feature::Repeats, 6));
    let bodies = 1 + usize::from(source.has(Feature::Repeats, 6));
    let unknown = source.has(Feature::BadItems, 6);
    let fields = [(Field::Body, bodies), (Field::Delay, delays), (Field::Unknown, unknown.into())];
    let mut order: Vec<Field> =
        fields.into_iter().flat_map(|(field, times)| std::iter::repeat_n(field, times)).collect();
    if !body_first {
        order.reverse();
    }
    out.push('{');
    gap(source, out);
    for (index, field) in order.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
            gap(source, out);
        }
        field.write(source, out);
        gap(source, out);
    }
    out.push('}');
}

#[derive(Clone, Copy)]
enum Field {
    Body,
    Delay,
    Unknown,
}

impl Field {
    fn write(self, source: &mut Source<'_>, out: &mut String) {
        let escaped = source.has(Feature::Escapes, 3);
        match self {
            Self::Body if escaped => out.push_str(r#""\u0062ody""#),
            Self::Body => out.push_str("\"body\""),
            Self::Delay if escaped => out.push_str(r#""delay\u0053econds""#),
            Self::Delay => out.push_str("\"delaySeconds\""),
            Self::Unknown if source.one_in(3) => key(source, out),
            Self::Unknown => out.push_str(source.pick(&UNKNOWN_FIELDS)),
        }
        gap(source, out);
        out.push(':');
        gap(source, out);
        match self {
            Self::Body => {
                // The limit is on the body, or on the whole text.
                let around = source.pick(&[0, 2]);
                deep_value(source, out, around);
            }
            Self::Delay => delay(source, out),
            Self::Unknown => out.push_str(source.pick(&["null", "1", "\"json\"", "{}"])),
        }
    }
}

const UNKNOWN_FIELDS: [&str; 8] = [
    "\"contentType\"",
    "\"__proto__\"",
    "\"0\"",
    "\"Body\"",
    "\"delayseconds\"",
    "\"body \"",
    "\"\"",
    "\"constructor\"",
];

/// Elements of the array that are no items.
const BAD_ITEMS: [&str; 12] = [
    "{}",
    "[]",
    "[1]",
    "[1,2]",
    "[[]]",
    "null",
    "1",
    "\"{}\"",
    "{\"delaySeconds\":1}",
    "[{\"body\":1}]",
    "{\"__proto__\":{\"body\":1}}",
    "[\"body\",1]",
];

/// Writes the value of `delaySeconds`.
fn delay(source: &mut Source<'_>, out: &mut String) {
    let delay = if source.has(Feature::BadDelays, 2) {
        source.pick(&[
            "-1",
            "43201",
            "1.5",
            "null",
            "\"5\"",
            "true",
            "[5]",
            "{}",
            "1e999",
            "4294967296",
            "4294967301",
            "0.5",
            "1e21",
            "-0.5",
            "[]",
            "false",
            "43200.5",
        ])
    } else if source.has(Feature::Delays, 2) {
        source.pick(&["5.0", "-0", "1e2", "0.0", "50e-1", "4.32e4", "0e5", "1E0", "-0.0"])
    } else {
        source.pick(&["1", "0", "5", "43200", "43199", "30"])
    };
    out.push_str(delay);
}
