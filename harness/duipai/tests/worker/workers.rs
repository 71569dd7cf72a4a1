//! Workers made in the test, and scenes for them.

use std::{
    collections::BTreeMap,
    env, fs,
    path::{self, Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use duipai::{
    case::Case,
    observation::Observation,
    plan::{Action, Batch, Binding, Body, EventPlan, Message, Scene, Step, Timestamp},
    runner::{self, CaseResult, Options},
    subject::{Fault, Subject},
    subjects,
};
use duipai_platform::Profile;
use duipai_spec::event::EventKind;
use tempfile::TempDir;

/// Time for one scene in which nothing is to go wrong.
pub(crate) const BUDGET: Duration = Duration::from_secs(30);

/// One of the harness's Workers.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../worker").join(name)
}

/// A folder with these files.
pub(crate) fn folder(files: &[(&str, &str)]) -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// The subject of this name.
pub(crate) fn subject(spec: &str) -> Arc<dyn Subject> {
    subjects::from_spec(spec).unwrap_or_else(|error| panic!("{spec}: {error}"))
}

/// The Worker in a folder.
pub(crate) fn worker(folder: &Path) -> Arc<dyn Subject> {
    subject(&format!("worker:{}", folder.display()))
}

/// The binary that the tests run.
pub(crate) fn binary() -> PathBuf {
    if let Some(named) = env::var_os("DUIPAI_WORKERD") {
        return path::absolute(named).unwrap();
    }
    let installed = source("node_modules/@cloudflare");
    let missing = "workerd is missing: run `npm ci` in harness/worker";
    let packages = fs::read_dir(installed).expect(missing).map(|it| it.unwrap().path());
    packages.map(|package| package.join("bin/workerd")).find(|it| it.is_file()).expect(missing)
}

/// Runs cases as a run does that nobody has told anything.
pub(crate) fn play(cases: &[Case], subject: &Arc<dyn Subject>) -> Vec<CaseResult> {
    runner::run(cases, subject, &Options::default(), &())
}

/// The trial app's files, with this main module around it.
pub(crate) fn around_the_app(main: &str) -> TempDir {
    let mut files = vec![("index.js".to_owned(), main.to_owned())];
    for entry in fs::read_dir(source("app")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy();
        files.push((format!("app/{name}"), fs::read_to_string(&path).unwrap()));
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (&**name, &**text)).collect();
    folder(&files)
}

/// One event with these steps, granted the queue `PAGE_QUEUE` which accepts.
pub(crate) fn event(kind: EventKind, actions: Vec<Action>) -> EventPlan {
    EventPlan {
        kind,
        grants: vec!["PAGE_QUEUE".to_owned()],
        bindings: BTreeMap::from([("PAGE_QUEUE".to_owned(), Binding::Accepts)]),
        batch: (kind == EventKind::Queue).then(batch),
        steps: actions.into_iter().map(|action| Step { action, caught: true }).collect(),
    }
}

/// Two messages.
pub(crate) fn batch() -> Batch {
    let message = |id: &str| Message {
        id: id.to_owned(),
        attempts: 1,
        timestamp: Timestamp::Date(1_700_000_000_000),
        body: Body::Json(Arc::from("{\"a\":1}")),
        ack_throws: None,
        retry_throws: None,
    };
    Batch { queue: "q".to_owned(), messages: vec![message("m0"), message("m1")] }
}

/// A step that sends `body`.
pub(crate) fn send(body: &str) -> Action {
    Action::Send { binding: "PAGE_QUEUE".to_owned(), body: Arc::from(body), delay: 0 }
}

/// Runs one event.
pub(crate) fn run(
    subject: &dyn Subject,
    event: EventPlan,
    budget: Duration,
) -> Result<Observation, Fault> {
    let scene = Scene { events: vec![event] };
    subject.run(&scene, Profile::default(), budget).map(|mut seen| {
        assert_eq!(seen.len(), 1);
        seen.remove(0)
    })
}
