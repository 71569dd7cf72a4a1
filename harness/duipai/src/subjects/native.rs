//! Subject `native`: a [`Package`] in this process, over the simulated host.

use std::time::Duration;

use duipai_host::{Abort, Event};
use duipai_platform::Profile;
use duipai_spec::bridge::Failure;

use crate::{
    observation::Observation,
    package::{Package, Reference},
    plan::Scene,
    subject::{Capability, Fault, Identity, Kind, Subject},
    subjects::event::{Ended, Program, play},
};

/// A native package under test; `make` makes a fresh one for every event.
pub struct Native<F> {
    identity: Identity,
    make: F,
}

impl Native<fn() -> Reference> {
    /// The reference implementation.
    pub fn reference() -> Self {
        Native::new("native", env!("CARGO_PKG_VERSION"), || Reference)
    }
}

impl<F, P> Native<F>
where
    F: Fn() -> P + Send + Sync,
    P: Package,
{
    /// The package that `make` makes, under this name and version.
    pub fn new(name: &str, version: &str, make: F) -> Self {
        let identity = Identity {
            name: name.to_owned(),
            kind: Kind::Native,
            version: version.to_owned(),
            engine: format!("simulated host {}", env!("CARGO_PKG_VERSION")),
        };
        Self { identity, make }
    }

    /// The same package, reported as another kind of subject.
    pub(crate) fn of_kind(mut self, kind: Kind) -> Self {
        self.identity.kind = kind;
        self
    }
}

impl<F, P> Subject for Native<F>
where
    F: Fn() -> P + Send + Sync,
    P: Package,
{
    fn identity(&self) -> Identity {
        self.identity.clone()
    }

    fn supports(&self, _: Capability) -> Result<(), String> {
        Ok(())
    }

    fn run(&self, scene: &Scene, profile: Profile, _: Duration) -> Result<Vec<Observation>, Fault> {
        play(scene, profile, |event| Ok(InProcess { package: (self.make)(), event }))
    }
}

/// A package in this process, with its event.
struct InProcess<P> {
    package: P,
    event: Event,
}

impl<P: Package> Program for InProcess<P> {
    fn event(&mut self) -> &mut Event {
        &mut self.event
    }

    fn into_event(self) -> Event {
        self.event
    }

    fn send(&mut self, binding: &str, body: &str, delay: i64) -> Result<(), Failure<Ended>> {
        self.package.send(&mut self.event, binding, body, delay).map_err(ended)
    }

    fn send_batch(&mut self, binding: &str, items: &str) -> Result<(), Failure<Ended>> {
        self.package.send_batch(&mut self.event, binding, items).map_err(ended)
    }

    fn read_batch(&mut self) -> Result<String, Failure<Ended>> {
        self.package.read_batch(&mut self.event).map_err(ended)
    }

    fn ack(&mut self, index: i64) -> Result<(), Failure<Ended>> {
        self.package.ack(&mut self.event, index).map_err(ended)
    }

    fn retry(&mut self, index: i64, delay: i64) -> Result<(), Failure<Ended>> {
        self.package.retry(&mut self.event, index, delay).map_err(ended)
    }
}

fn ended(failure: Failure<Abort>) -> Failure<Ended> {
    match failure {
        Failure::Exception(message) => Failure::Exception(message),
        Failure::Aborted(abort) => Failure::Aborted(Ended::Abort(abort)),
    }
}
