//! Development commands: `cargo xtask VERB`.

mod fuzz;
mod worker;

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
  corpus   write the seeds of corpus/ anew from the suite
";

fn main() -> ExitCode {
    let mut arguments = env::args().skip(1);
    let verb = arguments.next();
    let rest: Vec<String> = arguments.collect();
    let done = match (verb.as_deref(), rest.as_slice()) {
        // What is given after `test` goes to the test binaries, as a filter.
        (Some("test"), filter) => {
            let test = ["test", "--workspace", "--locked", "--no-fail-fast", "--"];
            // Those in Node are few and without a filter.
            worker::install() && (!filter.is_empty() || worker::test()) && cargo(&test, filter)
        }
        (Some("guest"), []) => {
            let build = ["run", "--quiet", "--locked", "--package", "duipai-guest-build"];
            cargo(&build, &[]) && worker::install() && worker::transpile()
        }
        (Some("guest"), [check]) if check == "--check" => check_guests(),
        // The tests that hold the reports write them anew where this says so.
        (Some("reports"), []) => {
            let test = ["test", "--workspace", "--locked", "--test", "reports"];
            worker::install() && cargo_with(&test, &[], &[("INSTA_UPDATE", "always")])
        }
        (Some("lint"), []) => {
            let clippy = ["clippy", "--workspace", "--all-targets", "--locked", "--"];
            let deny = ["-D", "warnings"].map(str::to_owned);
            cargo(&["fmt", "--all", "--check"], &[]) && cargo(&clippy, &deny)
        }
        (Some("corpus"), []) => {
            let seeds = ["run", "--quiet", "--locked", "--package", "duipai-fuzz", "--example"];
            cargo(&seeds, &["seeds".to_owned()])
        }
        (Some("fuzz"), rest) => return fuzz::fuzz(rest),
        _ => {
            tell(USAGE);
            tell(fuzz::USAGE);
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
    let killed = ["test", "--workspace", "--locked", "--test", "wasm", "--", "mutants"];
    let built = |guest: &str| project().join("target/guest").join(guest).display().to_string();
    cargo(&build, &[])
        && BUILT_GUESTS.iter().all(|guest| {
            let subject = format!("wasm:{}", built(guest));
            cargo_with(&suite, &[], &[("DUIPAI_SUBJECT", &subject)])
        })
        && cargo_with(&killed, &[], &[("DUIPAI_MUTANTS", &built("mutants.wasm"))])
}

/// The guests that pass the suite, as `duipai-guest-build` names their files.
const BUILT_GUESTS: [&str; 2] = ["package.wasm", "c.wasm"];

/// Runs cargo in the project's folder; whether it succeeded.
fn cargo(arguments: &[&str], rest: &[String]) -> bool {
    cargo_with(arguments, rest, &[])
}

fn cargo_with(arguments: &[&str], rest: &[String], environment: &[(&str, &str)]) -> bool {
    let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.args(arguments).args(rest).envs(environment.iter().copied());
    succeeds(cargo.current_dir(project()))
}

/// Runs a program to its end; it has said itself why it fails.
fn succeeds(command: &mut Command) -> bool {
    match command.status() {
        Ok(status) => status.success(),
        Err(error) => {
            tell(&format!("cannot start {}: {error}\n", command.get_program().display()));
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
