//! Mutants: named wrong implementations, each breaking one sentence. A suite
//! that lets one pass proves nothing about the sentence.
//!
//! Those of the package are put together from the reference's own parts, in
//! the crate `duipai-mutants`; they run natively and as guests. Those of host
//! and platform wrap a boundary: the plan on its way in, the observation on
//! its way out, or the program instance.

pub mod boundary;

use std::{
    sync::{Arc, LazyLock},
    time::Duration,
};

use duipai_mutants::parts::Parts;
use duipai_platform::Profile;

#[cfg(feature = "wasm")]
use crate::subjects::wasm::{LoadError, Mutants};
use crate::{
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
    Part(&'static duipai_mutants::Mutant),
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
    static OF_THE_PACKAGE: LazyLock<Vec<Mutant>> =
        LazyLock::new(|| duipai_mutants::all().map(Mutant::of_the_package).collect());
    OF_THE_PACKAGE.iter().chain(boundary::MUTANTS)
}

/// The mutant with this name.
pub fn find(name: &str) -> Option<&'static Mutant> {
    all().find(|mutant| mutant.name == name)
}

impl Mutant {
    fn of_the_package(mutant: &'static duipai_mutants::Mutant) -> Self {
        let duipai_mutants::Mutant { name, breaks, does, .. } = *mutant;
        Self { name, breaks, does, fault: Fault::Part(mutant) }
    }

    /// The mutant as a subject.
    pub fn subject(&'static self) -> Arc<dyn Subject> {
        let version = env!("CARGO_PKG_VERSION");
        match self.fault {
            Fault::Part(mutant) => {
                let parts = mutant.parts();
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

    /// The mutant as a guest; `None` when its fault is not in the package.
    ///
    /// # Errors
    ///
    /// [`LoadError`] when the engine does not start.
    #[cfg(feature = "wasm")]
    pub fn guest(&self) -> Result<Option<Arc<dyn Subject>>, LoadError> {
        match self.fault {
            Fault::Part(_) => Ok(Some(Arc::new(Mutants::builtin()?.mutant(self.name)))),
            _ => Ok(None),
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
