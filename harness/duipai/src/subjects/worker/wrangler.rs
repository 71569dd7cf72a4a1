//! What a wrangler configuration says about a Worker, as far as it matters for
//! running it.

use std::{io, path::Path};

use serde::Deserialize;
use serde_json::Value;

use super::{WorkerError, config::Target};
use crate::{judge::one_line, regular};

/// The files that wrangler looks for, in its order.
const FILES: [&str; 3] = ["wrangler.json", "wrangler.jsonc", "wrangler.toml"];

/// Greatest size of a configuration, in bytes.
const MAX_BYTES: u64 = 1 << 20;

/// Longest message about a configuration, in characters.
const REASON_CHARS: usize = 160;

/// A wrangler configuration. What is not listed here is ignored.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Wrangler {
    /// The main module's path, relative to the configuration.
    #[serde(default)]
    pub(super) main: Option<String>,
    #[serde(default)]
    pub(super) compatibility_date: Option<String>,
    #[serde(default)]
    pub(super) compatibility_flags: Vec<String>,
    #[serde(default)]
    vars: serde_json::Map<String, Value>,
    #[serde(default)]
    queues: Queues,
}

#[derive(Debug, Default, Deserialize)]
struct Queues {
    #[serde(default)]
    producers: Vec<Producer>,
}

#[derive(Debug, Deserialize)]
struct Producer {
    binding: String,
}

impl Wrangler {
    /// The variables of the Worker's environment.
    ///
    /// # Errors
    ///
    /// When one has a name that the harness uses.
    pub(super) fn vars(&self) -> Result<Vec<(String, Target)>, WorkerError> {
        let var = |(name, value): (&String, &Value)| {
            if is_reserved(name) {
                return Err(WorkerError::Reserved(one_line(name, REASON_CHARS)));
            }
            let target = match value {
                Value::String(text) => Target::Text(text.clone()),
                value => Target::Json(value.to_string()),
            };
            Ok((name.clone(), target))
        };
        self.vars.iter().map(var).collect()
    }

    /// The names of the queue bindings.
    pub(super) fn queues(&self) -> Vec<String> {
        self.queues.producers.iter().map(|producer| producer.binding.clone()).collect()
    }
}

/// Whether a binding of this name is one of the harness's.
pub(super) fn is_reserved(name: &str) -> bool {
    name == "DUIPAI" || name.starts_with("DUIPAI_")
}

/// The configuration in `folder`, if there is one.
///
/// # Errors
///
/// When it cannot be read or understood.
pub(super) fn read(folder: &Path) -> Result<Option<Wrangler>, WorkerError> {
    for file in FILES {
        let path = folder.join(file);
        let text = match regular::text(&path, MAX_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => {
                return Err(WorkerError::Unreadable { path, reason: error.to_string() });
            }
        };
        let parsed = if file.ends_with(".toml") { from_toml(&text) } else { from_jsonc(&text) };
        let unusable = |(line, reason): Flaw| WorkerError::Configuration {
            path,
            line,
            reason: one_line(&reason, REASON_CHARS),
        };
        return parsed.map(Some).map_err(unusable);
    }
    Ok(None)
}

/// The line where a configuration is at fault, from 1, and why.
type Flaw = (usize, String);

fn from_toml(text: &str) -> Result<Wrangler, Flaw> {
    toml::from_str(text).map_err(|error: toml::de::Error| {
        let start = error.span().map_or(0, |span| span.start);
        let before = text.get(..start).unwrap_or_default();
        (before.matches('\n').count() + 1, error.message().to_owned())
    })
}

fn from_jsonc(text: &str) -> Result<Wrangler, Flaw> {
    let options = jsonc_parser::ParseOptions::default();
    let parsed: Option<Wrangler> = jsonc_parser::parse_to_serde_value(text, &options)
        .map_err(|error| (error.line_display(), error.kind().to_string()))?;
    parsed.ok_or_else(|| (1, String::from("the file is empty")))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(file: &str, text: &str) {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(file), text).unwrap();
        let wrangler = read(folder.path()).unwrap().unwrap();
        assert_eq!(wrangler.main.as_deref(), Some("src/index.ts"));
        assert_eq!(wrangler.compatibility_date.as_deref(), Some("2026-03-01"));
        assert_eq!(wrangler.compatibility_flags, ["nodejs_compat"]);
        assert_eq!(wrangler.queues(), ["PAGE_QUEUE", "OTHER"]);
        let vars = [
            ("A".to_owned(), Target::Text("x".to_owned())),
            ("B".to_owned(), Target::Json("{\"c\":[1]}".to_owned())),
        ];
        assert_eq!(wrangler.vars().unwrap(), vars);
    }

    #[test]
    fn all_three_forms_say_the_same() {
        let json = r#"{"name":"w","main":"src/index.ts","compatibility_date":"2026-03-01",
            "compatibility_flags":["nodejs_compat"],"vars":{"A":"x","B":{"c":[1]}},
            "queues":{"consumers":[{"queue":"q"}],
            "producers":[{"queue":"q","binding":"PAGE_QUEUE"},{"queue":"r","binding":"OTHER"}]}"#;
        check("wrangler.json", &format!("{json}}}"));
        check("wrangler.jsonc", &format!("// a comment\n{json},\n}}"));
        check("wrangler.toml", {
            "name = \"w\"\nmain = \"src/index.ts\"\ncompatibility_date = \"2026-03-01\"\n\
             compatibility_flags = [\"nodejs_compat\"]\n[vars]\nA = \"x\"\nB = { c = [1] }\n\
             [[queues.producers]]\nqueue = \"q\"\nbinding = \"PAGE_QUEUE\"\n\
             [[queues.producers]]\nqueue = \"r\"\nbinding = \"OTHER\"\n\
             [[queues.consumers]]\nqueue = \"q\"\n"
        });
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let refused = |file: &str, text: &str, line: usize| {
            let folder = tempfile::tempdir().unwrap();
            fs::write(folder.path().join(file), text).unwrap();
            let error = read(folder.path()).map(|one| one.map(|one| one.vars())).unwrap_err();
            let text = error.to_string();
            assert!(text.contains(&format!("{file}:{line}: ")), "{text}");
            assert!(!text.contains('\n') && !text.ends_with(": "), "{text}");
        };
        refused("wrangler.json", "{", 1);
        refused("wrangler.json", "", 1);
        refused("wrangler.json", "{\n \"main\": \"a.js\",\n \"vars\" {}\n}", 3);
        refused("wrangler.jsonc", "[]", 1);
        refused("wrangler.jsonc", "{\n\n\"main\": 3}", 3);
        refused("wrangler.toml", "name = \"w\"\nmain = 3", 2);
        refused("wrangler.toml", "main = \"a.js\"\nvars = [\n", 2);
        refused("wrangler.toml", "\n[[queues.producers]]\nqueue = \"q\"", 2);
    }

    #[test]
    fn names_of_the_harness_are_reserved() {
        let wrangler = from_toml("[vars]\nDUIPAI_CONTROL = 1").unwrap();
        assert!(matches!(wrangler.vars(), Err(WorkerError::Reserved(_))));
    }
}
