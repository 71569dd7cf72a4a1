//! An input as a case to paste.

use std::{fmt::Write as _, time::Duration};

use duipai_platform::Profile;
use duipai_spec::event::{Call, EventKind};
use serde_json::value::RawValue;

use super::literal::text;
pub use super::literal::{basic, literal};
use crate::{
    observation::{Observation, Outcome},
    plan::{Action, Batch, Binding, Body, EventPlan, Message, Scene, Step, Timestamp},
    subject::Subject as _,
    subjects::native::Native,
};

/// The scene as a case, expecting what the reference does. Its sentence is the
/// widest that fits; whoever pastes it chooses a better one.
pub fn case(scene: &Scene, id: &str) -> String {
    let mut says =
        scene.events.iter().flat_map(|event| &event.steps).map(|step| match step.action {
            Action::Send { .. } => "send.arguments",
            Action::SendBatch { .. } => "batch.arguments",
            Action::ReadBatch => "read.shape",
            Action::Ack { .. } => "ack.arguments",
            Action::Retry { .. } => "retry.arguments",
            Action::Raise { .. } | Action::Wait { .. } => "end.normal",
        });
    let says = says.next().unwrap_or("end.normal");
    let budget = Duration::from_secs(30);
    match Native::reference().run(scene, Profile::default(), budget) {
        Ok(seen) => case_of(scene, &seen, id, &[says], "must"),
        Err(fault) => format!("# the reference does not run this: {fault:?}\n# {scene:?}\n"),
    }
}

/// The scene as a case that expects what was `seen`.
pub fn case_of(
    scene: &Scene,
    seen: &[Observation],
    id: &str,
    says: &[&str],
    level: &str,
) -> String {
    let mut out = String::from("format = 1\n\n[[case]]\n");
    let says: Vec<String> = says.iter().map(|says| basic(says)).collect();
    let ops: Vec<&str> = scene
        .events
        .iter()
        .flat_map(|event| event.steps.iter().map(|step| step.action.op()))
        .collect();
    let _ = writeln!(out, "id = {}\nsays = [{}]", basic(id), says.join(", "));
    let _ = writeln!(out, "level = {}\ntitle = {}", basic(level), basic(&ops.join(" ")));
    if scene.events.len() > 1 {
        out.push_str("together = true\n");
    }
    for (plan, seen) in scene.events.iter().zip(seen) {
        if scene.events.len() > 1 {
            out.push_str("\n[[case.events]]\n");
        }
        event(plan, seen, &mut out);
    }
    out
}

fn event(plan: &EventPlan, seen: &Observation, out: &mut String) {
    let _ = writeln!(out, "event = {}", basic(plan.kind.name()));
    let grants: Vec<String> = plan.grants.iter().map(|name| basic(name)).collect();
    let _ = writeln!(out, "grants = [{}]", grants.join(", "));
    let bindings: Vec<String> = plan
        .bindings
        .iter()
        .map(|(name, binding)| format!("{} = {}", basic(name), answer(binding)))
        .collect();
    let _ = writeln!(out, "bindings = {{ {} }}", bindings.join(", "));
    if plan.kind == EventKind::Queue {
        let none = Batch { queue: String::new(), messages: Vec::new() };
        batch(plan.batch.as_ref().unwrap_or(&none), out);
    }
    out.push_str("steps = [\n");
    for (step, outcome) in plan.steps.iter().zip(&seen.outcomes) {
        let _ = writeln!(out, "  {{ {} }},", self::step(step, outcome));
    }
    out.push_str("]\ncalls = [\n");
    for call in &seen.calls {
        let _ = writeln!(out, "  {{ {} }},", self::call(call));
    }
    let _ = writeln!(out, "]\nend = {}", basic(seen.end.name()));
}

fn answer(binding: &Binding) -> String {
    match binding {
        Binding::Accepts => basic("accepts"),
        Binding::RejectsError(text) => format!("{{ rejects = {} }}", basic(text)),
        Binding::RejectsValue(text) => format!("{{ rejects_value = {} }}", literal(text)),
        Binding::Refuses(refusal) => format!(
            "{{ refuses = {{ status = {}, reason = {}, code = {}, cause = {}, date = {} }} }}",
            refusal.status,
            basic(&refusal.reason),
            basic(&refusal.code),
            basic(&refusal.cause),
            basic(&refusal.compatibility_date)
        ),
    }
}

