//! Every oracle holds for the reference.

use duipai::{
    generate::{BatchInput, Input, JsonText, Respelt, SceneInput, SendInput, SettleInput, seeded},
    oracle::{Checked, Tally, call, canonical, event, metamorphic, split},
    subjects::native::Native,
};

use crate::bite;

/// Asks an oracle of so many seeded inputs.
fn hold<I: Input>(seed: u64, inputs: u64, oracle: impl Fn(&I) -> Checked) {
    let mut tally = Tally::default();
    for index in 0..inputs {
        let input = I::from_bytes(&seeded(seed, index)).unwrap();
        match oracle(&input) {
            Ok(held) => tally.count(&held),
            Err(disagreement) => panic!("input {index} of seed {seed}: {disagreement}"),
        }
    }
    let acceptance = tally.acceptance();
    println!("{tally:?}: acceptance {acceptance:.2}");
    assert_eq!(tally.total(), inputs);
    // What is mostly refused or discarded shows little.
    assert!(acceptance > 0.3, "{tally:?}");
    assert!(tally.discarded.values().sum::<u64>() < inputs / 50, "{tally:?}");
}

#[test]
fn sends_are_the_models() {
    let subject = Native::reference();
    hold::<SendInput>(1, 10_000, |input| call::send(input, &subject));
}

#[test]
fn batches_are_the_models() {
    let subject = Native::reference();
    hold::<BatchInput>(2, 10_000, |input| call::batch(input, &subject));
}

#[test]
fn scenes_are_the_models() {
    let subject = Native::reference();
    hold::<SceneInput>(3, 10_000, |input| event::model(&input.scene, &subject));
}

#[test]
fn spellings_come_to_the_same() {
    let subject = Native::reference();
    hold::<Respelt>(4, 10_000, |input| metamorphic::spellings(input, &subject));
}

#[test]
fn a_body_is_sent_alone_as_in_a_batch() {
    let subject = Native::reference();
    hold::<SendInput>(5, 10_000, |input| metamorphic::send_as_batch(input, &subject));
}

#[test]
fn the_order_of_settling_does_not_matter() {
    let subject = Native::reference();
    hold::<SettleInput>(6, 10_000, |input| metamorphic::permuted(input, &subject));
}

#[cfg(feature = "quickjs")]
#[test]
fn canonical_texts_are_javascripts() {
    hold::<JsonText>(7, 10_000, |input| canonical::javascript(&input.text, &canonical::simple));
}

#[test]
fn canonical_texts_are_canonical() {
    hold::<JsonText>(8, 10_000, |input| canonical::idempotent(&input.text, &canonical::simple));
}

#[test]
fn the_splitter_cuts_raw_slices() {
    hold::<BatchInput>(9, 10_000, |input| {
        bite::split_input(input, |canonical| split::raw(canonical, &split::Splitter::SIMPLE))
    });
}

#[test]
fn the_fast_splitter_cuts_raw_slices() {
    hold::<BatchInput>(9, 10_000, |input| {
        bite::split_input(input, |canonical| split::raw(canonical, &split::Splitter::FAST))
    });
}

#[test]
fn the_fast_splitter_is_the_simple_one() {
    hold::<BatchInput>(10, 10_000, |input| {
        bite::split_input(input, |canonical| {
            split::same(canonical, &split::Splitter::SIMPLE, &split::Splitter::FAST)
        })
    });
}

#[cfg(feature = "quickjs")]
#[test]
fn fast_canonical_texts_are_javascripts() {
    hold::<JsonText>(7, 10_000, |input| canonical::javascript(&input.text, &canonical::fast));
}

#[test]
fn fast_canonical_texts_are_the_hosts() {
    hold::<JsonText>(8, 10_000, |input| {
        canonical::same(&input.text, &canonical::simple, &canonical::fast)
    });
}
