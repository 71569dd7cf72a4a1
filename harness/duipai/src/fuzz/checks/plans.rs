//! Targets over calls and whole events.

use duipai_host::json;

use super::run_of;
use crate::{
    fuzz::{
        input::{Input, ProducerCall},
        run::{Rejection, Run},
    },
    generate::{BatchInput, SendInput, features::Swarm},
    oracle::{call, event as oracle},
    subject::Subject,
};

/// 发送队列消息 against the model.
pub(in crate::fuzz) fn send(input: &Input, subject: &dyn Subject) -> Run {
    let Input::Call(ProducerCall { binding, delay, text, .. }) = input else {
        return Run::Rejected(Rejection::NotOfTheKind);
    };
    let (binding, body) = (binding.clone(), text.to_string());
    let input = SendInput { binding, body, delay: *delay, swarm: Swarm::NONE };
    run_of(call::send(&input, subject), || json::parse(text).is_ok())
}

/// 批量发送队列消息 against the model.
pub(in crate::fuzz) fn batch(input: &Input, subject: &dyn Subject) -> Run {
    let Input::Call(ProducerCall { binding, text, .. }) = input else {
        return Run::Rejected(Rejection::NotOfTheKind);
    };
    let (binding, items) = (binding.clone(), text.to_string());
    let input = BatchInput { binding, items, swarm: Swarm::NONE };
    run_of(call::batch(&input, subject), || json::parse(text).is_ok())
}

/// Whole events against the model.
pub(in crate::fuzz) fn scene(input: &Input, subject: &dyn Subject) -> Run {
    match input {
        Input::Scene(scene) => run_of(oracle::model(scene, subject), || true),
        _ => Run::Rejected(Rejection::NotOfTheKind),
    }
}

/// Whole events against the model, and the native package against the guest.
pub(in crate::fuzz) fn event(input: &Input, native: &dyn Subject) -> Run {
    let run = scene(input, native);
    #[cfg(feature = "wasm")]
    if let (Run::Accepted | Run::Refused, Input::Scene(scene)) = (&run, input) {
        let beside = match &*GUEST {
            Ok(guest) => run_of(oracle::alike(scene, native, guest), || true),
            Err(error) => panic!("the built-in guest does not load: {error}"),
        };
        if let Run::Found(_) = beside {
            return beside;
        }
    }
    run
}

#[cfg(feature = "wasm")]
static GUEST: std::sync::LazyLock<
    Result<crate::subjects::wasm::Wasm, crate::subjects::wasm::LoadError>,
> = std::sync::LazyLock::new(crate::subjects::wasm::Wasm::builtin);
