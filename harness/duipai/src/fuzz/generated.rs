//! Inputs that the [generator](crate::generate) makes of bytes.

use super::{
    input::{Form, Input, ProducerCall},
    run::Rejection,
};
use crate::generate::{self, BatchInput, JsonText, SceneInput, SendInput};

/// The input that these bytes stand for.
pub(super) fn input(form: Form, bytes: &[u8]) -> Result<Input, Rejection> {
    Ok(match form {
        Form::Text => Input::Text(drawn::<JsonText>(bytes)?.text.into()),
        Form::Items => Input::Text(drawn::<BatchInput>(bytes)?.items.into()),
        Form::Send => {
            let SendInput { binding, body, delay, .. } = drawn(bytes)?;
            Input::Call(ProducerCall { batch: false, binding, delay, text: body.into() })
        }
        Form::Batch => {
            let BatchInput { binding, items, .. } = drawn(bytes)?;
            Input::Call(ProducerCall { batch: true, binding, delay: 0, text: items.into() })
        }
        Form::Scene => Input::Scene(drawn::<SceneInput>(bytes)?.scene),
        Form::Bytes => Input::Bytes(bytes.to_vec()),
    })
}

fn drawn<T: generate::Input>(bytes: &[u8]) -> Result<T, Rejection> {
    T::from_bytes(bytes).map_err(|generate::Rejected::TooLong { .. }| Rejection::TooLong)
}
