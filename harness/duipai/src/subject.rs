//! The seam between the harness and what it judges.
//!
//! A subject runs scenes and reports what happened. It never sees an
//! expectation, and the judge never learns which subject it judges.

use std::{fmt, num::NonZeroUsize, time::Duration};

use duipai_platform::Profile;
use serde::Serialize;

use crate::{observation::Observation, plan::Scene};

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
