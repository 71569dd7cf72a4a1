//! Programs that a subject runs on, shared by those that need one.
//!
//! | module | holds |
//! | --- | --- |
//! | [`guard`] | processes that end with the harness, and with all that they started |
//! | [`command`] | commands that are run to their end |
//! | [`listener`] | servers that tell the port on which they listen |
//! | [`packages`] | files that npm has installed, and the token |

pub(super) mod command;
mod guard;
mod listener;
mod packages;

pub use listener::StartError;
pub(super) use {
    listener::Listener,
    packages::{token, tool},
};
