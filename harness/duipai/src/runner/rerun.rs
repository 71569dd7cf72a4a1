//! The command that runs one case again.

use std::{path::Path, time::Duration};

use duipai_platform::Profile;
use duipai_spec::ledger::Level;

use super::DEFAULT_TIMEOUT;
use crate::judge::is_printable;

/// How one case is run again.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rerun {
    /// By `duipai run`.
    Run(RunLine),
    /// By `cargo test`, in a crate that runs the suite as tests of its own.
    CargoTest {
        /// Name of the test target, if it is known.
        target: Option<String>,
    },
}

/// What is on the command line of `duipai run`, as far as it decides a verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunLine {
    /// The subject as given.
    pub subject: String,
    /// Whether the subject may be on another machine.
    pub allow_remote: bool,
    /// The case folders as given.
    pub cases: Vec<String>,
    /// The vector files as given.
    pub vectors: Vec<String>,
    /// The profile.
    pub profile: Profile,
    /// The level, if one was given.
    pub level: Option<Level>,
    /// The file of known deviations, if one was given.
    pub known: Option<String>,
    /// Longest time for one case.
    pub timeout: Duration,
}

impl RunLine {
    /// The built-in suite against `subject`, all else as it is by default.
    pub fn new(subject: impl Into<String>) -> Self {
        Self {
            subject: subject.into(),
            allow_remote: false,
            cases: Vec::new(),
            vectors: Vec::new(),
            profile: Profile::default(),
            level: None,
            known: None,
            timeout: DEFAULT_TIMEOUT,
        }
    }

    fn command(&self, id: &str) -> String {
        let mut command = format!("duipai run{}", option("subject", &self.subject));
        if self.allow_remote {
            command.push_str(" --allow-remote");
        }
        let mut add = |name, value: &str| command.push_str(&option(name, value));
        self.cases.iter().for_each(|folder| add("cases", folder));
        self.vectors.iter().for_each(|file| add("vectors", file));
        if self.profile != Profile::default() {
            add("profile", self.profile.name());
        }
        if let Some(level) = self.level {
            add("level", level.name());
        }
        if let Some(file) = &self.known {
            add("known", file);
        }
        if self.timeout != DEFAULT_TIMEOUT {
            add("timeout", &self.timeout.as_secs_f64().to_string());
        }
        command + &joined("filter", id, &quoted(id))
    }
}

impl Default for Rerun {
    /// What `duipai run` does without an option.
    fn default() -> Self {
        Self::Run(RunLine::new("native"))
    }
}

impl Rerun {
    /// `cargo test` for the test program at this path.
    pub fn test_program(program: &Path) -> Self {
        let name = program.file_stem().and_then(|name| name.to_str());
        // Cargo appends the hash of what the program is made of.
        let target = name.and_then(|name| name.rsplit_once('-')).and_then(|(name, hash)| {
            let is_hash = hash.len() == 16 && hash.bytes().all(|byte| byte.is_ascii_hexdigit());
            (is_hash && !name.is_empty()).then(|| name.to_owned())
        });
        Self::CargoTest { target }
    }

    /// The command that runs exactly the case `id`, for a POSIX shell; one line,
    /// without characters that a terminal would act on.
    pub fn command(&self, id: &str) -> String {
        match self {
            Self::Run(line) => line.command(id),
            Self::CargoTest { target } => {
                let target = target.as_deref().map(|name| option("test", name));
                format!("cargo test{} -- --exact {}", target.unwrap_or_default(), quoted(id))
            }
        }
    }
}

/// An option with its value, in quotes only where it needs them.
fn option(name: &str, value: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=,@+".contains(c);
    if !value.is_empty() && value.chars().all(plain) {
        joined(name, value, value)
    } else {
        joined(name, value, &quoted(value))
    }
}

/// A value that looks like an option is bound to its own with `=`.
fn joined(name: &str, value: &str, written: &str) -> String {
    let joint = if value.starts_with('-') { '=' } else { ' ' };
    format!(" --{name}{joint}{written}")
}

fn quoted(text: &str) -> String {
    if text.chars().all(is_printable) {
        return format!("'{}'", text.replace('\'', r"'\''"));
    }
    let mut quoted = String::from("$'");
    for c in text.chars() {
        match c {
            '\'' | '\\' => quoted.extend(['\\', c]),
            c if is_printable(c) => quoted.push(c),
            c => c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| {
                quoted.push_str(&format!("\\{byte:03o}"));
            }),
        }
    }
    quoted + "'"
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rerun: Rerun, id: &str, expected: &str) {
        assert_eq!(rerun.command(id), expected);
    }

    #[test]
    fn the_command_names_what_was_given() {
        let line = || RunLine::new("native");
        let native = || Rerun::Run(line());
        check(native(), "a.b#c", "duipai run --subject native --filter 'a.b#c'");
        check(native(), "!a", "duipai run --subject native --filter '!a'");
        check(native(), "-a", "duipai run --subject native --filter='-a'");
        check(
            Rerun::Run(RunLine {
                cases: vec![String::from("my cases")],
                vectors: vec![String::from("a.jsonl"), String::from("b.jsonl")],
                profile: Profile::Miniflare,
                level: Some(Level::Observe),
                known: Some(String::from("known $HOME.toml")),
                timeout: Duration::from_millis(1500),
                ..RunLine::new("exec:my program")
            }),
            "it's",
            "duipai run --subject 'exec:my program' --cases 'my cases' --vectors a.jsonl \
             --vectors b.jsonl --profile miniflare --level observe --known 'known $HOME.toml' \
             --timeout 1.5 --filter 'it'\\''s'",
        );
        let remote = RunLine { allow_remote: true, ..RunLine::new("http://192.0.2.1") };
        check(Rerun::Run(remote), "a", {
            "duipai run --subject http://192.0.2.1 --allow-remote --filter 'a'"
        });
    }

    #[test]
    fn a_test_program_is_run_again_by_its_target() {
        let check = |program: &str, expected| {
            check(Rerun::test_program(Path::new(program)), "a b", expected);
        };
        check(
            "target/debug/deps/suite-0123456789abcdef",
            "cargo test --test suite -- --exact 'a b'",
        );
        check("deps/my-own_suite-0123456789abcdef.exe", {
            "cargo test --test my-own_suite -- --exact 'a b'"
        });
        check("deps/suite-0123", "cargo test -- --exact 'a b'");
        check("", "cargo test -- --exact 'a b'");
    }

    /// What the shell makes of the quotes is the text itself.
    #[cfg(unix)]
    #[test]
    fn quotes_keep_every_character() {
        for text in ["it's \\n $HOME `x` \"!\"", "a\nb\r\t\u{1b}[31m'\\", "\u{202e}字\u{9b}"] {
            let quoted = quoted(text);
            assert!(quoted.chars().all(is_printable), "{quoted:?}");
            let script = format!("printf %s {quoted}");
            let Ok(seen) = std::process::Command::new("bash").args(["-c", &script]).output() else {
                // Without such a shell there is nothing to ask.
                return;
            };
            assert_eq!(String::from_utf8(seen.stdout).unwrap(), text);
        }
    }
}
