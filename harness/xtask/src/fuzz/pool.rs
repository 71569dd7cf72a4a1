//! Several programs at once, each bounded in time and with its log. However this
//! ends, by itself or by a signal, none of them is left running.

use std::{
    fs::File,
    path::PathBuf,
    process::{Child, Command, ExitStatus, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use signal_hook::{
    consts::{SIGHUP, SIGINT, SIGTERM},
    flag,
};

use crate::tell;

/// Time between two looks at what runs.
const PAUSE: Duration = Duration::from_millis(100);

/// A program to be run.
pub(super) struct Job {
    /// What a person is told of.
    pub(super) name: String,
    pub(super) command: Command,
    /// Takes what the program writes.
    pub(super) log: PathBuf,
    /// Time after which it is killed.
    pub(super) limit: Duration,
}

/// Runs programs, so many at once.
pub(super) struct Pool {
    at_once: usize,
    interrupted: Arc<AtomicBool>,
}

impl Pool {
    pub(super) fn new(at_once: usize) -> Result<Self, String> {
        let interrupted = Arc::new(AtomicBool::new(false));
        for signal in [SIGHUP, SIGINT, SIGTERM] {
            flag::register(signal, Arc::clone(&interrupted))
                .map_err(|error| format!("cannot wait for signals: {error}"))?;
        }
        Ok(Self { at_once: at_once.max(1), interrupted })
    }

    /// Runs `jobs` in turn; whether all of them came to an end by themselves.
    /// What their status is, is for the report to judge.
    pub(super) fn run(&mut self, jobs: Vec<Job>) -> bool {
        let mut waiting = jobs.into_iter();
        let mut running: Vec<Running> = Vec::new();
        let mut whole = true;
        loop {
            if self.interrupted.load(Ordering::Relaxed) {
                tell("interrupted: the fuzzers are ended\n");
                return false;
            }
            running.retain_mut(|one| match one.look() {
                Look::Runs => true,
                Look::Ended(by_itself) => {
                    whole &= by_itself;
                    false
                }
            });
            while running.len() < self.at_once {
                let Some(job) = waiting.next() else { break };
                match Running::start(job) {
                    Ok(started) => running.push(started),
                    Err(error) => {
                        tell(&format!("{error}\n"));
                        whole = false;
                    }
                }
            }
            if running.is_empty() {
                return whole;
            }
            thread::sleep(PAUSE);
        }
    }
}

enum Look {
    Runs,
    /// Whether it ended by itself.
    Ended(bool),
}

struct Running {
    name: String,
    child: Child,
    start: Instant,
    limit: Duration,
    ended: bool,
}

impl Running {
    fn start(job: Job) -> Result<Self, String> {
        let Job { name, mut command, log, limit } = job;
        let file = File::create(&log).and_then(|file| Ok((file.try_clone()?, file)));
        let (out, err) = file.map_err(|error| format!("{name}: {}: {error}", log.display()))?;
        command.stdin(Stdio::null()).stdout(out).stderr(err);
        group::lead(&mut command);
        let child = command.spawn();
        let child = child.map_err(|error| {
            format!("{name}: cannot start {}: {error}", command.get_program().display())
        })?;
        tell(&format!("{name}: started\n"));
        Ok(Self { name, child, start: Instant::now(), limit, ended: false })
    }

    fn look(&mut self) -> Look {
        match self.child.try_wait() {
            Ok(Some(status)) => {
                self.ended = true;
                self.tell_end(status);
                Look::Ended(true)
            }
            Ok(None) if self.start.elapsed() < self.limit => Look::Runs,
            Ok(None) => {
                tell(&format!("{}: over its time, killed\n", self.name));
                self.kill();
                Look::Ended(false)
            }
            Err(error) => {
                tell(&format!("{}: {error}\n", self.name));
                Look::Ended(false)
            }
        }
    }

    fn tell_end(&self, status: ExitStatus) {
        let took = self.start.elapsed().as_secs();
        tell(&format!("{}: {status} after {took} s\n", self.name));
    }

    /// Kills it with all that it has started, and waits until it is gone.
    fn kill(&mut self) {
        if !self.ended {
            group::kill(&mut self.child);
            let _ = self.child.wait();
            self.ended = true;
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.kill();
    }
}

/// A program and what it starts in its turn.
#[cfg(unix)]
mod group {
    use std::{
        os::unix::process::CommandExt as _,
        process::{Child, Command},
    };

    use rustix::process::{Pid, Signal, kill_process_group};

    pub(super) fn lead(command: &mut Command) {
        command.process_group(0);
    }

    /// What cannot be killed has ended.
    pub(super) fn kill(child: &mut Child) {
        let _ = kill_process_group(Pid::from_child(child), Signal::KILL);
    }
}

#[cfg(not(unix))]
mod group {
    use std::process::{Child, Command};

    pub(super) fn lead(_: &mut Command) {}

    pub(super) fn kill(child: &mut Child) {
        let _ = child.kill();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str, log: &std::path::Path, limit: Duration) -> Job {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        Job { name: "sh".to_owned(), command, log: log.to_owned(), limit }
    }

    fn is_gone(pid: &str) -> bool {
        // A process that has ended but is not waited for is a zombie.
        let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim()));
        status.map_or(true, |stat| stat.contains(") Z "))
    }

    #[test]
    fn what_runs_over_is_killed_with_all_it_started() {
        let folder = tempfile::tempdir().expect("a folder");
        let (one, other) = (folder.path().join("one"), folder.path().join("other"));
        let mut pool = Pool::new(2).expect("a pool");
        let jobs = vec![
            shell("sleep 600 & echo $!; wait", &one, Duration::from_millis(500)),
            shell("echo here", &other, Duration::from_secs(60)),
        ];
        assert!(!pool.run(jobs));
        let read = |path| std::fs::read_to_string(path).expect("a log");
        assert_eq!(read(&other), "here\n");
        thread::sleep(Duration::from_millis(300));
        assert!(is_gone(&read(&one)), "the process {} is left behind", read(&one));
    }

    #[test]
    fn an_interruption_ends_them() {
        let folder = tempfile::tempdir().expect("a folder");
        let log = folder.path().join("log");
        let mut pool = Pool::new(1).expect("a pool");
        let interrupted = Arc::clone(&pool.interrupted);
        let later = thread::spawn(move || {
            thread::sleep(Duration::from_millis(500));
            interrupted.store(true, Ordering::Relaxed);
        });
        let start = Instant::now();
        assert!(!pool.run(vec![shell("echo $$; exec sleep 600", &log, Duration::from_secs(60))]));
        assert!(start.elapsed() < Duration::from_secs(30));
        later.join().expect("the thread");
        assert!(is_gone(&std::fs::read_to_string(log).expect("a log")));
    }

    #[test]
    fn what_cannot_be_started_is_not_whole() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut job = shell("", &folder.path().join("log"), Duration::from_secs(1));
        job.command = Command::new("/no such program");
        assert!(!Pool::new(1).expect("a pool").run(vec![job]));
    }
}
