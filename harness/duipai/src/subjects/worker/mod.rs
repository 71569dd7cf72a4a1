//! Subject `worker`: a Worker in real workerd, the runtime that people deploy
//! to.
//!
//! ```text
//!  harness ──HTTP──► driver ──events──► shim ──► the Worker under test
//!     ▲                ▲                 │
//!     └──── answer ────┴──── log ◄───────┘
//! ```
//!
//! Driver and shim are Workers of the harness (harness/worker/src). The driver
//! causes real events; the shim, which stands around the Worker under test in its
//! isolate, logs what it calls. One workerd process serves all scenes, one after
//! the other; when it dies or hangs, that scene is lost and a new process takes
//! over.

mod bundle;
mod command;
mod config;
mod driver;
mod error;
mod folder;
mod launch;
mod observe;
mod process;
mod request;
mod runtime;
mod settled;
mod wrangler;

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    path::Path,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use duipai_platform::Profile;
use duipai_spec::event::EventKind;
use include_dir::{Dir, include_dir};

pub use error::WorkerError;
pub use process::StartError;

use self::{
    config::Module,
    driver::{EventRequest, Mode, RawEvent, SceneRequest, Trouble},
    folder::Deployment,
    launch::{Launch, State, embedded},
    request::{expressible, request},
    runtime::Runtime,
};
use crate::{
    judge::one_line,
    observation::Observation,
    plan::{EventPlan, Scene},
    sha256,
    subject::{Capability, Fault, Identity, Kind, Subject},
};

/// The trial app in plain JavaScript.
static APP: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../worker/app");

/// Time for the question whether a Worker speaks the protocol.
const PROBE_LIMIT: Duration = Duration::from_secs(10);

/// Length of a folder's version: `sha256:` and twelve digits.
const VERSION_LENGTH: usize = "sha256:".len() + 12;

/// Longest text of the Worker's in an error, in characters.
const TOLD_CHARS: usize = 160;

/// The version of the workerd that is installed.
///
/// # Errors
///
/// When there is none, or it does not run here.
pub fn installed() -> Result<String, WorkerError> {
    Runtime::find().map(|runtime| runtime.version)
}

/// A Worker under test.
pub struct Worker {
    identity: Identity,
    launch: Launch,
    state: Mutex<State>,
}

impl Worker {
    /// The trial app that is part of the harness.
    ///
    /// # Errors
    ///
    /// When workerd is missing or does not start.
    pub fn builtin() -> Result<Self, WorkerError> {
        let modules = embedded(&APP, "app/");
        let deployment = Deployment::new("app/app.js", modules);
        Self::start("worker", env!("CARGO_PKG_VERSION"), deployment)
    }

    /// The Worker in `folder`. Its version is the beginning of the digest of its
    /// modules.
    ///
    /// # Errors
    ///
    /// When there is none, it does not start, or it does not speak the protocol.
    pub fn from_folder(folder: &Path) -> Result<Self, WorkerError> {
        let deployment = Deployment::read(folder)?;
        let name = folder.canonicalize().ok().and_then(|path| path.file_name().map(Into::into));
        let name = name.unwrap_or_else(|| folder.as_os_str().to_owned());
        let version = digest(&deployment.modules);
        Self::start(&one_line(&name.to_string_lossy(), TOLD_CHARS), &version, deployment)
    }

    fn start(name: &str, version: &str, deployment: Deployment) -> Result<Self, WorkerError> {
        let runtime = Runtime::find()?;
        let identity = Identity {
            name: name.to_owned(),
            kind: Kind::Worker,
            version: version.to_owned(),
            engine: format!(
                "workerd {}, compatibility date {}",
                runtime.version,
                one_line(&deployment.compatibility_date, TOLD_CHARS)
            ),
        };
        let launch = Launch { runtime, deployment };
        let state = Mutex::new(State::from(launch.start()?));
        let worker = Self { identity, launch, state };
        worker.probe()?;
        Ok(worker)
    }

    /// Asks for an event without a step.
    fn probe(&self) -> Result<(), WorkerError> {
        let plan = EventPlan {
            kind: EventKind::Fetch,
            grants: Vec::new(),
            bindings: BTreeMap::new(),
            batch: None,
            steps: Vec::new(),
        };
        let raw = self.play(&[request(&plan)], PROBE_LIMIT).map_err(|fault| {
            WorkerError::Silent(match fault {
                Fault::Crashed(reason) => reason,
                Fault::TimedOut => String::from("it does not answer"),
            })
        })?;
        let seen = raw.into_iter().next().unwrap_or_default();
        match observe::observe(&plan, seen, Profile::default()) {
            Ok(seen) if seen.outcomes.is_empty() => Ok(()),
            Ok(_) => Err(WorkerError::Silent("it reports steps that nobody asked for".to_owned())),
            Err(Fault::Crashed(reason)) => Err(WorkerError::Silent(reason)),
            Err(Fault::TimedOut) => Err(WorkerError::Silent("it does not answer".to_owned())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has these events happen together.
    fn play(&self, events: &[EventRequest<'_>], budget: Duration) -> Result<Vec<RawEvent>, Fault> {
        let start = Instant::now();
        let mut state = self.lock();
        let Some(running) = self.launch.ready(&mut state) else {
            let reason = format!("workerd could not be started again: {}", state.failure);
            return Err(Fault::Crashed(reason));
        };
        let scene = SceneRequest { mode: Mode::Double, events };
        match running.driver.play(&scene, budget.saturating_sub(start.elapsed())) {
            Ok(seen) => Ok(seen),
            Err(Trouble::Refused(reason)) => {
                Err(Fault::Crashed(format!("the scene cannot be played: {reason}")))
            }
            Err(Trouble::TimedOut) => {
                // It may be in an endless loop: nothing else brings it back.
                state.running = None;
                Err(Fault::TimedOut)
            }
            Err(Trouble::Broken(reason)) => {
                let words = state.running.take().map(|broken| broken.workerd.last_words());
                let words = words.filter(|words| !words.is_empty());
                let words = words.map(|words| format!("; workerd said: {words}"));
                Err(Fault::Crashed(reason + &words.unwrap_or_default()))
            }
        }
    }
}

impl Subject for Worker {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn supports(&self, capability: Capability) -> Result<(), String> {
        match capability {
            Capability::VirtualTime => Err(String::from("time is real in workerd")),
            _ => Ok(()),
        }
    }

    fn expresses(&self, scene: &Scene) -> Result<(), String> {
        scene.events.iter().try_for_each(expressible)
    }

    /// workerd has one thread, and what hangs in it hangs for all.
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    fn prepare(&self) {
        let mut state = self.lock();
        // Whether it runs is asked again when a scene is to be played.
        let _ = self.launch.ready(&mut state);
    }

    fn run(
        &self,
        scene: &Scene,
        profile: Profile,
        budget: Duration,
    ) -> Result<Vec<Observation>, Fault> {
        let requests: Vec<_> = scene.events.iter().map(request).collect();
        let seen = self.play(&requests, budget)?;
        let plans = scene.events.iter().zip(seen);
        plans.map(|(plan, raw)| observe::observe(plan, raw, profile)).collect()
    }
}

/// Names the modules and what stands in them.
fn digest(modules: &[Module]) -> String {
    let parts = modules.iter().map(|one| format!("{} {}\n", sha256::hex(&one.content), one.name));
    let mut version = format!("sha256:{}", sha256::hex(parts.collect::<String>().as_bytes()));
    version.truncate(VERSION_LENGTH);
    version
}
