//! Fuzz targets: what is done with a fuzzer's bytes, and with what it finds.
//!
//! A target reads bytes as an input, asks an [oracle](crate::oracle) about it,
//! and tells what came of it. The programs in `fuzz/` hand libFuzzer's bytes to
//! a [`Driver`]; the seeds and regressions of `corpus/` go the same way in
//! `cargo test`.
//!
//! | module | holds |
//! | --- | --- |
//! | [`input`] | bytes → input, and an input as a text to read |
//! | [`run`] | what came of an input |
//! | [`driver`] | a target that has been started, with its subject |
//! | `checks` | the targets' work: an input, and the oracle for it |
//! | [`counts`] | how many inputs were accepted |
//! | [`mutate`] | changes that keep inputs mostly valid |
//! | [`shrink`] | an input that fails → a small one that fails the same way |
//! | [`promote`] | a finding → a candidate case |
//! | [`report`] | what a run came to |
//! | [`seeds`] | the suite's inputs as seeds |

pub mod counts;
pub mod driver;
pub mod input;
pub mod mutate;
pub mod promote;
pub mod report;
pub mod run;
pub mod seeds;
pub mod shrink;

mod checks;
mod generated;
mod tree;

pub use driver::{Driver, StartError};
pub use input::{Form, Input};
pub use run::{Finding, Rejection, Run};

use checks::Check;

/// The planted fault that the canary must find, as in `mutant:NAME`.
pub const CANARY: &str = "split-without-escapes";

/// Longest JSON text that is taken as it is, in bytes. The generator makes the
/// big ones out of few bytes.
const TEXT: usize = 4_096;

/// Longest plan.
const PLAN: usize = 16_384;

/// A fuzz target.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name: that of its program, and of its folder in `corpus/`.
    pub name: &'static str,
    /// What it does, in one line.
    pub about: &'static str,
    /// Longest input that it takes, in bytes; longer ones are rejected.
    pub max_len: usize,
    /// What it reads its bytes as.
    pub form: Form,
    /// Whom it judges.
    judges: Judges,
    check: Check,
}

/// Whom a target judges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Judges {
    /// Parts of the harness, or the reference package.
    Ours,
    /// The subject that the environment names.
    Chosen,
    /// A mutant, so that the target must find something.
    Mutant(&'static str),
    /// The same, by what this build has only with a feature: its name, and
    /// whether it is on.
    With(&'static str, bool),
}

impl Target {
    /// Whether the target must find something, since a fault is planted in it.
    pub fn must_find(&self) -> bool {
        matches!(self.judges, Judges::Mutant(_))
    }

    /// Whether accepted inputs are JSON texts.
    pub fn parses_json(&self) -> bool {
        self.form != Form::Bytes
    }
}

/// Every target.
pub const TARGETS: &[Target] = &[
    Target {
        name: "split",
        about: "cutting a batch into items, against serde_json's raw slices",
        max_len: TEXT,
        form: Form::Items,
        judges: Judges::Ours,
        check: checks::texts::split,
    },
    Target {
        name: "normalize",
        about: "canonical text, against JavaScript and against itself",
        max_len: TEXT,
        form: Form::Text,
        judges: Judges::With("quickjs", cfg!(feature = "quickjs")),
        check: checks::texts::normalize,
    },
    Target {
        name: "batch_verdict",
        about: "the whole of 批量发送队列消息, against the model",
        max_len: TEXT,
        form: Form::Batch,
        judges: Judges::Ours,
        check: checks::plans::batch,
    },
    Target {
        name: "send_verdict",
        about: "the whole of 发送队列消息, against the model",
        max_len: TEXT,
        form: Form::Send,
        judges: Judges::Ours,
        check: checks::plans::send,
    },
    Target {
        name: "event_plan",
        about: "any steps in any events, against the model, and against the guest",
        max_len: PLAN,
        form: Form::Scene,
        judges: Judges::Ours,
        check: checks::plans::event,
    },
    Target {
        name: "guest_bytes",
        about: "any bytes as a guest: an error, or a guest that runs within its bounds",
        max_len: 1 << 18,
        form: Form::Bytes,
        judges: Judges::With("wasm", cfg!(feature = "wasm")),
        check: checks::files::guest,
    },
    Target {
        name: "case_file",
        about: "any bytes as a case file: cases, or problems that stand in the file",
        max_len: 1 << 14,
        form: Form::Bytes,
        judges: Judges::Ours,
        check: checks::files::case,
    },
    Target {
        name: "subject_batch",
        about: "批量发送队列消息 of the subject that DUIPAI_SUBJECT names",
        max_len: TEXT,
        form: Form::Batch,
        judges: Judges::Chosen,
        check: checks::plans::batch,
    },
    Target {
        name: "subject_event",
        about: "any steps in any events of the subject that DUIPAI_SUBJECT names",
        max_len: PLAN,
        form: Form::Scene,
        judges: Judges::Chosen,
        check: checks::plans::scene,
    },
    Target {
        name: "canary",
        about: "a batch that is cut wrongly on purpose: it must be found",
        max_len: TEXT,
        form: Form::Batch,
        judges: Judges::Mutant(CANARY),
        check: checks::plans::batch,
    },
];

/// The target with this name.
pub fn find(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;
    use crate::mutants;

    #[test]
    fn names_are_names_of_one_target_each() {
        let names: HashSet<&str> = TARGETS.iter().map(|target| target.name).collect();
        assert_eq!(names.len(), TARGETS.len());
        assert!(find("split").is_some() && find("splat").is_none());
    }

    #[test]
    fn the_canary_is_a_mutant() {
        assert!(mutants::find(CANARY).is_some());
        assert_eq!(TARGETS.iter().filter(|target| target.must_find()).count(), 1);
    }

    /// Executions that it takes the canary to find its fault in `inputs`.
    fn executions(mut inputs: impl FnMut(u64) -> Vec<u8>) -> Option<u64> {
        let mut driver = Driver::named("canary").unwrap_or_else(|error| panic!("{error}"));
        (1..=20_000).find(|at| matches!(driver.run(&inputs(*at)), Run::Found(_)))
    }

    #[test]
    fn the_canary_is_found_by_the_generator() {
        let found = executions(|at| {
            let mut bytes = vec![input::GENERATED];
            bytes.extend(crate::generate::seeded(7, at));
            bytes
        });
        assert!(found.is_some(), "not in 20000 executions");
    }

    #[test]
    fn the_canary_is_found_by_the_mutator() {
        let mut data = vec![0; TEXT];
        let found = executions(|at| {
            let seed = b"[{\"body\":\"x\"},{\"body\":[1]}]";
            data[..seed.len()].copy_from_slice(seed);
            let mut size = seed.len();
            for round in 0..1 + at % 6 {
                let seed = (at * 8 + round) as u32;
                size = mutate::mutate(Form::Batch, &mut data, size, TEXT, seed, |_, size, _| size);
            }
            data[..size].to_vec()
        });
        assert!(found.is_some(), "not in 20000 executions");
    }
}
