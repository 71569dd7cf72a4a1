//! Targets over JSON texts.

#[cfg(feature = "quickjs")]
use duipai_host::json;

use super::{beside, run_of};
use crate::{
    fuzz::{
        input::Input,
        run::{Rejection, Run},
    },
    oracle::{
        canonical,
        split::{self as oracle, Splitter},
    },
    subject::Subject,
};

/// Cutting canonical text; and the fast splitter, which does with any text what
/// the simple one does.
pub(in crate::fuzz) fn split(input: &Input, _: &dyn Subject) -> Run {
    let Input::Text(text) = input else { return Run::Rejected(Rejection::NotOfTheKind) };
    let cut = match canonical::simple(text) {
        Some(canonical) => run_of(oracle::raw(&canonical, &Splitter::SIMPLE), || true),
        None => Run::Rejected(Rejection::NotJson),
    };
    beside(cut, || run_of(oracle::same(text, &Splitter::SIMPLE, &Splitter::FAST), || true))
}

/// Making canonical text, simply and fast.
#[cfg(feature = "quickjs")]
pub(in crate::fuzz) fn normalize(input: &Input, _: &dyn Subject) -> Run {
    let Input::Text(text) = input else { return Run::Rejected(Rejection::NotOfTheKind) };
    let is_json = || json::parse(text).is_ok();
    let made = run_of(canonical::javascript(text, &canonical::simple), is_json);
    let made = beside(made, || run_of(canonical::idempotent(text, &canonical::simple), is_json));
    beside(made, || run_of(canonical::same(text, &canonical::simple, &canonical::fast), is_json))
}

/// No driver starts this target without the feature.
#[cfg(not(feature = "quickjs"))]
pub(in crate::fuzz) fn normalize(_: &Input, _: &dyn Subject) -> Run {
    Run::Rejected(Rejection::NotExpressible)
}
