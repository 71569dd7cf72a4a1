//! Why there is no Miniflare to judge.

use std::{io, path::PathBuf};

use super::node::OLDEST;
use crate::subjects::process::StartError;

/// Why there is no Miniflare to judge.
#[derive(Debug, thiserror::Error)]
pub enum MiniflareError {
    /// There is no Node at all.
    #[error(
        "node is missing: run `npm ci` in harness/worker, or let DUIPAI_NODE name one of {OLDEST} or newer"
    )]
    NoNode,
    /// The only Node there is is too old.
    #[error(
        "node {found} is too old, Miniflare needs {OLDEST}: run `npm ci` in harness/worker, or let DUIPAI_NODE name another"
    )]
    OldNode {
        /// Its version.
        found: String,
    },
    /// What should be Node is not, or does not run here.
    #[error("{} cannot be used as node: {reason}", path.display())]
    Node {
        /// The binary.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// Miniflare is not installed.
    #[error("miniflare is missing: run `npm ci` in harness/worker")]
    NoMiniflare,
    /// What should be the folder of Miniflare's package is not.
    #[error("{}: no Miniflare is installed here: run `npm ci` in harness/worker", .0.display())]
    NotMiniflare(PathBuf),
    /// The harness's own scripts cannot be written.
    #[error("cannot prepare a folder for miniflare: {0}")]
    Prepare(io::Error),
    /// The system has no random numbers.
    #[error("cannot make a token: {0}")]
    Token(getrandom::Error),
    /// The server does not start.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The server does not say what it is.
    #[error("miniflare's server does not answer: {0}")]
    Silent(String),
}
