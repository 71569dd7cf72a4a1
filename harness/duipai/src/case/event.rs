//! One event of a case: its plan and the behaviours that are permitted.

use std::collections::BTreeMap;

use duipai_platform::{Profile, Redelivery, Refusal};
use duipai_spec::event::EventKind;

use super::{
    After, Basis, EventCase, Expectation, ExpectedEnd, ExpectedOutcome, batch,
    call::{self, Calls},
    error::{Problem, quoted},
    fields::{Fields, Value},
    json,
    outcomes::{Course, course},
    step::{DEFAULT_BINDING, WrittenStep},
};
use crate::{
    ledger::Sentence,
    plan::{Batch, Binding, EventPlan},
};

/// The fields of an event.
pub(crate) const FIELDS: [&str; 9] =
    ["event", "grants", "bindings", "batch", "steps", "calls", "end", "after", "one_of"];

/// Decodes the events of a case one after the other.
pub(crate) struct Events<'l> {
    /// What the case is about.
    sentence: &'l Sentence,
    /// The batch of the event before, as far as it is known.
    before: Option<KnownBatch>,
}

/// What is known of a batch before it is run.
#[derive(Clone)]
struct KnownBatch {
    queue: String,
    most_messages: u32,
}

impl<'l> Events<'l> {
    pub(crate) fn new(sentence: &'l Sentence) -> Self {
        let before = None;
        Self { sentence, before }
    }

    pub(crate) fn decode(&mut self, fields: Fields<'_>) -> Result<EventCase, Problem> {
        let kind = match fields.optional("event") {
            Some(value) => {
                value.choice(&EventKind::ALL.map(EventKind::name), EventKind::from_name)?
            }
            None => EventKind::Fetch,
        };
        let (batch, redelivered) = self.batch(fields, kind)?;
        let steps: Vec<WrittenStep<'_>> =
            fields.required("steps")?.list()?.map(WrittenStep::decode).collect::<Result<_, _>>()?;
        let plan = EventPlan {
            kind,
            grants: match fields.optional("grants") {
                Some(value) => value.texts()?,
                None => vec![DEFAULT_BINDING.to_owned()],
            },
            bindings: bindings(fields.optional("bindings"))?,
            batch,
            steps: steps.iter().map(|written| written.step.clone()).collect(),
        };
        let permitted = self.permitted(fields, &plan, &steps)?;
        Ok(EventCase { plan, redelivered, permitted })
    }

    fn batch(
        &mut self,
        fields: Fields<'_>,
        kind: EventKind,
    ) -> Result<(Option<Batch>, bool), Problem> {
        let before = self.before.take();
        let Some(value) = fields.optional("batch") else {
            return match kind {
                EventKind::Queue => Err(fields.problem("a queue event needs a \"batch\"")),
                _ => Ok((None, false)),
            };
        };
        if kind != EventKind::Queue {
            let message = format!("a {kind} event has no \"batch\"; only queue events do");
            return Err(value.problem(message));
        }
        let redelivered = value.text().is_ok_and(|text| &**text == "redelivered");
        if redelivered {
            let Some(before) = before else {
                let message = "\"redelivered\" needs a queue event before this one";
                return Err(value.problem(message));
            };
            value.spend(before.queue.len())?;
            let batch = Batch { queue: before.queue.clone(), messages: Vec::new() };
            self.before = Some(before);
            return Ok((Some(batch), true));
        }
        let batch = batch::batch(value)?;
        self.before = Some(KnownBatch {
            queue: batch.queue.clone(),
            most_messages: u32::try_from(batch.messages.len()).unwrap_or(u32::MAX),
        });
        Ok((Some(batch), false))
    }

