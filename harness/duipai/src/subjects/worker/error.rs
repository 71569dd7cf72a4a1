//! Why there is no Worker to judge.

use std::path::PathBuf;

use crate::subjects::process::StartError;

/// Why there is no Worker to judge.
#[derive(Debug, thiserror::Error)]
pub enum WorkerError {
    /// There is no such folder.
    #[error("{}: no such folder", .0.display())]
    NoFolder(PathBuf),
    /// Nothing in the folder is a main module.
    #[error(
        "{}: no main module: give it a wrangler configuration with `main`, or an index.js, index.mjs or worker.js",
        .0.display()
    )]
    NoMain(PathBuf),
    /// The main module that the configuration names is not in the folder.
    #[error("{}: the main module `{main}` is no file in this folder", folder.display())]
    Main {
        /// The folder.
        folder: PathBuf,
        /// What the configuration says.
        main: String,
    },
    /// A file of the Worker cannot be used.
    #[error("{}: {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// The wrangler configuration does not say what it must.
    #[error("{}:{line}: {reason}", path.display())]
    Configuration {
        /// The configuration.
        path: PathBuf,
        /// The line at fault, from 1.
        line: usize,
        /// What is wrong there.
        reason: String,
    },
    /// A variable has a name that the harness uses.
    #[error("the variable `{0}` has a name of the harness's: rename it")]
    Reserved(String),
    /// workerd is not installed.
    #[error("workerd is missing: run `npm ci` in harness/worker, or let DUIPAI_WORKERD name it")]
    NoRuntime,
    /// workerd is not workerd, or does not run here.
    #[error("{} cannot be used as workerd: {reason}", path.display())]
    Runtime {
        /// The binary.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// esbuild is not installed.
    #[error("{}: the Worker needs bundling, and esbuild is missing: run `npm ci` in harness/worker", .0.display())]
    NoBundler(PathBuf),
    /// esbuild refused.
    #[error("{}: the Worker cannot be bundled: {reason}", folder.display())]
    Bundling {
        /// The folder.
        folder: PathBuf,
        /// What esbuild says.
        reason: String,
    },
    /// The configuration cannot be written.
    #[error("cannot prepare a folder for workerd: {0}")]
    Prepare(std::io::Error),
    /// The harness cannot listen for the queues of workerd.
    #[error("cannot listen on this machine's own address: {0}")]
    Broker(std::io::Error),
    /// The system has no random numbers.
    #[error("cannot make a token: {0}")]
    Token(getrandom::Error),
    /// workerd does not start; the Worker may be at fault.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The Worker does not answer the probe.
    #[error("the Worker does not speak the protocol `duipai 1`: {0}")]
    Silent(String),
}
