//! Development commands: `cargo xtask VERB`.

use std::{
    env,
    path::{Path, PathBuf},
    process::{Command, ExitCode},
};

const USAGE: &str = "\
usage: cargo xtask VERB

  test     all tests: units, properties, vectors, and the suite against DUIPAI_SUBJECT
  reports  write reports/ anew from the built-in suite
  lint     formatting and clippy, warnings as errors
  guest    build the guest components anew and write them into the project
  guest --check
           build them, compare them with those checked in, and run the suite on them
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
        (Some("guest"), [check]) if check == "--check" => check_guests(),
        // The tests that hold the reports write them anew where this says so.
        (Some("reports"), []) => {
            let test = ["test", "--workspace", "--locked", "--test", "reports"];
            cargo_with(&test, &[], &[("INSTA_UPDATE", "always")])
        }
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

/// Holds what is built from source against the components that are checked in,
/// and what they do against the suite.
fn check_guests() -> bool {
    let build = ["run", "--quiet", "--locked", "--package", "duipai-guest-build", "--", "--check"];
    let suite = ["test", "--workspace", "--locked", "--test", "suite", "--", "--quiet"];
    cargo(&build, &[])
        && BUILT_GUESTS.iter().all(|guest| {
            let path = project().join("target/guest").join(guest);
            let subject = format!("wasm:{}", path.display());
            cargo_with(&suite, &[], &[("DUIPAI_SUBJECT", &subject)])
        })
}

/// The guests that pass the suite, as `duipai-guest-build` names their files.
const BUILT_GUESTS: [&str; 2] = ["package.wasm", "c.wasm"];

/// Runs cargo in the project's folder; whether it succeeded.
fn cargo(arguments: &[&str], rest: &[String]) -> bool {
    cargo_with(arguments, rest, &[])
}

fn cargo_with(arguments: &[&str], rest: &[String], environment: &[(&str, &str)]) -> bool {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(&cargo)
        .args(arguments)
        .args(rest)
        .envs(environment.iter().copied())
        .current_dir(project())
        .status();
    match status {
        Ok(status) => status.success(),
        Err(error) => {
            tell(&format!("cannot start {}: {error}\n", cargo.display()));
            false
        }
    }
}

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[expect(clippy::print_stderr, reason = "a command speaks to a person")]
fn tell(text: &str) {
    eprint!("{text}");
}
