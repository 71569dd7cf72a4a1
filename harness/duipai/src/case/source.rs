//! Reading the files of a suite: which ones there are, and their text.

use std::{
    collections::HashSet,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{Origin, error::Problem};
use crate::regular;

/// Greatest size of one file, in bytes. Big inputs are generated, so that no
/// real case file comes near it.
pub const MAX_FILE_BYTES: u64 = 4 << 20;

/// Name of the file in a folder's root that holds its sentences, not cases.
pub const LEDGER_FILE: &str = "spec.toml";

/// A file of a suite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// As messages name it: as the user gave the folder, or relative to the
    /// project.
    pub path: Arc<str>,
    /// Relative to the folder, with `/` between the parts.
    pub name: Arc<str>,
    /// Its text.
    pub text: Arc<str>,
}

impl SourceFile {
    /// A file of the folder `root` with these bytes.
    pub(crate) fn new(root: &str, name: &str, bytes: Vec<u8>) -> Result<Self, Problem> {
        let path: Arc<str> = format!("{root}/{name}").into();
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Self { path, name: name.into(), text: text.into() }),
            Err(error) => {
                let good = error.utf8_error().valid_up_to();
                let byte = error.as_bytes()[good];
                let before = String::from_utf8_lossy(&error.as_bytes()[..good]);
                let origin = Positions::new(&before).origin(&path, &before, good);
                let message = format!("the file is not UTF-8: byte 0x{byte:02x}");
                Err(Problem::at(origin, message))
            }
        }
    }

    /// Whether this is its folder's ledger.
    pub(crate) fn is_ledger(&self) -> bool {
        &*self.name == LEDGER_FILE
    }
}

/// Every `*.toml` file under `folder`, sorted by path. Hidden files and folders
/// are left out; a folder that several links lead to is read once.
///
/// # Errors
///
/// The folder is missing or not a folder, holds no case file, or links back
/// into itself; a file is not a regular file, over [`MAX_FILE_BYTES`], not
/// UTF-8, or cannot be read.
pub fn read_folder(folder: &Path) -> Result<Vec<SourceFile>, Problem> {
    let root = folder.to_string_lossy();
    let root = match root.trim_end_matches('/') {
        "" => "/",
        root => root,
    };
    match fs::metadata(folder) {
        Err(error) => return Err(Problem::whole(root, format!("no such folder: {error}"))),
        Ok(metadata) if !metadata.is_dir() => return Err(Problem::whole(root, "not a folder")),
        Ok(_) => {}
    }
    let mut files = Vec::new();
    for path in list(folder)? {
        let relative = path.strip_prefix(folder).unwrap_or(&path);
        let parts: Vec<_> = relative.iter().map(|part| part.to_string_lossy()).collect();
        let bytes = regular::bytes(&path, MAX_FILE_BYTES).map_err(|error| cannot(&path, &error))?;
        files.push(SourceFile::new(root, &parts.join("/"), bytes)?);
    }
    if files.iter().all(SourceFile::is_ledger) {
        let message = "the folder holds no case file (*.toml)";
        return Err(Problem::whole(root, message));
    }
    files.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(files)
}

/// A folder that is being walked, and the one that led to it.
struct Visited {
    canonical: PathBuf,
    parent: Option<usize>,
}

fn list(folder: &Path) -> Result<Vec<PathBuf>, Problem> {
    let mut files = Vec::new();
    let mut visited: Vec<Visited> = Vec::new();
    let mut seen = HashSet::new();
    let mut open = vec![(folder.to_path_buf(), None)];
    while let Some((path, parent)) = open.pop() {
        let canonical = path.canonicalize().map_err(|error| cannot(&path, &error))?;
        if leads_back(&visited, parent, &canonical) {
            return Err(problem(&path, "the folder is a link back to one it is in"));
        }
        if !seen.insert(canonical.clone()) {
            continue;
        }
        let here = visited.len();
        visited.push(Visited { canonical, parent });
        for entry in fs::read_dir(&path).map_err(|error| cannot(&path, &error))? {
            let entry = entry.map_err(|error| cannot(&path, &error))?;
            if entry.file_name().to_string_lossy().starts_with('.') {
                continue;
            }
            let path = entry.path();
            let is_toml = path.extension().is_some_and(|extension| extension == "toml");
            match fs::metadata(&path) {
                Ok(metadata) if metadata.is_dir() => open.push((path, Some(here))),
                _ if is_toml => files.push(path),
                // A file of another kind, be it a broken link, is none of ours.
                _ => {}
            }
        }
    }
    Ok(files)
}

fn leads_back(visited: &[Visited], mut parent: Option<usize>, canonical: &Path) -> bool {
    while let Some(folder) = parent.and_then(|index| visited.get(index)) {
        if folder.canonical == canonical {
            return true;
        }
        parent = folder.parent;
    }
    false
}

fn cannot(path: &Path, error: &std::io::Error) -> Problem {
    problem(path, format!("cannot be read: {error}"))
}

fn problem(path: &Path, message: impl Into<String>) -> Problem {
    Problem::whole(path.to_string_lossy().into_owned(), message)
}

/// Lines and columns of a text. Every block's start is remembered, so that a
/// look-up reads one block even where a line is megabytes long.
#[derive(Debug)]
pub(crate) struct Positions {
    blocks: Vec<(usize, usize)>,
}

impl Positions {
    const BLOCK: usize = 256;

    pub(crate) fn new(text: &str) -> Self {
        let mut blocks = Vec::with_capacity(text.len() / Self::BLOCK + 1);
        let mut position = (1, 1);
        for (offset, &byte) in text.as_bytes().iter().enumerate() {
            if offset % Self::BLOCK == 0 {
                blocks.push(position);
            }
            position = step(position, byte);
        }
        if text.len().is_multiple_of(Self::BLOCK) {
            blocks.push(position);
        }
        Self { blocks }
    }

    /// Where byte `offset` of `text` stands; beyond the text, its end.
    pub(crate) fn origin(&self, file: &Arc<str>, text: &str, offset: usize) -> Origin {
        let offset = offset.min(text.len());
        let block = offset / Self::BLOCK;
        let start = self.blocks.get(block).copied().unwrap_or((1, 1));
        let (line, column) = text.as_bytes()[block * Self::BLOCK..offset]
            .iter()
            .fold(start, |position, &byte| step(position, byte));
        Origin { file: Arc::clone(file), line, column }
    }
}

/// The position after `byte`. Only the first byte of a character moves on.
fn step((line, column): (usize, usize), byte: u8) -> (usize, usize) {
    match byte {
        b'\n' => (line + 1, 1),
        0x80..=0xbf => (line, column),
        _ => (line, column + 1),
    }
}
