//! That platform cases bite: wrong platforms are killed, and a history that differs
//! from the right one in one thing fails.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use duipai::{
    case::Case,
    judge::{Verdict, judge_platform},
    observation::Seen,
    runner::{self, Options, Status},
    subject::{Answers, Subject as _},
    subjects::{self, platform::Model},
    suite::Suite,
};
use duipai_platform::{Profile, history::Refused, mutants::MUTANTS};

/// Wrong platforms are killed by the cases of their profile.
#[test]
fn every_wrong_platform_is_killed() {
    let suite = Suite::builtin().unwrap();
    assert!(MUTANTS.len() >= 15, "{} wrong platforms", MUTANTS.len());
    let mut survivors = Vec::new();
    for mutant in MUTANTS {
        let subject = subjects::from_spec(&format!("platform-mutant:{}", mutant.name)).unwrap();
        let cases = suite.of(Answers::Platform);
        let results = runner::run(cases, &subject, &Options::of(&*subject), &());
        assert_eq!(results.len(), cases.len());
        if !results.iter().any(|result| result.status() == Status::Failed) {
            survivors.push(mutant.name);
        }
    }
    assert!(survivors.is_empty(), "survivors: {survivors:?}");
}

#[test]
fn a_wrong_platform_that_is_not_there() {
    let error = subjects::from_spec("platform-mutant:acked-redeliverd").err().unwrap();
    let text = error.to_string();
    assert!(text.contains("perhaps `acked-redelivered`"), "{text}");
}

/// What is done to a history that was right; whether there was anything to do it to.
type Bend = fn(&mut Seen) -> bool;

const BENDS: &[(&str, Bend)] = &[
    ("a call of a producer is not told of", |seen| seen.history.sends.pop().is_some()),
    ("what was accepted is refused", |seen| {
        let sent = seen.history.sends.iter_mut().find(|sent| sent.refused.is_none());
        let refused = Refused { name: "Error".to_owned(), message: "坏".to_owned() };
        sent.map(|sent| sent.refused = Some(refused)).is_some()
    }),
    ("what was refused is accepted", |seen| {
        let sent = seen.history.sends.iter_mut().find(|sent| sent.refused.is_some());
        sent.map(|sent| sent.refused = None).is_some()
    }),
    ("a delivery is lost", |seen| seen.history.deliveries.pop().is_some()),
    ("a delivery comes twice", |seen| {
        let last = seen.history.deliveries.last().cloned();
        last.map(|last| seen.history.deliveries.push(last)).is_some()
    }),
    ("a delivery is a millisecond late", |seen| {
        seen.history.deliveries.last_mut().map(|one| one.at += 1).is_some()
    }),
    ("a message is missing in its batch", |seen| {
        let messages = seen.history.deliveries.last_mut().map(|one| &mut one.messages);
        messages.and_then(Vec::pop).is_some()
    }),
    ("attempts are one more", |seen| {
        let message = seen.history.deliveries.last_mut().and_then(|one| one.messages.last_mut());
        message.map(|message| message.attempts += 1).is_some()
    }),
    ("a dead letter is forgotten", |seen| seen.dead.pop().is_some()),
    ("a lost message is forgotten", |seen| seen.dropped.pop().is_some()),
];

/// The cases that say something of `profile`, with what its model shows.
fn right(suite: &Suite, profile: Profile) -> impl Iterator<Item = (&Case, Seen)> {
    suite.of(Answers::Platform).iter().filter_map(move |case| {
        let platform = case.platform.as_ref()?;
        platform.expected_of(profile).ok()?;
        let budget = std::time::Duration::from_secs(30);
        Some((case, Model::new(profile).play(&platform.scenario, budget).unwrap()))
    })
}

#[test]
fn one_bent_history_fails() {
    let suite = Suite::builtin().unwrap();
    for profile in Profile::ALL {
        let mut bent_ones = vec![0; BENDS.len()];
        for (case, seen) in right(&suite, profile) {
            let platform = case.platform.as_ref().unwrap();
            let expected = platform.expected_of(profile).unwrap();
            let judged = |seen: &Seen| judge_platform(platform, expected, seen);
            assert!(matches!(judged(&seen), Verdict::Passed { .. }), "{}", case.id);
            for ((what, bend), count) in BENDS.iter().zip(&mut bent_ones) {
                let mut bent = seen.clone();
                if bend(&mut bent) {
                    *count += 1;
                    assert!(matches!(judged(&bent), Verdict::Failed(_)), "{}: {what}", case.id);
                }
            }
        }
        for ((what, _), count) in BENDS.iter().zip(bent_ones) {
            assert!(count > 0, "{}: in no case {what}", profile.name());
        }
    }
}
