//! What the canary found becomes a case that its mutant fails and the reference
//! passes.

use std::{fs, sync::Arc};

use tempfile::TempDir;

use super::*;
use crate::{
    fuzz::CANARY,
    runner::{self, Options, Status},
    subjects,
    suite::Suite,
};

/// One item cut wrongly, and two rules of one sentence broken.
const TWICE: &str = "[{\"bod\\\\y\":0,\n\"delaySeconds\":{\"\\\"\":{},\"y\":2}},\
    {\"4294967295\":\"\\ud83d\\ude00\",\"body\":1,\"delaySeconds\":1}]";

const FOUND: &str = "[ {\"delaySeconds\": 5, \"body\":\"x\\\"},{\\\"y\"}, {\"body\":[true, {}]}]";

fn file(content: &[u8]) -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("input");
    fs::write(&path, content).unwrap();
    (folder, path)
}

fn status(suite: &Suite, spec: &str) -> Status {
    let subject = subjects::from_spec(spec).unwrap();
    let results = runner::run(&suite.cases, &subject, &Options::default(), &());
    results[0].status()
}

#[test]
fn the_canarys_finding_becomes_a_case() {
    becomes_a_case(FOUND);
}

#[test]
fn a_finding_with_several_broken_rules_becomes_a_case() {
    becomes_a_case(TWICE);
}

fn becomes_a_case(found: &str) {
    let (folder, path) = file(found.as_bytes());
    let out = folder.path().join("out");
    let promoted = promote("canary", &path, Some(&out)).unwrap();
    let Promoted::Written { finding, path: written, case, bytes: [before, after] } = promoted
    else {
        panic!("{promoted:?}")
    };
    assert!(finding.says.iter().any(|id| id.starts_with("batch.")), "{finding}");
    assert!(after < before, "{after} of {before}");
    let text = fs::read_to_string(&written).unwrap();
    let digest = sha256::hex(found);
    for part in ["fuzz target canary", &*format!("input sha256:{digest}"), "\nwhy = "] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
    let suite = Suite::from_folders(std::slice::from_ref(&out)).unwrap();
    assert_eq!(suite.cases.len(), 1);
    assert_eq!(Some(&*suite.cases[0].id), case.as_deref());
    assert_eq!(status(&suite, &format!("mutant:{CANARY}")), Status::Failed);
    assert_eq!(status(&suite, "native"), Status::Passed);

    // Twice is once.
    let again = promote("canary", &path, Some(&out)).unwrap();
    assert!(matches!(&again, Promoted::Known { .. }), "{again:?}");
    assert_eq!(fs::read_dir(&out).unwrap().count(), 1);
}

#[test]
fn a_case_of_the_suite_is_not_written_again() {
    let text = "[{\"body\":\"\\\"\"},{\"body\":\"后\"}]";
    let suite = Suite::builtin().unwrap();
    let case = suite.find("batch.split.before#quote").unwrap();
    let scene = crate::plan::Scene { events: vec![case.events[0].plan.clone()] };
    let input = Input::Scene(scene);
    let driver = Driver::named("canary").unwrap();
    let Run::Found(finding) = driver.check(&driver.read(text.as_bytes()).unwrap()) else {
        panic!("the canary sees nothing in {text}")
    };
    let candidate = Candidate::of("canary", &input, &finding, "0").unwrap().unwrap();
    let known = candidate.known(Path::new("no such folder")).unwrap();
    assert!(known.is_some_and(|known| known.starts_with("batch.split.before#quote (")));
}

#[test]
fn what_holds_is_not_promoted() {
    let (folder, path) = file(b"[{\"body\":1}]");
    let out = folder.path().join("out");
    let holds = promote("canary", &path, Some(&out)).unwrap();
    assert!(matches!(holds, Promoted::Holds(None)), "{holds:?}");
    assert!(!out.exists());
    let (_folder, broken) = file(b"\xff");
    let rejected = promote("canary", &broken, Some(&out)).unwrap();
    assert!(matches!(rejected, Promoted::Holds(Some(Rejection::NotUtf8))), "{rejected:?}");
}

#[test]
fn bad_input_is_one_line() {
    let (folder, path) = file(&vec![b' '; 5000]);
    let missing = folder.path().join("missing");
    for (target, path, expected) in [
        ("canari", &path, "unknown fuzz target `canari`, perhaps `canary`; there are split, "),
        ("canary", &path, "over 4096 bytes, and target canary takes no more"),
        ("canary", &missing, "cannot read "),
        ("canary", &folder.path().to_owned(), "a folder, not a file"),
    ] {
        let error = promote(target, path, None).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert_eq!(error.lines().count(), 1);
    }
}

/// A case with several messages lists them all.
#[test]
fn several_broken_rules_permit_several_messages() {
    let call = crate::fuzz::input::ProducerCall {
        batch: false,
        binding: String::new(),
        delay: -1,
        text: Arc::from("1"),
    };
    let finding = Finding {
        fault: "made up".to_owned(),
        says: vec!["send.delay.negative".to_owned()],
        detail: String::new(),
        input: String::new(),
    };
    let input = Input::Call(call);
    let candidate = Candidate::of("send_verdict", &input, &finding, "0").unwrap().unwrap();
    assert!(candidate.text().contains("throws_any_of = ["), "{}", candidate.text());
}
