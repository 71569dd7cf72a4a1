//! Folders that hold no suite, and files that are none.

use std::{
    fs,
    path::{Path, PathBuf},
};

use duipai::{
    case::{LEDGER_FILE, MAX_FILE_BYTES},
    suite::Suite,
};

const CASE: &str = "format = 1\n[[case]]\nid = \"a\"\nsays = [\"s\"]\nlevel = \"must\"\ntitle = \"t\"\nsteps = []\ncalls = []\n";
const LEDGER: &str = "format = 1\nname = \"test\"\nversion = \"1\"\n[[sentence]]\nid = \"s\"\ndocument = \"interface\"\nplace = \"1\"\nlevel = \"must\"\nsays = \"…\"\n";

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("the folder");
    fs::write(path, bytes).expect("the file");
}

/// The one line that the folder made by `fill` is refused with, in which `@`
/// stands for the folder.
fn refused(fill: impl FnOnce(&Path), expected: &str) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fill(folder.path());
    let error = Suite::from_folders(&[folder.path().to_path_buf()]).expect_err("a bad folder");
    let line = error.to_string().replace(&*folder.path().to_string_lossy(), "@");
    assert_eq!(line, expected);
}

#[test]
fn no_folder() {
    let load = |path: PathBuf| Suite::from_folders(&[path]).expect_err("no folder").to_string();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let missing = load(folder.path().join("none"));
    assert!(missing.contains("/none: no such folder: "), "{missing}");
    write(folder.path(), "file", b"");
    let file = load(folder.path().join("file"));
    assert!(file.ends_with("/file: not a folder"), "{file}");
    let none = Suite::from_folders(&[]).expect_err("nothing");
    assert_eq!(none.to_string(), "no folder of cases is given");
}

#[test]
fn no_case_file() {
    let expected = "@: the folder holds no case file (*.toml)";
    refused(|_| {}, expected);
    refused(|folder| write(folder, "a.json", b"{}"), expected);
    refused(|folder| write(folder, ".a.toml", CASE.as_bytes()), expected);
    refused(|folder| write(folder, LEDGER_FILE, LEDGER.as_bytes()), expected);
}

#[test]
fn files_that_are_no_text() {
    refused(|folder| write(folder, "a.toml", b""), "@/a.toml:1:1: missing field \"format\"");
    refused(
        |folder| write(folder, "a.toml", b"format = 1\n# \xc3\xa9\xff"),
        "@/a.toml:2:4: the file is not UTF-8: byte 0xff",
    );
    refused(
        |folder| write(folder, "b/a\n.toml", b"x"),
        "@/b/a\\n.toml:1:2: not TOML: key with no value, expected `=`",
    );
    refused(
        |folder| {
            write(folder, "a.toml", b"");
            // Sparse: only the size is there.
            let file = fs::File::options().write(true).open(folder.join("a.toml"));
            file.and_then(|file| file.set_len(1 << 30)).expect("a big file");
        },
        &format!("@/a.toml: cannot be read: the file is over {MAX_FILE_BYTES} bytes"),
    );
}

#[cfg(unix)]
#[test]
fn links() {
    use std::os::unix::fs::symlink;

    refused(
        |folder| {
            write(folder, "b/a.toml", CASE.as_bytes());
            symlink(folder, folder.join("b/up")).expect("a link");
        },
        "@/b/up: the folder is a link back to one it is in",
    );
    refused(
        |folder| symlink("/dev/zero", folder.join("a.toml")).expect("a link"),
        "@/a.toml: cannot be read: not a regular file",
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    write(folder.path(), LEDGER_FILE, LEDGER.as_bytes());
    write(folder.path(), "b/a.toml", CASE.as_bytes());
    symlink(folder.path().join("b"), folder.path().join("c")).expect("a link");
    let suite = Suite::from_folders(&[folder.path().to_path_buf()]).expect("a folder read once");
    assert_eq!(suite.cases.len(), 1);
}

#[test]
fn two_ledgers() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for name in ["x", "y"] {
        write(folder.path(), &format!("{name}/{LEDGER_FILE}"), LEDGER.as_bytes());
        write(folder.path(), &format!("{name}/a.toml"), CASE.as_bytes());
    }
    let error = Suite::from_folders(&["x", "y"].map(|name| folder.path().join(name)));
    let line = error.expect_err("two ledgers").to_string();
    assert!(line.contains("/y/spec.toml: a second ledger; the first is "), "{line}");
}

#[test]
fn digests_name_the_content() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let digest = |name: &str, file: &str, case: &str| {
        let folder = folder.path().join(name);
        write(&folder, LEDGER_FILE, LEDGER.as_bytes());
        write(&folder, file, case.as_bytes());
        Suite::from_folders(&[folder]).expect("a suite").digest
    };
    let first = digest("x", "b/a.toml", CASE);
    assert!(first.starts_with("sha256:") && first.len() == 71, "{first}");
    assert_eq!(digest("y", "b/a.toml", CASE), first);
    assert_ne!(digest("z", "a.toml", CASE), first);
    assert_ne!(digest("w", "b/a.toml", &format!("{CASE}#")), first);
}

#[test]
fn folders_without_a_ledger_use_the_built_in_one() {
    refused(
        |folder| write(folder, "a.toml", CASE.as_bytes()),
        "@/a.toml:4:9: the ledger has no sentence \"s\"",
    );
    let folder = tempfile::tempdir().expect("a temporary folder");
    let case = CASE.replace("\"s\"", "\"send.delay.range\"");
    write(folder.path(), "a.toml", case.as_bytes());
    let suite = Suite::from_folders(&[folder.path().to_path_buf()]).expect("coverage is free");
    assert_eq!(suite.cases.len(), 1);
}
