//! Subject `miniflare`: real Miniflare queues, in real time.
//!
//! ```text
//!  harness ──HTTP──► server in Node ──► Miniflare ──► a Worker for each scenario
//! ```
//!
//! The server (harness/worker/miniflare) plays scenarios that come in together in
//! one Miniflare, so that the suite takes hardly longer than its longest scenario.
//! It ends with the harness, and everything that it has started ends with it.

mod client;
mod error;
mod node;

use std::{
    fs,
    num::NonZeroUsize,
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};

use duipai_platform::{Profile, scenario::Scenario};
use include_dir::{Dir, include_dir};
use tempfile::TempDir;

pub use error::MiniflareError;

use self::{
    client::{Client, Played, Trouble, Versions},
    node::Tools,
};
use crate::{
    judge::one_line,
    observation::{Clock, Observation, Seen},
    plan::Scene,
    subject::{Answers, Capability, Fault, Identity, Kind, Subject},
    subjects::process::{self, Listener},
};

/// The server and the scenarios' Worker.
static SOURCES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/../worker/miniflare");

/// The server's main module.
const SERVER: &str = "server.js";

/// Scenarios that are handed in at the same time. Each waits in a thread of its
/// own, and the server plays all of them together.
const JOBS: NonZeroUsize = NonZeroUsize::new(128).expect("it is not zero");

/// Time for one scenario: it may be among the last of those that are handed in
/// together, and it may be played again.
const TIMEOUT: Duration = Duration::from_secs(120);

/// Time for the question what the server runs.
const VERSIONS_LIMIT: Duration = Duration::from_secs(10);

/// When answers took longer than this, the machine was too busy to be measured on,
/// in milliseconds.
const MOST_LAG: u64 = 250;

/// Most that a busy machine may add to a case's tolerance, in milliseconds.
const MOST_LOST: u64 = 2000;

/// How often a scenario is played again for that.
const REPLAYS: usize = 2;

/// Starts in a row that may fail before no other is tried.
const MAX_FAILED_STARTS: u32 = 3;

/// What is installed, in words.
///
/// # Errors
///
/// When Node or Miniflare is missing or too old, or they do not start.
pub fn installed() -> Result<String, MiniflareError> {
    Miniflare::start().map(|started| {
        let Identity { version, engine, .. } = started.identity;
        format!("miniflare {version} on {engine}")
    })
}

/// Real Miniflare queues.
pub struct Miniflare {
    identity: Identity,
    tools: Tools,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    running: Option<Arc<Running>>,
    failed_starts: u32,
    /// Why the last start failed.
    failure: String,
}

/// A server, shared by those who wait for it.
struct Running {
    client: Client,
    listener: Mutex<Listener>,
    /// Holds the scripts for as long as they may be read.
    _folder: TempDir,
}

impl Miniflare {
    /// Starts the server.
    ///
    /// # Errors
    ///
    /// When Node or Miniflare is missing or too old, or they do not start.
    pub fn start() -> Result<Self, MiniflareError> {
        let tools = Tools::find()?;
        let running = Running::start(&tools)?;
        let Versions { node, miniflare, workerd } =
            running.client.versions(VERSIONS_LIMIT).map_err(|trouble| {
                MiniflareError::Silent(match trouble {
                    Trouble::TimedOut => String::from("it keeps silent"),
                    Trouble::Unreachable => String::from("nobody listens"),
                    Trouble::Lost(reason) | Trouble::Broken(reason) => reason,
                })
            })?;
        let line = |version: &str| one_line(version, 40);
        let identity = Identity {
            name: String::from("miniflare"),
            kind: Kind::Miniflare,
            version: line(&miniflare),
            engine: format!("node {}, workerd {}", line(&node), line(&workerd)),
        };
        let state = State { running: Some(Arc::new(running)), ..State::default() };
        Ok(Self { identity, tools, state: Mutex::new(state) })
    }

