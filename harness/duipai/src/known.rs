//! Known deviations: failures that are declared, with their exact outcome and
//! a reason, and that are reported when they change or go away.
//!
//! ```toml
//! [[known]]
//! id = "send.delay.*"
//! outcome = "step 1 (send): expected returned without a value, got not reached"
//! reason = "fixed upstream, not yet released"
//! profile = "miniflare"
//! subject = "worker"
//! versions = ">=1.2, <2"
//! ```
//!
//! The last three fields narrow an entry down; one for another profile,
//! subject or version does not apply, and nothing is asked of it.

use std::{collections::BTreeMap, sync::Arc};

use duipai_platform::Profile;
use globset::{Glob, GlobMatcher};
use semver::{Version, VersionReq};
use serde::Deserialize;
use thiserror::Error;
use toml::Spanned;

use crate::{
    case::Origin,
    runner::{Ending, Unexpected},
    subject::Identity,
};

/// The entries of one file.
#[derive(Clone, Debug, Default)]
pub struct Known {
    entries: Vec<Arc<Entry>>,
}

/// The entries that apply to a run, by case id.
#[derive(Clone, Debug, Default)]
pub struct Applicable {
    by_id: BTreeMap<Arc<str>, Arc<Entry>>,
}

#[derive(Debug)]
struct Entry {
    origin: Origin,
    id: String,
    /// `None` if the id is not a glob and can only be the id of one case.
    glob: Option<GlobMatcher>,
    outcome: String,
    reason: String,
    profile: Option<Profile>,
    subject: Option<String>,
    versions: Option<VersionReq>,
}

/// What is wrong with a file of known deviations.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{origin}: {problem}")]
pub struct KnownError {
    /// Where.
    pub origin: Origin,
    /// What.
    pub problem: Problem,
}

/// What is wrong with an entry.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum Problem {
    /// The file is not TOML of the right form.
    #[error("{0}")]
    Form(String),
    /// A field that has to say something is empty.
    #[error("`{0}` is empty")]
    Empty(&'static str),
    /// The version range is none.
    #[error("`{range}` is not a version range: {reason}")]
    Versions {
        /// The text.
        range: String,
        /// What is wrong with it.
        reason: String,
    },
    /// There is no such profile.
    #[error("unknown profile `{0}`")]
    Profile(String),
    /// No declared case has such an id.
    #[error("`{0}` matches no case")]
    NoCase(String),
    /// Another entry is for the same case.
    #[error("case `{id}` already has a known deviation at {other}")]
    Twice {
        /// The case.
        id: Arc<str>,
        /// The other entry.
        other: Origin,
    },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    known: Vec<Spanned<Raw>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    id: Spanned<String>,
    outcome: Spanned<String>,
    reason: Spanned<String>,
    profile: Option<Spanned<String>>,
    subject: Option<String>,
    versions: Option<Spanned<String>>,
}

impl Known {
    /// The entries in `text`, which stands in `file`.
    ///
    /// # Errors
    ///
    /// [`KnownError`] for the first thing that is wrong.
    pub fn parse(file: &str, text: &str) -> Result<Self, KnownError> {
        let places = Places { file: Arc::from(file), text };
        let parsed: File = toml::from_str(text).map_err(|error| {
            let at = error.span().map_or(0, |span| span.start);
            places.error(at, Problem::Form(error.message().trim().to_owned()))
        })?;
        let entries = parsed.known.into_iter().map(|raw| places.entry(raw).map(Arc::new));
        Ok(Self { entries: entries.collect::<Result<_, _>>()? })
    }

    /// The entries for this run. `declared` are the ids of the whole suite,
    /// before any filter.
    ///
    /// # Errors
    ///
    /// [`KnownError`] for every entry that applies but matches no case, and for
    /// every case that two entries match.
    pub fn applicable<'a>(
        &self,
        declared: impl Iterator<Item = &'a Arc<str>> + Clone,
        profile: Profile,
        identity: &Identity,
    ) -> Result<Applicable, Vec<KnownError>> {
        let mut by_id: BTreeMap<Arc<str>, Arc<Entry>> = BTreeMap::new();
        let mut errors = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.applies(profile, identity)) {
            let mut matched = false;
            for id in declared.clone().filter(|id| entry.matches(id)) {
                matched = true;
                if let Some(other) = by_id.insert(Arc::clone(id), Arc::clone(entry)) {
                    let (id, other) = (Arc::clone(id), other.origin.clone());
                    errors.push(entry.error(Problem::Twice { id, other }));
                }
            }
            if !matched {
                errors.push(entry.error(Problem::NoCase(entry.id.clone())));
            }
        }
        if errors.is_empty() { Ok(Applicable { by_id }) } else { Err(errors) }
    }
}

impl Applicable {
    /// What `ending` of case `id` means beside the declared deviation, if there
    /// is one.
    pub(crate) fn weigh(&self, id: &str, ending: Ending) -> Ending {
        let Some(entry) = self.by_id.get(id) else {
            return ending;
        };
        let declared = entry.outcome.clone();
        let ending = match ending {
            Ending::Passed { .. } => return Ending::DeviationGone { declared },
            Ending::Failed(differences) => Unexpected::Failed(differences),
            Ending::Crashed { reason } => Unexpected::Crashed(reason),
            Ending::TimedOut => Unexpected::TimedOut,
            other => return other,
        };
        if ending.to_string() == declared {
            Ending::Known { outcome: declared, reason: entry.reason.clone() }
        } else {
            Ending::DeviationDiffers { ending, declared }
        }
    }
}

