//! Twins: whether two plans differ by the one edit that a pair declares.

use std::mem::discriminant;

use duipai_platform::Refusal;

use super::{Case, Edit, EventCase, Pair, json::Shape};
use crate::plan::{Action, Binding, Body, EventPlan, Message, Step};

/// Greatest size of the stretch that a `text` edit replaces, in bytes.
pub(crate) const MAX_REPLACED_BYTES: usize = 256;

/// What the pairs of a suite may compare together, in bytes. Many cases may
/// have one big twin, so that the files' own sizes bound nothing.
pub(crate) const MAX_COMPARED_BYTES: usize = 2 << 30;

/// How much there is of a case's plan to compare, in bytes.
pub(crate) fn size(case: &Case) -> usize {
    let length = |text: &Option<String>| text.as_ref().map_or(0, String::len);
    let message = |message: &Message| {
        let (Body::Json(body) | Body::Tagged(body)) = &message.body;
        let throws = length(&message.ack_throws) + length(&message.retry_throws);
        size_of::<Message>() + message.id.len() + body.len() + throws
    };
    let step = |step: &Step| {
        size_of::<Step>() + parts(&step.action).texts.iter().map(|it| it.len()).sum::<usize>()
    };
    let binding = |(name, binding): (&String, &Binding)| {
        let texts = match binding {
            Binding::Accepts => 0,
            Binding::RejectsError(text) | Binding::RejectsValue(text) => text.len(),
            Binding::Refuses(Refusal { reason, code, cause, .. }) => {
                reason.len() + code.len() + cause.len()
            }
        };
        name.len() + texts
    };
    let event = |event: &EventCase| {
        let plan = &event.plan;
        let messages = plan.batch.iter().flat_map(|batch| &batch.messages).map(message);
        let queues = plan.batch.iter().map(|batch| batch.queue.len());
        let grants = plan.grants.iter().map(String::len);
        let steps = plan.steps.iter().map(step);
        let bindings = plan.bindings.iter().map(binding);
        messages.chain(queues).chain(grants).chain(steps).chain(bindings).sum::<usize>()
    };
    case.events.iter().map(event).sum()
}

/// Checks that `twin` is what `pair`, declared by `case`, says of it.
///
/// # Errors
///
/// What is wrong, for a person.
pub(crate) fn check(case: &Case, pair: &Pair, twin: &Case) -> Result<(), String> {
    match &*differences(case, twin) {
        [] => return Err(format!("its plan is equal to that of its twin {}", twin.id)),
        [difference] => difference
            .check(&pair.edit)
            .map_err(|found| format!("its twin {} has another edit: {found}", twin.id))?,
        found => {
            let count = found.len();
            return Err(format!("its twin {} differs in {count} places", twin.id));
        }
    }
    match (case.accepts(), twin.accepts()) {
        (Some(one), Some(other)) if one != other => Ok(()),
        (one, other) => Err(format!(
            "one of a pair is accepted and the other refused, but it is {} and its twin {} {}",
            verdict(one),
            twin.id,
            verdict(other)
        )),
    }
}

fn verdict(accepts: Option<bool>) -> &'static str {
    match accepts {
        Some(true) => "accepted",
        Some(false) => "refused",
        None => "left open",
    }
}

/// One place in which two plans differ.
#[derive(Debug, PartialEq)]
enum Difference<'a> {
    Text(&'a str, &'a str),
    Delay(i64, i64),
    Index(i64, i64),
    /// Something that no edit covers.
    Other(&'static str),
}

fn differences<'a>(case: &'a Case, twin: &'a Case) -> Vec<Difference<'a>> {
    if case.events.len() != twin.events.len() {
        return vec![Difference::Other("the number of events")];
    }
    let mut found = Vec::new();
    if case.together != twin.together {
        found.push(Difference::Other("whether the events are open together"));
    }
    for (one, other) in case.events.iter().zip(&twin.events) {
        events(one, other, &mut found);
    }
    found
}

fn events<'a>(one: &'a EventCase, other: &'a EventCase, found: &mut Vec<Difference<'a>>) {
    let mut unequal = |equal: bool, what| {
        if !equal {
            found.push(Difference::Other(what));
        }
    };
    let (a, b): (&EventPlan, &EventPlan) = (&one.plan, &other.plan);
    unequal(a.kind == b.kind, "the event kind");
    unequal(a.grants == b.grants, "the grants");
    unequal(one.redelivered == other.redelivered, "whether the batch is redelivered");
    unequal(a.bindings.keys().eq(b.bindings.keys()), "the bindings' names");
    unequal(a.steps.len() == b.steps.len(), "the number of steps");
    unequal(a.batch.is_some() == b.batch.is_some(), "whether there is a batch");
    for (one, other) in a.bindings.values().zip(b.bindings.values()) {
        bindings(one, other, found);
    }
    if let (Some(one), Some(other)) = (&a.batch, &b.batch) {
        text(&one.queue, &other.queue, found);
        if one.messages.len() != other.messages.len() {
            found.push(Difference::Other("the number of messages"));
        }
        for (one, other) in one.messages.iter().zip(&other.messages) {
            messages(one, other, found);
        }
    }
    for (one, other) in a.steps.iter().zip(&b.steps) {
        if one.caught != other.caught {
            found.push(Difference::Other("whether a step is caught"));
        }
        actions(&one.action, &other.action, found);
    }
}

