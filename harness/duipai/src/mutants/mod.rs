//! Mutants: named wrong implementations, each breaking one sentence. A suite
//! that lets one pass proves nothing about the sentence.
//!
//! The reference has no switch for them. A mutant is put together from the
//! reference's own [parts], with one small function swapped; or it wraps a
//! boundary: the plan on its way in, the observation on its way out, or the
//! program instance.
//!
//! | module | faults in |
//! | --- | --- |
//! | [`send`] | 发送队列消息 |
//! | [`batch`] | 批量发送队列消息: limits and delivery |
//! | [`items`] | 批量发送队列消息: cutting the array, reading its items |
//! | [`consumer`] | the three consumer functions |
//! | [`boundary`] | host and platform |

pub mod batch;
pub mod boundary;
pub mod consumer;
pub mod items;
pub mod parts;
pub mod send;

use std::{sync::Arc, time::Duration};

use duipai_platform::Profile;

use crate::{
    mutants::parts::Parts,
    observation::Observation,
    plan::{EventPlan, Scene},
    subject::{Capability, Fault as SubjectFault, Identity, Kind, Subject},
    subjects::native::Native,
};

/// A named wrong implementation.
#[derive(Clone, Copy, Debug)]
pub struct Mutant {
    /// Its name, as in `mutant:NAME`.
    pub name: &'static str,
    /// Id of the sentence that it breaks.
    pub breaks: &'static str,
    /// What it does wrong, in a few words.
    pub does: &'static str,
    /// Where the fault sits.
    pub fault: Fault,
}

/// Where a mutant's fault sits.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// One of the reference's parts is swapped.
    Part(fn(&mut Parts)),
    /// The host hands the program something else than the plan says.
    Plan(fn(&mut EventPlan)),
    /// Events that are open at the same time get into each other's way.
    Scene(fn(&mut [EventPlan])),
    /// What happened is passed on wrongly.
    Observation(fn(&EventPlan, Profile, &mut Observation)),
    /// The program instance outlives its event.
    KeptInstance,
}

/// Every mutant, in the order of the rooms they live in.
pub fn all() -> impl Iterator<Item = &'static Mutant> {
    [send::MUTANTS, batch::MUTANTS, items::MUTANTS, consumer::MUTANTS, boundary::MUTANTS]
        .into_iter()
        .flatten()
}

/// The mutant with this name.
pub fn find(name: &str) -> Option<&'static Mutant> {
    all().find(|mutant| mutant.name == name)
}

impl Mutant {
    /// The mutant as a subject.
    pub fn subject(&'static self) -> Arc<dyn Subject> {
        let version = env!("CARGO_PKG_VERSION");
        match self.fault {
            Fault::Part(swap) => {
                let mut parts = Parts::REFERENCE;
                swap(&mut parts);
                Arc::new(Native::new(self.name, version, move || parts).of_kind(Kind::Mutant))
            }
            Fault::Plan(_) | Fault::Scene(_) | Fault::Observation(_) => Arc::new(Wrapped {
                mutant: self,
                inner: Native::new(self.name, version, || Parts::REFERENCE).of_kind(Kind::Mutant),
            }),
            Fault::KeptInstance => {
                let kept = boundary::Kept::default();
                let make = move || kept.clone();
                Arc::new(Native::new(self.name, version, make).of_kind(Kind::Mutant))
            }
        }
    }
}

/// A subject whose plans or observations are bent on their way.
struct Wrapped<S> {
    mutant: &'static Mutant,
    inner: S,
}

impl<S: Subject> Subject for Wrapped<S> {
    fn identity(&self) -> Identity {
        self.inner.identity()
    }

    fn supports(&self, capability: Capability) -> Result<(), String> {
        self.inner.supports(capability)
    }

    fn run(
        &self,
        scene: &Scene,
        profile: Profile,
        budget: Duration,
    ) -> Result<Vec<Observation>, SubjectFault> {
        let mut bent = scene.clone();
        match self.mutant.fault {
            Fault::Plan(bend) => bent.events.iter_mut().for_each(bend),
            Fault::Scene(bend) => bend(&mut bent.events),
            _ => {}
        }
        let mut observations = self.inner.run(&bent, profile, budget)?;
        if let Fault::Observation(bend) = self.mutant.fault {
            for (plan, observation) in scene.events.iter().zip(&mut observations) {
                bend(plan, profile, observation);
            }
        }
        Ok(observations)
    }
}
