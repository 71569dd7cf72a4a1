//! The generator reaches what it is meant to reach.

use std::{collections::BTreeMap, fs};

use duipai::{
    generate::{
        BatchInput, Input, JsonText, MAX_INPUT_BYTES, Rejected, Respelt, SceneInput, SendInput,
        SettleInput, describe, features::Feature, seeded,
    },
    oracle::{facts::Facts, known::KnownDifference, value},
    plan::{Action, Body, Scene},
    runner::{self, Options, Status},
    subjects,
    suite::Suite,
};

const INPUTS: u64 = 20_000;

fn inputs<I: Input>(seed: u64) -> impl Iterator<Item = I> {
    (0..INPUTS).map(move |index| I::from_bytes(&seeded(seed, index)).unwrap())
}

/// How often each thing was seen; each must have been, so many times.
struct Histogram<K>(BTreeMap<K, u32>);

impl<K: Ord + std::fmt::Debug> Histogram<K> {
    fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn count(&mut self, what: K, seen: bool) {
        *self.0.entry(what).or_default() += u32::from(seen);
    }

    fn at_least(&self, times: u32, all: impl IntoIterator<Item = K>) {
        println!("{:?}", self.0);
        for what in all {
            let seen = self.0.get(&what).copied().unwrap_or_default();
            assert!(seen >= times, "{what:?}: {seen} of {INPUTS}; {:?}", self.0);
        }
    }
}

#[test]
fn texts_are_as_deep_as_the_limits() {
    let mut depths = Histogram::new();
    for input in inputs::<JsonText>(31) {
        if let Some((value, _)) = value::read(&input.text) {
            depths.count(Facts::of(&value).depth, true);
        }
    }
    depths.at_least(20, (0..5).chain(23..=26).chain(31..=34));
    let mut bodies = Histogram::new();
    for input in inputs::<BatchInput>(32) {
        if let Some((value, _)) = value::read(&input.items) {
            bodies.count(Facts::of(&value).depth, true);
        }
    }
    bodies.at_least(20, (2..6).chain(24..=28).chain(31..=34));
}

#[test]
fn texts_are_as_large_as_the_limits() {
    let (mut given, mut canonical) = (Histogram::new(), Histogram::new());
    for input in inputs::<JsonText>(33) {
        if input.text.len() > 100_000 {
            given.count(input.text.len(), true);
        }
        if input.text.len() > 100_000
            && let Some((value, _)) = value::read(&input.text)
        {
            canonical.count(value::canonical(&value).len(), true);
        }
    }
    given.at_least(20, 127_999..=128_001);
    canonical.at_least(20, 127_999..=128_001);
    let (mut texts, mut totals) = (Histogram::new(), Histogram::new());
    for input in inputs::<BatchInput>(34) {
        let large = input.items.len() > 200_000;
        if !large {
            continue;
        }
        texts.count(input.items.len(), true);
        if let Some((value::Json::Array(items), _)) = value::read(&input.items) {
            let envelope = "{\"body\":}".len() * items.len();
            let all: usize = items.iter().map(|item| value::canonical(item).len()).sum();
            totals.count(all - envelope, true);
        }
    }
    texts.at_least(5, 1_048_575..=1_048_577);
    totals.at_least(5, 255_999..=256_001);
}

