//! Processes that do not outlive the harness, and that can be ended together
//! with everything they have started.
//!
//! A shell stands between the harness and the program, as the leader of a
//! process group of its own: a program may be a script around the real one, and
//! killing the script alone would leave that one behind. A second process of the
//! shell waits for its standard input to be closed, which the system does even
//! for a harness that was killed, and then kills the group: a program may be deaf
//! to everything else.

use std::{
    env,
    ffi::OsStr,
    fs, io,
    path::{self, Path, PathBuf},
    process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Most memory beside code that a process may write to, in KiB, where the system
/// can bound it. A heap has its own bound, but not what lies outside of it.
const MAX_DATA_KIB: u32 = 2 << 20;

/// Nothing but the waiting shell holds descriptor 4, and no shell holds a stream
/// that the harness reads.
const SCRIPT: &str = r#"
ulimit -d "$1" 2>/dev/null
shift
exec 4<&0
"$@" </dev/null 4<&- &
program=$!
( read -r _ <&4; kill -s KILL -- "-$$" ) </dev/null >/dev/null 2>&1 &
exec 4<&- >&- 2>&-
wait "$program"
"#;

/// How often a process is asked whether it has ended.
const POLL: Duration = Duration::from_millis(2);

/// A running program. Dropping it kills it and waits for its end.
#[derive(Debug)]
pub(in crate::subjects) struct Guarded {
    shell: Child,
    /// Closed when the harness is gone.
    _life: Option<ChildStdin>,
    ended: Option<ExitStatus>,
}

impl Guarded {
    /// Starts `program`; its streams are pipes, its standard input is empty.
    ///
    /// # Errors
    ///
    /// When `program` is no file that can be executed, or there is no `sh`.
    pub(in crate::subjects) fn start<S: AsRef<OsStr>>(
        program: &Path,
        arguments: impl IntoIterator<Item = S>,
        folder: Option<&Path>,
    ) -> io::Result<Self> {
        let program = located(program)?;
        let mut shell = Command::new("sh");
        shell.args(["-c", SCRIPT, "sh", &MAX_DATA_KIB.to_string()]).arg(program).args(arguments);
        shell.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if let Some(folder) = folder {
            shell.current_dir(folder);
        }
        group::lead(&mut shell);
        let mut shell = shell.spawn()?;
        Ok(Self { _life: shell.stdin.take(), shell, ended: None })
    }

    /// What it writes to its standard output and error; `None` if it is taken.
    pub(in crate::subjects) fn streams(&mut self) -> (Option<ChildStdout>, Option<ChildStderr>) {
        (self.shell.stdout.take(), self.shell.stderr.take())
    }

    /// Whether it has ended by itself.
    pub(in crate::subjects) fn has_ended(&mut self) -> bool {
        self.ended.is_some() || group::has_ended(&mut self.shell)
    }

    /// Waits until it has ended by itself, but not longer than `limit`; whether
    /// it has.
    pub(in crate::subjects) fn wait(&mut self, limit: Duration) -> bool {
        let start = Instant::now();
        while !self.has_ended() {
            if start.elapsed() >= limit {
                return false;
            }
            thread::sleep(POLL);
        }
        true
    }

    /// Kills whatever of it still runs, and tells how it ended.
    ///
    /// # Errors
    ///
    /// When the system does not tell.
    pub(in crate::subjects) fn stop(&mut self) -> io::Result<ExitStatus> {
        if let Some(status) = self.ended {
            return Ok(status);
        }
        // The shell has not been waited for: the group's number is still its own.
        group::kill(&mut self.shell);
        let status = self.shell.wait()?;
        self.ended = Some(status);
        Ok(status)
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        let _ = self.stop();
    }
}

/// The file of `program`, which the shell can start; it would say less clearly
/// that there is none. A name alone is looked for where commands are.
fn located(program: &Path) -> io::Result<PathBuf> {
    let named = program.parent().is_some_and(|parent| parent.as_os_str().is_empty());
    let paths = env::var_os("PATH").filter(|_| named).unwrap_or_default();
    let found = env::split_paths(&paths).map(|folder| folder.join(program)).find(|it| it.is_file());
    let program = found.map_or_else(|| path::absolute(program), Ok)?;
    let metadata = fs::metadata(&program)?;
    #[cfg(unix)]
    let marked = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let marked = true;
    match metadata.is_file() && marked {
        true => Ok(program),
        false => Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is no executable file")),
    }
}

/// Process groups.
#[cfg(unix)]
mod group {
    use std::{
        os::unix::process::CommandExt as _,
        process::{Child, Command},
    };

    use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};

    pub(in crate::subjects) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    /// Leaves the process to be waited for, so that its number is not given to
    /// another.
    pub(in crate::subjects) fn has_ended(child: &mut Child) -> bool {
        let asked = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        !matches!(waitid(WaitId::Pid(Pid::from_child(child)), asked), Ok(None))
    }

    pub(in crate::subjects) fn kill(child: &mut Child) {
        // If there is nobody left to kill, that is as well.
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
}

/// Without groups, the shell alone is killed; the others see their input closed.
#[cfg(not(unix))]
mod group {
    use std::process::{Child, Command};

    pub(in crate::subjects) fn lead(_: &mut Command) {}

    pub(in crate::subjects) fn has_ended(child: &mut Child) -> bool {
        !matches!(child.try_wait(), Ok(None))
    }

    pub(in crate::subjects) fn kill(child: &mut Child) {
        let _ = child.kill();
    }
}
