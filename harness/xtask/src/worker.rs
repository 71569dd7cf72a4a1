//! What of the project is JavaScript: `harness/worker` and its packages.

use std::{fs, path::PathBuf, process::Command, time::SystemTime};

use crate::{project, succeeds};

/// Installs the packages that the lock file names, unless that has been done.
pub(crate) fn install() -> bool {
    let written = |name: &str| -> Option<SystemTime> {
        fs::metadata(folder().join(name)).and_then(|metadata| metadata.modified()).ok()
    };
    // npm writes this file last.
    let installed = written("node_modules/.package-lock.json");
    if installed.is_some() && installed >= written("package-lock.json") {
        return true;
    }
    succeeds(npm().args(["ci", "--no-progress"]))
}

/// The tests in Node.
pub(crate) fn test() -> bool {
    succeeds(npm().args(["test", "--silent"]))
}

/// Transpiles the guest for a JavaScript host.
pub(crate) fn transpile() -> bool {
    succeeds(npm().args(["run", "--silent", "guest"]))
}

fn npm() -> Command {
    let mut npm = Command::new("npm");
    npm.current_dir(folder());
    npm
}

fn folder() -> PathBuf {
    project().join("harness/worker")
}
