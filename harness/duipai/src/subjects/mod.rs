//! The adapters: one file for each kind of subject.
//!
//! To add a kind, write its file and add its line to [`from_spec`].

pub mod native;

use std::sync::Arc;

use crate::{mutants, nearest::nearest, subject::Subject, subjects::native::Native};

/// A subject cannot be started.
#[derive(Debug, thiserror::Error)]
pub enum SubjectError {
    /// The spec string names no kind of subject.
    #[error("unknown subject `{spec}`; known are `native` and `mutant:NAME`")]
    Unknown {
        /// The spec string.
        spec: String,
    },
    /// There is no such mutant.
    #[error("unknown mutant `{name}`{hint}; `duipai mutants --list` names all")]
    UnknownMutant {
        /// The name asked for.
        name: String,
        /// The mutant whose name is nearest, if one is near, as part of the
        /// sentence.
        hint: String,
    },
}

/// The subject that a spec string names: `native`, or `mutant:NAME`.
///
/// # Errors
///
/// [`SubjectError`] when there is no such subject or it cannot be started.
pub fn from_spec(spec: &str) -> Result<Arc<dyn Subject>, SubjectError> {
    match spec.split_once(':') {
        None if spec == "native" => Ok(Arc::new(Native::reference())),
        Some(("mutant", name)) => match mutants::find(name) {
            Some(mutant) => Ok(mutant.subject()),
            None => Err(SubjectError::UnknownMutant {
                name: name.to_owned(),
                hint: nearest(name, mutants::all().map(|mutant| mutant.name))
                    .map(|near| format!(", perhaps `{near}`"))
                    .unwrap_or_default(),
            }),
        },
        _ => Err(SubjectError::Unknown { spec: spec.to_owned() }),
    }
}
