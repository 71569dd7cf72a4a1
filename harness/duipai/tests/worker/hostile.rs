//! Workers that break or attack: each costs its own scene only, and the one
//! after it finds nothing of it.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use duipai::{
    observation::Outcome,
    plan::Action,
    runner::{self, Options, Status},
    subject::{Fault, Subject},
    suite::Suite,
};
use duipai_spec::event::{Call, End, EventKind};

use crate::{
    processes,
    workers::{BUDGET, alone, around_the_app, event, run, send, together, worker},
};

const BRIEF: Duration = Duration::from_secs(2);

/// The trial app, which does what a step raises the name of.
const EVIL: &str = r#"
import app from "./app/app.js";
const EVIL = {
  loop() { for (;;); },
  recursion() { return EVIL.recursion() + 1; },
  memory() { const all = []; for (;;) all.push(new Array(1000).fill(Math.random())); },
  big: () => new Response("x".repeat(100 << 20)),
  never: () => new Promise((resolve) => setTimeout(resolve, 1e9)),
  hangs: () => new Promise(() => {}),
  breaks: () => new Response(new ReadableStream({
    start(stream) { stream.enqueue(new Uint8Array(9)); stream.error(new Error("broke")); },
  })),
  redirect: () => Response.redirect("http://127.0.0.1:1/away", 302),
  garbage: () => new Response("\u0000{\"outcomes\":[[["),
  nonsense: () => Response.json({ outcomes: [{ outcome: "vanished" }], end: { end: "never" } }),
  throws() { throw null; },
  late() { setTimeout(() => { throw new Error("late"); }, 50); return EVIL.garbage(); },
  lies: () => Response.json({ outcomes: [], end: { end: "fulfilled" } }, { status: 500 }),
};
const evil = (steps) => steps.find((step) => step.op === "raise")?.message;
export default {
  ...app,
  async fetch(request, env, ctx) {
    const { steps } = await request.clone().json();
    const name = evil(steps);
    return name in EVIL ? EVIL[name]() : app.fetch(request, env, ctx);
  },
  async queue(batch, env, ctx) {
    const { steps } = await (await env.DUIPAI.fetch("http://duipai/plan")).json();
    const name = evil(steps);
    if (name in EVIL) await EVIL[name]();
    else await app.queue(batch, env, ctx);
  },
};
"#;

fn evil() -> (tempfile::TempDir, Arc<dyn Subject>) {
    let folder = around_the_app(EVIL);
    let subject = worker(folder.path());
    (folder, subject)
}

fn raise(name: &str) -> Vec<Action> {
    vec![Action::Raise { message: name.to_owned() }]
}

/// The subject still answers as it did.
fn unharmed(subject: &dyn Subject) {
    subject.prepare();
    let seen = run(subject, event(EventKind::Fetch, vec![send("{}")]), BUDGET).unwrap();
    assert_eq!(seen.outcomes, [Outcome::Returned { value: None }]);
    assert!(matches!(&seen.calls[..], [Call::Send { .. }]));
    assert_eq!(seen.end, End::Fulfilled);
}

fn reason(fault: Fault) -> String {
    match fault {
        Fault::Crashed(reason) => reason,
        Fault::TimedOut => "timed out".to_owned(),
    }
}

/// What `name` comes to is told with this word.
fn check(subject: &dyn Subject, kind: EventKind, name: &str, budget: Duration, part: &str) {
    let start = Instant::now();
    let told = reason(run(subject, event(kind, raise(name)), budget).unwrap_err());
    assert!(told.contains(part), "{name} in {kind}: no `{part}` in {told}");
    assert!(start.elapsed() < budget + Duration::from_secs(5), "{name}: {:?}", start.elapsed());
    unharmed(subject);
}

#[test]
fn what_breaks_costs_its_own_scene_only() {
    let _alone = alone();
    let (_folder, subject) = evil();
    for kind in [EventKind::Fetch, EventKind::Queue] {
        check(&*subject, kind, "loop", BRIEF, "timed out");
        check(&*subject, kind, "never", BRIEF, "timed out");
        check(&*subject, kind, "memory", BUDGET, "heap");
        check(&*subject, kind, "recursion", BUDGET, "call stack");
    }
    let fetch = |name, part| check(&*subject, EventKind::Fetch, name, BUDGET, part);
    fetch("big", "bytes");
    fetch("breaks", "broke");
    fetch("redirect", "302");
    fetch("garbage", "{\"outcomes\":[[[");
    fetch("late", "{\"outcomes\":[[[");
    fetch("nonsense", "vanished");
    fetch("throws", "null");
}

/// The runtime sees that nothing can settle any more.
#[test]
fn a_promise_that_nothing_settles_does_not_hang() {
    let _together = together();
    let (_folder, subject) = evil();
    let result = run(&*subject, event(EventKind::Queue, raise("hangs")), BRIEF);
    result.unwrap_err();
    unharmed(&*subject);
}

#[test]
fn what_the_runtime_saw_goes_before_what_a_worker_claims() {
    let _together = together();
    let (_folder, subject) = evil();
    let seen = run(&*subject, event(EventKind::Fetch, raise("lies")), BUDGET).unwrap();
    assert!(matches!(seen.end, End::Rejected(reason) if reason.contains("500")));
}

#[test]
fn a_process_that_dies_in_a_scene_is_replaced() {
    let _alone = alone();
    let before = processes::runtimes_below(std::process::id());
    let (_folder, subject) = evil();
    let mut started = processes::runtimes_below(std::process::id());
    started.retain(|pid| !before.contains(pid));
    assert_eq!(started.len(), 1);
    let killer = thread::spawn(move || {
        thread::sleep(Duration::from_millis(500));
        started.into_iter().for_each(processes::kill);
    });
    let start = Instant::now();
    let told = reason(run(&*subject, event(EventKind::Fetch, raise("loop")), BUDGET).unwrap_err());
    assert!(told.contains("the connection to the driver broke"), "{told}");
    assert!(start.elapsed() < BUDGET / 2);
    killer.join().unwrap();
    unharmed(&*subject);
}

/// In a run, with a short time limit: the restart is not on the next case's
/// account.
#[test]
fn a_hanging_case_leaves_its_neighbours_their_time() {
    let _alone = alone();
    let (_folder, subject) = evil();
    let suite = Suite::builtin().unwrap();
    let one = |id: &str| suite.cases.iter().find(|case| &*case.id == id).unwrap().clone();
    let mut hanging = one("send.delay.most");
    hanging.events[0].plan.steps.push(duipai::plan::Step {
        action: Action::Raise { message: "loop".to_owned() },
        caught: true,
    });
    let good = one("send.delay.most");
    let cases = [good.clone(), hanging.clone(), good.clone(), hanging, good];
    let options = Options { timeout: Duration::from_millis(400), ..Options::default() };
    let results = runner::run(&cases, &subject, &options, &());
    let statuses: Vec<_> = results.iter().map(|result| result.status()).collect();
    let (passed, timed_out) = (Status::Passed, Status::TimedOut);
    assert_eq!(statuses, [passed, timed_out, passed, timed_out, passed]);
}
