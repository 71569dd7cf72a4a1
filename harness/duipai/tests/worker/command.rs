//! The harness in a process of its own: the command, or one test of this file
//! again. Its temporary folder is its own, and it never outlives its test.

use std::{
    env,
    ffi::OsStr,
    fs::{self, File},
    io::Read as _,
    os::unix::process::CommandExt as _,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

use tempfile::TempDir;

use crate::watch::{gone, signal};

/// Longest time of such a process.
const LIMIT: Duration = Duration::from_secs(60);

/// Tells a test that it is the process of its own.
const OWN: &str = "DUIPAI_TEST_FOLDER";

/// A running harness, the leader of a process group as in a terminal.
pub(crate) struct Harness {
    child: Child,
    /// Named by all that it starts.
    temporary: TempDir,
    /// Where its output goes: files, so that a process that is left behind
    /// cannot keep a reader waiting.
    output: TempDir,
}

/// How it ended.
pub(crate) struct Ended {
    pub(crate) status: ExitStatus,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Harness {
    /// Starts the command.
    pub(crate) fn command<S: AsRef<OsStr>>(arguments: &[S]) -> Self {
        Self::with(arguments, &[])
    }

    /// Starts the command with these variables. Signals mean to it what they mean
    /// in a terminal: whoever runs the tests in the background may ignore some,
    /// and that is inherited.
    pub(crate) fn with<S: AsRef<OsStr>>(arguments: &[S], variables: &[(&str, &OsStr)]) -> Self {
        let mut command = Command::new("/usr/bin/env");
        command.args(["--default-signal=HUP,INT,TERM", env!("CARGO_BIN_EXE_duipai")]);
        command.args(arguments).envs(variables.iter().copied());
        Self::start(command, tempfile::tempdir().unwrap())
    }

    fn start(mut command: Command, temporary: TempDir) -> Self {
        let output = tempfile::tempdir().unwrap();
        let file = |name: &str| File::create(output.path().join(name)).unwrap();
        command.env("TMPDIR", temporary.path()).env_remove("DUIPAI_SUBJECT");
        command.stdin(Stdio::null()).stdout(file("out")).stderr(file("err")).process_group(0);
        Self { child: command.spawn().unwrap(), temporary, output }
    }

    /// Its temporary folder.
    pub(crate) fn folder(&self) -> &Path {
        self.temporary.path()
    }

    /// Sends it a signal.
    pub(crate) fn signal(&self, name: &str) {
        signal(name, &self.child.id().to_string());
    }

    /// Sends its group a signal, as a terminal does.
    pub(crate) fn signal_group(&self, name: &str) {
        signal(name, &format!("-{}", self.child.id()));
    }

    /// Waits for its end; then nothing that it started may be left.
    pub(crate) fn end(&mut self) -> Ended {
        let start = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(start.elapsed() < LIMIT, "it does not end: {}", self.read("err"));
            thread::sleep(Duration::from_millis(5));
        };
        gone(self.folder());
        Ended { status, out: self.read("out"), err: self.read("err") }
    }

    fn read(&self, name: &str) -> String {
        let mut text = String::new();
        File::open(self.output.path().join(name)).unwrap().read_to_string(&mut text).unwrap();
        text
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

    /// It refused its arguments, in one line.
    pub(crate) fn refusal(&self) -> &str {
        assert_eq!((self.code(), &*self.out), (2, ""), "{}", self.err);
        let line =
            self.err.strip_prefix("error: subject: ").unwrap_or_else(|| panic!("{}", self.err));
        let line = line.strip_suffix('\n').unwrap();
        assert!(!line.contains('\n') && line.len() < 700, "{line}");
        line
    }
}

/// Runs `body` in a process of its own, with the temporary folder of that
/// process; `test` is the name of the test that calls this. What the process
/// came to; in it, this does not return.
pub(crate) fn apart(test: &str, body: impl FnOnce(&Path)) -> Ended {
    if let Some(folder) = env::var_os(OWN) {
        body(Path::new(&folder));
        // Not back into the test, which would start the next one.
        std::process::exit(0);
    }
    let temporary = tempfile::tempdir().unwrap();
    let mut command = Command::new(env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(OWN, temporary.path());
    Harness::start(command, temporary).end()
}

/// The same for a body that must end well.
pub(crate) fn apart_and_well(test: &str, body: impl FnOnce(&Path)) {
    let ended = apart(test, body);
    assert_eq!(ended.status.code(), Some(0), "{}", ended.err);
}

/// Nothing is left in a folder.
pub(crate) fn empty(folder: &Path) {
    let left: Vec<_> = fs::read_dir(folder).unwrap().map(|it| it.unwrap().path()).collect();
    assert!(left.is_empty(), "{left:?}");
}
