//! The guest component that is checked in is what its sources say.

use std::{
    fs,
    path::{Path, PathBuf},
};

use duipai_guest_build::artefact::{self, COMPONENT, Record};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn the_component_is_fresh() {
    let record = Record::read(&project()).unwrap();
    let component = fs::read(project().join(COMPONENT)).unwrap();
    let stale = "the guest is stale: run `cargo xtask guest` and commit what it writes";
    assert_eq!(record.sources, artefact::source_digest(&project()).unwrap(), "{stale}");
    assert_eq!(record.component, artefact::digest(&component), "{stale}");
}

/// Names of functions are kept for traps; nothing tells where it was built.
#[test]
fn the_component_names_functions_and_no_files() {
    let component = fs::read(project().join(COMPONENT)).unwrap();
    let contains = |text: &str| component.windows(text.len()).any(|part| part == text.as_bytes());
    assert!(contains("duipai_queue::producer::"));
    for path in [".rs", "/root", "/home", "/usr", "/tmp"] {
        assert!(!contains(path), "the component says {path}");
    }
}
