//! Development commands: `cargo xtask VERB`.

use std::{
    env,
    path::Path,
    process::{Command, ExitCode},
};

const USAGE: &str = "\
usage: cargo xtask VERB

  test     all tests: units, properties, vectors, and the suite against DUIPAI_SUBJECT
  reports  write reports/ anew from the built-in suite
  lint     formatting and clippy, warnings as errors
  guest    build the guest component anew; needs a compiler for wasm32-unknown-unknown
";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let verb = arguments.next();
    let rest: Vec<String> = arguments.collect();
    let done = match (verb.as_deref(), rest.as_slice()) {
        // What is given after `test` goes to the test binaries, as a filter.
        (Some("test"), filter) => {
            cargo(&["test", "--workspace", "--locked", "--no-fail-fast", "--"], filter)
        }
        (Some("guest"), []) => {
            cargo(&["run", "--quiet", "--locked", "--package", "duipai-guest-build"], &[])
        }
        (Some("reports"), []) => reports(),
        (Some("lint"), []) => {
            let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--"];
            let deny = ["-D", "warnings"].map(str::to_owned);
            cargo(&["fmt", "--all", "--check"], &[]) && cargo(&clippy, &deny)
        }
        _ => {
            tell(USAGE);
            return ExitCode::from(2);
        }
    };
    if done { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// One snapshot per subject and form, and the one that the tests hold.
fn reports() -> bool {
    let written = ["md", "json"].into_iter().all(|form| {
        let out = format!("reports/native.{form}");
        let run = ["run", "--locked", "--package", "duipai", "--", "run", "--subject", "native"];
        cargo(&run, &["--format".to_owned(), form.to_owned(), "--out".to_owned(), out])
    });
    // The snapshot test writes its file anew where this says so.
    let test = ["test", "--locked", "--package", "duipai", "--test", "reports"];
    written && cargo_with(&test, &[], &[("INSTA_UPDATE", "always")])
}

/// Runs cargo in the project's folder; whether it succeeded.
fn cargo(arguments: &[&str], rest: &[String]) -> bool {
    cargo_with(arguments, rest, &[])
}

fn cargo_with(arguments: &[&str], rest: &[String], environment: &[(&str, &str)]) -> bool {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(&cargo)
        .args(arguments)
        .args(rest)
        .envs(environment.iter().copied())
        .current_dir(project)
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            tell(&format!("cannot start {}: {error}\n", cargo.display()));
            false
        }
    }
}

#[expect(clippy::print_stderr, reason = "a command speaks to a person")]
fn tell(text: &str) {
    eprint!("{text}");
}
