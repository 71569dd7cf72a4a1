//! Subjects `platform:PROFILE`: the model of a queue platform, in virtual time, and
//! `platform-mutant:NAME`: a wrong platform made of it.

use std::{collections::BTreeMap, time::Duration};

use duipai_platform::{
    History, Profile, Rules, mutants::Mutant, rules::MEASURED_WITH, scenario::Scenario,
};

use crate::{
    observation::{Clock, Observation, Seen},
    plan::Scene,
    subject::{Answers, Capability, Fault, Identity, Kind, Subject},
};

/// The model of one platform.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    profile: Profile,
}

impl Model {
    /// The model of the platform `profile`.
    pub const fn new(profile: Profile) -> Self {
        Self { profile }
    }
}

impl Subject for Model {
    fn identity(&self) -> Identity {
        let engine = match self.profile {
            Profile::Cloudflare => String::from("virtual time, as documented"),
            Profile::Miniflare => format!("virtual time, as measured with {MEASURED_WITH}"),
        };
        Identity {
            name: format!("platform:{}", self.profile.name()),
            kind: Kind::Platform,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            engine,
        }
    }

    /// The model plays whatever is a scenario.
    fn supports(&self, _: Capability) -> Result<(), String> {
        Ok(())
    }

    fn answers(&self) -> Answers {
        Answers::Platform
    }

    fn profile(&self) -> Option<Profile> {
        Some(self.profile)
    }

    fn play(&self, scenario: &Scenario, _: Duration) -> Result<Seen, Fault> {
        Ok(seen(duipai_platform::play(scenario, &Rules::of(self.profile))))
    }

    fn run(&self, _: &Scene, _: Profile, _: Duration) -> Result<Vec<Observation>, Fault> {
        Err(Fault::Crashed(String::from("it answers platform cases only")))
    }
}

/// A wrong platform (变异体).
#[derive(Clone, Copy)]
pub struct WrongModel(&'static Mutant);

impl WrongModel {
    /// The platform with this one fault.
    pub const fn new(mutant: &'static Mutant) -> Self {
        Self(mutant)
    }
}

impl Subject for WrongModel {
    fn identity(&self) -> Identity {
        Identity {
            name: format!("platform-mutant:{}", self.0.name),
            kind: Kind::Mutant,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            engine: format!("virtual time, made of platform:{}", self.0.profile.name()),
        }
    }

    fn supports(&self, _: Capability) -> Result<(), String> {
        Ok(())
    }

    fn answers(&self) -> Answers {
        Answers::Platform
    }

    fn profile(&self) -> Option<Profile> {
        Some(self.0.profile)
    }

    fn play(&self, scenario: &Scenario, _: Duration) -> Result<Seen, Fault> {
        Ok(seen(self.0.play(scenario)))
    }

    fn run(&self, _: &Scene, _: Profile, _: Duration) -> Result<Vec<Observation>, Fault> {
        Err(Fault::Crashed(String::from("it answers platform cases only")))
    }
}

/// What a model's history shows to the judge.
pub(crate) fn seen(mut history: History) -> Seen {
    let inside = history.inside.take().unwrap_or_default();
    let mut backlog = BTreeMap::new();
    for waiting in inside.waiting {
        *backlog.entry(waiting.queue).or_default() += 1;
    }
    let (dead, dropped) = (inside.dead, inside.dropped);
    Seen { history, dead, dropped, backlog, clock: Clock::Virtual }
}
