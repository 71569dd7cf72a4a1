//! The suite's inputs as seeds: what a fuzzer starts from, with names that say
//! what each is. The same suite gives the same seeds.

use std::{
    collections::{BTreeMap, HashSet},
    path::{Path, PathBuf},
};

use crate::{
    case::{Case, LoadError},
    fuzz::{
        Target,
        input::{Input, ProducerCall, checked},
        run::Run,
        {Driver, TARGETS},
    },
    plan::{Action, Scene},
    suite::Suite,
    vectors::{self, VectorError},
};

/// Longest seed that is made of a case or vector, in bytes. What is big is the
/// generator's business.
const LONGEST: usize = 1_024;

/// Vectors that are taken of one kind: they are many, and much alike.
const VECTORS_OF_A_KIND: usize = 4;

/// Most seeds of one target that are made of cases and vectors. More of them do
/// not reach more, but every start of a fuzzer reads them all.
const SEEDS: usize = 150;

/// Longest name of a seed, in characters.
const NAME: usize = 60;

/// Seeds of one target: content by name.
pub type Seeds = BTreeMap<String, Vec<u8>>;

/// Seeds cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SeedError {
    /// The suite does not load.
    #[error("suite: {0}")]
    Suite(#[from] LoadError),
    /// The vectors do not load.
    #[error("vectors: {0}")]
    Vectors(#[from] VectorError),
    /// A file of the project cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// The seeds of every target, out of the cases, vectors and guests of the
/// project in this folder.
///
/// # Errors
///
/// [`SeedError`] when one of them cannot be read.
pub fn build(project: &Path) -> Result<BTreeMap<&'static str, Seeds>, SeedError> {
    let suite = Suite::builtin()?;
    let mut inputs = Inputs::default();
    for case in &suite.cases {
        inputs.scene(case);
        inputs.calls(case);
    }
    for file in files(&project.join("corpus/vectors"), "jsonl")? {
        let mut taken = BTreeMap::new();
        for case in vectors::load(&[file])?.cases {
            let count: &mut usize = taken.entry(kind(&case.id)).or_default();
            if *count < VECTORS_OF_A_KIND && inputs.calls(&case) {
                *count += 1;
            }
        }
    }
    inputs.files(project)?;
    Ok(TARGETS.iter().map(|target| (target.name, inputs.of(target))).collect())
}

/// What the seeds are made of.
#[derive(Default)]
struct Inputs {
    named: Vec<(String, Input)>,
    case_files: Seeds,
    guests: Seeds,
}

impl Inputs {
    /// Takes the events of `case`, unless they follow one another.
    fn scene(&mut self, case: &Case) {
        let plans: Vec<_> = case.events.iter().map(|event| event.plan.clone()).collect();
        if case.together || plans.len() == 1 {
            self.take(&case.id, Input::Scene(Scene { events: plans }));
        }
    }

    /// Takes the producers' calls of `case`; whether there was any that is small
    /// enough.
    fn calls(&mut self, case: &Case) -> bool {
        let before = self.named.len();
        let steps = case.events.iter().flat_map(|event| &event.plan.steps);
        for (at, step) in steps.enumerate() {
            let name = if at == 0 { case.id.to_string() } else { format!("{}.{at}", case.id) };
            let call = match &step.action {
                Action::Send { binding, body, delay } => ProducerCall {
                    batch: false,
                    binding: binding.clone(),
                    delay: *delay,
                    text: body.clone(),
                },
                Action::SendBatch { binding, items } => ProducerCall {
                    batch: true,
                    binding: binding.clone(),
                    delay: 0,
                    text: items.clone(),
                },
                _ => continue,
            };
            self.take(&name, Input::Call(call));
        }
        self.named.len() > before
    }

    fn take(&mut self, name: &str, input: Input) {
        let small = |input: &Input| input.to_bytes().len() <= LONGEST * 4;
        let fits = match &input {
            Input::Call(call) => call.text.len() <= LONGEST,
            Input::Scene(scene) => checked(scene).is_ok() && small(&input),
            Input::Text(_) | Input::Bytes(_) => small(&input),
        };
        if fits {
            self.named.push((file_name(name), input));
        }
    }

    /// Takes what is a file already.
    fn files(&mut self, project: &Path) -> Result<(), SeedError> {
        for family in folders(&project.join("cases"))? {
            for path in files(&family, "toml")? {
                let name = |path: &Path| {
                    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
                };
                let name = format!("{}.{}", name(&family), name(&path));
                self.case_files.insert(file_name(&name), read(&path)?);
            }
        }
        let guest = read(&project.join("harness/guest-c/package.wasm"))?;
        self.guests.insert("component.cut-short".to_owned(), guest[..guest.len() / 2].to_vec());
        self.guests.insert("component.guest".to_owned(), guest);
        self.guests.insert("component.empty".to_owned(), b"\0asm\x0d\0\x01\0".to_vec());
        self.guests.insert("module.empty".to_owned(), b"\0asm\x01\0\0\0".to_vec());
        self.guests.insert("nothing".to_owned(), Vec::new());
        Ok(())
    }

    /// The seeds of one target.
    fn of(&self, target: &'static Target) -> Seeds {
        let seeds: Seeds = match target.name {
            "case_file" => self.case_files.clone(),
            "guest_bytes" => self.guests.clone(),
            "split" => self.chosen(|call| (call.batch).then(|| Input::Text(call.text.clone()))),
            "normalize" => self.chosen(|call| Some(Input::Text(call.text.clone()))),
            "send_verdict" => self.chosen(|call| (!call.batch).then(|| Input::Call(call.clone()))),
            "event_plan" | "subject_event" => first_rows(self.scenes()),
            "subject_batch" | "canary" => first_rows(self.batches()),
            _ => self.batches(),
        };
        let mut seen = HashSet::new();
        let fits = |(_, bytes): &(String, Vec<u8>)| {
            bytes.len() <= target.max_len && seen.insert(bytes.clone())
        };
        let seeds = thinned(seeds.into_iter().filter(fits).collect()).into_iter();
        match Driver::start(target) {
            // A seed that is a finding leaves nothing to be found.
            Ok(mut driver) if target.must_find() => {
                seeds.filter(|(_, bytes)| driver.run(bytes) == Run::Accepted).collect()
            }
            _ => seeds.collect(),
        }
    }

    fn batches(&self) -> Seeds {
        self.chosen(|call| call.batch.then(|| Input::Call(call.clone())))
    }

    fn chosen(&self, choose: impl Fn(&ProducerCall) -> Option<Input>) -> Seeds {
        let chosen = self.named.iter().filter_map(|(name, input)| match input {
            Input::Call(call) => Some((name.clone(), choose(call)?.to_bytes())),
            _ => None,
        });
        chosen.collect()
    }

    fn scenes(&self) -> Seeds {
        let scenes = self.named.iter().filter(|(_, input)| matches!(input, Input::Scene(_)));
        scenes.map(|(name, input)| (name.clone(), input.to_bytes())).collect()
    }
}

/// One seed of those that are rows of the same case or vectors of a kind: what is
/// slow is not to be kept by what differs little.
fn first_rows(seeds: Seeds) -> Seeds {
    let mut cases = HashSet::new();
    let case = |name: &str| name.rsplit_once('.').map_or(name, |(case, _)| case).to_owned();
    seeds.into_iter().filter(|(name, _)| cases.insert(case(name))).collect()
}

/// At most [`SEEDS`] seeds, from everywhere in the order of their names.
fn thinned(seeds: Vec<(String, Vec<u8>)>) -> Vec<(String, Vec<u8>)> {
    let all = seeds.len();
    if all <= SEEDS {
        return seeds;
    }
    let taken = |at: usize| at * SEEDS / all;
    let kept = seeds.into_iter().enumerate().filter(|(at, _)| taken(at + 1) > taken(*at));
    kept.map(|(_, seed)| seed).collect()
}

/// The kind of a vector: the first words of its name, as far as they are words
/// and not what is special about this one.
fn kind(name: &str) -> String {
    let is_word = |part: &&str| part.chars().all(|c| c.is_ascii_lowercase() || c == '-');
    name.split('/').take(2).take_while(is_word).collect::<Vec<_>>().join("/")
}

/// A name as one for files on any system.
fn file_name(name: &str) -> String {
    let mut made = String::new();
    for c in name.chars() {
        let c = if c.is_ascii_alphanumeric() || c == '.' {
            c
        } else if c == '#' || c == '/' {
            '.'
        } else {
            '-'
        };
        let twice = matches!(c, '-' | '.') && made.ends_with(['-', '.']);
        if !twice {
            made.push(c);
        }
    }
    made.truncate(NAME);
    made.trim_matches(['-', '.']).to_owned()
}

fn files(folder: &Path, extension: &str) -> Result<Vec<PathBuf>, SeedError> {
    let mut paths = entries(folder)?;
    paths.retain(|path| path.extension().is_some_and(|it| it == extension));
    Ok(paths)
}

fn folders(folder: &Path) -> Result<Vec<PathBuf>, SeedError> {
    let mut paths = entries(folder)?;
    paths.retain(|path| path.is_dir());
    Ok(paths)
}

fn entries(folder: &Path) -> Result<Vec<PathBuf>, SeedError> {
    let unreadable = |source| SeedError::Unreadable { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.sort();
    Ok(paths)
}

fn read(path: &Path) -> Result<Vec<u8>, SeedError> {
    std::fs::read(path).map_err(|source| SeedError::Unreadable { path: path.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_names_of_files() {
        assert_eq!(file_name("batch.split.before#seam"), "batch.split.before.seam");
        assert_eq!(file_name("send/parse/\"{\\\"a\"/2"), "send.parse.a-2");
        assert_eq!(kind("batch/count/12"), "batch/count");
        assert_eq!(kind("num-bad/\"+1\""), "num-bad");
    }

    #[test]
    fn every_target_has_seeds_and_they_are_the_same_every_time() {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        let seeds = build(&project).unwrap();
        for target in TARGETS {
            let own = &seeds[target.name];
            assert!((5..=SEEDS).contains(&own.len()), "{}: {} seeds", target.name, own.len());
            assert!(own.values().all(|bytes| bytes.len() <= target.max_len), "{}", target.name);
        }
        assert_eq!(build(&project).unwrap(), seeds);
    }
}
