//! What the driver is asked to do for an event, and which events it can be asked
//! for.

use std::{borrow::Cow, collections::BTreeMap};

use duipai_spec::event::EventKind;

use super::{
    driver::{EventRequest, Program, Request},
    wrangler,
};
use crate::plan::{Action, EventPlan, Timestamp};

/// Greatest integer that a JavaScript number counts up to.
const MAX_SAFE_INTEGER: i64 = (1 << 53) - 1;

/// What the driver is to do for an event.
pub(super) fn request(plan: &EventPlan) -> EventRequest<'_> {
    let program = Program { grants: &plan.grants, steps: &plan.steps };
    let request = (plan.kind == EventKind::Fetch).then(|| Request {
        method: "POST",
        path: String::from("/duipai"),
        body: self::program(plan),
    });
    EventRequest {
        kind: plan.kind,
        request,
        plan: program,
        bindings: Cow::Borrowed(&plan.bindings),
        batch: plan.batch.as_ref(),
    }
}

/// What a Worker is told of the plan, as JSON.
pub(super) fn program(plan: &EventPlan) -> String {
    serde_json::json!(Program { grants: &plan.grants, steps: &plan.steps }).to_string()
}

/// A request without a step. A Worker that speaks the protocol reports nothing.
pub(super) fn probe() -> EventPlan {
    EventPlan {
        kind: EventKind::Fetch,
        grants: Vec::new(),
        bindings: BTreeMap::new(),
        batch: None,
        steps: Vec::new(),
    }
}

/// Whether JavaScript and the runtime can be handed the plan.
pub(super) fn expressible(plan: &EventPlan) -> Result<(), String> {
    if plan.kind == EventKind::Email {
        return Err(String::from("workerd has no way to cause a mail event"));
    }
    if let Some(name) = plan.bindings.keys().find(|name| wrangler::is_reserved(name)) {
        return Err(format!("the binding name {name} is the harness's own"));
    }
    let steps = plan.steps.iter().flat_map(|step| match &step.action {
        Action::Send { delay, .. } => [Some(*delay), None],
        Action::Ack { index } => [Some(*index), None],
        Action::Retry { index, delay } => [Some(*index), Some(*delay)],
        _ => [None, None],
    });
    let messages = plan.batch.iter().flat_map(|batch| &batch.messages);
    let times = messages.map(|message| match message.timestamp {
        Timestamp::Date(millis) | Timestamp::Number(millis) => Some(millis),
    });
    let safe = -MAX_SAFE_INTEGER..=MAX_SAFE_INTEGER;
    match steps.chain(times).flatten().find(|number| !safe.contains(number)) {
        Some(number) => Err(format!("{number} is beyond the integers of JavaScript's numbers")),
        None => Ok(()),
    }
}