fn batch(batch: &Batch, out: &mut String) {
    let messages: Vec<String> =
        batch.messages.iter().map(|one| format!("  {{ {} }},\n", message(one))).collect();
    let queue = basic(&batch.queue);
    let _ = writeln!(out, "batch = {{ queue = {queue}, messages = [\n{}] }}", messages.concat());
}

fn message(message: &Message) -> String {
    let (timestamp, millis) = match message.timestamp {
        Timestamp::Date(millis) => ("timestamp", millis),
        Timestamp::Number(millis) => ("timestamp_number", millis),
    };
    let (kind, body) = match &message.body {
        Body::Json(body) => ("json", body),
        Body::Tagged(body) => ("js", body),
    };
    let id = basic(&message.id);
    let mut fields = vec![
        format!("id = {id}, attempts = {}, {timestamp} = {millis}", message.attempts),
        format!("{kind} = {}", text(body)),
    ];
    if let Some(throws) = &message.ack_throws {
        fields.push(format!("ack_throws = {}", basic(throws)));
    }
    if let Some(throws) = &message.retry_throws {
        fields.push(format!("retry_throws = {}", basic(throws)));
    }
    fields.join(", ")
}

fn step(step: &Step, outcome: &Outcome) -> String {
    let op = basic(step.action.op());
    let mut fields = vec![format!("op = {op}")];
    match &step.action {
        Action::Send { binding, body, delay } => {
            fields.push(format!("binding = {}", basic(binding)));
            fields.push(format!("body = {}", text(body)));
            fields.push(format!("delay = {delay}"));
        }
        Action::SendBatch { binding, items } => {
            fields.push(format!("binding = {}", basic(binding)));
            fields.push(format!("items = {}", text(items)));
        }
        Action::ReadBatch => {}
        Action::Ack { index } => fields.push(format!("index = {index}")),
        Action::Retry { index, delay } => {
            fields.push(format!("index = {index}"));
            fields.push(format!("delay = {delay}"));
        }
        Action::Raise { message } => {
            fields.push(format!("message = {}", basic(message)));
            return fields.join(", ");
        }
        Action::Wait { seconds } => fields.push(format!("seconds = {seconds}")),
    }
    if !step.caught {
        fields.push("caught = false".to_owned());
    }
    fields.push(format!(
        "expect = {}",
        match outcome {
            Outcome::Returned { value: Some(value) } => format!("{{ text = {} }}", text(value)),
            Outcome::Returned { value: None } => basic("returned"),
            Outcome::Threw { message } => format!("{{ throws = {} }}", basic(message)),
            Outcome::Aborted { .. } => basic("aborts"),
            Outcome::NotReached => basic("not-reached"),
        }
    ));
    fields.join(", ")
}

fn call(call: &Call) -> String {
    let parts = |arguments| serde_json::from_str::<Vec<&RawValue>>(arguments).unwrap_or_default();
    match call {
        Call::Send { binding, arguments } => match parts(arguments).as_slice() {
            [body, options] => format!(
                "send = {}, body = {}, options = {}",
                basic(binding),
                text(body.get()),
                literal(options.get())
            ),
            _ => format!("send = {}, body = {}", basic(binding), text(arguments)),
        },
        Call::SendBatch { binding, arguments } => {
            let items = parts(arguments).first().map_or(arguments.as_str(), |items| items.get());
            format!("send_batch = {}, items = {}", basic(binding), text(items))
        }
        Call::Ack { message } => format!("ack = {message}"),
        Call::Retry { message, options: None } => format!("retry = {message}"),
        Call::Retry { message, options: Some(options) } => {
            format!("retry = {message}, options = {}", literal(options))
        }
        // No case can ask for these: the package never makes them.
        Call::AckAll | Call::RetryAll { .. } => format!("{} = true", call.method()),
    }
}
