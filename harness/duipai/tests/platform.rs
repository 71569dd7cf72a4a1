//! The platform cases and the models of the platforms.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::{fs, path::Path};

use duipai::{
    case::LoadError,
    ledger::Finding,
    runner::{self, CaseResult, Options, Status},
    subject::Answers,
    subjects,
    suite::Suite,
};

fn run(spec: &str) -> Vec<CaseResult> {
    let suite = Suite::builtin().unwrap();
    let subject = subjects::from_spec(spec).unwrap();
    runner::run(suite.of(subject.answers()), &subject, &Options::of(&*subject), &())
}

/// Whatever is asked of a platform, its model does, and what is not asked of it
/// has its reason.
fn passes(spec: &str, least: usize) {
    let results = run(spec);
    let mut passed = 0;
    for result in &results {
        let detail = result.detail().unwrap_or_default();
        match result.status() {
            Status::Passed => passed += 1,
            Status::NotApplicable => assert!(!detail.is_empty(), "{}", result.id),
            status => panic!("{} {status}: {detail}", result.id),
        }
    }
    assert!(passed >= least, "{passed} of {}", results.len());
}

#[test]
fn the_model_of_miniflare_passes() {
    passes("platform:miniflare", 60);
}

#[test]
fn the_model_of_cloudflare_passes() {
    passes("platform:cloudflare", 60);
}

/// The kinds are kept apart: a subject is asked what it answers and nothing else.
#[test]
fn only_what_a_subject_answers_is_declared_for_it() {
    let suite = Suite::builtin().unwrap();
    let (package, platform) = (suite.of(Answers::Package), suite.of(Answers::Platform));
    assert!(package.iter().all(|case| case.platform.is_none() && !case.events.is_empty()));
    assert!(platform.iter().all(|case| case.platform.is_some() && case.events.is_empty()));
    assert_eq!(subjects::from_spec("native").unwrap().answers(), Answers::Package);
    let ids = |results: Vec<CaseResult>| results.into_iter().map(|it| it.id).collect::<Vec<_>>();
    let of_platform: Vec<_> = platform.iter().map(|case| case.id.clone()).collect();
    assert_eq!(ids(run("platform:cloudflare")), of_platform);
}

/// What was confirmed or refuted has a case, and one for the platform that it was
/// seen on; what is only documented has one for the other, or a reason.
#[test]
fn every_finding_has_its_evidence() {
    let suite = Suite::builtin().unwrap();
    let mut findings = 0;
    for sentence in suite.ledger.sentences() {
        let Some(finding) = &sentence.finding else { continue };
        findings += 1;
        let profile = match finding {
            Finding::Confirmed(version) | Finding::Refuted(version) => {
                assert_eq!(version, "Miniflare 5.20261117.0-beta", "{}", sentence.id);
                duipai_platform::Profile::Miniflare
            }
            Finding::Documented if sentence.level().is_none() => continue,
            Finding::Documented => duipai_platform::Profile::Cloudflare,
        };
        let speaks = |case: &&duipai::case::Case| case.says.contains(&sentence.id);
        let mut cases = suite.of(Answers::Platform).iter().filter(speaks);
        let is_asked = |case: &duipai::case::Case| {
            case.platform.as_ref().is_some_and(|it| it.expected_of(profile).is_ok())
        };
        assert!(cases.any(is_asked), "{} has no case for {}", sentence.id, profile.name());
    }
    assert!(findings >= 60, "{findings} findings");
}

/// What is wrong with a file of this case.
fn refused(case: &str) -> String {
    refused_file(&format!("format = 1\nkind = \"platform\"\n[[case]]\n{case}"))
}

fn refused_file(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("a.toml"), text).unwrap();
    let error: LoadError = Suite::from_folders(&[folder.path().to_owned()]).unwrap_err();
    error.to_string().replace(&Path::new(folder.path()).display().to_string(), "@")
}

const HEAD: &str = "id = \"a\"\nsays = [\"platform.claim.interval\"]\nlevel = \"observe\"\n\
                    title = \"t\"\nuntil = 1000\n";
