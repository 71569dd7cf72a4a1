//! The oracles against what was made by other hands: vectors and cases.

use std::{fs, path::PathBuf};

use duipai::{
    oracle::{Held, Tally, canonical, event},
    plan::{Action, Scene},
    subjects::native::Native,
    suite::Suite,
    vectors,
};

fn files(family: &str) -> Vec<PathBuf> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../corpus/vectors");
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let named = |file: &PathBuf| file.file_name().unwrap().to_str().unwrap().starts_with(family);
    files.filter(named).collect()
}

/// The reference passes every vector, so the model must take what it does.
#[test]
fn the_model_agrees_with_every_vector() {
    let subject = Native::reference();
    let mut tally = Tally::default();
    for case in vectors::load(&files("")).unwrap().cases {
        let plans = case.events.iter().map(|event| event.plan.clone());
        match event::model(&Scene { events: plans.collect() }, &subject) {
            Ok(held) => tally.count(&held),
            Err(disagreement) => panic!("{}: {disagreement}", case.id),
        }
    }
    println!("{tally:?}");
    assert_eq!(tally.total(), 515 + 4447 + 977 + 1041 + 915 + 2114 + 1128);
    assert!(tally.discarded.values().sum::<u64>() < 50, "{tally:?}");
}

/// The reference passes every case, so the model must take what it does.
#[test]
fn the_model_agrees_with_every_case() {
    let subject = Native::reference();
    let mut tally = Tally::default();
    for case in Suite::builtin().unwrap().cases {
        for event in case.events {
            match event::model(&Scene { events: vec![event.plan] }, &subject) {
                Ok(held) => tally.count(&held),
                Err(disagreement) => panic!("{}: {disagreement}", case.id),
            }
        }
    }
    println!("{tally:?}");
    assert!(tally.accepted > 200 && tally.refused > 200, "{tally:?}");
}

/// The canonical texts of the vectors, which Node made, are the host's, the
/// fast ones, and those of the embedded JavaScript.
#[test]
fn canonical_texts_are_those_of_the_vectors() {
    let mut seen = 0;
    for file in files("canon-") {
        let lines = fs::read_to_string(&file).unwrap();
        let cases = vectors::load(std::slice::from_ref(&file)).unwrap().cases;
        for line in lines.lines() {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let name = line["name"].as_str().unwrap();
            let case = cases.iter().find(|case| &*case.id == name).unwrap();
            let Action::Send { body, .. } = &case.events[0].plan.steps[0].action else {
                panic!("{name} sends nothing");
            };
            let expected = match (&line["canonical"], line["parse_ok"].as_bool()) {
                (serde_json::Value::String(text), _) => Some(text.clone()),
                (_, Some(false)) => None,
                // Too long to stand in the line.
                _ => continue,
            };
            check(name, body, &expected);
            seen += 1;
        }
    }
    assert!(seen > 7500, "{seen}");
}

fn check(name: &str, text: &str, expected: &Option<String>) {
    for implementation in [canonical::simple, canonical::fast] {
        if let Err(it) = canonical::same(text, &|_| expected.clone(), &implementation) {
            panic!("{name}: {it}");
        }
    }
    #[cfg(feature = "quickjs")]
    match canonical::javascript(text, &|_| expected.clone()) {
        Ok(Held::NotApplicable(_)) => assert!(text.len() > 500, "{name}"),
        Ok(_) => {}
        Err(it) => panic!("{name}: {it}"),
    }
    #[cfg(not(feature = "quickjs"))]
    let _ = Held::Accepted;
}
