//! A target that has been started.

use std::{env, sync::Arc};

use crate::{
    fuzz::{
        Judges, Target,
        counts::Counter,
        input::Input,
        run::{Finding, Rejection, Run},
    },
    nearest::nearest,
    runner::panics,
    subject::Subject,
    subjects::{self, SubjectError},
};

/// Names the subject of the targets that judge any.
pub const SUBJECT_VARIABLE: &str = "DUIPAI_SUBJECT";

/// A target cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// There is no such target.
    #[error("unknown fuzz target `{name}`{hint}; there are {known}")]
    Unknown {
        /// The name asked for.
        name: String,
        /// The target whose name is nearest, if one is near, as part of the
        /// sentence.
        hint: String,
        /// The names of all.
        known: String,
    },
    /// It needs an engine that this build is without.
    #[error("target {target} needs the feature `{feature}`, which this build is without")]
    Without {
        /// The target's name.
        target: &'static str,
        /// The feature of the harness that has the engine.
        feature: &'static str,
    },
    /// The subject that it judges cannot be started.
    #[error("target {target}: subject: {source}")]
    Subject {
        /// The target's name.
        target: &'static str,
        /// Why.
        source: SubjectError,
    },
}

/// A target with the subject that it judges.
pub struct Driver {
    target: &'static Target,
    subject: Arc<dyn Subject>,
    counter: Counter,
}

impl Driver {
    /// The target with this name.
    ///
    /// # Errors
    ///
    /// [`StartError`] when there is none, or it cannot be started here.
    pub fn named(name: &str) -> Result<Self, StartError> {
        match super::find(name) {
            Some(target) => Self::start(target),
            None => {
                let names = || super::TARGETS.iter().map(|target| target.name);
                let hint = nearest(name, names()).map(|near| format!(", perhaps `{near}`"));
                Err(StartError::Unknown {
                    name: name.to_owned(),
                    hint: hint.unwrap_or_default(),
                    known: names().collect::<Vec<_>>().join(", "),
                })
            }
        }
    }

    /// Starts `target`; the environment names the subject where any is judged.
    ///
    /// # Errors
    ///
    /// [`StartError`] when it needs what this build or machine does not have.
    pub fn start(target: &'static Target) -> Result<Self, StartError> {
        let spec = match target.judges {
            Judges::Ours => "native".to_owned(),
            Judges::Chosen => env::var(SUBJECT_VARIABLE).unwrap_or_else(|_| "native".to_owned()),
            Judges::Mutant(name) => format!("mutant:{name}"),
            Judges::With(_, true) => "native".to_owned(),
            Judges::With(feature, false) => {
                return Err(StartError::Without { target: target.name, feature });
            }
        };
        let subject = subjects::from_spec(&spec)
            .map_err(|source| StartError::Subject { target: target.name, source })?;
        Ok(Self { target, subject, counter: Counter::new(target.name) })
    }

    /// The same, with counts that are written where the environment says.
    #[must_use]
    pub fn counted(mut self) -> Self {
        self.counter = Counter::from_env(self.target.name);
        self
    }

    /// The target.
    pub fn target(&self) -> &'static Target {
        self.target
    }

    /// Runs the target on these bytes, and counts what came of it.
    ///
    /// A panic of what is judged is a finding.
    pub fn run(&mut self, bytes: &[u8]) -> Run {
        let run = self.read(bytes).map_or_else(Run::Rejected, |input| self.check(&input));
        self.counter.count(&run);
        run
    }

    /// The input that these bytes are to the target.
    ///
    /// # Errors
    ///
    /// Why they are none.
    pub fn read(&self, bytes: &[u8]) -> Result<Input, Rejection> {
        if bytes.len() > self.target.max_len {
            return Err(Rejection::TooLong);
        }
        Input::read(self.target.form, bytes)
    }

    /// Runs the target on this input, uncounted.
    pub fn check(&self, input: &Input) -> Run {
        panics::catch(|| (self.target.check)(input, &*self.subject)).unwrap_or_else(|line| {
            // The place says which fault it is; the message may quote the input.
            let place = line.splitn(4, ':').take(3).collect::<Vec<_>>().join(":");
            Run::Found(Box::new(Finding {
                fault: format!("{}: {place}", self.target.name),
                says: Vec::new(),
                detail: line,
                input: input.describe(),
            }))
        })
    }
}
