//! However a run ends, no process and no file of it is left.

use std::{
    fs,
    path::Path,
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use duipai::subjects;
use duipai_spec::event::EventKind;

use crate::{
    processes::{below, gone, kill, runtimes_below, signal, wait_for_runtime},
    workers::{BUDGET, alone, event, folder, run, send, source, together, worker},
};

/// The command, with a folder of its own for what it writes.
fn duipai(temporary: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_duipai"));
    command.args(arguments).env("TMPDIR", temporary).env_remove("DUIPAI_SUBJECT");
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Runs the command while looking at what it starts; its exit status, and what
/// it started.
fn watched(arguments: &[&str]) -> (i32, Vec<u32>) {
    let temporary = folder(&[]);
    let mut child = duipai(temporary.path(), arguments).spawn().unwrap();
    wait_for_runtime(child.id());
    let started = below(child.id());
    let status = child.wait().unwrap().code().unwrap();
    assert_eq!(fs::read_dir(temporary.path()).unwrap().count(), 0);
    (status, started)
}

#[test]
fn after_a_normal_end_and_a_failing_run() {
    let _together = together();
    let (status, started) = watched(&["run", "--subject", "worker", "--filter", "send.*"]);
    assert_eq!(status, 0);
    gone(&started);
    let mutant = format!("worker:{}", source("mutants/ignores-grants").display());
    let (status, started) = watched(&["run", "--subject", &mutant]);
    assert_eq!(status, 1);
    gone(&started);
}

/// SIGINT as a terminal sends it, to the group; SIGTERM and SIGKILL to the
/// harness alone.
#[test]
fn after_a_signal() {
    let _together = together();
    for name in ["INT", "TERM", "KILL"] {
        let temporary = folder(&[]);
        let arguments = ["run", "--subject", "worker"];
        let mut child = duipai(temporary.path(), &arguments).spawn().unwrap();
        wait_for_runtime(child.id());
        thread::sleep(Duration::from_millis(300));
        let started = below(child.id());
        if name == "INT" {
            started.iter().for_each(|pid| interrupt(*pid));
        }
        signal(name, child.id());
        assert!(child.wait().unwrap().code().is_none(), "{name}");
        gone(&started);
    }
}

/// It may have ended by itself.
fn interrupt(pid: u32) {
    let kill = Command::new("kill").args(["-INT", &pid.to_string()]).stderr(Stdio::null()).status();
    kill.unwrap();
}

/// In an endless loop workerd takes no signal but the one that kills.
#[test]
fn in_an_endless_loop() {
    let _alone = alone();
    let main = r#"
        export default {
          async fetch(request) {
            const { steps } = await request.json();
            if (steps.length > 0) for (;;);
            return Response.json({ outcomes: [], end: { end: "fulfilled" } });
          },
        };"#;
    let looping = folder(&[("index.js", main)]);
    let subject = format!("worker:{}", looping.path().display());
    let temporary = folder(&[]);
    let filter = ["--filter", "send.delay.most"];
    let arguments = [&["run", "--subject", &subject][..], &filter].concat();
    let mut child = duipai(temporary.path(), &arguments).spawn().unwrap();
    wait_for_runtime(child.id());
    thread::sleep(Duration::from_secs(2));
    let started = below(child.id());
    assert!(!started.is_empty());
    signal("INT", child.id());
    child.wait().unwrap();
    gone(&started);
}

/// Unwinding drops the subject; a thread that is lost takes it along when the
/// process ends.
#[test]
fn after_a_panic_in_the_harness() {
    let _alone = alone();
    let before = runtimes_below(std::process::id());
    let panicked = thread::spawn(move || {
        let _subject = subjects::from_spec("worker").unwrap();
        let started = runtimes_below(std::process::id());
        let started: Vec<_> = started.into_iter().filter(|pid| !before.contains(pid)).collect();
        assert!(!started.is_empty());
        std::panic::panic_any(started);
    });
    let started = *panicked.join().unwrap_err().downcast::<Vec<u32>>().unwrap();
    gone(&started);
}

/// Also what stands between the harness and workerd.
#[test]
fn when_the_subject_is_dropped() {
    let _alone = alone();
    let before = below(std::process::id());
    let subject = worker(&source("app-yuyan"));
    let started = below(std::process::id());
    let started: Vec<_> = started.into_iter().filter(|pid| !before.contains(pid)).collect();
    assert!(started.len() >= 2, "{started:?}");
    drop(subject);
    gone(&started);
}

/// A new one takes over, and no scene is lost.
#[test]
fn when_the_process_was_killed_from_outside() {
    let _alone = alone();
    let started = |before: &[u32]| {
        let now = runtimes_below(std::process::id());
        now.into_iter().filter(|pid| !before.contains(pid)).collect::<Vec<_>>()
    };
    let before = started(&[]);
    let subject = subjects::from_spec("worker").unwrap();
    let killed = started(&before);
    killed.iter().for_each(|pid| kill(*pid));
    gone(&killed);
    run(&*subject, event(EventKind::Fetch, vec![send("{}")]), BUDGET).unwrap();
    let again = started(&before);
    assert_eq!(again.len(), 1, "{again:?}");
    drop(subject);
    gone(&again);
}
