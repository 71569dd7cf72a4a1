//! The end that the host puts to an event.

use alloc::string::String;
use core::{error::Error, fmt};

/// The host ended the event (中止). The program cannot catch it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

impl fmt::Display for Abort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for Abort {}
