//! A Worker in a folder of the user's: its modules, and what its deployment
//! says about it.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

use walkdir::WalkDir;

use super::{
    WorkerError,
    bundle::{self, needs_bundling},
    config::{COMPATIBILITY_DATE, Module, ModuleKind, Target},
    wrangler::{self, Wrangler},
};
use crate::{judge::one_line, regular};

/// Most modules that a Worker may have.
pub(super) const MAX_MODULES: usize = 1000;

/// Greatest size of all modules together, in bytes.
pub(super) const MAX_MODULE_BYTES: u64 = 64 * 1024 * 1024;

/// Most files and folders that are looked at.
const MAX_ENTRIES: usize = 100_000;

/// Main modules of a folder that does not name one, in the order of preference.
const MAIN_FILES: [&str; 3] = ["index.js", "index.mjs", "worker.js"];

/// A Worker as it is to be deployed.
#[derive(Clone, Debug)]
pub(super) struct Deployment {
    /// Name of the main module.
    pub(super) main: String,
    pub(super) modules: Vec<Module>,
    pub(super) compatibility_date: String,
    pub(super) compatibility_flags: Vec<String>,
    /// Variables of its environment.
    pub(super) vars: Vec<(String, Target)>,
    /// Names of its queue bindings.
    pub(super) queues: Vec<String>,
}

impl Deployment {
    /// A Worker of these modules, with nothing special about it.
    pub(super) fn new(main: impl Into<String>, modules: Vec<Module>) -> Self {
        Self {
            main: main.into(),
            modules,
            compatibility_date: COMPATIBILITY_DATE.to_owned(),
            compatibility_flags: Vec::new(),
            vars: Vec::new(),
            queues: Vec::new(),
        }
    }

    /// The Worker in `folder`. It is bundled if its main module is not
    /// JavaScript or a module imports a package.
    ///
    /// # Errors
    ///
    /// When the folder holds no Worker, or one that cannot be read or bundled.
    pub(super) fn read(folder: &Path) -> Result<Self, WorkerError> {
        if !folder.is_dir() {
            return Err(WorkerError::NoFolder(folder.to_owned()));
        }
        let wrangler = wrangler::read(folder)?;
        let main = main_module(folder, wrangler.as_ref())?;
        let mut deployment = match javascript(&main) {
            true => Self::new(name(&main), modules(folder)?),
            false => bundle::bundle(folder, &main)?,
        };
        if deployment.modules.iter().any(needs_bundling) {
            deployment = bundle::bundle(folder, &main)?;
        }
        if let Some(wrangler) = wrangler {
            deployment.vars = wrangler.vars()?;
            deployment.queues = wrangler.queues();
            deployment.compatibility_flags = wrangler.compatibility_flags;
            if let Some(date) = wrangler.compatibility_date {
                deployment.compatibility_date = date;
            }
        }
        Ok(deployment)
    }
}

/// The main module's path in the folder.
fn main_module(folder: &Path, wrangler: Option<&Wrangler>) -> Result<PathBuf, WorkerError> {
    let Some(main) = wrangler.and_then(|wrangler| wrangler.main.as_deref()) else {
        let found = MAIN_FILES.iter().find(|name| folder.join(name).is_file());
        return found.map(PathBuf::from).ok_or_else(|| WorkerError::NoMain(folder.to_owned()));
    };
    // Also without the `./` that paths in configurations begin with.
    let path: PathBuf = Path::new(main).components().filter(|c| *c != Component::CurDir).collect();
    let inside = path.components().all(|part| matches!(part, Component::Normal(_)));
    if !inside || !folder.join(&path).is_file() {
        return Err(WorkerError::Main { folder: folder.to_owned(), main: one_line(main, 100) });
    }
    Ok(path)
}

/// Whether workerd takes the file as an ECMAScript module as it is.
fn javascript(path: &Path) -> bool {
    kind(path) == Some(ModuleKind::Es)
}

fn kind(path: &Path) -> Option<ModuleKind> {
    match path.extension()?.to_str()? {
        "js" | "mjs" => Some(ModuleKind::Es),
        "wasm" => Some(ModuleKind::Wasm),
        _ => None,
    }
}

/// A relative path as the name of a module.
fn name(path: &Path) -> String {
    path.iter().map(|part| part.to_string_lossy()).collect::<Vec<_>>().join("/")
}

/// Every module in `folder`, by name. Packages and hidden folders are left out.
///
/// # Errors
///
/// When they are too many or too big, cannot be read, or a link leads back.
pub(super) fn modules(folder: &Path) -> Result<Vec<Module>, WorkerError> {
    let failed = |path: &Path, reason: String| {
        Err(WorkerError::Unreadable { path: path.to_owned(), reason })
    };
    let wanted = |entry: &walkdir::DirEntry| {
        let name = entry.file_name().to_string_lossy();
        entry.depth() == 0 || !(name.starts_with('.') || name == "node_modules")
    };
    let mut modules = Vec::new();
    let mut room = MAX_MODULE_BYTES;
    let entries = WalkDir::new(folder).follow_links(true).sort_by_file_name();
    for (entry, seen) in entries.into_iter().filter_entry(wanted).zip(0..) {
        if seen == MAX_ENTRIES {
            return failed(folder, format!("the folder holds more than {MAX_ENTRIES} files"));
        }
        let entry = match entry {
            Ok(entry) => entry,
            Err(error) if error.loop_ancestor().is_some() => {
                let path = error.path().unwrap_or(folder);
                return failed(path, "the folder is a link back to one it is in".to_owned());
            }
            // What a broken link or a closed folder holds is missed when it is
            // imported.
            Err(_) => continue,
        };
        let path = entry.path();
        let Some(kind) = kind(path).filter(|_| entry.file_type().is_file()) else { continue };
        if modules.len() == MAX_MODULES {
            return failed(folder, format!("the folder holds more than {MAX_MODULES} modules"));
        }
        let content = match regular::bytes(path, room) {
            Ok(content) => content,
            Err(error) if error.kind() == io::ErrorKind::FileTooLarge => {
                let most = MAX_MODULE_BYTES;
                return failed(path, format!("the modules have more than {most} bytes in all"));
            }
            Err(error) => return failed(path, error.to_string()),
        };
        room -= content.len() as u64;
        let name = name(path.strip_prefix(folder).unwrap_or(path));
        modules.push(Module { name, kind, content });
    }
    Ok(modules)
}
