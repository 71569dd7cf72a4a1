//! What an event costs on a fresh WebAssembly instance and in a real Worker: the
//! same events natively and there, with the ratio.
//!
//! `cargo bench --bench events`; what follows `--` chooses benches whose name
//! begins so. Nothing is asserted: numbers belong to the machine.

#![expect(clippy::print_stdout, reason = "a bench speaks to a person")]
#![expect(clippy::unwrap_used, reason = "a bench fails by panicking")]

use std::{
    collections::BTreeMap,
    env,
    time::{Duration, Instant},
};

use duipai::{
    observation::Outcome,
    plan::{Action, Binding, EventPlan, Scene, Step},
    subject::Subject,
    subjects,
};
use duipai_platform::Profile;
use duipai_spec::event::EventKind;

/// Rounds of each bench; the best and the median are shown.
const ROUNDS: usize = 15;
/// How long one round takes at least.
const ROUND: Duration = Duration::from_millis(100);

fn main() {
    // Cargo adds `--bench`.
    let chosen: Vec<String> = env::args().skip(1).filter(|name| !name.starts_with('-')).collect();
    let start = Instant::now();
    let guest = subjects::from_spec("wasm").unwrap();
    println!("compilation of the guest: {:.1} ms", start.elapsed().as_secs_f64() * 1e3);
    let native = subjects::from_spec("native").unwrap();
    let worker = subjects::from_spec("worker").unwrap();
    println!(
        "{:34} {:>10} {:>10} {:>8} {:>10} {:>10} {:>8} {:>10}",
        "event", "native µs", "wasm µs", "ratio", "more µs", "worker µs", "ratio", "a second"
    );
    let item = format!("{{\"body\":{}}}", body(200));
    let items = format!("[{}]", vec![item; 100].join(","));
    for (what, action) in [
        ("nothing", None),
        ("send of 200 bytes", Some(send(&body(200)))),
        ("send of 128000 bytes", Some(send(&body(128_000)))),
        ("batch of 100 items of 200 bytes", Some(send_batch(&items))),
    ] {
        if !chosen.iter().all(|name| what.starts_with(name)) {
            continue;
        }
        let scene = scene(action);
        let natively = median(|| play(&*native, &scene));
        let as_guest = median(|| play(&*guest, &scene));
        let as_worker = median(|| play(&*worker, &scene));
        println!(
            "{what:34} {natively:10.1} {as_guest:10.1} {:8.1} {:10.1} {as_worker:10.1} {:8.1} {:10.0}",
            as_guest / natively,
            as_guest - natively,
            as_worker / natively,
            1e6 / as_worker,
        );
    }
}

/// A JSON object of this many bytes.
fn body(bytes: usize) -> String {
    let frame = r#"{"kind":"page","text":""}"#;
    format!(r#"{{"kind":"page","text":"{}"}}"#, "x".repeat(bytes - frame.len()))
}

fn send(body: &str) -> Action {
    Action::Send { binding: "Q".to_owned(), body: body.into(), delay: 0 }
}

fn send_batch(items: &str) -> Action {
    Action::SendBatch { binding: "Q".to_owned(), items: items.into() }
}

fn scene(action: Option<Action>) -> Scene {
    let steps = action.into_iter().map(|action| Step { action, caught: true }).collect();
    let event = EventPlan {
        kind: EventKind::Fetch,
        grants: vec!["Q".to_owned()],
        bindings: BTreeMap::from([("Q".to_owned(), Binding::Accepts)]),
        batch: None,
        steps,
    };
    Scene { events: vec![event] }
}

fn play(subject: &dyn Subject, scene: &Scene) {
    subject.prepare();
    let seen = subject.run(scene, Profile::default(), Duration::from_secs(30)).unwrap();
    let returned = |outcome: &Outcome| matches!(outcome, Outcome::Returned { .. });
    assert!(seen[0].outcomes.iter().all(returned), "{:?}", seen[0]);
}

/// Microseconds that one call takes, the median of the rounds.
fn median(call: impl Fn()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let mut calls = 0;
            while start.elapsed() < ROUND {
                call();
                calls += 1;
            }
            start.elapsed().as_secs_f64() * 1e6 / f64::from(calls)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}
