//! Native against guest.

use duipai::{
    generate::{Input, SceneInput, seeded},
    oracle::{Tally, event},
    subjects::{self, native::Native},
};

fn input(seed: u64, index: u64) -> SceneInput {
    SceneInput::from_bytes(&seeded(seed, index)).unwrap()
}

#[test]
fn native_and_guest_are_alike() {
    let native = Native::reference();
    let guest = subjects::from_spec("wasm").unwrap();
    let mut tally = Tally::default();
    for index in 0..5000 {
        match event::alike(&input(51, index).scene, &native, &*guest) {
            Ok(held) => tally.count(&held),
            Err(disagreement) => panic!("input {index}: {disagreement}"),
        }
    }
    println!("{tally:?}");
    assert_eq!(tally.total(), 5000);
    assert_eq!(tally.not_applicable, 0, "{tally:?}");
}

#[test]
fn a_guest_is_the_models() {
    let guest = subjects::from_spec("wasm").unwrap();
    for index in 0..2000 {
        if let Err(disagreement) = event::model(&input(52, index).scene, &*guest) {
            panic!("input {index}: {disagreement}");
        }
    }
}

#[test]
fn a_wrong_guest_bites() {
    let native = Native::reference();
    for name in ["retry-as-ack", "index-wraps", "marker-undefined-missed"] {
        let guest = subjects::from_spec(&format!("wasm-mutant:{name}")).unwrap();
        let differs = |index| event::alike(&input(53, index).scene, &native, &*guest).is_err();
        let found = (0..20_000).position(differs);
        println!("alike: {name} after {:?} inputs", found.map(|index| index + 1));
        assert!(found.is_some(), "{name} was not found in 20,000 inputs");
    }
}
