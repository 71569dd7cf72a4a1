//! The processes of this machine, as far as one folder's name stands in their
//! command line: workerd's configuration is in a temporary folder, so whoever
//! starts it with a temporary folder of its own finds all that was started, also
//! what has lost its parent.

use std::{
    fmt, fs,
    path::Path,
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// Longest time from the end of the harness to the end of all that it started.
const GONE_LIMIT: Duration = Duration::from_secs(5);

/// Longest time until workerd is there.
const THERE_LIMIT: Duration = Duration::from_secs(30);

/// How often is looked.
const POLL: Duration = Duration::from_millis(10);

/// A running process.
#[derive(Debug)]
pub(crate) struct Process {
    pid: u32,
    arguments: Vec<String>,
}

impl Process {
    fn read(pid: u32) -> Option<Self> {
        // It may end at any time, and the command line of one that nobody has
        // waited for is empty.
        let line = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line);
        Some(Self { pid, arguments: line.split_terminator('\0').map(str::to_owned).collect() })
    }

    /// Whether this is workerd and not a shell around it.
    pub(crate) fn is_runtime(&self) -> bool {
        let named = |name: &String| name.ends_with("workerd");
        self.arguments.first().is_some_and(named) && self.arguments.iter().any(|it| it == "serve")
    }

    /// Kills it.
    pub(crate) fn kill(&self) {
        signal("KILL", &self.pid.to_string());
    }
}

/// Every process whose command line names `folder`.
pub(crate) fn naming(folder: &Path) -> Vec<Process> {
    let folder = folder.to_str().unwrap();
    let entries = fs::read_dir("/proc").unwrap().map(|entry| entry.unwrap().file_name());
    let pids = entries.filter_map(|name| name.to_str()?.parse().ok());
    let named = |it: &Process| it.arguments.iter().any(|argument| argument.contains(folder));
    pids.filter_map(Process::read).filter(named).collect()
}

/// The workerd processes among them.
pub(crate) fn runtimes(folder: &Path) -> Vec<Process> {
    naming(folder).into_iter().filter(Process::is_runtime).collect()
}

/// Waits until workerd runs.
pub(crate) fn there(folder: &Path) -> Vec<Process> {
    let start = Instant::now();
    loop {
        let found = runtimes(folder);
        if !found.is_empty() {
            return found;
        }
        assert!(start.elapsed() < THERE_LIMIT, "no workerd was started");
        thread::sleep(POLL);
    }
}

/// Waits until no process is left; which ones stay is an error.
pub(crate) fn gone(folder: &Path) {
    none(|| naming(folder));
}

/// Waits until these have ended and been waited for: before that, what they
/// listen on may still take a connection.
pub(crate) fn reaped(processes: &[Process]) {
    none(|| {
        let there = |it: &&Process| fs::exists(format!("/proc/{}", it.pid)).unwrap();
        processes.iter().filter(there).collect()
    });
}

fn none<T: fmt::Debug>(look: impl Fn() -> Vec<T>) {
    let start = Instant::now();
    loop {
        let left = look();
        if left.is_empty() {
            return;
        }
        assert!(start.elapsed() < GONE_LIMIT, "left behind: {left:#?}");
        thread::sleep(POLL);
    }
}

/// Sends a signal to a process, or with `-` before its number to its group.
pub(crate) fn signal(name: &str, target: &str) {
    let number = target.trim_start_matches('-').parse::<u32>().unwrap();
    assert!(number > 1, "{target} is everybody");
    let sent = Command::new("kill").args(["-s", name, "--", target]).status().unwrap();
    assert!(sent.success(), "kill -s {name} -- {target}");
}
