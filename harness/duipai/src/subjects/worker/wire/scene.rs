//! Scenes on the runtime's own queue bindings.

use std::{borrow::Cow, collections::BTreeMap, mem, time::Duration};

use duipai_platform::Refusal;

use super::{
    super::{
        driver::{EventRequest, RawCall, RawEvent},
        launch::Setting,
        server::Server,
    },
    Broker,
};
use crate::{
    plan::{Action, Binding, EventPlan},
    subject::Fault,
};

/// Whether the runtime's own bindings can be made to behave as planned, and what
/// happens can be seen.
///
/// # Errors
///
/// The reason.
pub(in super::super) fn expressible(plan: &EventPlan) -> Result<(), String> {
    for (name, binding) in &plan.bindings {
        match binding {
            _ if name.is_empty() => return Err(String::from("a queue binding has a name")),
            Binding::RejectsError(_) | Binding::RejectsValue(_) => {
                return Err(String::from("a queue binding words its rejections itself"));
            }
            Binding::Refuses(Refusal { reason, code, cause, .. }) => {
                if [reason, code, cause].iter().any(|text| text.contains(char::is_control)) {
                    return Err(String::from("no HTTP header holds such a refusal"));
                }
            }
            Binding::Accepts => {}
        }
    }
    let mut dates = dates(&plan.bindings);
    if let Some(first) = dates.next()
        && dates.any(|date| date != first)
    {
        return Err(String::from("a Worker has one compatibility date"));
    }
    let sends = |action: &Action| matches!(action, Action::Send { .. } | Action::SendBatch { .. });
    let settles = |action: &Action| matches!(action, Action::Ack { .. } | Action::Retry { .. });
    let any = |kind: fn(&Action) -> bool| plan.steps.iter().any(|step| kind(&step.action));
    if any(sends) && any(settles) {
        let reason = "the order among calls on queues and on messages is not seen over the wire";
        return Err(reason.to_owned());
    }
    Ok(())
}

/// The compatibility dates that the refusals are for.
fn dates(bindings: &BTreeMap<String, Binding>) -> impl Iterator<Item = &String> {
    bindings.values().filter_map(|binding| match binding {
        Binding::Refuses(refusal) => Some(&refusal.compatibility_date),
        _ => None,
    })
}

/// Has one event happen, with `broker` as the platform; what was seen of it.
///
/// # Errors
///
/// As for [`Server::play`], and when the runtime departs from the wire format.
pub(in super::super) fn play(
    server: &Server,
    broker: &Broker,
    mut event: EventRequest<'_>,
    budget: Duration,
) -> Result<RawEvent, Fault> {
    // To the driver, a queue is a name.
    let names = event.bindings.keys().map(|name| (name.clone(), Binding::Accepts)).collect();
    let bindings: Cow<'_, BTreeMap<_, _>> = mem::replace(&mut event.bindings, Cow::Owned(names));
    let compatibility_date = dates(&bindings).next().cloned();
    let setting = Setting { compatibility_date, queues: bindings.keys().cloned().collect() };
    broker.open(&bindings);
    let played = server.play(&[event], &setting, budget);
    // Closed however it went.
    let calls = broker.close();
    let mut seen = played?.into_iter().next().unwrap_or_default();
    let calls = calls.map_err(|departure| {
        Fault::Crashed(format!("the queue binding departed from its wire format: {departure}"))
    })?;
    let calls = calls.into_iter().map(|call| RawCall { call, threw: false });
    seen.calls.splice(0..0, calls);
    Ok(seen)
}