impl Entry {
    fn applies(&self, profile: Profile, identity: &Identity) -> bool {
        // A version that is not semantic lies in no range: the failure is then
        // reported as one.
        let in_range = |range: &VersionReq| {
            Version::parse(&identity.version).is_ok_and(|version| range.matches(&version))
        };
        self.profile.is_none_or(|only| only == profile)
            && self.subject.as_ref().is_none_or(|only| *only == identity.name)
            && self.versions.as_ref().is_none_or(in_range)
    }

    fn matches(&self, id: &str) -> bool {
        self.id == id || self.glob.as_ref().is_some_and(|glob| glob.is_match(id))
    }

    fn error(&self, problem: Problem) -> KnownError {
        KnownError { origin: self.origin.clone(), problem }
    }
}

/// The file that is being read.
struct Places<'a> {
    file: Arc<str>,
    text: &'a str,
}

impl Places<'_> {
    fn entry(&self, raw: Spanned<Raw>) -> Result<Entry, KnownError> {
        let origin = self.origin(raw.span().start);
        let raw = raw.into_inner();
        for (name, field) in [("id", &raw.id), ("outcome", &raw.outcome), ("reason", &raw.reason)] {
            if field.get_ref().trim().is_empty() {
                return Err(self.error(field.span().start, Problem::Empty(name)));
            }
        }
        let id = raw.id.get_ref().clone();
        let glob = Glob::new(&id).ok().as_ref().map(Glob::compile_matcher);
        let profile = raw.profile.map(|name| {
            let unknown = || Problem::Profile(name.get_ref().clone());
            Profile::from_name(name.get_ref())
                .ok_or_else(|| self.error(name.span().start, unknown()))
        });
        let versions = raw.versions.map(|range| {
            VersionReq::parse(range.get_ref()).map_err(|error| {
                let (reason, at) = (error.to_string(), range.span().start);
                self.error(at, Problem::Versions { range: range.into_inner(), reason })
            })
        });
        Ok(Entry {
            origin,
            id,
            glob,
            outcome: raw.outcome.into_inner(),
            reason: raw.reason.into_inner(),
            profile: profile.transpose()?,
            subject: raw.subject,
            versions: versions.transpose()?,
        })
    }

    fn error(&self, at: usize, problem: Problem) -> KnownError {
        KnownError { origin: self.origin(at), problem }
    }

    /// The line and column of byte `at`.
    fn origin(&self, at: usize) -> Origin {
        let before = &self.text[..self.text.floor_char_boundary(at)];
        let line = before.rsplit('\n').next().unwrap_or_default();
        Origin {
            file: Arc::clone(&self.file),
            line: before.matches('\n').count() + 1,
            column: line.chars().count() + 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample::identity;

    const REST: &str = "outcome = \"x\"\nreason = \"y\"\n";

    fn applicable(text: &str) -> Result<Vec<String>, Vec<String>> {
        let ids = ["send.a", "send.b#é", "batch/[x"].map(Arc::<str>::from);
        let known = Known::parse("known.toml", text).map_err(|error| vec![error.to_string()])?;
        match known.applicable(ids.iter(), Profile::Cloudflare, &identity()) {
            Ok(applicable) => Ok(applicable.by_id.keys().map(ToString::to_string).collect()),
            Err(errors) => Err(errors.iter().map(ToString::to_string).collect()),
        }
    }

    fn check(fields: &str, ids: &[&str]) {
        let text = format!("[[known]]\n{REST}{fields}");
        assert_eq!(applicable(&text).unwrap(), ids, "{fields}");
    }

    fn check_error(text: &str, error: &str) {
        assert_eq!(applicable(text).unwrap_err(), [error], "{text}");
    }

    #[test]
    fn entries_name_cases_by_glob_or_id() {
        check("id = \"send.*\"", &["send.a", "send.b#é"]);
        check("id = \"batch/[x\"", &["batch/[x"]);
        assert_eq!(applicable("").unwrap(), [] as [&str; 0]);
    }

    #[test]
    fn entries_for_another_run_do_not_apply() {
        check("id = \"*\"\nprofile = \"miniflare\"", &[]);
        check("id = \"no-such-case\"\nsubject = \"other\"", &[]);
        check("id = \"*\"\nversions = \">=2\"", &[]);
        check(
            "id = \"send.a\"\nprofile = \"cloudflare\"\nsubject = \"stub\"\nversions = \">=1.2, <2\"",
            &["send.a"],
        );
    }

    #[test]
    fn an_entry_must_match_a_case_and_no_two_the_same() {
        check_error(
            &format!("\n[[known]]\nid = \"nothing.*\"\n{REST}"),
            "known.toml:2:1: `nothing.*` matches no case",
        );
        check_error(
            &format!("[[known]]\nid = \"send.a\"\n{REST}[[known]]\nid = \"*.a\"\n{REST}"),
            "known.toml:5:1: case `send.a` already has a known deviation at known.toml:1:1",
        );
    }

    #[test]
    fn errors_have_a_place() {
        check_error(
            &format!("[[known]]\nid = \"a\"\n{REST}profile = \"nimbus\""),
            "known.toml:5:11: unknown profile `nimbus`",
        );
        check_error(
            "[[known]]\nid = \"a\"\noutcome = \"x\"\nreason = \" \"",
            "known.toml:4:10: `reason` is empty",
        );
        let error =
            applicable(&format!("[[known]]\nid = \"a\"\n{REST}versions = \"new\"")).unwrap_err();
        let start = "known.toml:5:12: `new` is not a version range: ";
        assert!(error[0].starts_with(start), "{error:?}");
        for text in ["[[known]]\nid = \"a\"\n", "[[known]]\nids = \"a\"\n", "[[known]\n"] {
            let error = applicable(text).unwrap_err();
            assert!(error[0].starts_with("known.toml:"), "{error:?}");
            assert!(!error[0].contains('\n'), "{error:?}");
        }
    }
}
