//! Workers that break or attack: each costs its own scene only, and the one
//! after it finds nothing of it.

use std::{
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use duipai::{
    observation::Outcome,
    plan::{Action, Step},
    runner::{self, CaseResult, Options, Status},
    subject::{Fault, Subject},
    suite::Suite,
};
use duipai_spec::event::{Call, End, EventKind};
use tempfile::TempDir;

use crate::{
    command::apart_and_well,
    watch::runtimes,
    workers::{BUDGET, around_the_app, event, run, send, worker},
};

/// Time for a scene that never ends.
const BRIEF: Duration = Duration::from_secs(2);

/// The trial app, which does what a step raises the name of.
const EVIL: &str = r#"
import app from "./app/app.js";
const EVIL = {
  loop() { for (;;); },
  recursion() { return EVIL.recursion() + 1; },
  memory() { const all = []; for (;;) all.push(new Array(1000).fill(Math.random())); },
  buffers() { const all = []; for (;;) all.push(new Uint8Array(64 << 20).fill(1)); },
  wasm() {
    const all = [];
    for (;;) {
      all.push(new WebAssembly.Memory({ initial: 1024 }));
      new Uint8Array(all.at(-1).buffer).fill(1);
    }
  },
  big: () => new Response("x".repeat(100 << 20)),
  endless: () => new Response(new ReadableStream({
    pull(stream) { stream.enqueue(new Uint8Array(1 << 16)); },
  })),
  async sends(env) { for (;;) await env.PAGE_QUEUE.send("x".repeat(1 << 20)); },
  prints() {
    for (let at = 0; at < 100; at++) console.log("x".repeat(1 << 20));
    return EVIL.garbage();
  },
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
    return name in EVIL ? EVIL[name](env) : app.fetch(request, env, ctx);
  },
  async queue(batch, env, ctx) {
    const { steps } = await (await env.DUIPAI.fetch("http://duipai/plan")).json();
    const name = evil(steps);
    if (name === "reports") {
      await env.DUIPAI.fetch("http://duipai/report", { method: "POST", body: "x".repeat(100 << 20) });
    } else if (name in EVIL) await EVIL[name](env);
    else await app.queue(batch, env, ctx);
  },
};
"#;

fn evil() -> (TempDir, Arc<dyn Subject>) {
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
fn what_hangs_costs_its_own_scene_only() {
    let (_folder, subject) = evil();
    for kind in [EventKind::Fetch, EventKind::Queue] {
        check(&*subject, kind, "loop", BRIEF, "timed out");
        check(&*subject, kind, "never", BRIEF, "timed out");
    }
}

#[test]
fn what_takes_all_memory_costs_its_own_scene_only() {
    let (_folder, subject) = evil();
    check(&*subject, EventKind::Fetch, "memory", BUDGET, "heap");
    check(&*subject, EventKind::Queue, "memory", BUDGET, "heap");
    let fetch = |name, part| check(&*subject, EventKind::Fetch, name, BUDGET, part);
    fetch("recursion", "call stack");
    fetch("buffers", "buffer allocation failed");
    fetch("wasm", "WebAssembly.Memory");
}

#[test]
fn what_answers_too_much_costs_its_own_scene_only() {
    let (_folder, subject) = evil();
    let fetch = |name, part| check(&*subject, EventKind::Fetch, name, BUDGET, part);
    fetch("big", "the answer is longer than 16777216 bytes");
    fetch("endless", "the answer is longer than 16777216 bytes");
    fetch("sends", "the arguments of the platform calls are longer than 67108864 characters");
    fetch("prints", NO_REPORT);
    check(&*subject, EventKind::Queue, "reports", BUDGET, {
        "the report is longer than 16777216 bytes"
    });
}

const NO_REPORT: &str = "the Worker did not report what it did; it answered 200: \\0";

#[test]
fn what_answers_nonsense_costs_its_own_scene_only() {
    let (_folder, subject) = evil();
    let fetch = |name, part| check(&*subject, EventKind::Fetch, name, BUDGET, part);
    fetch("breaks", "the Worker did not report what it did; its handler threw Error: broke");
    fetch("redirect", "the Worker did not report what it did; it answered 302: ");
    fetch("garbage", NO_REPORT);
    fetch("late", NO_REPORT);
    fetch("nonsense", "the Worker's report cannot be read (unknown variant `vanished`");
    fetch("throws", "its handler threw object: null");
}

/// The runtime sees that nothing can settle any more.
#[test]
fn a_promise_that_nothing_settles_does_not_hang() {
    let (_folder, subject) = evil();
    let result = run(&*subject, event(EventKind::Queue, raise("hangs")), BRIEF);
    result.unwrap_err();
    unharmed(&*subject);
}

#[test]
fn what_the_runtime_saw_goes_before_what_a_worker_claims() {
    let (_folder, subject) = evil();
    let seen = run(&*subject, event(EventKind::Fetch, raise("lies")), BUDGET).unwrap();
    assert!(matches!(seen.end, End::Rejected(reason) if reason.contains("500")));
}

#[test]
fn a_process_that_dies_in_a_scene_is_replaced() {
    apart_and_well("hostile::a_process_that_dies_in_a_scene_is_replaced", |temporary| {
        let (_folder, subject) = evil();
        let started = runtimes(temporary);
        assert_eq!(started.len(), 1);
        let killer = thread::spawn(move || {
            thread::sleep(Duration::from_millis(500));
            started[0].kill();
        });
        let start = Instant::now();
        let fault = run(&*subject, event(EventKind::Fetch, raise("loop")), BUDGET).unwrap_err();
        let told = reason(fault);
        assert!(told.contains("the connection to the driver broke"), "{told}");
        assert!(start.elapsed() < BUDGET / 2);
        killer.join().unwrap();
        unharmed(&*subject);
    });
}

/// In a run, with a short time limit: the restart is not on the next case's
/// account.
#[test]
fn a_hanging_case_leaves_its_neighbours_their_time() {
    let (_folder, subject) = evil();
    let suite = Suite::builtin().unwrap();
    let one = |id: &str| suite.cases.iter().find(|case| &*case.id == id).unwrap().clone();
    let mut hanging = one("send.delay.most");
    hanging.events[0]
        .plan
        .steps
        .push(Step { action: Action::Raise { message: "loop".to_owned() }, caught: true });
    let good = one("send.delay.most");
    let cases = [good.clone(), hanging.clone(), good.clone(), hanging, good];
    let options = Options { timeout: Duration::from_millis(1500), ..Options::default() };
    let results = runner::run(&cases, &subject, &options, &());
    let statuses: Vec<_> = results.iter().map(CaseResult::status).collect();
    let (passed, timed_out) = (Status::Passed, Status::TimedOut);
    assert_eq!(statuses, [passed, timed_out, passed, timed_out, passed]);
}
