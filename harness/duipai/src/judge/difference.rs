//! What an observation can have that the case does not ask for.

use std::fmt::{self, Write as _};

use duipai_platform::{Profile, Redelivery};

use super::{
    text::{TextDifference, digest, exact_line, one_line},
    value::ValueDifference,
};

/// Longest line of a difference, in characters. A longer one ends with a digest
/// of what it would be.
pub const LINE_CHARS: usize = 300;

/// One difference between what a case asks for and what was seen.
///
/// Steps, calls, items and events count from 1. Its [`Display`](fmt::Display)
/// is one line, the same for the same observation, of at most [`LINE_CHARS`]
/// characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// The event; `None` in a case with one event.
    pub event: Option<usize>,
    /// What differs.
    pub mismatch: Mismatch,
}

/// What differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Mismatch {
    /// The subject gave observations for another number of events than it ran.
    Observations {
        /// Events that it ran.
        expected: usize,
        /// Observations that it gave.
        got: usize,
    },
    /// The subject gave another number of outcomes than the event has steps.
    Outcomes {
        /// Steps of the event.
        expected: usize,
        /// Outcomes that it gave.
        got: usize,
    },
    /// A step came to another kind of outcome.
    Outcome {
        /// The step.
        step: StepName,
        /// What it must come to.
        expected: String,
        /// What it came to.
        got: String,
    },
    /// A step threw, with another message.
    Message {
        /// The step.
        step: StepName,
        /// The messages, compared by code point.
        text: TextDifference,
        /// How many further messages would have been right.
        others: usize,
    },
    /// A step threw, with a message that begins otherwise.
    MessagePrefix {
        /// The step.
        step: StepName,
        /// The beginnings, compared by code point.
        text: TextDifference,
    },
    /// A step returned another text.
    Text {
        /// The step.
        step: StepName,
        /// The texts, compared byte for byte.
        text: TextDifference,
    },
    /// A step returned another JSON value.
    Value {
        /// The step.
        step: StepName,
        /// Where it differs.
        value: ValueDifference,
    },
    /// A call that must be made was not.
    MissingCall {
        /// The call's place in the expected log.
        call: usize,
        /// The call.
        expected: String,
    },
    /// A call was made that must not be.
    ExtraCall {
        /// The call's place in the log.
        call: usize,
        /// The call.
        got: String,
    },
    /// The right calls in another order.
    CallOrder {
        /// The first call that is out of place.
        call: usize,
        /// The call that belongs there.
        expected: String,
        /// The call that stands there.
        got: String,
    },
    /// Another method, binding or message.
    Call {
        /// The call.
        call: usize,
        /// The call that belongs there.
        expected: String,
        /// The call that stands there.
        got: String,
    },
    /// A call with other arguments: their number, or what is not a text.
    Arguments {
        /// The call.
        call: CallPart,
        /// What they must be.
        expected: String,
        /// What they were.
        got: String,
    },
    /// A body, or an argument list as a whole, of another text.
    Body {
        /// The call.
        call: CallPart,
        /// The texts, compared byte for byte.
        text: TextDifference,
    },
    /// Options, or the fields beside an item's body, of another value.
    Options {
        /// The call.
        call: CallPart,
        /// Where they differ.
        value: ValueDifference,
    },
    /// The event ended otherwise.
    End {
        /// How it must end.
        expected: &'static str,
        /// How it ended.
        got: String,
    },
    /// The platform delivers other messages again.
    Redelivered {
        /// The profile.
        profile: Profile,
        /// What must be redelivered.
        expected: Vec<Redelivery>,
        /// What is; `None` if the subject did not show it.
        got: Option<Vec<Redelivery>>,
    },
    /// A platform did something else with the messages of a scenario.
    Platform {
        /// What it is about.
        place: String,
        /// What must be seen.
        expected: String,
        /// What was.
        got: String,
    },
    /// None of several permitted behaviours; what follows compares with the
    /// nearest one.
    NoneOf {
        /// Ids of the permitted behaviours.
        permitted: Vec<String>,
        /// The nearest one.
        nearest: String,
    },
    /// Differences beyond the first [`MOST`](super::MOST), which are left out.
    More {
        /// How many.
        count: usize,
        /// A digest of their lines, so that other differences are not taken
        /// for these.
        digest: String,
    },
}

/// A step, by number and op.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepName {
    /// Number of the step, from 1.
    pub number: usize,
    /// The op's name in case files.
    pub op: &'static str,
}

/// A call, or one item of a batch call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CallPart {
    /// Number of the call, from 1.
    pub call: usize,
    /// The platform's name of the method.
    pub method: &'static str,
    /// Number of the item, from 1.
    pub item: Option<usize>,
}