#[test]
fn every_feature_of_texts_occurs() {
    let mut seen = Histogram::new();
    for input in inputs::<JsonText>(35) {
        let text = &input.text;
        let value = value::read(text);
        let facts = value.as_ref().map(|(value, _)| Facts::of(value)).unwrap_or_default();
        let differs = |difference| value.as_ref().is_some_and(|(_, it)| it.has(difference));
        for (feature, has) in [
            (Feature::Space, text.contains("\r\n")),
            (Feature::Escapes, text.contains(r"\u0041")),
            (Feature::Numbers, text.contains("123456789012345680000")),
            (Feature::Surrogates, differs(KnownDifference::LoneSurrogate)),
            (Feature::Wide, text.contains('豫') && text.contains('😀')),
            (Feature::Traps, text.contains("],[") && text.contains(r"\\\\\\\\\\")),
            (Feature::Lookalikes, text.contains(r#""{\"$句柄\":\"1\"}"#)),
            (Feature::Indices, differs(KnownDifference::KeyOrder)),
            (Feature::Repeats, differs(KnownDifference::RepeatedKey)),
            (Feature::Inherited, text.contains("\"__proto__\":")),
            (Feature::Markers, facts.marker && facts.like_marker),
            (Feature::Infinities, facts.infinite),
            (Feature::Spoilt, value.is_none()),
        ] {
            seen.count(feature, has);
        }
        seen.count(Feature::Delays, differs(KnownDifference::LongNumber));
    }
    seen.at_least(
        20,
        [
            Feature::Space,
            Feature::Escapes,
            Feature::Numbers,
            Feature::Surrogates,
            Feature::Wide,
            Feature::Traps,
            Feature::Lookalikes,
            Feature::Indices,
            Feature::Repeats,
            Feature::Inherited,
            Feature::Markers,
            Feature::Infinities,
            Feature::Spoilt,
            Feature::Delays,
        ],
    );
}

/// Every known difference is met, so that none is listed for nothing.
#[test]
fn every_known_difference_occurs() {
    let mut seen = Histogram::new();
    for input in inputs::<JsonText>(40) {
        for difference in value::read(&input.text).iter().flat_map(|(_, it)| it.iter()) {
            seen.count(difference, true);
        }
    }
    seen.at_least(5, KnownDifference::ALL);
}

#[test]
fn every_feature_of_calls_occurs() {
    let mut seen = Histogram::new();
    for input in inputs::<BatchInput>(36) {
        let text = &input.items;
        let items = match value::read(text) {
            Some((value::Json::Array(items), _)) => items.len(),
            _ => 0,
        };
        for (what, has) in [
            ("99", items == 99),
            ("100", items == 100),
            ("101", items == 101),
            ("delay first", text.contains(r#"{"delaySeconds":5,"body":"#)),
            ("delay last", text.contains(r#","delaySeconds":43200}"#)),
            ("delay null", text.contains(r#""delaySeconds":null"#)),
            ("delay spelling", text.contains(r#""delaySeconds":5.0"#)),
            ("delay twice", text.matches("\"delaySeconds\"").count() > items && items > 0),
            ("escaped field", text.contains(r#""\u0062ody""#)),
            ("unknown field", text.contains("\"contentType\":\"json\"")),
            ("array item", text.contains("[1,2]")),
            ("only an array item", text.trim() == "[[1,2]]"),
            ("only an empty array item", text.trim() == "[[[]]]"),
            ("no name", input.binding.is_empty()),
            ("absent", input.binding == "ABSENT"),
        ] {
            seen.count(what, has);
        }
    }
    let all: Vec<&str> = seen.0.keys().copied().collect();
    seen.at_least(5, all);
}

#[test]
fn every_feature_of_scenes_occurs() {
    let mut seen = Histogram::new();
    for input in inputs::<SceneInput>(37) {
        seen.count("together", input.scene.events.len() == 3);
        for event in &input.scene.events {
            let messages = event.batch.iter().flat_map(|batch| &batch.messages);
            let foreign = messages.clone().any(|one| matches!(one.body, Body::Tagged(_)));
            seen.count("foreign body", foreign);
            seen.count("throwing ack", messages.clone().any(|one| one.ack_throws.is_some()));
            seen.count(
                "empty batch",
                event.batch.as_ref().is_some_and(|it| it.messages.is_empty()),
            );
            seen.count(event.kind.name(), true);
            for step in &event.steps {
                seen.count(step.action.op(), true);
                seen.count("uncaught", !step.caught);
                if let Action::Retry { index, delay } = step.action {
                    seen.count("least delay", delay == i64::MIN);
                    seen.count("least index", index == i64::MIN);
                }
            }
        }
    }
    let all: Vec<&str> = seen.0.keys().copied().collect();
    seen.at_least(20, all);
}

#[test]
fn every_string_of_bytes_is_an_input_or_rejected() {
    fn check<I: Input>(bytes: &[u8]) {
        let input = I::from_bytes(bytes);
        match bytes.len() > MAX_INPUT_BYTES {
            true => assert_eq!(input.unwrap_err(), Rejected::TooLong { bytes: bytes.len() }),
            false => assert!(!format!("{:?}", input.unwrap()).is_empty()),
        }
    }
    let random: Vec<u8> = (0..40).flat_map(|index| seeded(38, index)).collect();
    for length in (0..300).chain([MAX_INPUT_BYTES, MAX_INPUT_BYTES + 1]) {
        for bytes in [vec![0; length], vec![0xff; length], random[..length].to_vec()] {
            check::<JsonText>(&bytes);
            check::<SendInput>(&bytes);
            check::<BatchInput>(&bytes);
            check::<SceneInput>(&bytes);
            check::<SettleInput>(&bytes);
            check::<Respelt>(&bytes);
        }
    }
    assert_eq!(Rejected::TooLong { bytes: 5000 }.name(), "too-long");
}

/// A description loads as a case of the same scene, which the reference passes.
#[test]
fn a_description_is_a_case_of_the_same_scene() {
    let scenes = (0..300).flat_map(|index| {
        let bytes = seeded(39, index);
        [
            SendInput::from_bytes(&bytes).unwrap().scene(),
            BatchInput::from_bytes(&bytes).unwrap().scene(),
            SceneInput::from_bytes(&bytes).unwrap().scene,
        ]
    });
    let scenes: Vec<Scene> = scenes.collect();
    let folder = tempfile::tempdir().unwrap();
    for (index, scene) in scenes.iter().enumerate() {
        let text = describe::case(scene, &format!("described.n{index}"));
        fs::write(folder.path().join(format!("n{index}.toml")), text).unwrap();
    }
    let suite = match Suite::from_folders(&[folder.path().to_path_buf()]) {
        Ok(suite) => suite,
        Err(error) => panic!("{error}"),
    };
    for (index, scene) in scenes.iter().enumerate() {
        let case = suite.find(&format!("described.n{index}")).unwrap();
        let plans: Vec<_> = case.events.iter().map(|event| event.plan.clone()).collect();
        assert_eq!(plans, scene.events, "{index}");
    }
    let subject = subjects::from_spec("native").unwrap();
    for result in runner::run(&suite.cases, &subject, &Options::default(), &()) {
        let detail = result.detail().unwrap_or_default();
        assert_eq!(result.status(), Status::Passed, "{}: {detail}", result.id);
    }
}
