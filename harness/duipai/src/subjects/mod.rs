//! The adapters: one file for each kind of subject.
//!
//! To add a kind, write its file and add its line to [`from_spec`].

pub mod miniflare;
pub mod native;
pub mod platform;
pub mod process;
#[cfg(feature = "wasm")]
pub mod wasm;
pub mod worker;

mod event;

use std::{path::Path, sync::Arc};

use duipai_platform::{Profile, mutants as platform_mutants};

#[cfg(feature = "wasm")]
use crate::subjects::wasm::{LoadError, Wasm};
use crate::{
    mutants::{self, Mutant},
    nearest::nearest,
    subject::Subject,
    subjects::{
        miniflare::{Miniflare, MiniflareError},
        native::Native,
        platform::{Model, WrongModel},
        worker::{AttachError, Attached, Queues, Reach, Worker, WorkerError},
    },
};

/// A subject cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// The spec string names no kind of subject.
    #[error("unknown subject `{spec}`; known are {KNOWN}")]
    Unknown {
        /// The spec string.
        spec: String,
    },
    /// There is no such platform.
    #[error("unknown platform `{name}`; known are `platform:cloudflare` and `platform:miniflare`")]
    UnknownProfile {
        /// The name asked for.
        name: String,
    },
    /// There is no such mutant.
    #[error("unknown mutant `{name}`{hint}; `duipai mutants {listed}` names all")]
    UnknownMutant {
        /// The name asked for.
        name: String,
        /// The mutant whose name is nearest, if one is near, as part of the
        /// sentence.
        hint: String,
        /// What lists those of its kind.
        listed: &'static str,
    },
    /// The mutant is not one of the package.
    #[cfg(feature = "wasm")]
    #[error("mutant `{name}` is a fault of the host, not of a guest; run it as `mutant:{name}`")]
    NoGuest {
        /// The name asked for.
        name: String,
    },
    /// The guest cannot be used.
    #[cfg(feature = "wasm")]
    #[error(transparent)]
    Guest(#[from] LoadError),
    /// The Worker cannot be used.
    #[error(transparent)]
    Worker(#[from] WorkerError),
    /// Miniflare cannot be used.
    #[error(transparent)]
    Miniflare(#[from] MiniflareError),
    /// The running Worker cannot be attached to.
    #[error(transparent)]
    Attach(#[from] AttachError),
}

/// The spec strings of this build.
#[cfg(feature = "wasm")]
const KNOWN: &str = "`native`, `wasm`, `wasm:FILE`, `worker`, `worker:DIR`, `worker-wire`, \
     `worker-wire:DIR`, `http:URL`, `mutant:NAME`, `wasm-mutant:NAME`, `platform:PROFILE`, \
     `platform-mutant:NAME` and `miniflare`";
#[cfg(not(feature = "wasm"))]
const KNOWN: &str = "`native`, `worker`, `worker:DIR`, `worker-wire`, `worker-wire:DIR`, \
     `http:URL`, `mutant:NAME`, `platform:PROFILE`, `platform-mutant:NAME` and `miniflare` (this build is without `wasm`)";

/// The subject that a spec string names: `native`, `wasm` for the guest that is
/// part of the harness, `wasm:FILE` for any other, `worker` for the trial app of the
/// harness in workerd, `worker:DIR` for the Worker in a folder, `worker-wire` and
/// `worker-wire:DIR` for the same with the runtime's own queue bindings, `http:URL` for a
/// Worker that is already running on this machine, `mutant:NAME`, `wasm-mutant:NAME`
/// for a mutant of the package as a guest, `platform:PROFILE` for the model of a
/// platform, `platform-mutant:NAME` for a wrong one, or `miniflare`.
///
/// # Errors
///
/// [`SubjectError`] when there is no such subject or it cannot be started.
pub fn from_spec(spec: &str) -> Result<Arc<dyn Subject>, SubjectError> {
    from_spec_within(spec, Reach::Loopback)
}

/// Like [`from_spec`], where `http:URL` may lead as far as `reach`.
///
/// # Errors
///
/// As for [`from_spec`].
pub fn from_spec_within(spec: &str, reach: Reach) -> Result<Arc<dyn Subject>, SubjectError> {
    match spec.split_once(':') {
        None if spec == "native" => Ok(Arc::new(Native::reference())),
        #[cfg(feature = "wasm")]
        None if spec == "wasm" => Ok(Arc::new(Wasm::builtin()?)),
        #[cfg(feature = "wasm")]
        Some(("wasm", file)) => Ok(Arc::new(Wasm::from_file(Path::new(file))?)),
        None if spec == "worker" => Ok(Arc::new(Worker::builtin(Queues::Doubles)?)),
        None if spec == "worker-wire" => Ok(Arc::new(Worker::builtin(Queues::Own)?)),
        Some(("worker", folder)) => {
            Ok(Arc::new(Worker::from_folder(Path::new(folder), Queues::Doubles)?))
        }
        Some(("worker-wire", folder)) => {
            Ok(Arc::new(Worker::from_folder(Path::new(folder), Queues::Own)?))
        }
        Some(("http", url)) => {
            // An address is its own spec, with or without the kind before it.
            let url = if url.starts_with("//") { spec } else { url };
            Ok(Arc::new(Attached::new(url, reach)?))
        }
        Some(("platform", profile)) => match Profile::from_name(profile) {
            Some(profile) => Ok(Arc::new(Model::new(profile))),
            None => Err(SubjectError::UnknownProfile { name: profile.to_owned() }),
        },
        Some(("platform-mutant", name)) => Ok(Arc::new(WrongModel::new(wrong_platform(name)?))),
        None if spec == "miniflare" => Ok(Arc::new(Miniflare::start()?)),
        Some(("mutant", name)) => Ok(mutant(name)?.subject()),
        #[cfg(feature = "wasm")]
        Some(("wasm-mutant", name)) => {
            let guest = mutant(name)?.guest()?;
            guest.ok_or_else(|| SubjectError::NoGuest { name: name.to_owned() })
        }
        _ => Err(SubjectError::Unknown { spec: spec.to_owned() }),
    }
}

fn mutant(name: &str) -> Result<&'static Mutant, SubjectError> {
    mutants::find(name)
        .ok_or_else(|| unknown_mutant(name, mutants::all().map(|it| it.name), "--list"))
}

fn wrong_platform(name: &str) -> Result<&'static platform_mutants::Mutant, SubjectError> {
    let names = platform_mutants::MUTANTS.iter().map(|mutant| mutant.name);
    platform_mutants::Mutant::named(name)
        .ok_or_else(|| unknown_mutant(name, names, "--platform --list"))
}

fn unknown_mutant(
    name: &str,
    names: impl Iterator<Item = &'static str>,
    listed: &'static str,
) -> SubjectError {
    let near = nearest(name, names);
    let hint = near.map(|near| format!(", perhaps `{near}`")).unwrap_or_default();
    SubjectError::UnknownMutant { name: name.to_owned(), hint, listed }
}
