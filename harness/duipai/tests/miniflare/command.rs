//! The command in a process of its own, with a temporary folder of its own, by
//! which all that it starts is found again.

use std::{
    ffi::OsStr,
    fs::{self, File},
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

/// Longest time of such a process.
const LIMIT: Duration = Duration::from_secs(100);

/// Longest time from the end of the harness to the end of all that it started.
const GONE_LIMIT: Duration = Duration::from_secs(5);

/// How often is looked.
const POLL: Duration = Duration::from_millis(10);

/// A running command, the leader of a process group as in a terminal.
pub(crate) struct Harness {
    child: Child,
    temporary: TempDir,
    output: TempDir,
}

/// How it ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Harness {
    /// Starts the command with these variables. Signals mean to it what they mean
    /// in a terminal.
    pub(crate) fn start(arguments: &[&str], variables: &[(&str, &OsStr)]) -> Self {
        let temporary = tempfile::tempdir().unwrap();
        let output = tempfile::tempdir().unwrap();
        let file = |name: &str| File::create(output.path().join(name)).unwrap();
        let mut command = Command::new("/usr/bin/env");
        command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_duipai")]);
        command.args(arguments).env_remove("DUIPAI_SUBJECT");
        command.env("TMPDIR", temporary.path()).envs(variables.iter().copied());
        command.stdin(Stdio::null()).stdout(file("out")).stderr(file("err")).process_group(0);
        Self { child: command.spawn().unwrap(), temporary, output }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.temporary.path()
    }

    pub(crate) fn signal_group(&self, name: &str) {
        let group = format!("-{}", self.child.id());
        let sent = Command::new("kill").args(["-s", name, "--", &group]).status().unwrap();
        assert!(sent.success(), "kill -s {name} -- {group}");
    }

    /// Waits for its end; then nothing that it started may be left.
    pub(crate) fn end(&mut self) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < LIMIT, "it does not end: {}", self.read("err"));
            thread::sleep(POLL);
        };
        let ended = Instant::now();
        while let left = started(self.folder())
            && !left.is_empty()
        {
            assert!(ended.elapsed() < GONE_LIMIT, "left behind: {left:#?}");
            thread::sleep(POLL);
        }
        Ended { status, out: self.read("out"), err: self.read("err") }
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.output.path().join(name)).unwrap()
    }
}

impl Drop for Harness {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Ended {
    /// The code with which it ended by itself.
    pub(crate) fn code(&self) -> i32 {
        self.status.code().unwrap_or_else(|| panic!("{}: {}", self.status, self.err))
    }

    /// It refused its subject, in one line.
    pub(crate) fn refusal(&self) -> &str {
        assert_eq!((self.code(), &*self.out), (2, ""), "{}", self.err);
        let line = self.err.strip_prefix("error: subject: ");
        let line = line.unwrap_or_else(|| panic!("{}", self.err)).strip_suffix('\n').unwrap();
        assert!(!line.contains('\n') && line.len() < 700, "{line}");
        line
    }
}

/// The command lines of all processes whose temporary folder is below `folder`.
pub(crate) fn started(folder: &Path) -> Vec<String> {
    let folder = folder.to_str().unwrap();
    let mut found = Vec::new();
    for entry in fs::read_dir("/proc").unwrap() {
        let path = entry.unwrap().path();
        // It may end at any time, and most of what is there is no process.
        let Ok(variables) = fs::read(path.join("environ")) else { continue };
        let variables = String::from_utf8_lossy(&variables);
        let is_ours =
            |it: &str| it.strip_prefix("TMPDIR=").is_some_and(|it| it.starts_with(folder));
        if variables.split('\0').any(is_ours) {
            let line = fs::read(path.join("cmdline")).unwrap_or_default();
            found.push(String::from_utf8_lossy(&line).replace('\0', " "));
        }
    }
    found
}

/// Nothing is left in a folder.
pub(crate) fn empty(folder: &Path) {
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
}
