//! What npm has installed, and what a process is told apart by.

use std::{
    env,
    path::{Path, PathBuf},
};

/// The folder with the pinned tools, in the project.
const WORKER_FOLDER: &str = "harness/worker";

/// A file below node_modules of harness/worker: in the folder where the command
/// runs or one above it, else where this program was built.
pub(in crate::subjects) fn tool(path: &str) -> Option<PathBuf> {
    let here = env::current_dir().ok();
    let above = here.iter().flat_map(|here| here.ancestors().map(|one| one.join(WORKER_FOLDER)));
    let built = Path::new(env!("CARGO_MANIFEST_DIR")).join("../worker");
    above.chain([built]).map(|folder| folder.join("node_modules").join(path)).find(|p| p.is_file())
}

/// What only the harness and a process that it started know.
pub(in crate::subjects) fn token() -> Result<String, getrandom::Error> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes)?;
    Ok(bytes.map(|byte| format!("{byte:02x}")).concat())
}
