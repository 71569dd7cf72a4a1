//! The end that the host puts to an event.

/// The host ended the event (中止). The program cannot catch it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[error("{0}")]
pub struct Abort(String);

impl Abort {
    /// An abort with the host's text for it.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The host's text.
    pub fn text(&self) -> &str {
        &self.0
    }
}
