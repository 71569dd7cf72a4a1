//! What is no workerd, or none that works: one clear line, and exit status 2.

use std::{
    ffi::OsStr,
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::{
    command::{Harness, empty},
    workers::{binary, folder},
};

/// What the command says to this workerd, with its name left out.
fn told(workerd: &Path) -> String {
    let variables = [("DUIPAI_WORKERD", workerd.as_os_str())];
    let mut harness = Harness::with(&["run", "--subject", "worker"], &variables);
    let ended = harness.end();
    empty(harness.folder());
    ended.refusal().replace(workerd.to_str().unwrap(), "IT")
}

/// A file of this text that may be executed.
fn script(text: &str) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("workerd");
    fs::write(&path, text).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    (folder, path)
}

fn check(text: &str, expected: &str) {
    let (_folder, path) = script(&format!("#!/bin/sh\n{text}\n"));
    assert_eq!(told(&path), expected, "{text}");
}

/// A script that tells a version, and then does this.
fn serves(text: &str, expected: &str) {
    check(
        &format!("[ \"$1\" = --version ] && echo workerd 2026-11-17 && exit\n{text}"),
        &format!("workerd did not start: {expected}"),
    );
}

#[test]
fn no_file_that_runs() {
    let none = "IT cannot be used as workerd: No such file or directory (os error 2)";
    assert_eq!(told(Path::new("/no/such/workerd")), none);
    assert_eq!(told(Path::new("no-such-workerd")), none);
    let closed = "IT cannot be used as workerd: it is no executable file";
    assert_eq!(told(Path::new("/")), closed);
    let (_folder, path) = script("");
    fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
    assert_eq!(told(&path), closed);
}

#[test]
fn a_program_that_is_not_workerd() {
    let not = "IT cannot be used as workerd: it is not workerd";
    check("", not);
    check("exit 3", not);
    check("kill -9 $$", not);
    check("echo workerd 2026-11-17; exit 3", not);
    check("head -c 10000000 /dev/urandom", not);
    let (_folder, path) = script("\x7fELF\x02\x01\x01\0 and nothing more");
    assert_eq!(told(&path), not);
}

/// A version and an answer are waited for ten seconds; who holds the streams of
/// a script is not waited for at all.
#[test]
fn what_hangs() {
    let start = Instant::now();
    thread::scope(|scope| {
        scope.spawn(|| {
            check("sleep 100; true", {
                "IT cannot be used as workerd: it did not end within 10 seconds"
            });
        });
        let main = "export default { fetch: () => new Promise((end) => setTimeout(end, 1e9)) };";
        let silent = folder(&[("index.js", main)]);
        let subject = format!("worker:{}", silent.path().display());
        let ended = Harness::command(&["run", "--subject", &subject]).end();
        let expected = "the Worker does not speak the protocol `duipai 1`: it does not answer";
        assert_eq!(ended.refusal(), expected);
    });
    assert!(start.elapsed() < Duration::from_secs(20), "{:?}", start.elapsed());
}

#[test]
fn a_workerd_that_ends_at_once() {
    serves("exit 3", "it said nothing (exit status: 3)");
    serves("echo one; echo two >&2; exit 0", "one; two");
    serves("kill -9 $$", "it said nothing (exit status: 137)");
}

/// What it says on the control descriptor is no port, and much of it.
#[test]
fn a_workerd_that_says_garbage() {
    serves("head -c 10000000 /dev/urandom >&3", "it said nothing (exit status: 0)");
    serves("echo '{\"event\":\"listen\",\"socket\":\"http\",\"port\":70000}' >&3", {
        "it said nothing (exit status: 0)"
    });
    let cut = format!("{}…", "x".repeat(400));
    serves("head -c 1000000 /dev/zero | tr '\\0' x; echo; echo the end", &cut);
}

/// Something listens there, and it is not the driver.
#[test]
fn a_port_on_which_nothing_speaks() {
    let (_folder, path) = script(
        "#!/bin/sh\n[ \"$1\" = --version ] && echo workerd 2026-11-17 && exit\n\
         echo '{\"event\":\"listen\",\"socket\":\"http\",\"port\":1}' >&3\nsleep 100\n",
    );
    let told = told(&path);
    assert!(told.contains("the Worker does not speak the protocol"), "{told}");
}

/// The variable may name a command.
#[test]
fn a_name_is_looked_for_where_commands_are() {
    let folder = binary().parent().unwrap().to_owned();
    let variables = [("DUIPAI_WORKERD", OsStr::new("workerd")), ("PATH", folder.as_os_str())];
    let ended = Harness::with(&["doctor"], &variables).end();
    assert!(ended.out.contains("workerd"), "{}", ended.out);
    assert_eq!(ended.code(), 0, "{}{}", ended.out, ended.err);
}
