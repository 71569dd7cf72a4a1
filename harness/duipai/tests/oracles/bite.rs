//! Every oracle finds planted faults, each within 20,000 seeded inputs.

use std::sync::Arc;

use duipai::{
    generate::{BatchInput, Input, JsonText, Respelt, SceneInput, SendInput, SettleInput, seeded},
    mutants,
    oracle::{Checked, call, canonical, event, metamorphic, split},
    package::Reference,
    subject::Subject,
    subjects::native::Native,
};

use crate::faults;

/// Most inputs that a fault may need.
const BUDGET: u64 = 20_000;

/// The oracle finds the fault; says how many inputs it took, and over which
/// sentence.
fn bites<I: Input>(fault: &str, seed: u64, oracle: impl Fn(&I) -> Checked) {
    for index in 0..BUDGET {
        let input = I::from_bytes(&seeded(seed, index)).unwrap();
        if let Err(disagreement) = oracle(&input) {
            let sentence = disagreement.sentences[0];
            println!("{}: {fault} after {} inputs ({sentence})", disagreement.oracle, index + 1);
            assert!(!disagreement.input.is_empty(), "{fault}: nothing to paste");
            assert_ne!(disagreement.expected, disagreement.got, "{fault}");
            return;
        }
    }
    panic!("{fault} was not found in {BUDGET} inputs");
}

fn mutant(name: &str) -> Arc<dyn Subject> {
    mutants::find(name).unwrap_or_else(|| panic!("no mutant {name}")).subject()
}

#[test]
fn the_model_of_a_send_bites() {
    for name in [
        "body-limit-one-low",
        "body-limit-one-high",
        "body-limit-in-utf16",
        "body-limit-input-only",
        "body-limit-canonical-only",
        "delay-one-over-accepted",
        "delay-dropped",
        "content-type-text",
        "depth-25-accepted",
        "depth-24-refused",
        "depth-of-arrays-only",
        "depth-told-by-error-text",
        "marker-handle-missed",
        "marker-searched-in-input",
        "marker-found-in-strings",
        "infinity-as-null",
        "serde-json-normalizer",
        "lone-surrogates-replaced",
        "bom-dropped",
        "refusal-trimmed",
        "empty-binding-passed-on",
    ] {
        let subject = mutant(name);
        bites::<SendInput>(name, 11, |input| call::send(input, &*subject));
    }
}

#[test]
fn the_model_of_a_batch_bites() {
    for name in [
        "batch-101-accepted",
        "batch-100-refused",
        "batch-total-one-high",
        "batch-total-one-low",
        "batch-text-one-high",
        "batch-text-in-characters",
        "batch-body-unchecked",
        "batch-markers-missed",
        "item-delay-dropped",
        "item-unknown-fields-ignored",
        "item-proto-ignored",
        "item-delay-null-as-absent",
        "item-delay-truncated",
        "item-not-object-accepted",
        "split-inside-strings",
        "split-without-escapes",
        "batch-good-items-kept",
        "batch-retried-after-refusal",
    ] {
        let subject = mutant(name);
        bites::<BatchInput>(name, 12, |input| call::batch(input, &*subject));
    }
}

#[test]
fn the_model_of_a_scene_bites() {
    for name in [
        "read-acks",
        "read-index-from-one",
        "read-undefined-as-null",
        "read-names-unescaped",
        "index-count-accepted",
        "index-wraps",
        "index-negative-from-end",
        "ack-as-retry",
        "ack-dropped",
        "ack-everything",
        "retry-delay-dropped",
        "retry-zero-sent",
        "retry-delay-one-over",
        "settle-in-any-event",
        "attempts-from-zero",
        "ids-cut",
        "batch-reversed",
        "queue-names-mixed-up",
        "time-limit-ignored",
        "uncaught-swallowed",
        "abort-catchable",
        "exception-uncatchable",
        "calls-undone-by-exception",
        "redelivery-after-success",
        "nothing-redelivered",
        "grants-ignored",
        "first-binding-always",
    ] {
        let subject = mutant(name);
        bites::<SceneInput>(name, 13, |input| event::model(&input.scene, &*subject));
    }
}

#[test]
fn another_subject_bites() {
    let reference = Native::reference();
    for name in ["ack-first-message", "retry-as-ack", "delay-in-milliseconds"] {
        let subject = mutant(name);
        bites::<SceneInput>(name, 14, |input| event::alike(&input.scene, &reference, &*subject));
    }
}

#[test]
fn other_spellings_bite() {
    for name in ["marker-searched-in-input", "serde-json-normalizer"] {
        let subject = mutant(name);
        bites::<Respelt>(name, 15, |input| metamorphic::spellings(input, &*subject));
    }
    let subject = Native::new("escaped-fields", "0", || faults::EscapedFieldsUnknown(Reference));
    bites::<Respelt>("escaped-fields", 15, |input| metamorphic::spellings(input, &subject));
}

#[test]
fn a_batch_of_one_bites() {
    for name in
        ["item-delay-dropped", "infinity-as-null", "marker-undefined-missed", "delay-dropped"]
    {
        let subject = mutant(name);
        bites::<SendInput>(name, 16, |input| metamorphic::send_as_batch(input, &*subject));
    }
}

#[test]
fn another_order_of_settling_bites() {
    let second = Native::new("second-settle-lost", "0", faults::SecondSettleLost::default);
    bites::<SettleInput>("second-settle-lost", 17, |input| metamorphic::permuted(input, &second));
    let ascending = Native::new("ascending-only", "0", faults::AscendingOnly::default);
    bites::<SettleInput>("ascending-only", 17, |input| metamorphic::permuted(input, &ascending));
}

#[test]
fn raw_slices_bite() {
    for (name, splitter) in faults::SPLITTERS {
        bites::<BatchInput>(name, 18, |input| split_input(input, |it| split::raw(it, &splitter)));
    }
}

#[test]
fn another_splitter_bites() {
    for (name, splitter) in faults::SPLITTERS {
        bites::<BatchInput>(name, 19, |input| {
            split_input(input, |it| split::same(it, &split::Splitter::SIMPLE, &splitter))
        });
    }
}

/// Splitters are given canonical texts.
pub(crate) fn split_input(input: &BatchInput, oracle: impl Fn(&str) -> Checked) -> Checked {
    match canonical::simple(&input.items) {
        Some(canonical) => oracle(&canonical),
        None => Ok(duipai::oracle::Held::Refused),
    }
}

#[cfg(feature = "quickjs")]
#[test]
fn javascript_bites() {
    for (name, fault) in faults::CANONICAL {
        bites::<JsonText>(name, 20, |input| canonical::javascript(&input.text, &fault));
    }
}

#[test]
fn another_canonical_text_bites() {
    for (name, fault) in faults::CANONICAL {
        let simple = &canonical::simple;
        bites::<JsonText>(name, 21, |input| canonical::same(&input.text, simple, &fault));
    }
}

#[test]
fn the_canonical_text_of_a_canonical_text_bites() {
    for (name, fault) in faults::UNSTABLE {
        bites::<JsonText>(name, 22, |input| canonical::idempotent(&input.text, &fault));
    }
}
