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

mod attached;
mod bundle;
mod config;
mod driver;
mod error;
mod folder;
mod launch;
mod observe;
mod request;
mod runtime;
mod server;
mod settled;
mod wire;
mod wrangler;
mod yuyan;

use std::{
    num::NonZeroUsize,
    path::Path,
    time::{Duration, Instant},
};

use duipai_platform::Profile;
use duipai_spec::event::End;
use include_dir::{Dir, include_dir};

pub use attached::{AttachError, Attached, Reach};
pub use error::WorkerError;

use self::{
    config::Module,
    driver::{EventRequest, RawEvent},
    folder::Deployment,
    launch::{Launch, Setting, embedded, token},
    request::{expressible, probe, request},
    runtime::Runtime,
    server::Server,
    wire::{Broker, scene},
    yuyan::Yuyan,
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

/// The queues that a Worker under test is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queues {
    /// Doubles, which see the arguments themselves and reject with anything.
    Doubles,
    /// The runtime's own bindings, at whose other end stands the harness.
    Own,
}

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
    server: Server,
    protocol: Protocol,
}

/// How the Worker is told what to do.
enum Protocol {
    /// The harness's own.
    Duipai,
    /// That of the 豫言 project's trial app.
    Yuyan(Yuyan),
}

impl Worker {
    /// The trial app that is part of the harness.
    ///
    /// # Errors
    ///
    /// When workerd is missing or does not start.
    pub fn builtin(queues: Queues) -> Result<Self, WorkerError> {
        let modules = embedded(&APP, "app/");
        let deployment = Deployment::new("app/app.js", modules);
        let name = match queues {
            Queues::Doubles => "worker",
            Queues::Own => "worker-wire",
        };
        Self::start(name, env!("CARGO_PKG_VERSION"), deployment, queues)
    }

    /// The Worker in `folder`. Its version is the beginning of the digest of its
    /// modules.
    ///
    /// # Errors
    ///
    /// When there is none, it does not start, or it does not speak the protocol.
    pub fn from_folder(folder: &Path, queues: Queues) -> Result<Self, WorkerError> {
        let deployment = Deployment::read(folder)?;
        let name = folder.canonicalize().ok().and_then(|path| path.file_name().map(Into::into));
        let name = name.unwrap_or_else(|| folder.as_os_str().to_owned());
        let version = digest(&deployment.modules);
        Self::start(&one_line(&name.to_string_lossy(), TOLD_CHARS), &version, deployment, queues)
    }

    fn start(
        name: &str,
        version: &str,
        deployment: Deployment,
        queues: Queues,
    ) -> Result<Self, WorkerError> {
        let runtime = Runtime::find()?;
        let date = one_line(&deployment.compatibility_date, TOLD_CHARS);
        let engine = format!("workerd {}, compatibility date {date}", runtime.version);
        let (broker, engine) = match queues {
            Queues::Doubles => (None, engine),
            Queues::Own => {
                let broker = Broker::start(token()?).map_err(WorkerError::Broker)?;
                (Some(broker), engine + ", its own queue bindings")
            }
        };
        let identity = Identity {
            name: name.to_owned(),
            kind: Kind::Worker,
            version: version.to_owned(),
            engine,
        };
        let yuyan = Yuyan::new(&deployment.queues);
        let server = Server::start(Launch { runtime, deployment, broker })?;
        let protocol = match speaks_duipai(&server) {
            Ok(()) => Protocol::Duipai,
            // Who does not answer at all is not asked again.
            Err(Fault::TimedOut) => {
                return Err(WorkerError::Silent(String::from("it does not answer")));
            }
            Err(Fault::Crashed(_)) if speaks_yuyan(&server) => Protocol::Yuyan(yuyan),
            Err(Fault::Crashed(reason)) => return Err(WorkerError::Silent(reason)),
        };
        Ok(Self { identity, server, protocol })
    }

