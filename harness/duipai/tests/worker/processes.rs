//! The processes of this machine, as far as they matter here.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    thread,
    time::{Duration, Instant},
};

/// A process with its parent and its command line.
struct Process {
    pid: u32,
    parent: u32,
    command: String,
}

fn all() -> Vec<Process> {
    let entries = fs::read_dir("/proc").unwrap();
    let pid = |path: PathBuf| path.file_name()?.to_str()?.parse().ok();
    entries.filter_map(|entry| pid(entry.ok()?.path())).filter_map(process).collect()
}

/// `None` if it has ended meanwhile.
fn process(pid: u32) -> Option<Process> {
    let status = fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name))?;
        Some(line.trim().to_owned())
    };
    if field("State:")?.starts_with('Z') {
        return None;
    }
    let command = fs::read(format!("/proc/{pid}/cmdline")).ok()?;
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    Some(Process { pid, parent: field("PPid:")?.parse().ok()?, command })
}

/// Everything that `pid` has started and that still runs.
pub(crate) fn below(pid: u32) -> Vec<u32> {
    let all = all();
    let mut found = vec![pid];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        found.extend(all.iter().filter(|one| one.parent == parent).map(|one| one.pid));
        at += 1;
    }
    found.split_off(1)
}

/// The workerd processes among them.
pub(crate) fn runtimes_below(pid: u32) -> Vec<u32> {
    let runs = |pid: &u32| {
        process(*pid).is_some_and(|one| {
            one.command.contains(" serve ")
                && one.command.split(' ').next().unwrap().ends_with("workerd")
        })
    };
    below(pid).into_iter().filter(runs).collect()
}

/// Kills one process.
pub(crate) fn kill(pid: u32) {
    signal("KILL", pid);
}

/// Sends a signal to one process.
pub(crate) fn signal(name: &str, pid: u32) {
    let sent = Command::new("kill").args([format!("-{name}"), pid.to_string()]).status().unwrap();
    assert!(sent.success());
}

/// Waits until none of these processes is there; which ones stay is an error.
pub(crate) fn gone(pids: &[u32]) {
    let start = Instant::now();
    loop {
        let left: Vec<_> = pids.iter().filter_map(|pid| process(*pid)).collect();
        if left.is_empty() {
            return;
        }
        let commands: Vec<_> = left.iter().map(|one| &one.command).collect();
        assert!(start.elapsed() < Duration::from_secs(10), "left behind: {commands:?}");
        thread::sleep(Duration::from_millis(10));
    }
}

/// Waits until `pid` has a workerd below it.
pub(crate) fn wait_for_runtime(pid: u32) -> Vec<u32> {
    let start = Instant::now();
    loop {
        let found = runtimes_below(pid);
        if !found.is_empty() {
            return found;
        }
        assert!(start.elapsed() < Duration::from_secs(30), "no workerd was started");
        thread::sleep(Duration::from_millis(10));
    }
}
