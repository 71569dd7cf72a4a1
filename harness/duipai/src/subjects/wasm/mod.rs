//! Subject `wasm`: a component of the guest world in wasmtime, over the
//! simulated host.
//!
//! A guest is compiled once. Every event runs on an instance of its own, which
//! starts from the component's initial state and is bounded in time, memory,
//! stack, and in what it can make the host keep. A guest that breaks costs the
//! case that it broke in.
//!
//! | module | holds |
//! | --- | --- |
//! | `load` | a file → a compiled guest, or why not |
//! | `world` | what a guest must export and may import |
//! | `instance` | one instance with its event; the imported primitives |
//! | `limits` | bounds |
//! | `ticker` | the clock that interrupts a guest |
//! | `fault` | why a guest broke, in a line |

mod fault;
mod instance;
mod limits;
mod load;
mod ticker;
mod world;

use std::{
    path::Path,
    sync::OnceLock,
    time::{Duration, Instant},
};

use duipai_platform::Profile;

pub use self::load::LoadError;
use self::{
    instance::{Instance, bindings::GuestPre},
    limits::State,
};
use crate::{
    observation::Observation,
    plan::Scene,
    sha256,
    subject::{Capability, Fault, Identity, Kind, Subject},
    subjects::event::play,
};

/// The reference package as a component, as `cargo xtask guest` built it.
const BUILT_IN: &[u8] = include_bytes!("../../../../guest/package.wasm");

/// The mutants of the package as one component, which is told which to be.
const MUTANTS: &[u8] = include_bytes!("../../../../guest/mutants.wasm");

/// The engine's version; a test holds it against the lock file.
pub const WASMTIME: &str = "48.0.8";

/// Length of a file's version: `sha256:` and twelve digits.
const VERSION_LENGTH: usize = 19;

/// A guest under test.
pub struct Wasm {
    identity: Identity,
    guest: GuestPre<State>,
    /// The mutant that the guest is told to be.
    mutant: Option<&'static str>,
}

impl Wasm {
    /// The reference package as a guest.
    ///
    /// # Errors
    ///
    /// [`LoadError`] when the engine does not start.
    pub fn builtin() -> Result<Self, LoadError> {
        let guest = load::compiled("wasm", BUILT_IN)?;
        Ok(Self { identity: identity("wasm", env!("CARGO_PKG_VERSION")), guest, mutant: None })
    }

    /// The guest in this file. Its version is the beginning of the file's
    /// SHA-256.
    ///
    /// # Errors
    ///
    /// [`LoadError`] when the file holds no component of the guest world.
    pub fn from_file(path: &Path) -> Result<Self, LoadError> {
        let file = path.display().to_string();
        let bytes = load::read(&file, path)?;
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        Self::compiled(&file, &name, &bytes)
    }

    /// The guest that these bytes are, under this name.
    ///
    /// # Errors
    ///
    /// [`LoadError`] when they are no component of the guest world.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        Self::compiled(name, name, bytes)
    }

    fn compiled(file: &str, name: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        let guest = load::compiled(file, bytes)?;
        let mut version = format!("sha256:{}", sha256::hex(bytes));
        version.truncate(VERSION_LENGTH);
        Ok(Self { identity: identity(name, &version), guest, mutant: None })
    }
}

/// The guest that is any mutant of the package, compiled once for all of them.
pub struct Mutants {
    guest: GuestPre<State>,
}

impl Mutants {
    /// The one that is part of the harness.
    ///
    /// # Errors
    ///
    /// [`LoadError`] when the engine does not start.
    pub fn builtin() -> Result<&'static Self, LoadError> {
        static BUILT_IN: OnceLock<Mutants> = OnceLock::new();
        match BUILT_IN.get() {
            Some(mutants) => Ok(mutants),
            None => {
                let guest = load::compiled("wasm-mutant", MUTANTS)?;
                Ok(BUILT_IN.get_or_init(|| Self { guest }))
            }
        }
    }

    /// The one in this file, as `cargo xtask guest --check` has built it.
    ///
    /// # Errors
    ///
    /// [`LoadError`] when the file holds no component of the guest world.
    pub fn from_file(path: &Path) -> Result<Self, LoadError> {
        let file = path.display().to_string();
        let guest = load::compiled(&file, &load::read(&file, path)?)?;
        Ok(Self { guest })
    }

    /// The mutant with this name. Where the guest knows none of that name, every
    /// event crashes and says so.
    pub fn mutant(&self, name: &'static str) -> Wasm {
        let mut identity = identity(name, env!("CARGO_PKG_VERSION"));
        identity.kind = Kind::Mutant;
        Wasm { identity, guest: self.guest.clone(), mutant: Some(name) }
    }
}

fn identity(name: &str, version: &str) -> Identity {
    Identity {
        name: name.to_owned(),
        kind: Kind::Wasm,
        version: version.to_owned(),
        engine: format!("wasmtime {WASMTIME}"),
    }
}

impl Subject for Wasm {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn supports(&self, _: Capability) -> Result<(), String> {
        Ok(())
    }

    fn run(
        &self,
        scene: &Scene,
        profile: Profile,
        budget: Duration,
    ) -> Result<Vec<Observation>, Fault> {
        // A budget beyond what the clock can count is none.
        let deadline = Instant::now().checked_add(budget);
        play(scene, profile, |event| Instance::start(&self.guest, self.mutant, event, deadline))
    }
}