fn bindings<'a>(one: &'a Binding, other: &'a Binding, found: &mut Vec<Difference<'a>>) {
    match (one, other) {
        (Binding::RejectsError(a), Binding::RejectsError(b))
        | (Binding::RejectsValue(a), Binding::RejectsValue(b)) => text(a, b, found),
        _ if one == other => {}
        _ => found.push(Difference::Other("how a binding answers")),
    }
}

fn messages<'a>(one: &'a Message, other: &'a Message, found: &mut Vec<Difference<'a>>) {
    text(&one.id, &other.id, found);
    match (&one.body, &other.body) {
        (Body::Json(a), Body::Json(b)) | (Body::Tagged(a), Body::Tagged(b)) => text(a, b, found),
        _ => found.push(Difference::Other("the kind of a body")),
    }
    let rest = |message: &Message| {
        (
            message.attempts,
            message.timestamp,
            message.ack_throws.clone(),
            message.retry_throws.clone(),
        )
    };
    if rest(one) != rest(other) {
        found.push(Difference::Other("a message beside its id and body"));
    }
}

fn actions<'a>(one: &'a Action, other: &'a Action, found: &mut Vec<Difference<'a>>) {
    let (a, b) = (parts(one), parts(other));
    if discriminant(one) != discriminant(other) || a.seconds != b.seconds {
        found.push(Difference::Other("a step"));
        return;
    }
    for (one, other) in a.texts.into_iter().zip(b.texts) {
        text(one, other, found);
    }
    if a.index != b.index {
        found.push(Difference::Index(a.index, b.index));
    }
    if a.delay != b.delay {
        found.push(Difference::Delay(a.delay, b.delay));
    }
}

/// What an action is made of; what it does not have is empty or 0.
#[derive(Default)]
struct Parts<'a> {
    texts: [&'a str; 2],
    index: i64,
    delay: i64,
    seconds: u64,
}

fn parts(action: &Action) -> Parts<'_> {
    let mut parts = Parts::default();
    match action {
        Action::Send { binding, body, delay } => {
            parts.texts = [binding, body];
            parts.delay = *delay;
        }
        Action::SendBatch { binding, items } => parts.texts = [binding, items],
        Action::ReadBatch => {}
        Action::Ack { index } => parts.index = *index,
        Action::Retry { index, delay } => {
            parts.index = *index;
            parts.delay = *delay;
        }
        Action::Raise { message } => parts.texts[0] = message,
        Action::Wait { seconds } => parts.seconds = *seconds,
    }
    parts
}

fn text<'a>(one: &'a str, other: &'a str, found: &mut Vec<Difference<'a>>) {
    if one != other {
        found.push(Difference::Text(one, other));
    }
}

impl Difference<'_> {
    /// Whether this is `edit`; if not, what it is instead.
    fn check(&self, edit: &Edit) -> Result<(), String> {
        let (what, by, found) = match (self, edit) {
            (Self::Text(one, other), Edit::Bytes(by)) => {
                ("bytes", *by, change(one.len(), other.len()))
            }
            (Self::Text(one, other), Edit::Depth(by)) => {
                let (one, other) = (Shape::of(one), Shape::of(other));
                ("levels", *by, change(one.depth, other.depth))
            }
            (Self::Text(one, other), Edit::Items(by)) => {
                let (one, other) = (Shape::of(one), Shape::of(other));
                ("items", *by, change(one.items, other.items))
            }
            (Self::Text(one, other), Edit::Text { from, to }) => {
                return if is_replaced(one, other, from, to) {
                    Ok(())
                } else {
                    Err("no single replacement of \"from\" by \"to\" leads to its text".to_owned())
                };
            }
            (Self::Delay(one, other), Edit::Delay(by)) => {
                ("seconds", *by, i128::from(*other) - i128::from(*one))
            }
            (Self::Index(one, other), Edit::Index(by)) => {
                ("places", *by, i128::from(*other) - i128::from(*one))
            }
            (difference, _) => return Err(format!("{} is what differs", difference.what())),
        };
        if found == i128::from(by) {
            Ok(())
        } else {
            Err(format!("it has {found:+} {what}, not {by:+}"))
        }
    }

    const fn what(&self) -> &'static str {
        match self {
            Self::Text(..) => "a text",
            Self::Delay(..) => "a delay",
            Self::Index(..) => "an index",
            Self::Other(what) => what,
        }
    }
}

/// How much greater `other` is.
fn change(one: usize, other: usize) -> i128 {
    other as i128 - one as i128
}

/// Whether replacing `from` by `to` at one place of `one` gives `other`.
fn is_replaced(one: &str, other: &str, from: &str, to: &str) -> bool {
    let (one, other) = (one.as_bytes(), other.as_bytes());
    let same_ends =
        |pairs: &mut dyn Iterator<Item = (&u8, &u8)>| pairs.take_while(|(a, b)| a == b).count();
    let prefix = same_ends(&mut one.iter().zip(other));
    let suffix = same_ends(&mut one.iter().rev().zip(other.iter().rev()));
    let Some(last) = one.len().checked_sub(from.len()) else {
        return false;
    };
    if last + to.len() != other.len() {
        return false;
    }
    (last.saturating_sub(suffix)..=last.min(prefix))
        .any(|at| one[at..].starts_with(from.as_bytes()) && other[at..].starts_with(to.as_bytes()))
}
