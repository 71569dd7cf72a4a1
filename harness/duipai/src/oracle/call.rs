//! One call of the producer, of any subject, against the model: the outcome,
//! the message, and the complete log of platform calls.

use super::{Checked, event};
use crate::{
    generate::{BatchInput, Input as _, SendInput},
    subject::Subject,
};

/// `subject` does with this 发送队列消息 what the sentences ask for.
///
/// # Errors
///
/// When it does something else.
pub fn send(input: &SendInput, subject: &dyn Subject) -> Checked {
    event::model_as("send", &input.scene(), subject).map_err(|it| it.of(input.describe()))
}

/// `subject` does with this 批量发送队列消息 what the sentences ask for.
///
/// # Errors
///
/// When it does something else.
pub fn batch(input: &BatchInput, subject: &dyn Subject) -> Checked {
    event::model_as("batch", &input.scene(), subject).map_err(|it| it.of(input.describe()))
}
