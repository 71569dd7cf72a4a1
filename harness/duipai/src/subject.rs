//! The seam between the harness and what it judges.
//!
//! A subject runs scenes and reports what happened. It never sees an
//! expectation, and the judge never learns which subject it judges.

use std::{fmt, num::NonZeroUsize, time::Duration};

use duipai_platform::{Profile, scenario::Scenario};
use duipai_spec::ledger::Level;
use serde::Serialize;

use crate::{
    observation::{Observation, Seen},
    plan::Scene,
};

/// An implementation under test (被测实现), reached through its adapter.
pub trait Subject: Send + Sync {
    /// Who this is, for the report.
    fn identity(&self) -> Identity;

    /// Whether scenes that need `capability` can be run; if not, why not.
    ///
    /// # Errors
    ///
    /// The reason, in a few words, which the report gives for every case that
    /// is not applicable because of it.
    fn supports(&self, capability: Capability) -> Result<(), String>;

    /// Whether this scene can be run; if not, why not. It is asked beside
    /// [`supports`](Self::supports), for what no capability names.
    ///
    /// # Errors
    ///
    /// The reason, as for [`supports`](Self::supports).
    fn expresses(&self, _scene: &Scene) -> Result<(), String> {
        Ok(())
    }

    /// The most scenes that it can run at the same time.
    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MAX
    }

    /// How many scenes it is best given at the same time, where that is not one
    /// for each core.
    fn jobs(&self) -> Option<NonZeroUsize> {
        None
    }

    /// Time for one case, if nothing else is asked for and the usual one is too
    /// short.
    fn timeout(&self) -> Option<Duration> {
        None
    }

    /// The kind of cases that it answers; only those are declared for it.
    fn answers(&self) -> Answers {
        Answers::Package
    }

    /// The platform that it is, for one that is always the same; a run for
    /// another profile is refused.
    fn profile(&self) -> Option<Profile> {
        None
    }

    /// Plays the scenario of a platform case, if that is what it
    /// [answers](Self::answers).
    ///
    /// # Errors
    ///
    /// [`Fault`] when the subject broke instead of answering.
    fn play(&self, _scenario: &Scenario, _budget: Duration) -> Result<Seen, Fault> {
        Err(Fault::Crashed(String::from("it answers no platform cases")))
    }

    /// Gets ready for the next scene. It is called before every case, and takes
    /// nothing from the case's time; it ends by itself.
    fn prepare(&self) {}

    /// Runs one scene: every event on a fresh program instance. Returns one
    /// observation for each event, in the order of the plan.
    ///
    /// # Errors
    ///
    /// [`Fault`] when the subject broke instead of answering.
    fn run(
        &self,
        scene: &Scene,
        profile: Profile,
        budget: Duration,
    ) -> Result<Vec<Observation>, Fault>;
}

/// A kind of cases (样例种类), and of the subjects that answer them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Answers {
    /// What the package owes, called from a program.
    Package,
    /// What a queue platform does with messages.
    Platform,
}

impl Answers {
    /// All kinds.
    pub const ALL: [Self; 2] = [Self::Package, Self::Platform];

    /// The name used in case files.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Platform => "platform",
        }
    }

    /// The kind with this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The least binding level that conformance asks for, if nothing else is
    /// said. What is asked of a platform was documented or measured of this very
    /// one, so that all of it counts.
    pub const fn enforced(self) -> Level {
        match self {
            Self::Package => Level::Must,
            Self::Platform => Level::Observe,
        }
    }
}

/// How a subject is named in reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Identity {
    /// Its name, such as `native` or a file's name.
    pub name: String,
    /// The family of subjects it belongs to.
    pub kind: Kind,
    /// Its own version.
    pub version: String,
    /// What it runs on.
    pub engine: String,
}

/// A family of subjects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// A Rust crate in this process.
    Native,
    /// A WebAssembly component.
    Wasm,
    /// A Worker in workerd.
    Worker,
    /// A Worker that is already running.
    Http,
    /// Any program, over its standard streams.
    Exec,
    /// A named wrong implementation.
    Mutant,
    /// The model of a queue platform.
    Platform,
    /// Real Miniflare queues.
    Miniflare,
}

/// Something that a scene may need of a subject beyond the plain calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Capability {
    /// Message bodies that are JavaScript values beyond JSON.
    JsValues,
    /// A symbol or `undefined` as a message body.
    UncloneableValues,
    /// A binding that rejects with a value that is not an Error.
    RejectsNonError,
    /// A binding that a broker refuses, so that the text is the runtime's.
    RealRefusals,
    /// `ack` or `retry` of a message throws.
    SettleThrows,
    /// Time passes in an event without being spent.
    VirtualTime,
    /// Several events are open at once.
    Concurrency,
    /// What the platform redelivers after the event.
    Redelivery,
    /// Events that are neither `fetch` nor `queue`.
    OtherEvents,
}

impl fmt::Display for Capability {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::JsValues => "message bodies beyond JSON",
            Self::UncloneableValues => "message bodies that cannot be cloned",
            Self::RealRefusals => "refusals of a broker",
            Self::RejectsNonError => "rejections that are not Errors",
            Self::SettleThrows => "ack or retry that throws",
            Self::VirtualTime => "virtual time",
            Self::Concurrency => "concurrent events",
            Self::Redelivery => "redelivery",
            Self::OtherEvents => "events beside fetch and queue",
        })
    }
}

/// The subject broke while a scene ran.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It panicked, trapped outside an event, or died; holds a readable reason.
    Crashed(String),
    /// It did not answer within the budget.
    TimedOut,
}
