//! The guests that are checked in are what their sources say.

use std::{
    fs,
    path::{Path, PathBuf},
};

use duipai_guest_build::artefact::{self, ARTEFACTS, Record};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_components_are_fresh() {
    for guest in &ARTEFACTS {
        let record = Record::read(&project(), guest).unwrap();
        let component = fs::read(project().join(guest.component)).unwrap();
        let stale =
            format!("{} is stale: run `cargo xtask guest` and commit its output", guest.component);
        let sources = artefact::source_digest(&project(), guest).unwrap();
        assert_eq!(record.sources, sources, "{stale}");
        assert_eq!(record.component, artefact::digest(&component), "{stale}");
    }
}

/// Nothing in them tells where they were built.
#[test]
fn the_components_name_no_files() {
    for guest in &ARTEFACTS {
        let component = fs::read(project().join(guest.component)).unwrap();
        for path in [".rs", "/root", "/home", "/usr", "/tmp"] {
            assert!(!contains(&component, path), "{} says {path}", guest.component);
        }
    }
}

/// The functions' names are kept for traps.
#[test]
fn the_reference_guest_names_its_functions() {
    let component = fs::read(project().join("harness/guest/package.wasm")).unwrap();
    assert!(contains(&component, "duipai_queue::producer::"));
}

fn contains(bytes: &[u8], text: &str) -> bool {
    bytes.windows(text.len()).any(|part| part == text.as_bytes())
}
