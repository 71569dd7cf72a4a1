//! A candidate case, and the file that it is written to.

use std::{path::Path, sync::Arc};

use super::expected::{self, Expected};
use crate::{
    case::{Case, LoadError, SourceFile, decode},
    fuzz::{Finding, Form, Input, input::ProducerCall},
    generate::describe,
    ledger::Sentence,
    plan::{Action, EventPlan, Scene},
    sha256,
    suite::Suite,
};

/// Digits of a digest in a name.
pub(super) const DIGEST: usize = 12;

/// The sentence of a finding that names none: whatever goes wrong must be an
/// exception or an abort.
const WIDEST: &str = "errors.exceptions";

/// A case that a person is to rule on.
pub(super) struct Candidate {
    name: String,
    id: String,
    text: String,
    events: Vec<EventPlan>,
}

impl Candidate {
    /// The case of this input; `None` where no case can tell it.
    pub(super) fn of(
        target: &str,
        input: &Input,
        finding: &Finding,
        digest: &str,
    ) -> Result<Option<Self>, LoadError> {
        let Some(mut scene) = scene(target, input) else { return Ok(None) };
        scene.events.iter_mut().for_each(prune);
        let Some(expected) = expected::of(&scene) else { return Ok(None) };
        let suite = Suite::builtin()?;
        let says: Vec<&str> = finding.says.iter().map(|id| &**id).collect();
        let level_of = |id: &str| suite.ledger.find(id).and_then(Sentence::level);
        let mut says: Vec<&str> = says.into_iter().filter(|id| level_of(id).is_some()).collect();
        if says.is_empty() {
            says.push(WIDEST);
        }
        let level = says.first().and_then(|id| level_of(id));
        let Some(level) = level else { return Ok(None) };
        // A case has the level of its first sentence; one of another level is
        // evidence for something else.
        says.retain(|id| level_of(id) == Some(level));
        let mut short = sha256::hex(Input::Scene(scene.clone()).to_bytes());
        short.truncate(DIGEST);
        let word = target.replace('_', "-");
        let id = format!("candidate.{word}.{short}");
        let case = describe::case_of(&scene, &expected.seen, &id, &says, level.name());
        let text = with_provenance(&with_messages(&case, &expected), target, finding, digest);
        // What the loader makes of it is what was meant.
        let name = format!("{word}-{short}");
        let file = SourceFile {
            path: format!("{name}.toml").into(),
            name: format!("{name}.toml").into(),
            text: text.as_str().into(),
        };
        let (cases, problems) = decode::cases(&file, &suite.ledger);
        let cases = LoadError::unless_empty(cases, problems)?;
        let told = cases.iter().any(|case| plans(case).eq(&scene.events));
        Ok(told.then_some(Self { name, id, text, events: scene.events }))
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The case with the same plan, of the built-in suite or of the candidates
    /// in `folder`.
    pub(super) fn known(&self, folder: &Path) -> Result<Option<String>, LoadError> {
        let candidates = match folder.is_dir() && holds_cases(folder) {
            true => Suite::from_folders(&[folder.to_owned()])?.cases,
            false => Vec::new(),
        };
        let same = |case: &&Case| plans(case).eq(&self.events);
        let cases = Suite::builtin()?.cases;
        let found = cases.iter().chain(&candidates).find(same);
        Ok(found.map(|case| format!("{} ({})", case.id, case.origin)))
    }
}

fn plans(case: &Case) -> impl Iterator<Item = &EventPlan> {
    case.events.iter().map(|event| &event.plan)
}

fn holds_cases(folder: &Path) -> bool {
    let is_case = |entry: std::io::Result<std::fs::DirEntry>| {
        entry.is_ok_and(|entry| entry.path().extension().is_some_and(|it| it == "toml"))
    };
    std::fs::read_dir(folder).is_ok_and(|mut entries| entries.any(is_case))
}

/// The input as what a case can play. A text is the text of a call.
fn scene(target: &str, input: &Input) -> Option<Scene> {
    let Input::Text(text) = input else { return input.scene() };
    let batch = crate::fuzz::find(target).is_some_and(|target| target.form == Form::Items);
    let binding = "PAGE_QUEUE".to_owned();
    Some(ProducerCall { batch, binding, delay: 0, text: Arc::clone(text) }.scene())
}

/// Takes away grants and bindings that no step names.
fn prune(event: &mut EventPlan) {
    let named = |name: &str| {
        event.steps.iter().any(|step| match &step.action {
            Action::Send { binding, .. } | Action::SendBatch { binding, .. } => binding == name,
            _ => false,
        })
    };
    event.grants.retain(|name| named(name));
    event.bindings.retain(|name, _| named(name));
}

/// The case with every message that is permitted.
fn with_messages(case: &str, expected: &Expected) -> String {
    let Some(first) = expected.messages.first() else { return case.to_owned() };
    let quoted = |message: &str| describe::basic(message);
    let list: Vec<String> = expected.messages.iter().map(|it| quoted(it)).collect();
    case.replace(
        &format!("throws = {}", quoted(first)),
        &format!("throws_any_of = [{}]", list.join(", ")),
    )
}

/// The case with where it comes from: target and input, and nothing that depends
/// on time or machine.
fn with_provenance(case: &str, target: &str, finding: &Finding, digest: &str) -> String {
    let why = format!("candidate: fuzz target {target}, input sha256:{digest}; {}", finding.fault);
    let head = format!(
        "# A candidate: rule on it, then give it to its family, or throw it away.\n\
         # Found by the fuzz target {target} in the input sha256:{digest}.\n\n"
    );
    let why = format!("\nwhy = {}\nlevel = ", describe::basic(&why));
    head + &case.replacen("\nlevel = ", &why, 1)
}
