//! However a run ends, no process and no file of it is left.

use std::{fs, os::unix::fs::PermissionsExt as _, process, thread, time::Duration};

use duipai_spec::event::EventKind;

use crate::{
    command::{Ended, Harness, apart, apart_and_well, empty},
    watch::{Process, gone, naming, reaped, runtimes, there},
    workers::{BUDGET, binary, event, folder, run, send, source, subject, worker},
};

/// Runs the command to its end; its exit code. It must have started workerd.
fn watched(arguments: &[&str]) -> i32 {
    let mut harness = Harness::command(arguments);
    there(harness.folder());
    let ended = harness.end();
    empty(harness.folder());
    ended.code()
}

#[test]
fn after_a_normal_end() {
    assert_eq!(watched(&["run", "--subject", "worker", "--filter", "send.*"]), 0);
}

#[test]
fn after_a_failing_run() {
    let mutant = format!("worker:{}", source("mutants/ignores-grants").display());
    assert_eq!(watched(&["run", "--subject", &mutant, "--filter", "grant.*"]), 1);
}

#[test]
fn after_a_run_that_stops_early() {
    let mutant = format!("worker:{}", source("mutants/keeps-instance").display());
    assert_eq!(watched(&["run", "--subject", &mutant, "--fail-fast"]), 1);
}

/// SIGINT as a terminal sends it, to the group; the others to the harness alone.
#[test]
fn after_a_signal() {
    for name in ["INT", "TERM", "HUP", "KILL"] {
        let mut harness = Harness::command(&["run", "--subject", "worker"]);
        there(harness.folder());
        thread::sleep(Duration::from_millis(300));
        match name {
            "INT" => harness.signal_group(name),
            _ => harness.signal(name),
        }
        let ended = harness.end();
        assert!(ended.status.code().is_none(), "{name}: {}", ended.status);
    }
}

/// Before workerd listens, and before the harness knows of it.
#[test]
fn after_a_signal_at_the_start() {
    for name in ["TERM", "KILL"] {
        let mut harness = Harness::command(&["run", "--subject", "worker"]);
        there(harness.folder());
        harness.signal(name);
        assert!(harness.end().status.code().is_none(), "{name}");
    }
}

/// In an endless loop workerd takes no signal but the one that kills.
#[test]
fn in_an_endless_loop() {
    let main = r#"
        export default {
          async fetch(request) {
            const { steps } = await request.json();
            if (steps.length > 0) { console.log("loops"); for (;;); }
            return Response.json({ outcomes: [], end: { end: "fulfilled" } });
          },
        };"#;
    let looping = folder(&[("index.js", main)]);
    let subject = format!("worker:{}", looping.path().display());
    let arguments = ["run", "--subject", &subject, "--filter", "send.delay.most"];
    let names = ["INT", "KILL"];
    let mut started = names.map(|name| (name, Harness::command(&arguments)));
    for (_, harness) in &started {
        there(harness.folder());
    }
    thread::sleep(Duration::from_secs(1));
    for (name, harness) in &mut started {
        assert_eq!(runtimes(harness.folder()).len(), 1);
        harness.signal_group(name);
        assert!(harness.end().status.code().is_none(), "{name}");
    }
}

const ON_PURPOSE: &str = "on purpose";

/// Starts a subject in a process of its own, which then ends by `end`.
#[expect(clippy::print_stderr, reason = "a process that is to die tells so that it came so far")]
fn ends(test: &str, end: impl FnOnce()) -> Ended {
    let ended = apart(test, |folder| {
        let subject = subject("worker");
        assert_eq!(runtimes(folder).len(), 1);
        run(&*subject, event(EventKind::Fetch, vec![send("{}")]), BUDGET).unwrap();
        eprintln!("{ON_PURPOSE}");
        end();
    });
    assert!(ended.err.contains(ON_PURPOSE), "{}", ended.err);
    ended
}

#[test]
fn after_a_panic_in_the_harness() {
    let ended = ends("left_behind::after_a_panic_in_the_harness", || panic!("a panic"));
    assert_eq!(ended.status.code(), Some(101));
}

/// As a panic ends a program that does not unwind: nothing is dropped.
#[test]
fn after_an_abort_of_the_harness() {
    let ended = ends("left_behind::after_an_abort_of_the_harness", || process::abort());
    assert_eq!(ended.status.code(), None);
}

/// As the command ends while a case hangs: the subject is not dropped.
#[test]
fn after_an_exit_of_the_harness() {
    let ended = ends("left_behind::after_an_exit_of_the_harness", || process::exit(7));
    assert_eq!(ended.status.code(), Some(7));
}

/// Also the shells between the harness and workerd, and at once.
#[test]
fn when_the_subject_is_dropped() {
    apart_and_well("left_behind::when_the_subject_is_dropped", |folder| {
        let subject = worker(&source("app-yuyan"));
        assert!(naming(folder).len() >= 2);
        drop(subject);
        gone(folder);
        empty(folder);
    });
}

/// No scene pays for a process that somebody else has ended, and the one that
/// takes its place is ended as well.
#[test]
fn when_workerd_was_killed_from_outside() {
    apart_and_well("left_behind::when_workerd_was_killed_from_outside", |folder| {
        let subject = subject("worker");
        let before = runtimes(folder);
        before.iter().for_each(Process::kill);
        reaped(&before);
        run(&*subject, event(EventKind::Fetch, vec![send("{}")]), BUDGET).unwrap();
        let after = runtimes(folder);
        assert_eq!((before.len(), after.len()), (1, 1));
        drop(subject);
        gone(folder);
    });
}

/// `DUIPAI_WORKERD` may name a script around workerd, whose end is not workerd's.
#[test]
fn when_a_script_stands_around_workerd() {
    let script = format!("#!/bin/sh\n'{}' \"$@\"\nexit $?\n", binary().display());
    let scripts = folder(&[("wrapper", &script)]);
    let wrapper = scripts.path().join("wrapper");
    fs::set_permissions(&wrapper, fs::Permissions::from_mode(0o755)).unwrap();
    let arguments = ["run", "--subject", "worker", "--filter", "send.delay.*"];
    let variables = [("DUIPAI_WORKERD", wrapper.as_os_str())];
    let ended = Harness::with(&arguments, &variables).end();
    assert_eq!(ended.code(), 0, "{}{}", ended.out, ended.err);
    for name in ["TERM", "KILL"] {
        let mut harness = Harness::with(&["run", "--subject", "worker"], &variables);
        there(harness.folder());
        harness.signal(name);
        assert!(harness.end().status.code().is_none(), "{name}");
    }
}
