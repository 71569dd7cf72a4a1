//! The components that are checked in, and the records beside them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::c;

/// What a component was built from. It is checked in beside the component, so
/// that a test can tell a stale one without a compiler for its target.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Record {
    /// SHA-256 of the component.
    pub component: String,
    /// SHA-256 over the [sources](source_digest).
    pub sources: String,
    /// What the compiler calls itself.
    pub toolchain: String,
}

/// The record cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// The record is not one.
    #[error("{}: {source}", path.display())]
    Malformed {
        /// The record's file.
        path: PathBuf,
        /// Where, and what is wrong.
        source: toml::de::Error,
    },
}

/// A component that is checked in.
#[derive(Clone, Copy, Debug)]
pub struct Artefact {
    /// What it is called.
    pub name: &'static str,
    /// The component within the project.
    pub component: &'static str,
    /// The record within the project.
    pub record: &'static str,
    /// How it is made.
    pub made: Made,
    /// Whether the same sources and the same compiler make the same bytes in
    /// every folder. Cargo names crates by where they lie, and the compiler orders
    /// instances of generic functions by that name.
    pub reproducible: bool,
    /// Files and folders that it is made from, within the project. The builder
    /// is among them: it is the last that touches the bytes.
    sources: &'static [&'static str],
}

/// How a component is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// From the Rust crate `harness/guest` with these features.
    Rust {
        /// Comma-separated.
        features: &'static str,
    },
    /// From the C sources in `harness/guest-c`.
    C,
}

/// The components that are checked in.
pub const ARTEFACTS: [Artefact; 3] = [
    Artefact {
        name: "package",
        component: "harness/guest/package.wasm",
        record: "harness/guest/package.toml",
        made: Made::Rust { features: "" },
        reproducible: false,
        sources: &RUST_SOURCES,
    },
    Artefact {
        name: "mutants",
        component: "harness/guest/mutants.wasm",
        record: "harness/guest/mutants.toml",
        made: Made::Rust { features: "mutants" },
        reproducible: false,
        sources: &RUST_SOURCES,
    },
    Artefact {
        name: "c",
        component: "harness/guest-c/package.wasm",
        record: "harness/guest-c/package.toml",
        made: Made::C,
        reproducible: true,
        sources: &c::SOURCES,
    },
];

/// Of both guests in Rust, since one lock file is behind both.
const RUST_SOURCES: [&str; 12] = [
    "harness/guest/Cargo.lock",
    "harness/guest/Cargo.toml",
    "harness/guest/src",
    "harness/guest/wit",
    "harness/guest-build/src/component.rs",
    "harness/guest-build/src/toolchain.rs",
    "harness/mutants/Cargo.toml",
    "harness/mutants/src",
    "harness/queue/Cargo.toml",
    "harness/queue/src",
    "harness/spec/Cargo.toml",
    "harness/spec/src",
];

impl Record {
    /// Reads the record of an artefact of `project`.
    ///
    /// # Errors
    ///
    /// When it is missing or malformed.
    pub fn read(project: &Path, artefact: &Artefact) -> Result<Self, RecordError> {
        let path = project.join(artefact.record);
        let text = fs::read_to_string(&path)
            .map_err(|source| RecordError::Unreadable { path: path.clone(), source })?;
        toml::from_str(&text).map_err(|source| RecordError::Malformed { path, source })
    }

    /// The record's file.
    pub fn to_text(&self) -> String {
        let Self { component, sources, toolchain } = self;
        format!(
            "# What the component was built from; written by `cargo xtask guest`.\n\
             component = {component:?}\nsources = {sources:?}\ntoolchain = {toolchain:?}\n",
        )
    }
}

/// `sha256:` and the digest of these bytes.
pub fn digest(bytes: &[u8]) -> String {
    spelled(Sha256::new_with_prefix(bytes))
}

/// `sha256:` and the digest of everything that the artefact of `project` is
/// made from: the files' names and contents.
///
/// # Errors
///
/// When a source cannot be read.
pub fn source_digest(project: &Path, artefact: &Artefact) -> Result<String, RecordError> {
    let mut files = Vec::new();
    let mut open: Vec<String> = artefact.sources.iter().map(|&name| name.to_owned()).collect();
    while let Some(name) = open.pop() {
        let path = project.join(&name);
        let unreadable = |source| RecordError::Unreadable { path: path.clone(), source };
        if path.is_dir() {
            for entry in fs::read_dir(&path).map_err(unreadable)? {
                let entry = entry.map_err(unreadable)?.file_name();
                open.push(format!("{name}/{}", entry.to_string_lossy()));
            }
        } else {
            let content = fs::read(&path).map_err(unreadable)?;
            files.push((name, content));
        }
    }
    files.sort_unstable();
    let mut hasher = Sha256::new();
    for part in files.iter().flat_map(|(name, content)| [name.as_bytes(), content]) {
        // With its size, so that no two lists of files give the same bytes.
        hasher.update((part.len() as u64).to_be_bytes());
        hasher.update(part);
    }
    Ok(spelled(hasher))
}

fn spelled(hasher: Sha256) -> String {
    let hex: String = hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{hex}")
}
