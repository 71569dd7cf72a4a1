//! Properties of the splitter and of the judge over random input.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{sync::LazyLock, time::Duration};

use duipai::{
    case::Case,
    judge::{Verdict, judge},
    observation::{Observation, Outcome},
    plan::{EventPlan, Scene},
    subject::Subject as _,
    subjects::native::Native,
    suite::Suite,
};
use duipai_platform::Profile;
use duipai_queue::split;
use duipai_spec::event::{Call, End};
use proptest::prelude::*;
use serde_json::value::RawValue;

/// JSON values full of what misleads a splitter.
fn value() -> impl Strategy<Value = serde_json::Value> {
    let text = r#"[\[\]{},:"\\ab汉]{0,8}"#;
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<u32>().prop_map(serde_json::Value::from),
        text.prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, move |inner| {
        let member = (text, inner.clone());
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec(member, 0..4)
                .prop_map(|members| serde_json::Value::Object(members.into_iter().collect())),
        ]
    })
}

proptest! {
    /// Cutting an array gives serde_json's raw slices, byte for byte.
    #[test]
    fn elements_are_the_raw_slices(values in prop::collection::vec(value(), 0..6)) {
        let text = serde_json::Value::from(values).to_string();
        let raw: Vec<&RawValue> = serde_json::from_str(&text).unwrap();
        let raw: Vec<&str> = raw.into_iter().map(RawValue::get).collect();
        prop_assert_eq!(split::elements(&text), Some(raw));
    }

    /// An item's body is its raw slice, before or after the delay.
    #[test]
    fn bodies_are_opaque(body in value(), delay in 0_u32..=43_200, first in any::<bool>()) {
        let body = body.to_string();
        let item = match first {
            true => format!("{{\"delaySeconds\":{delay},\"body\":{body}}}"),
            false => format!("{{\"body\":{body},\"delaySeconds\":{delay}}}"),
        };
        let seen = split::item(&item).unwrap();
        prop_assert_eq!((seen.body, seen.delay.seconds()), (body.as_str(), delay));
    }

    /// The judge passes what the reference did, and nothing that differs from
    /// it in one call, one outcome, or the end.
    #[test]
    fn one_bent_observation_fails(at in any::<prop::sample::Index>(), bend in 0..5_u8) {
        let (case, plan, seen) = &SEEN[at.index(SEEN.len())];
        let verdict = |seen: Observation| {
            judge(std::slice::from_ref(plan), case, &[seen], Profile::default())
        };
        prop_assert!(matches!(verdict(seen.clone()), Verdict::Passed { .. }), "{}", case.id);
        let mut bent = seen.clone();
        match bend {
            0 => bent.calls.push(Call::AckAll),
            1 if !bent.calls.is_empty() => drop(bent.calls.pop()),
            2 => bent.outcomes.push(Outcome::NotReached),
            3 => bent.end = other_end(&bent.end),
            _ => bent.outcomes[0] = other_outcome(&bent.outcomes[0]),
        }
        prop_assert!(matches!(verdict(bent), Verdict::Failed(_)), "{} bent by {}", case.id, bend);
    }
}

/// Every built-in case with one event and no choice, as the reference plays it.
static SEEN: LazyLock<Vec<(Case, EventPlan, Observation)>> = LazyLock::new(|| {
    let reference = Native::reference();
    let mut seen = Vec::new();
    for case in Suite::builtin().unwrap().cases {
        let [event] = case.events.as_slice() else { continue };
        if event.permitted.len() > 1 || event.plan.steps.is_empty() {
            continue;
        }
        let plan = event.plan.clone();
        let scene = Scene { events: vec![plan.clone()] };
        let budget = Duration::from_secs(30);
        let observations = reference.run(&scene, Profile::default(), budget).unwrap();
        seen.extend(observations.into_iter().map(|one| (case.clone(), plan.clone(), one)));
    }
    assert!(seen.len() >= 400, "{} cases", seen.len());
    seen
});

fn other_end(end: &End) -> End {
    match end {
        End::Fulfilled => End::Rejected("坏".to_owned()),
        End::Rejected(text) => End::Aborted(text.clone()),
        End::Aborted(_) => End::Fulfilled,
    }
}

fn other_outcome(outcome: &Outcome) -> Outcome {
    match outcome {
        Outcome::Threw { message } => Outcome::Aborted { reason: message.clone() },
        _ => Outcome::Threw { message: "坏".to_owned() },
    }
}