    fn permitted(
        &self,
        fields: Fields<'_>,
        plan: &EventPlan,
        steps: &[WrittenStep<'_>],
    ) -> Result<Vec<Expectation>, Problem> {
        let messages = self.before.as_ref().map_or(0, |batch| batch.most_messages);
        let decoder = Decoder { plan, steps, messages, calls: Calls::new(plan, messages) };
        let Some(list) = fields.optional("one_of") else {
            return Ok(vec![decoder.only(fields)?]);
        };
        fields.without(&["calls", "end", "after"], "beside \"one_of\"")?;
        for step in steps {
            step.fields.without(&["expect"], "beside \"one_of\"")?;
        }
        let mut permitted: Vec<Expectation> = Vec::new();
        for value in list.list()? {
            let behaviour = self.behaviour(value, &permitted)?;
            permitted.push(decoder.one_of(value.table()?, behaviour)?);
        }
        if permitted.len() < 2 {
            return Err(list.problem("\"one_of\" lists two behaviours at the least"));
        }
        Ok(permitted)
    }

    fn behaviour(&self, value: Value<'_>, before: &[Expectation]) -> Result<String, Problem> {
        let name = value.table()?.required("behaviour")?;
        let id = name.words()?;
        // The search counts as growth, so that the allowance bounds it too.
        name.spend(before.len())?;
        if before.iter().any(|other| other.behaviour.as_deref() == Some(id)) {
            let message = format!("the behaviour {} is listed twice", quoted(id));
            return Err(name.problem(message));
        }
        let known: Vec<&str> = self.sentence.behaviours().collect();
        name.spend(known.iter().map(|known| known.len()).sum())?;
        if !known.is_empty() && !known.contains(&&**id) {
            let message = format!(
                "the ledger does not permit the behaviour {}; it permits: {}",
                quoted(id),
                known.join(", ")
            );
            return Err(name.problem(message));
        }
        Ok(id.to_string())
    }
}

/// Decodes what must be seen of one event.
struct Decoder<'a> {
    plan: &'a EventPlan,
    steps: &'a [WrittenStep<'a>],
    /// The greatest number of messages in the batch.
    messages: u32,
    calls: Calls<'a>,
}

impl Decoder<'_> {
    /// The expectation of an event that has only one.
    fn only(&self, fields: Fields<'_>) -> Result<Expectation, Problem> {
        let expects: Vec<Option<Value<'_>>> = self.steps.iter().map(|step| step.expect).collect();
        self.expectation(fields, &expects, None)
    }

    /// One of several permitted behaviours.
    fn one_of(&self, fields: Fields<'_>, behaviour: String) -> Result<Expectation, Problem> {
        let fields = fields.only(&["behaviour", "expect", "calls", "end", "after"])?;
        let list = fields.required("expect")?;
        let mut given = list.list()?;
        let takes = self.steps.iter().filter(|step| step.takes_expect()).count();
        if given.len() != takes {
            let message = format!(
                "\"expect\" has {} entries for {takes} steps (a \"raise\" takes none)",
                given.len()
            );
            return Err(list.problem(message));
        }
        let expects: Vec<Option<Value<'_>>> = self
            .steps
            .iter()
            .map(|step| step.takes_expect().then(|| given.next()).flatten())
            .collect();
        self.expectation(fields, &expects, Some(behaviour))
    }

    fn expectation(
        &self,
        fields: Fields<'_>,
        expects: &[Option<Value<'_>>],
        behaviour: Option<String>,
    ) -> Result<Expectation, Problem> {
        let Course { outcomes, end } = course(self.steps, expects, self.plan.batch.is_some())?;
        let calls = self.calls.decode(fields.required("calls")?)?;
        let end = match fields.optional("end") {
            Some(value) => check_end(value, end, &outcomes)?,
            None => end,
        };
        let after = match fields.optional("after") {
            Some(value) => self.after(value)?,
            None => Vec::new(),
        };
        Ok(Expectation { behaviour, outcomes, calls, end, after })
    }

    fn after(&self, value: Value<'_>) -> Result<Vec<After>, Problem> {
        if self.plan.batch.is_none() {
            return Err(value.problem("\"after\" needs a queue event"));
        }
        let profiles = Profile::ALL.map(Profile::name);
        let fields = value.table()?.only(&profiles)?;
        let mut after = Vec::new();
        for value in fields.iter() {
            let Some(profile) = Profile::from_name(value.name()) else {
                return Err(value.problem("unknown profile"));
            };
            let fields = value.table()?.only(&["basis", "redelivered"])?;
            let basis = fields.required("basis")?;
            let redelivered = fields.required("redelivered")?.list()?;
            after.push(After {
                profile,
                basis: basis.choice(&["documented", "measured"], |name| match name {
                    "documented" => Some(Basis::Documented),
                    "measured" => Some(Basis::Measured),
                    _ => None,
                })?,
                redelivered: redelivered
                    .map(|value| self.redelivery(value.table()?))
                    .collect::<Result<_, _>>()?,
            });
        }
        Ok(after)
    }

    fn redelivery(&self, fields: Fields<'_>) -> Result<Redelivery, Problem> {
        let fields = fields.only(&["message", "attempts", "delay"])?;
        Ok(Redelivery {
            message: call::message(fields.required("message")?, self.messages)?,
            attempts: fields.required("attempts")?.number()?,
            delay: fields.optional("delay").map(|delay| delay.number()).transpose()?,
        })
    }
}

