//! What a subject needs to be able to run a case.

use std::collections::BTreeSet;

use duipai_spec::event::EventKind;

use super::{Case, EventCase, json};
use crate::{
    plan::{Action, Binding, Body, EventPlan, Message, Scene},
    subject::Capability,
};

/// Tags of values that structured cloning refuses, or does not give back.
const UNCLONEABLE: [&str; 3] = ["{\"#symbol\":", "{\"#function\":", "{\"#class\":"];

/// The longest scenario that is waited for in real time, in milliseconds.
const LONGEST_WAIT: u64 = 15_000;

/// The body that no message can have.
const UNDEFINED: &str = "{\"#undefined\":true}";

/// The capabilities that `case` needs.
pub(crate) fn of(case: &Case) -> BTreeSet<Capability> {
    let mut needs = BTreeSet::new();
    if let Some(platform) = &case.platform
        && platform.scenario.until() > LONGEST_WAIT
    {
        needs.insert(Capability::VirtualTime);
    }
    if case.together {
        needs.insert(Capability::Concurrency);
    }
    for event in &case.events {
        event_needs(event, &mut needs);
    }
    needs
}

/// The capabilities that `scene` needs to be run; what is judged of it may need
/// more.
pub(crate) fn of_scene(scene: &Scene) -> BTreeSet<Capability> {
    let mut needs = BTreeSet::new();
    if scene.events.len() > 1 {
        needs.insert(Capability::Concurrency);
    }
    for event in &scene.events {
        plan_needs(event, &mut needs);
    }
    needs
}

fn event_needs(event: &EventCase, needs: &mut BTreeSet<Capability>) {
    plan_needs(&event.plan, needs);
    if event.redelivered || event.permitted.iter().any(|one| !one.after.is_empty()) {
        needs.insert(Capability::Redelivery);
    }
}

fn plan_needs(plan: &EventPlan, needs: &mut BTreeSet<Capability>) {
    if !matches!(plan.kind, EventKind::Fetch | EventKind::Queue) {
        needs.insert(Capability::OtherEvents);
    }
    if plan.bindings.values().any(|binding| matches!(binding, Binding::RejectsValue(_))) {
        needs.insert(Capability::RejectsNonError);
    }
    if plan.bindings.values().any(|binding| matches!(binding, Binding::Refuses(_))) {
        needs.insert(Capability::RealRefusals);
    }
    if plan.steps.iter().any(|step| matches!(step.action, Action::Wait { .. })) {
        needs.insert(Capability::VirtualTime);
    }
    for message in plan.batch.iter().flat_map(|batch| &batch.messages) {
        message_needs(message, needs);
    }
}

fn message_needs(message: &Message, needs: &mut BTreeSet<Capability>) {
    if message.ack_throws.is_some() || message.retry_throws.is_some() {
        needs.insert(Capability::SettleThrows);
    }
    let Body::Tagged(text) = &message.body else {
        return;
    };
    needs.insert(Capability::JsValues);
    // Canonical spelling makes the search exact: strings escape their quotes.
    let uncloneable =
        |text: String| text == UNDEFINED || UNCLONEABLE.iter().any(|tag| text.contains(tag));
    if json::tagged(text).is_ok_and(uncloneable) {
        needs.insert(Capability::UncloneableValues);
    }
}
