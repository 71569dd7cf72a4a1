//! Whatever happens in an event, native and guest show the same.

use std::{collections::BTreeMap, time::Duration};

use duipai::{
    package::Reference,
    plan::{Action, Batch, Binding, Body, EventPlan, Message, Scene, Step, Timestamp},
    subject::Subject,
    subjects::native::Native,
};
use duipai_platform::Profile;
use duipai_spec::event::EventKind;
use proptest::prelude::*;

use crate::conformance::GUEST;

/// JSON and what is nearly JSON: texts near every rule.
fn text() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "",
        "null",
        "-0",
        "1e999",
        "[1,]",
        "\u{feff}1",
        "\"\\ud800\"",
        "{\"a\":1,\"a\":2}",
        "{\"$句柄\":\"1\"}",
        "[]",
        "{}",
        "\"]},{[\"",
        "1.0e2",
    ]);
    let deep = (0_usize..40).prop_map(|depth| "[".repeat(depth) + &"]".repeat(depth));
    let long = (0_usize..3).prop_map(|over| format!("\"{}\"", "字".repeat(42_665 + over)));
    let leaf = prop_oneof![
        known.prop_map(str::to_owned),
        deep,
        any::<f64>().prop_map(|number| number.to_string()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
    ];
    let nested = leaf.prop_recursive(3, 12, 4, |inner| {
        let pair = ("[a-c\"\\\\]{0,3}", inner.clone())
            .prop_map(|(key, value)| format!("{}:{value}", serde_json::to_string(&key).unwrap()));
        prop_oneof![
            prop::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(pair, 0..4).prop_map(|items| format!("{{{}}}", items.join(" ,"))),
        ]
    });
    prop_oneof![20 => nested, 1 => long]
}

fn items() -> impl Strategy<Value = String> {
    let delay = prop::sample::select(vec!["", ",\"delaySeconds\":0", ",\"delaySeconds\":43201"]);
    let extra = prop::sample::select(vec!["", "", "", ",\"id\":1"]);
    let item = (text(), delay, extra)
        .prop_map(|(body, delay, extra)| format!("{{\"body\":{body}{delay}{extra}}}"));
    let array =
        prop::collection::vec(item, 0..5).prop_map(|items| format!("[{}]", items.join(",")));
    prop_oneof![4 => array, 1 => text()]
}

fn number() -> impl Strategy<Value = i64> {
    prop_oneof![4 => -1_i64..4, 1 => prop::sample::select(vec![43_200, 43_201, i64::MIN, 1 << 32])]
}

fn action() -> impl Strategy<Value = Action> {
    let binding = || prop::sample::select(vec!["Q", "REFUSED", "VALUE", "ABSENT", "OTHER", ""]);
    prop_oneof![
        (binding(), text(), number()).prop_map(|(binding, body, delay)| Action::Send {
            binding: binding.to_owned(),
            body: body.into(),
            delay,
        }),
        (binding(), items()).prop_map(|(binding, items)| Action::SendBatch {
            binding: binding.to_owned(),
            items: items.into(),
        }),
        Just(Action::ReadBatch),
        number().prop_map(|index| Action::Ack { index }),
        (number(), number()).prop_map(|(index, delay)| Action::Retry { index, delay }),
        Just(Action::Raise { message: "坏".to_owned() }),
        (0_u64..20).prop_map(|seconds| Action::Wait { seconds }),
    ]
}

fn message() -> impl Strategy<Value = Message> {
    let body = text().prop_map(|text| match serde_json::from_str::<serde_json::Value>(&text) {
        Ok(_) => Body::Json(text.into()),
        Err(_) => Body::Tagged(r##"{"#undefined":true}"##.into()),
    });
    let timestamp = prop_oneof![
        (0_i64..1 << 41).prop_map(Timestamp::Date),
        (0_i64..1 << 41).prop_map(Timestamp::Number),
    ];
    let throws = prop::option::weighted(0.1, Just("抛".to_owned()));
    (any::<String>(), 1_u32..5, timestamp, body, throws).prop_map(
        |(id, attempts, timestamp, body, throws)| Message {
            id,
            attempts,
            timestamp,
            body,
            ack_throws: throws.clone(),
            retry_throws: throws,
        },
    )
}

fn event() -> impl Strategy<Value = EventPlan> {
    let kind = prop::sample::select(EventKind::ALL.to_vec());
    let messages = prop::collection::vec(message(), 0..4);
    let step = (action(), prop::bool::weighted(0.8));
    let steps = prop::collection::vec(step, 1..6);
    (kind, messages, steps).prop_map(|(kind, messages, steps)| EventPlan {
        kind,
        grants: ["Q", "REFUSED", "VALUE", "ABSENT"].map(str::to_owned).to_vec(),
        bindings: BTreeMap::from([
            ("Q".to_owned(), Binding::Accepts),
            ("REFUSED".to_owned(), Binding::RejectsError("满了".to_owned())),
            ("VALUE".to_owned(), Binding::RejectsValue("[1,null]".to_owned())),
            ("OTHER".to_owned(), Binding::Accepts),
        ]),
        batch: Some(Batch { queue: "页".to_owned(), messages }),
        steps: steps.into_iter().map(|(action, caught)| Step { action, caught }).collect(),
    })
}

proptest! {
    #[test]
    fn native_and_guest_show_the_same(events in prop::collection::vec(event(), 1..3)) {
        let native = Native::new("native", "0", || Reference);
        let scene = Scene { events };
        let budget = Duration::from_secs(20);
        let expected = native.run(&scene, Profile::default(), budget);
        prop_assert_eq!(GUEST.run(&scene, Profile::default(), budget), expected);
    }
}