    /// The server that runs, started again if it has ended.
    fn running(&self) -> Result<Arc<Running>, String> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(running) = &state.running
            && !running.has_ended()
        {
            return Ok(Arc::clone(running));
        }
        state.running = None;
        if state.failed_starts < MAX_FAILED_STARTS {
            match Running::start(&self.tools) {
                Ok(started) => {
                    let running = Arc::new(started);
                    state.failed_starts = 0;
                    state.running = Some(Arc::clone(&running));
                    return Ok(running);
                }
                Err(error) => {
                    state.failed_starts += 1;
                    state.failure = error.to_string();
                }
            }
        }
        Err(format!("miniflare could not be started again: {}", state.failure))
    }

    fn play_once(&self, scenario: &Scenario, budget: Duration) -> Result<Played, Trouble> {
        match self.running() {
            Ok(running) => running.client.play(scenario, budget),
            Err(reason) => Err(Trouble::Broken(reason)),
        }
    }
}

/// What became of a scenario that was not played to its end.
fn fault(trouble: Trouble) -> Fault {
    match trouble {
        Trouble::TimedOut => Fault::TimedOut,
        Trouble::Unreachable => Fault::Crashed(String::from("miniflare's server is gone")),
        Trouble::Lost(reason) => Fault::Crashed(format!("the scenario was lost: {reason}")),
        Trouble::Broken(reason) => Fault::Crashed(reason),
    }
}

impl Running {
    fn start(tools: &Tools) -> Result<Self, MiniflareError> {
        let folder = tempfile::Builder::new().prefix("duipai-").tempdir();
        let folder = folder.map_err(MiniflareError::Prepare)?;
        for file in SOURCES.files() {
            fs::write(folder.path().join(file.path()), file.contents())
                .map_err(MiniflareError::Prepare)?;
        }
        // The scripts are modules wherever they lie.
        let token = process::token().map_err(MiniflareError::Token)?;
        // Only this user can look into the folder; a command line is for everyone.
        for (name, text) in [("package.json", r#"{"type":"module"}"#), ("token", &token)] {
            fs::write(folder.path().join(name), text).map_err(MiniflareError::Prepare)?;
        }
        let server = folder.path().join(SERVER);
        let arguments = [server.as_os_str(), tools.miniflare.as_os_str()];
        let listener = Listener::start("miniflare's server", &tools.node, &arguments)?;
        let client = Client::new(listener.port, token);
        Ok(Self { client, listener: Mutex::new(listener), _folder: folder })
    }

    fn has_ended(&self) -> bool {
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).has_ended()
    }
}

impl Subject for Miniflare {
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn supports(&self, capability: Capability) -> Result<(), String> {
        match capability {
            Capability::VirtualTime => Err(String::from("its time is real")),
            _ => Ok(()),
        }
    }

    fn jobs(&self) -> Option<NonZeroUsize> {
        Some(JOBS)
    }

    fn timeout(&self) -> Option<Duration> {
        Some(TIMEOUT)
    }

    fn answers(&self) -> Answers {
        Answers::Platform
    }

    fn profile(&self) -> Option<Profile> {
        Some(Profile::Miniflare)
    }

    fn play(&self, scenario: &Scenario, budget: Duration) -> Result<Seen, Fault> {
        let start = Instant::now();
        let mut played = self.play_once(scenario, budget);
        for _ in 0..REPLAYS {
            let again = match &played {
                Ok(played) => played.lag > MOST_LAG,
                // Another scenario of the same Miniflare may have broken it.
                Err(trouble) => matches!(trouble, Trouble::Lost(_)),
            };
            let took = start.elapsed();
            let left = budget.saturating_sub(took);
            if !again || left < took {
                break;
            }
            played = self.play_once(scenario, left);
        }
        let played = played.map_err(fault)?;
        let Played { history, dead, dropped, backlog, lost, .. } = played;
        let clock = Clock::Real { lost: lost.min(MOST_LOST) };
        Ok(Seen { history, dead, dropped, backlog, clock })
    }

    fn run(&self, _: &Scene, _: Profile, _: Duration) -> Result<Vec<Observation>, Fault> {
        Err(Fault::Crashed(String::from("it answers platform cases only")))
    }
}