const QUEUES: &str = "queues = { jobs = { consumer = {} } }\n";
const INPUTS: &str = "inputs = [{ send = \"a\" }]\n";
const EXPECT: &str = "expect = [{ documented = \"x\", measured = \"1\", deliveries = [] }]\n";

#[test]
fn what_does_not_fit_is_refused_with_its_place() {
    let whole = |parts: &[&str]| refused(&(HEAD.to_owned() + &parts.concat()));
    assert_eq!(
        whole(&[QUEUES, INPUTS, EXPECT, "events = []\n"]),
        "@/a.toml:12:1: unknown field \"events\"; known here: id, was, says, level, title, why, each, \
         date, queues, inputs, handlers, until, expect, not_shown"
    );
    assert_eq!(
        whole(&["queues = { jobs = { consumer = { max_batch_size = 101 } } }\n", INPUTS, EXPECT]),
        "@/a.toml:9:51: queues.jobs.consumer.max_batch_size: must be 1 to 100, not 101"
    );
    let cycle = "queues = { jobs = { consumer = { dead_letter_queue = \"jobs\" } } }\n";
    assert_eq!(
        whole(&[cycle, INPUTS, EXPECT]),
        "@/a.toml:9:54: queues.jobs.consumer.dead_letter_queue: dead letters must not come back to \
         the queue \"jobs\""
    );
    assert_eq!(
        whole(&[QUEUES, "inputs = [{ at = 5, queue = \"logs\", send = \"a\" }]\n", EXPECT]),
        "@/a.toml:10:29: inputs.0.queue: no queue \"logs\" is configured"
    );
    assert_eq!(
        whole(&[QUEUES, INPUTS, "expect = [{ measured = \"1\", deliveries = [] }]\n"]),
        "@/a.toml:11:10: nothing is said of cloudflare: give it a table, or a reason in \"not_shown\""
    );
    assert_eq!(
        whole(&[QUEUES, INPUTS, EXPECT, "not_shown = { miniflare = \"it is\" }\n"]),
        "@/a.toml:11:10: miniflare stands in \"expect\" and in \"not_shown\""
    );
    assert_eq!(
        whole(&[QUEUES, INPUTS, "expect = [{ deliveries = [] }]\n"]),
        "@/a.toml:11:11: an expectation says where it is \"documented\" or on what it was \"measured\""
    );
    let delivery = |text: &str| {
        let expect = format!(
            "expect = [{{ documented = \"x\", measured = \"1\", deliveries = [{text}] }}]\n"
        );
        whole(&[QUEUES, INPUTS, &expect])
    };
    assert_eq!(
        delivery("{ at = 0, messages = [\"b\"] }"),
        "@/a.toml:11:82: no message is called \"b\""
    );
    assert_eq!(
        delivery("{ at = 1001, messages = [\"a\"] }"),
        "@/a.toml:11:68: \"at\" is after the end of the scenario"
    );
    assert_eq!(
        delivery("{ at = 1, queue = \"logs\", messages = [\"a\"] }"),
        "@/a.toml:11:61: no queue \"logs\" has a consumer"
    );
    let handler = |action: &str| {
        let handlers = format!("handlers = {{ jobs = [{{ actions = [{action}] }}] }}\n");
        whole(&[QUEUES, INPUTS, EXPECT, &handlers])
    };
    assert_eq!(handler("\"shrug\""), "@/a.toml:12:35: \"shrug\" is no action that can stand here");
    assert_eq!(
        handler("{ retry = \"*\", after = 5 }"),
        "@/a.toml:12:50: unknown field \"after\"; known here: retry, delay"
    );
}

#[test]
fn a_file_says_its_kind() {
    let kind = refused_file("format = 1\nkind = \"planet\"\ncase = []\n");
    assert_eq!(kind, "@/a.toml:2:8: \"kind\" is \"planet\", expected one of package, platform");
    let package = HEAD.replace("until = 1000\n", "") + QUEUES + "steps = []\ncalls = []\n";
    let mixed = refused_file(&format!("format = 1\n[[case]]\n{package}"));
    assert!(mixed.starts_with("@/a.toml:7:1: unknown field \"queues\"; known here: "), "{mixed}");
}