/// A difference in words, for a line or for a table of two rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Words {
    /// Where the difference is.
    pub place: String,
    /// What must be seen.
    pub expected: String,
    /// What was seen.
    pub got: String,
    /// More about the first difference.
    pub note: Option<String>,
}

impl Difference {
    /// The difference in words.
    pub fn words(&self) -> Words {
        let mut words = self.mismatch.words();
        if let Some(event) = self.event {
            words.place = format!("event {event}, {}", words.place);
        }
        words
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Words { place, expected, got, note } = self.words();
        let note = note.map(|note| format!(" ({note})")).unwrap_or_default();
        let line = format!("{place}: expected {expected}, got {got}{note}");
        // Every part is already in one line and escaped; this is a bound only.
        if line.chars().count() <= LINE_CHARS {
            return f.write_str(&line);
        }
        let end = format!("… {}", digest(&line));
        let rest = LINE_CHARS.saturating_sub(end.chars().count());
        line.chars().take(rest).try_for_each(|c| f.write_char(c))?;
        f.write_str(&end)
    }
}

impl Mismatch {
    fn words(&self) -> Words {
        match self {
            Self::Observations { expected, got } => {
                words("observations", format!("{expected} (one for each event)"), got)
            }
            Self::Outcomes { expected, got } => {
                words("outcomes", format!("{expected} (one for each step)"), got)
            }
            Self::Outcome { step, expected, got } => words(step, expected, got),
            Self::Message { step, text, others: 0 } => texts(format!("{step} message"), text),
            Self::Message { step, text, others } => Words {
                expected: format!("{} or one of {others} more", text.expected),
                ..texts(format!("{step} message"), text)
            },
            Self::MessagePrefix { step, text } => {
                texts(format!("{step} beginning of message"), text)
            }
            Self::Text { step, text } => texts(format!("{step} text"), text),
            Self::Value { step, value } => values(format!("{step} value"), value),
            Self::MissingCall { call, expected } => {
                words(format!("call {call}"), expected, "no such call")
            }
            Self::ExtraCall { call, got } => words(format!("call {call}"), "no such call", got),
            Self::CallOrder { call, expected, got } => {
                words(format!("order of calls, call {call}"), expected, got)
            }
            Self::Call { call, expected, got } => words(format!("call {call}"), expected, got),
            Self::Arguments { call, expected, got } => words(call, expected, got),
            Self::Body { call, text } => texts(call, text),
            Self::Options { call, value } => values(format!("{call} fields"), value),
            Self::End { expected, got } => words("end of event", expected, got),
            Self::Redelivered { profile, expected, got } => words(
                format!("redelivery under {}", profile.name()),
                redeliveries(expected),
                got.as_deref().map_or_else(|| String::from("not shown"), redeliveries),
            ),
            Self::Platform { place, expected, got } => words(place, expected, got),
            Self::NoneOf { permitted, nearest } => words(
                "behaviour",
                format!("one of {}", one_line(&permitted.join(", "), 200)),
                format!("none of them; the nearest is {}", one_line(nearest, 40)),
            ),
            Self::More { count, digest } => {
                words("differences", "none", format!("{count} more {digest}"))
            }
        }
    }
}

fn words(place: impl fmt::Display, expected: impl fmt::Display, got: impl fmt::Display) -> Words {
    Words {
        place: place.to_string(),
        expected: expected.to_string(),
        got: got.to_string(),
        note: None,
    }
}

fn texts(place: impl fmt::Display, text: &TextDifference) -> Words {
    Words { note: Some(text.place()), ..words(place, &text.expected, &text.got) }
}

fn values(place: String, value: &ValueDifference) -> Words {
    match value {
        ValueDifference::NotJson { got } => words(place, "JSON", got),
        ValueDifference::At { path, expected, got } => {
            let shown = |side: &Option<_>| {
                side.as_ref().map_or_else(|| String::from("nothing"), ToString::to_string)
            };
            words(format!("{place} at {path}"), shown(expected), shown(got))
        }
    }
}

fn redeliveries(list: &[Redelivery]) -> String {
    let one = |r: &Redelivery| {
        let delay = r.delay.map(|delay| format!(" delay {delay} s")).unwrap_or_default();
        format!("message {} attempts {}{delay}", r.message, r.attempts)
    };
    let list: Vec<_> = list.iter().map(one).collect();
    if list.is_empty() { String::from("nothing") } else { exact_line(&list.join(", "), 110) }
}

impl fmt::Display for StepName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "step {} ({})", self.number, self.op)
    }
}

impl fmt::Display for CallPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "call {} ({})", self.call, self.method)?;
        self.item.map_or(Ok(()), |item| write!(f, " item {item}"))
    }
}
