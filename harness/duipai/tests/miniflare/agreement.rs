//! The cases on real Miniflare, and the model beside it.

use std::{
    sync::{Arc, Mutex},
    thread,
    time::{Duration, Instant},
};

use duipai::{
    case::{Case, platform::PlatformCase},
    judge::{Verdict, judge_platform},
    observation::Seen,
    subject::{Answers, Capability, Subject},
    subjects,
    suite::Suite,
};
use duipai_platform::{Profile, history::History};

/// Longest time of the whole suite.
const LIMIT: Duration = Duration::from_secs(120);

/// Longest time of a scenario.
const BUDGET: Duration = Duration::from_secs(60);

fn subject(spec: &str) -> Arc<dyn Subject> {
    subjects::from_spec(spec).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// What the two must agree in: everything but the times and the ids.
fn outline(history: &History) -> Vec<String> {
    let sends = history.sends.iter().map(|sent| match &sent.refused {
        None => String::from("accepted"),
        Some(it) => format!("{}: {}", it.name, it.message),
    });
    let mut deliveries: Vec<String> = Vec::new();
    for delivery in &history.deliveries {
        let one = |message: &duipai_platform::history::Delivered| {
            format!("{} {} {:?}", message.label, message.attempts, message.body)
        };
        let messages: Vec<_> = delivery.messages.iter().map(one).collect();
        let (queue, number) = (&delivery.queue, delivery.invocation);
        deliveries.push(format!("{queue} {number:04}: {}", messages.join(", ")));
    }
    // What happens in two queues at the same time has no order.
    deliveries.sort();
    sends.chain(deliveries).collect()
}

fn problems(case: &Case, platform: &PlatformCase, real: &Seen, model: &Seen) -> Vec<String> {
    let mut problems = Vec::new();
    let expected = platform.expected_of(Profile::Miniflare).unwrap();
    for (name, seen) in [("miniflare", real), ("the model", model)] {
        if let Verdict::Failed(differences) = judge_platform(platform, expected, seen) {
            problems.push(format!("{} on {name}: {differences}", case.id));
        }
    }
    let (one, other) = (outline(&real.history), outline(&model.history));
    if one != other {
        problems.push(format!("{}: {one:#?} is not the model's {other:#?}", case.id));
    }
    problems
}

/// Every case that is asked of Miniflare and that can be waited for, on both.
#[test]
fn miniflare_and_the_model_agree_on_every_case() {
    let suite = Suite::builtin().unwrap();
    let start = Instant::now();
    let (real, model) = (subject("miniflare"), subject("platform:miniflare"));
    let played = Mutex::new(0);
    let found = Mutex::new(Vec::new());
    thread::scope(|scope| {
        for case in suite.of(Answers::Platform) {
            let platform = case.platform.as_ref().unwrap();
            let waits = !case.needs.contains(&Capability::VirtualTime);
            if platform.expected_of(Profile::Miniflare).is_err() || !waits {
                continue;
            }
            *played.lock().unwrap() += 1;
            let (real, model, found) = (&real, &model, &found);
            scope.spawn(move || {
                let seen = real.play(&platform.scenario, BUDGET);
                let modelled = model.play(&platform.scenario, BUDGET).unwrap();
                let problems = match seen {
                    Ok(seen) => problems(case, platform, &seen, &modelled),
                    Err(fault) => vec![format!("{}: {fault:?}", case.id)],
                };
                found.lock().unwrap().extend(problems);
            });
        }
    });
    let (played, found) = (played.into_inner().unwrap(), found.into_inner().unwrap());
    assert!(found.is_empty(), "{} problems:\n{}", found.len(), found.join("\n"));
    assert!(played >= 60, "{played} cases");
    assert!(start.elapsed() < LIMIT, "{:?}", start.elapsed());
}
