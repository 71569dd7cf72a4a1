//! Files that hold no guest: one line each.

use std::{
    fs::{self, File},
    path::Path,
};

use duipai::subjects;
use wit_parser::ManglingAndAbi;

use crate::guests::{component, wit, world};

/// The error of the guest in `file`, without the folder.
fn error_of(file: &Path) -> String {
    let Err(error) = subjects::from_spec(&format!("wasm:{}", file.display())) else {
        panic!("{} is a guest", file.display());
    };
    let error = error.to_string();
    assert!(!error.contains('\n'), "{error}");
    error.replace(&file.display().to_string(), "FILE")
}

fn check(content: &[u8], expected: &str) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("guest.wasm");
    fs::write(&file, content).unwrap();
    assert_eq!(error_of(&file), expected);
}

/// A guest that implements another WIT.
fn of_world(wit: &str) -> Vec<u8> {
    let (resolve, world) = world(wit);
    let module = wit_component::dummy_module(&resolve, world, ManglingAndAbi::Standard32);
    component(module, &resolve, world)
}

/// The WIT of the guest world with one change.
fn changed(from: &str, to: &str) -> Vec<u8> {
    let wit = wit();
    assert_eq!(wit.matches(from).count(), 1, "{from}");
    of_world(&wit.replace(from, to))
}

#[test]
fn no_file() {
    let folder = tempfile::tempdir().unwrap();
    let expected = "FILE: cannot read the guest: No such file or directory (os error 2)";
    assert_eq!(error_of(&folder.path().join("guest.wasm")), expected);
    let expected = "FILE: is not a file; a guest is a WebAssembly component";
    assert_eq!(error_of(folder.path()), expected);
}

#[test]
fn a_gigabyte_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("guest.wasm");
    File::create(&file).unwrap().set_len(1 << 30).unwrap();
    assert_eq!(error_of(&file), "FILE: is larger than 64 MiB");
}

#[test]
fn not_a_component() {
    check(b"", "FILE: is empty");
    check(b"(component)", "FILE: is not WebAssembly");
    check(b"\x7fELF\x02\x01\x01\x00", "FILE: is not WebAssembly");
    let module = wat::parse_str("(module)").unwrap();
    let expected = "FILE: is a core module; make a component of it with wit-component";
    check(&module, expected);
}

#[test]
fn a_component_that_is_cut_or_damaged() {
    let whole = of_world(&wit());
    for end in [5, 8, whole.len() / 2, whole.len() - 1] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("guest.wasm");
        fs::write(&file, &whole[..end]).unwrap();
        let error = error_of(&file);
        // Eight bytes are a component, but an empty one.
        let expected =
            if end == 8 { "FILE: is not a component of" } else { "FILE: is not a valid" };
        assert!(error.starts_with(expected), "{end}: {error}");
    }
}

#[test]
fn a_component_of_another_world() {
    let another = "FILE: is not a component of the guest world:";
    check(
        &changed("    export consumer;\n", ""),
        &format!("{another} it does not export the interface `yuyan:queue/consumer@0.1.0`"),
    );
    check(
        &changed("    retry: func(index: s64, delay: s64) -> result<_, string>;\n", ""),
        &format!("{another} `yuyan:queue/consumer@0.1.0` does not export `retry`"),
    );
    check(
        &changed("ack: func(index: s64) -> result<_, string>", "ack: func(index: u32) -> string"),
        &format!(
            "{another} `yuyan:queue/consumer@0.1.0` exports `ack` as func(u32) -> string, \
             not as func(s64) -> result<_, string>"
        ),
    );
    check(
        &changed("    import bridge;\n", "    import bridge;\n    import exit: func();\n"),
        &format!("{another} it imports `exit`; the host has only `yuyan:queue/bridge@0.1.0`"),
    );
}

#[test]
fn a_component_that_wants_another_bridge() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("guest.wasm");
    for (from, to, named) in [
        ("batch-count: func() -> u32;", "batch-count: func() -> u64;", "`batch-count`"),
        ("batch-count: func() -> u32;", "messages: func() -> u32;", "`messages`"),
    ] {
        fs::write(&file, changed(from, to)).unwrap();
        let error = error_of(&file);
        assert!(error.starts_with("FILE: is not a component of the guest world: "), "{error}");
        assert!(error.contains(named), "{error}");
    }
}
