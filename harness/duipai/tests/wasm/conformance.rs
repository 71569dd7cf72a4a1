//! The guests that come with the harness are conformant.

use std::{
    fs,
    path::Path,
    sync::{Arc, LazyLock},
};

use duipai::{
    case::Case,
    runner::{self, Options, Status},
    subject::{Kind, Subject},
    subjects::{self, wasm::WASMTIME},
    suite::Suite,
    vectors,
};
use sha2::{Digest, Sha256};

/// The built-in guest, compiled once for all tests.
pub(crate) static GUEST: LazyLock<Arc<dyn Subject>> =
    LazyLock::new(|| subjects::from_spec("wasm").unwrap());

/// The guest in C.
static C_GUEST: LazyLock<Arc<dyn Subject>> = LazyLock::new(|| {
    let file = project().join("harness/guest-c/package.wasm");
    subjects::from_spec(&format!("wasm:{}", file.display())).unwrap()
});

fn project() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn all_pass(guest: &Arc<dyn Subject>, cases: &[Case]) {
    for result in runner::run(cases, guest, &Options::default(), &()) {
        let detail = result.detail().unwrap_or_default();
        assert_eq!(result.status(), Status::Passed, "{}: {detail}", result.id);
    }
}

#[test]
fn the_built_in_suite_passes() {
    let suite = Suite::builtin().unwrap();
    assert!(suite.cases.len() > 300, "{} cases", suite.cases.len());
    for guest in [&GUEST, &C_GUEST] {
        all_pass(guest, &suite.cases);
    }
}

/// One verdict vector in ten; the command line plays them all.
#[test]
fn a_sample_of_the_verdict_vectors_passes() {
    let files = ["verdict-send.jsonl", "verdict-batch.jsonl"];
    let files = files.map(|name| project().join("corpus/vectors").join(name));
    let mut cases = vectors::load(&files).unwrap().cases;
    cases.retain(|case| Sha256::digest(case.id.as_bytes())[0].is_multiple_of(10));
    assert!((200..500).contains(&cases.len()), "{} vectors", cases.len());
    for guest in [&GUEST, &C_GUEST] {
        all_pass(guest, &cases);
    }
}

#[test]
fn the_guest_says_who_it_is() {
    let identity = GUEST.identity();
    assert_eq!((identity.name.as_str(), identity.kind), ("wasm", Kind::Wasm));
    assert_eq!(identity.engine, format!("wasmtime {WASMTIME}"));
    let lock = fs::read_to_string(project().join("Cargo.lock")).unwrap();
    assert!(lock.contains(&format!("name = \"wasmtime\"\nversion = \"{WASMTIME}\"\n")));
}

#[test]
fn a_file_is_named_by_its_name_and_digest() {
    let file = project().join("harness/guest/package.wasm");
    let guest = subjects::from_spec(&format!("wasm:{}", file.display())).unwrap();
    let identity = guest.identity();
    assert_eq!(identity.name, "package.wasm");
    assert_eq!(identity.version.len(), "sha256:".len() + 12);
    assert!(
        duipai_guest_build::artefact::digest(&fs::read(file).unwrap())
            .starts_with(&identity.version)
    );
}
