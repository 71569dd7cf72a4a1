//! The texts that an input holds, counted in the order in which they stand.

use std::sync::Arc;

use crate::{
    fuzz::input::{Input, ProducerCall},
    plan::{Action, Body, Scene},
};

/// The texts of `input`.
pub(super) fn texts(input: &Input) -> Vec<Arc<str>> {
    match input {
        Input::Text(text) => vec![Arc::clone(text)],
        Input::Call(call) => vec![Arc::clone(&call.text)],
        Input::Bytes(_) => Vec::new(),
        Input::Scene(scene) => {
            let mut texts = Vec::new();
            each(&mut scene.clone(), |text| texts.push(Arc::clone(text)));
            texts
        }
    }
}

/// `input` with another text in place of the one that `slot` counts.
pub(super) fn with_text(input: &Input, slot: usize, text: Arc<str>) -> Option<Input> {
    match input {
        Input::Text(_) => Some(Input::Text(text)),
        Input::Call(call) => Some(Input::Call(ProducerCall { text, ..call.clone() })),
        Input::Bytes(_) => None,
        Input::Scene(scene) => {
            let mut scene = scene.clone();
            let mut at = 0;
            each(&mut scene, |old| {
                if at == slot {
                    *old = Arc::clone(&text);
                }
                at += 1;
            });
            crate::fuzz::input::checked(&scene).ok()?;
            Some(Input::Scene(scene))
        }
    }
}

fn each(scene: &mut Scene, mut visit: impl FnMut(&mut Arc<str>)) {
    for event in &mut scene.events {
        for message in event.batch.iter_mut().flat_map(|batch| &mut batch.messages) {
            let (Body::Json(text) | Body::Tagged(text)) = &mut message.body;
            visit(text);
        }
        for step in &mut event.steps {
            match &mut step.action {
                Action::Send { body: text, .. } | Action::SendBatch { items: text, .. } => {
                    visit(text);
                }
                _ => {}
            }
        }
    }
}
