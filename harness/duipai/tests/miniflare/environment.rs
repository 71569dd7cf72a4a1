//! What is no Node and no Miniflare, or none that works: one clear line, and exit
//! status 2.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use tempfile::TempDir;

use crate::command::{Harness, empty};

/// What the command says where this variable has this value, which is left out.
fn told(variable: &str, value: &Path) -> String {
    let variables = [(variable, value.as_os_str())];
    let mut harness = Harness::start(&["run", "--subject", "miniflare"], &variables);
    let ended = harness.end();
    empty(harness.folder());
    ended.refusal().replace(value.to_str().unwrap(), "IT")
}

/// A script that does this in place of Node.
fn script(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("node");
    fs::write(&path, format!("#!/bin/sh\n{text}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    (folder, path)
}

fn node(text: &str) -> String {
    let (_folder, path) = script(text);
    told("DUIPAI_NODE", &path)
}

/// A script that tells a version, and then does this in place of the server.
fn server(text: &str) -> String {
    node(&format!("[ \"$1\" = --version ] && echo v22.23.2 && exit\n{text}"))
}

#[test]
fn no_node() {
    let none = "IT cannot be used as node: No such file or directory (os error 2)";
    assert_eq!(told("DUIPAI_NODE", Path::new("/no/such/node")), none);
    assert_eq!(node("exit 3"), "IT cannot be used as node: it does not tell its version but ``");
    let other = "IT cannot be used as node: it does not tell its version but `workerd 1`";
    assert_eq!(node("echo workerd 1"), other);
}

#[test]
fn an_old_node() {
    let old = |found: &str| {
        format!(
            "node {found} is too old, Miniflare needs 22.12.0: run `npm ci` in harness/worker, \
             or let DUIPAI_NODE name another"
        )
    };
    assert_eq!(node("echo v20.20.2"), old("20.20.2"));
    assert_eq!(node("echo v22.11.0"), old("22.11.0"));
}

#[test]
fn no_miniflare() {
    let none = "IT: no Miniflare is installed here: run `npm ci` in harness/worker";
    assert_eq!(told("DUIPAI_MINIFLARE", Path::new("/no/such/folder")), none);
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(told("DUIPAI_MINIFLARE", folder.path()), none);
}

/// Such as a port that is taken: what it says goes into the line.
#[test]
fn a_server_that_does_not_start() {
    let taken = "Error: listen EADDRINUSE: address already in use 127.0.0.1:1";
    let said = server(&format!("echo '{taken}' >&2; exit 1"));
    assert_eq!(said, format!("miniflare's server did not start: {taken}"));
    let said = server("exit 4");
    assert_eq!(said, "miniflare's server did not start: it said nothing (exit status: 4)");
}

/// Something listens, and it is not the server.
#[test]
fn a_server_that_does_not_answer() {
    let listen = "echo '{\"event\":\"listen\",\"socket\":\"http\",\"port\":1}' >&3";
    let said = server(&format!("{listen}\nsleep 100"));
    assert_eq!(said, "miniflare's server does not answer: nobody listens");
}

/// A folder that holds a module which is not Miniflare.
#[test]
fn another_module() {
    let folder = tempfile::tempdir().unwrap();
    let main = folder.path().join("dist/src/index.js");
    fs::create_dir_all(main.parent().unwrap()).unwrap();
    fs::write(&main, "throw new Error('this is not it');").unwrap();
    let said = told("DUIPAI_MINIFLARE", folder.path());
    assert!(said.starts_with("miniflare's server did not start: "), "{said}");
    assert!(said.contains("this is not it"), "{said}");
}

/// The profile is the subject's own, and what is selected must be for it.
#[test]
fn what_cannot_be_asked_of_it() {
    let refused = |arguments: &[&str]| {
        let ended = Harness::start(arguments, &[("NO_COLOR", OsStr::new("1"))]).end();
        assert_eq!((ended.code(), &*ended.out), (2, ""), "{}", ended.err);
        ended.err
    };
    let run = ["run", "--subject", "platform:miniflare"];
    let other = refused(&[&run[..], &["--profile", "cloudflare"]].concat());
    let own =
        "error: the subject is the platform miniflare, and no other profile can be asked of it\n";
    assert_eq!(other, own);
    let none = refused(&[&run[..], &["--filter", "send.*"]].concat());
    let only = "error: none of the selected cases is for this subject, which answers platform cases only\n";
    assert_eq!(none, only);
    let unknown = refused(&["run", "--subject", "platform:nimbus"]);
    let known = "error: subject: unknown platform `nimbus`; known are `platform:cloudflare` and `platform:miniflare`\n";
    assert_eq!(unknown, known);
}
