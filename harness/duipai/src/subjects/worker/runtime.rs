//! Where workerd is, and which one it is.

use std::{env, path::PathBuf, time::Duration};

use super::WorkerError;
use crate::{
    judge::one_line,
    subjects::process::{command, tool},
};

/// Names the binary.
pub(super) const WORKERD_VARIABLE: &str = "DUIPAI_WORKERD";

/// Longest time to tell the version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// A workerd that answers.
#[derive(Clone, Debug)]
pub(super) struct Runtime {
    /// The binary.
    pub(super) binary: PathBuf,
    /// Its version, a date.
    pub(super) version: String,
}

impl Runtime {
    /// The binary that `DUIPAI_WORKERD` names, else the one that `npm ci` has
    /// put into harness/worker.
    ///
    /// # Errors
    ///
    /// When there is none, or it does not tell its version.
    pub(super) fn find() -> Result<Self, WorkerError> {
        let binary = match env::var_os(WORKERD_VARIABLE).filter(|path| !path.is_empty()) {
            Some(path) => PathBuf::from(path),
            None => tool(&packaged()).ok_or(WorkerError::NoRuntime)?,
        };
        let unusable = |reason: String| WorkerError::Runtime { path: binary.clone(), reason };
        let ran = command::run(&binary, ["--version"], None, VERSION_LIMIT)
            .map_err(|error| unusable(error.to_string()))?;
        let said = String::from_utf8_lossy(&ran.out);
        match said.trim().strip_prefix("workerd ") {
            Some(version) if ran.status.success() => {
                Ok(Self { version: one_line(version, 40), binary })
            }
            _ => Err(unusable(String::from("it is not workerd"))),
        }
    }
}

/// Where npm puts the binary of this platform. `workerd/bin/workerd` itself may
/// be a script that needs Node.
fn packaged() -> String {
    let system = match env::consts::OS {
        "macos" => "darwin",
        system => system,
    };
    let machine = match env::consts::ARCH {
        "aarch64" => "arm64",
        _ => "64",
    };
    format!("@cloudflare/workerd-{system}-{machine}/bin/workerd")
}
