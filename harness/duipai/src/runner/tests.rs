use std::{
    cell::RefCell,
    sync::{
        Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use duipai_platform::Redelivery;

use super::*;
use crate::{
    case::{After, Basis, Expectation},
    known::Known,
    observation::Observation,
    plan::{Action, Batch, Scene},
    sample::*,
    subject::{Capability, Fault, Identity},
};

/// A subject that does what the first step's binding is named after.
#[derive(Default)]
struct Stub {
    /// The batch of every event that was run.
    batches: Mutex<Vec<Option<Batch>>>,
}

impl Subject for Stub {
    fn identity(&self) -> Identity {
        identity()
    }

    fn supports(&self, capability: Capability) -> Result<(), String> {
        match capability {
            Capability::Concurrency => Err(String::from("one at a time")),
            _ => Ok(()),
        }
    }

    fn expresses(&self, scene: &Scene) -> Result<(), String> {
        match scene.events[0].steps.first().map(|step| &step.action) {
            Some(Action::Send { binding, .. }) if binding == "unsayable" => {
                Err(String::from("no word\nfor it"))
            }
            _ => Ok(()),
        }
    }

    fn run(&self, scene: &Scene, _: Profile, _: Duration) -> Result<Vec<Observation>, Fault> {
        let plan = &scene.events[0];
        self.batches.lock().unwrap().push(plan.batch.clone());
        let Some(Action::Send { binding, .. }) = plan.steps.first().map(|step| &step.action) else {
            let redelivered = Some(vec![Redelivery { message: 1, attempts: 2, delay: None }]);
            return Ok(vec![Observation { redelivered, ..observation(Vec::new(), Vec::new()) }]);
        };
        match &**binding {
            "panics" => panic!("no\nway"),
            "crashes" => Err(Fault::Crashed(String::from("died\nof old age"))),
            "times-out" => Err(Fault::TimedOut),
            "hangs" => loop {
                thread::park();
            },
            "miscounts" => Ok(vec![seen(), seen()]),
            "differs" => Ok(vec![observation(vec![threw("坏")], Vec::new())]),
            "lingers" => {
                thread::sleep(Duration::from_millis(30));
                Ok(vec![seen()])
            }
            _ => Ok(vec![seen()]),
        }
    }
}

fn case_named(id: &str, binding: &str) -> Case {
    let mut case = case(id);
    let step = step(Action::Send { binding: binding.to_owned(), body: Arc::from("1"), delay: 0 });
    case.events[0].plan.steps = vec![step];
    case
}

fn cases(bindings: &[&str]) -> Vec<Case> {
    let case = |(at, binding): (usize, &&str)| case_named(&format!("c{at}.{binding}"), binding);
    bindings.iter().enumerate().map(case).collect()
}

fn options(jobs: usize) -> Options {
    Options {
        timeout: Duration::from_millis(50),
        jobs: NonZeroUsize::new(jobs).unwrap(),
        rerun: Rerun::Run(RunLine::new("stub")),
        ..Options::default()
    }
}

fn run_stub(cases: &[Case], options: &Options) -> Vec<CaseResult> {
    let subject: Arc<dyn Subject> = Arc::new(Stub::default());
    run(cases, &subject, options, &())
}

fn check(binding: &str, status: Status, detail: Option<&str>) {
    let results = run_stub(&cases(&[binding]), &options(1));
    let [result] = results.as_slice() else { panic!("{} results", results.len()) };
    assert_eq!((result.status(), result.detail().as_deref()), (status, detail), "{binding}");
    assert_eq!(result.rerun, format!("duipai run --subject stub --filter 'c0.{binding}'"));
}

#[test]
fn every_way_to_end_has_its_status() {
    check("works", Status::Passed, None);
    check("crashes", Status::Crashed, Some("died\\nof old age"));
    check("times-out", Status::TimedOut, Some("no answer within the time limit"));
    check("hangs", Status::TimedOut, Some("no answer within the time limit"));
    check(
        "miscounts",
        Status::Failed,
        Some("observations: expected 1 (one for each event), got 2"),
    );
    check(
        "differs",
        Status::Failed,
        Some(
            "step 1 (send): expected returned without a value, got threw `坏`; \
             call 1: expected send on `PAGE_QUEUE` \
             with `[{\"a\":1},{\"contentType\":\"json\"}]`, got no such call",
        ),
    );
}

#[test]
fn a_panic_costs_its_case_alone_and_names_its_place() {
    let results = run_stub(&cases(&["panics", "works"]), &options(1));
    let detail = results[0].detail().unwrap();
    assert_eq!(results[0].status(), Status::Crashed);
    assert!(detail.contains("runner/tests.rs:") && detail.ends_with(": no\\nway"), "{detail}");
    assert_eq!(results[1].status(), Status::Passed);
}

#[test]
fn hung_threads_are_replaced() {
    for jobs in [1, 2, 7] {
        let bindings = ["hangs", "works", "hangs", "works", "works"];
        let results = run_stub(&cases(&bindings), &options(jobs));
        for (result, binding) in results.iter().zip(bindings) {
            let expected = if binding == "hangs" { Status::TimedOut } else { Status::Passed };
            assert_eq!(result.status(), expected, "{} with {jobs} jobs", result.id);
        }
    }
}

#[test]
fn results_stand_in_the_order_of_the_cases() {
    struct Order(RefCell<Vec<Arc<str>>>);
    impl Progress for Order {
        fn finished(&self, result: &CaseResult) {
            self.0.borrow_mut().push(Arc::clone(&result.id));
        }
    }
    let cases = cases(&["lingers", "works", "works", "works"]);
    let subject: Arc<dyn Subject> = Arc::new(Stub::default());
    let order = Order(RefCell::default());
    let results = run(&cases, &subject, &options(2), &order);
    let ids: Vec<_> = results.iter().map(|result| &*result.id).collect();
    assert_eq!(ids, ["c0.lingers", "c1.works", "c2.works", "c3.works"]);
    assert_eq!(&*order.0.borrow()[3], "c0.lingers");
    assert!(results[0].elapsed >= Duration::from_millis(30));
    // Every thread is back, so the caller holds the only reference.
    assert_eq!(Arc::strong_count(&subject), 1);
}

#[test]
fn fail_fast_leaves_the_rest_undone() {
    let mut cases = cases(&["works", "differs", "works", "differs", "works"]);
    cases[1].level = Level::Should;
    let statuses = |fail_fast| {
        let results = run_stub(&cases, &Options { fail_fast, ..options(1) });
        results.iter().map(CaseResult::status).collect::<Vec<_>>()
    };
    use Status::{Failed, NotRun, Passed};
    assert_eq!(statuses(None), [Passed, Failed, Passed, Failed, Passed]);
    assert_eq!(statuses(Some(Level::Must)), [Passed, Failed, Passed, Failed, NotRun]);
    assert_eq!(statuses(Some(Level::Should)), [Passed, Failed, NotRun, NotRun, NotRun]);
    let results = run_stub(&cases, &Options { fail_fast: Some(Level::Must), ..options(1) });
    assert_eq!(results[4].detail().as_deref(), Some("the run stopped at a bad result"));
}

#[test]
fn what_a_subject_lacks_is_not_applicable() {
    let mut case = case("a");
    case.needs.insert(Capability::Concurrency);
    let results = run_stub(&[case], &options(1));
    assert_eq!(results[0].status(), Status::NotApplicable);
    assert_eq!(results[0].detail().as_deref(), Some("concurrent events: one at a time"));
}

#[test]
fn what_a_subject_cannot_express_is_not_applicable() {
    check("unsayable", Status::NotApplicable, Some("no word\\nfor it"));
}

/// A subject that needs longer to get ready than a case may take, and has room
/// for one scene.
#[derive(Default)]
struct Narrow {
    running: AtomicUsize,
    prepared: AtomicUsize,
}

impl Subject for Narrow {
    fn identity(&self) -> Identity {
        identity()
    }

    fn supports(&self, _: Capability) -> Result<(), String> {
        Ok(())
    }

    fn at_once(&self) -> NonZeroUsize {
        NonZeroUsize::MIN
    }

    fn prepare(&self) {
        thread::sleep(Duration::from_millis(60));
        let before = self.prepared.fetch_add(1, Ordering::SeqCst);
        assert!(before > 0, "the first time it fails");
    }

    fn run(&self, _: &Scene, _: Profile, _: Duration) -> Result<Vec<Observation>, Fault> {
        assert_eq!(self.running.fetch_add(1, Ordering::SeqCst), 0);
        thread::sleep(Duration::from_millis(2));
        self.running.fetch_sub(1, Ordering::SeqCst);
        Ok(vec![seen()])
    }
}

#[test]
fn a_subject_gets_ready_before_its_time_runs_and_takes_no_more_than_it_can() {
    let narrow = Arc::new(Narrow::default());
    let subject: Arc<dyn Subject> = narrow.clone();
    let results = run(&cases(&["works"; 5]), &subject, &options(4), &());
    assert!(results.iter().all(|result| result.status() == Status::Passed));
    // Not once more when nothing is left.
    assert_eq!(narrow.prepared.load(Ordering::SeqCst), 5);
}

#[test]
fn nothing_to_run_gives_no_results() {
    assert!(run_stub(&[], &options(3)).is_empty());
}

#[test]
fn a_redelivered_batch_is_what_the_platform_delivers_again() {
    let after =
        |redelivered| After { profile: Profile::Cloudflare, basis: Basis::Documented, redelivered };
    let again = vec![Redelivery { message: 1, attempts: 2, delay: None }];
    let expectation =
        Expectation { after: vec![after(again)], ..expectation(Vec::new(), Vec::new()) };
    let mut first = event(plan(Vec::new()), expectation.clone());
    first.plan.batch = Some(batch(&["1", "2"]));
    let mut second = event(plan(Vec::new()), expectation);
    second.redelivered = true;
    let case = Case { events: vec![first, second.clone(), second], ..case("a") };

    let stub = Arc::new(Stub::default());
    let subject: Arc<dyn Subject> = stub.clone();
    let results = run(&[case], &subject, &options(1), &());
    assert_eq!(results[0].status(), Status::Passed);
    let batches = stub.batches.lock().unwrap();
    let mut redelivered = batch(&["1", "2"]);
    redelivered.messages.remove(0);
    redelivered.messages[0].attempts = 2;
    assert_eq!(batches[1].as_ref(), Some(&redelivered));
    // Message 1 of one message is none: the batch is empty.
    let empty = Batch { messages: Vec::new(), ..redelivered };
    assert_eq!(batches[2].as_ref(), Some(&empty));
}

#[test]
fn known_deviations_are_weighed() {
    let check = |binding: &str, outcome: &str, status, detail: &str| {
        let cases = cases(&[binding]);
        let text = format!("[[known]]\nid = \"c0.*\"\noutcome = '''{outcome}'''\nreason = \"r\"");
        let known = Known::parse("known.toml", &text).unwrap();
        let known =
            known.applicable(cases.iter().map(|case| &case.id), Profile::Cloudflare, &identity());
        let options = Options { known: known.unwrap(), ..options(1) };
        let result = run_stub(&cases, &options).remove(0);
        assert_eq!((result.status(), result.detail().as_deref()), (status, Some(detail)));
    };
    check("crashes", "died\\nof old age", Status::Known, "died\\nof old age");
    let timed_out = "no answer within the time limit";
    check("hangs", timed_out, Status::Known, timed_out);
    let gone = "the known deviation no longer occurs: x";
    check("works", "x", Status::Failed, gone);
    let differs = "observations: expected 1 (one for each event), got 2";
    check("miscounts", differs, Status::Known, differs);
    let other = format!("{differs}; this is not the known deviation: x");
    check("miscounts", "x", Status::Failed, &other);
    check("crashes", "x", Status::Crashed, "died\\nof old age; this is not the known deviation: x");
}

#[test]
fn cases_run_at_the_same_time() {
    let cases = cases(&["lingers"; 8]);
    let start = Instant::now();
    run_stub(&cases, &options(8));
    assert!(start.elapsed() < Duration::from_millis(8 * 30), "{:?}", start.elapsed());
}

#[test]
fn stacks_are_deep_enough() {
    struct Deep;
    fn address<T>(place: &T) -> usize {
        std::ptr::from_ref(std::hint::black_box(place)).addr()
    }
    /// Calls itself until it is `bytes` below `top`.
    fn descend(top: usize, bytes: usize) -> usize {
        let frame = [0_u8; 1024];
        let below = top.abs_diff(address(&frame));
        if below < bytes { descend(top, bytes).max(address(&frame)) } else { below }
    }
    impl Subject for Deep {
        fn identity(&self) -> Identity {
            identity()
        }
        fn supports(&self, _: Capability) -> Result<(), String> {
            Ok(())
        }
        fn run(&self, _: &Scene, _: Profile, _: Duration) -> Result<Vec<Observation>, Fault> {
            let top = 0_u8;
            // Twice what a thread has by default.
            assert!(descend(address(&top), 4 << 20) >= 4 << 20);
            Ok(vec![seen()])
        }
    }
    let subject: Arc<dyn Subject> = Arc::new(Deep);
    let results = run(
        &[case("a")],
        &subject,
        &Options { timeout: Duration::from_secs(20), ..options(1) },
        &(),
    );
    assert_eq!(results[0].status(), Status::Passed);
}