/// An `end` that does not contradict the steps.
fn check_end(
    value: Value<'_>,
    by_steps: ExpectedEnd,
    outcomes: &[ExpectedOutcome],
) -> Result<ExpectedEnd, Problem> {
    let end = value.choice(&["fulfilled", "rejected", "aborted"], |name| match name {
        "fulfilled" => Some(ExpectedEnd::Fulfilled),
        "rejected" => Some(ExpectedEnd::Rejected),
        "aborted" => Some(ExpectedEnd::Aborted),
        _ => None,
    })?;
    // Steps that all come back leave open how the host ends the event.
    if by_steps != ExpectedEnd::Fulfilled && end != by_steps {
        let aborts = outcomes.contains(&ExpectedOutcome::Aborted);
        let why = if aborts { "aborts" } else { "throws uncaught" };
        return Err(value.problem(format!("a step {why}, so the event cannot end like this")));
    }
    Ok(end)
}

fn bindings(value: Option<Value<'_>>) -> Result<BTreeMap<String, Binding>, Problem> {
    let Some(value) = value else {
        return Ok([(DEFAULT_BINDING.to_owned(), Binding::Accepts)].into());
    };
    let fields = value.table()?;
    fields.iter().map(|value| Ok((value.name().to_owned(), binding(value)?))).collect()
}

fn binding(value: Value<'_>) -> Result<Binding, Problem> {
    let Ok(fields) = value.table() else {
        return match value.text() {
            Ok(text) if &**text == "accepts" => Ok(Binding::Accepts),
            _ => {
                let what = "\"accepts\", { rejects = \"…\" }, { rejects_value = '…' } or { refuses = { … } }";
                Err(value.problem(format!("a binding is {what}")))
            }
        };
    };
    let forms = ["rejects", "rejects_value", "refuses"];
    let (form, value) = fields.only(&forms)?.one_of(&forms)?;
    if form == "refuses" {
        return Ok(Binding::Refuses(refusal(value)?));
    }
    let content = value.text()?;
    if form == "rejects" {
        return Ok(Binding::RejectsError(content.to_string()));
    }
    json::tagged(content)
        .map_err(|error| value.problem(format!("the value is not tagged JSON: {error}")))?;
    Ok(Binding::RejectsValue(content.to_string()))
}

fn refusal(value: Value<'_>) -> Result<Refusal, Problem> {
    let fields = value.table()?.only(&["status", "reason", "code", "cause", "date"])?;
    let status = fields.required("status")?;
    let number = status.number()?;
    if !(201..=599).contains(&number) {
        return Err(status.problem("a refusal has an HTTP status from 201 to 599"));
    }
    let header = |name| match fields.optional(name) {
        Some(value) => {
            let text = value.text()?;
            let control = text.contains(|c: char| c.is_control());
            if control { Err(value.problem("a header is one line")) } else { Ok(text.to_string()) }
        }
        None => Ok(String::new()),
    };
    let date = fields.required("date")?;
    let compatibility_date = date.text()?.to_string();
    let digits = |(at, byte): (usize, u8)| match at {
        4 | 7 => byte == b'-',
        _ => byte.is_ascii_digit(),
    };
    if compatibility_date.len() != 10 || !compatibility_date.bytes().enumerate().all(digits) {
        return Err(date.problem("a compatibility date is YYYY-MM-DD"));
    }
    let (reason, code, cause) = (header("reason")?, header("code")?, header("cause")?);
    Ok(Refusal { status: number, reason, code, cause, compatibility_date })
}