    /// Has the events happen together.
    fn cause(
        &self,
        mut requests: Vec<EventRequest<'_>>,
        budget: Duration,
    ) -> Result<Vec<RawEvent>, Fault> {
        let Some(broker) = self.server.broker() else {
            return self.server.play(&requests, &Setting::default(), budget);
        };
        match (requests.pop(), requests.is_empty()) {
            (Some(request), true) => {
                scene::play(&self.server, broker, request, budget).map(|seen| vec![seen])
            }
            _ => Err(Fault::Crashed(String::from("the broker serves one event at a time"))),
        }
    }
}

/// Asks for an event without a step; what is wrong with the answer.
fn speaks_duipai(server: &Server) -> Result<(), Fault> {
    let plan = probe();
    let seen = server.play(&[request(&plan)], &Setting::default(), PROBE_LIMIT);
    let seen = seen.map(|seen| seen.into_iter().next().unwrap_or_default());
    match seen.and_then(|seen| observe::observe(&plan, seen, Profile::default())) {
        Ok(seen) if seen.outcomes.is_empty() && seen.end == End::Fulfilled => Ok(()),
        Ok(_) => Err(Fault::Crashed(String::from("it reports what nobody asked for"))),
        Err(fault) => Err(fault),
    }
}

fn speaks_yuyan(server: &Server) -> bool {
    let seen = server.play(&[Yuyan::probe()], &Setting::default(), PROBE_LIMIT);
    seen.is_ok_and(|seen| seen.first().is_some_and(Yuyan::answers))
}

impl Subject for Worker {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn supports(&self, capability: Capability) -> Result<(), String> {
        let wire = self.server.broker().is_some();
        match (&self.protocol, capability) {
            (_, Capability::VirtualTime) => Err(String::from("time is real in workerd")),
            (_, Capability::RealRefusals) if !wire => {
                Err(String::from("that needs the real queue binding: worker-wire"))
            }
            (_, Capability::RejectsNonError) if wire => {
                Err(String::from("a queue binding rejects with Errors"))
            }
            (_, Capability::Concurrency) if wire => {
                Err(String::from("the wire does not say which event a call is of"))
            }
            (Protocol::Duipai, _) => Ok(()),
            (Protocol::Yuyan(_), Capability::Concurrency | Capability::OtherEvents) => {
                Err(String::from("the trial app has no such events"))
            }
            (Protocol::Yuyan(_), Capability::SettleThrows) => {
                Err(String::from("the trial app does not say what it does then"))
            }
            (Protocol::Yuyan(_), _) => Ok(()),
        }
    }

    fn expresses(&self, scene: &Scene) -> Result<(), String> {
        scene.events.iter().try_for_each(|plan| {
            expressible(plan)?;
            if self.server.broker().is_some() {
                scene::expressible(plan)?;
            }
            match &self.protocol {
                Protocol::Duipai => Ok(()),
                Protocol::Yuyan(yuyan) => yuyan.expressible(plan),
            }
        })
    }

    /// workerd has one thread, and what hangs in it hangs for all.
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    fn prepare(&self) {
        self.server.prepare();
    }

    fn run(
        &self,
        scene: &Scene,
        profile: Profile,
        budget: Duration,
    ) -> Result<Vec<Observation>, Fault> {
        let start = Instant::now();
        match &self.protocol {
            Protocol::Duipai => {
                let requests: Vec<_> = scene.events.iter().map(request).collect();
                let seen = self.cause(requests, budget)?;
                let plans = scene.events.iter().zip(seen);
                plans.map(|(plan, raw)| observe::observe(plan, raw, profile)).collect()
            }
            Protocol::Yuyan(yuyan) => {
                let run = |plan: &EventPlan| {
                    yuyan.run(plan, profile, |request| {
                        let left = budget.saturating_sub(start.elapsed());
                        let seen = self.cause(vec![request], left)?;
                        Ok(seen.into_iter().next().unwrap_or_default())
                    })
                };
                scene.events.iter().map(run).collect()
            }
        }
    }
}

/// Names the modules and what stands in them.
fn digest(modules: &[Module]) -> String {
    let parts = modules.iter().map(|one| format!("{} {}\n", sha256::hex(&one.content), one.name));
    let mut version = format!("sha256:{}", sha256::hex(parts.collect::<String>().as_bytes()));
    version.truncate(VERSION_LENGTH);
    version
}
