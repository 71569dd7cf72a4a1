//! What the fuzzers are built with, and the build.

use std::{
    env, fs,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use super::{make, options::Options, project_absolute};
use crate::succeeds;

/// What installs what is missing.
const NIGHTLY: &str = "rustup toolchain install nightly --profile minimal";
const CARGO_FUZZ: &str = "cargo install cargo-fuzz --version 0.13.2 --locked";

/// No sanitizer: what a coverage-guided fuzzer needs beside one, any toolchain
/// has.
pub(super) const NONE: &str = "none";

/// Whether the tools are there; if not, how to install them.
pub(super) fn installed(sanitizer: &str) -> Result<(), String> {
    if sanitizer != NONE && !answers(cargo(sanitizer).arg("--version")) {
        return Err(format!("a sanitizer needs a nightly toolchain: {NIGHTLY}"));
    }
    if !answers(cargo(sanitizer).args(["fuzz", "--version"])) {
        return Err(format!("fuzzing needs cargo-fuzz: {CARGO_FUZZ}"));
    }
    Ok(())
}

fn answers(command: &mut Command) -> bool {
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// The cargo that builds with this sanitizer.
fn cargo(sanitizer: &str) -> Command {
    if sanitizer == NONE {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(project_absolute());
        return cargo;
    }
    let mut rustup = Command::new("rustup");
    rustup.args(["run", "nightly", "cargo"]);
    // Cargo sets these for what it runs, which would lead back to its own.
    for name in ["CARGO", "RUSTC", "RUSTUP_TOOLCHAIN"] {
        rustup.env_remove(name);
    }
    rustup.current_dir(project_absolute());
    rustup
}

/// The built fuzzers.
pub(super) struct Fuzzers {
    programs: PathBuf,
    folder: PathBuf,
}

impl Fuzzers {
    /// Builds all of them at once. Each sanitizer has a target directory of its
    /// own, since with another one everything is built anew.
    pub(super) fn build(options: &Options) -> Result<Self, String> {
        let folder = target_folder().join("fuzz");
        let build = folder.join(format!("build-{}", options.sanitizer));
        make(&build)?;
        let mut command = cargo(&options.sanitizer);
        command.args(["fuzz", "build", "--sanitizer", &options.sanitizer, "--target-dir"]);
        command.arg(&build);
        if options.wasm {
            command.args(["--features", "wasm"]);
        }
        if !succeeds(&mut command) {
            return Err("the fuzz targets do not build; see above".to_owned());
        }
        let programs = programs(&build, &options.sanitizer)?;
        let fuzzers = Self { programs, folder };
        match options.targets.iter().find(|target| !fuzzers.program(target).is_file()) {
            Some(missing) => Err(format!("{missing} was not built, though it has a corpus")),
            None => Ok(fuzzers),
        }
    }

    /// The program of a target.
    pub(super) fn program(&self, target: &str) -> PathBuf {
        self.programs.join(target)
    }

    /// A folder for a new run; earlier runs, with what they found, stay.
    pub(super) fn new_run(&self) -> Result<PathBuf, String> {
        let runs = self.folder.join("runs");
        make(&runs)?;
        for number in 1..10_000_u32 {
            let folder = runs.join(number.to_string());
            match fs::create_dir(&folder) {
                Ok(()) => return Ok(folder),
                Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(format!("cannot make {}: {error}", folder.display())),
            }
        }
        Err(format!("{} is full of runs; remove those that are done with", runs.display()))
    }
}

/// The folder of the programs, which cargo-fuzz builds for the host by name.
fn programs(build: &Path, sanitizer: &str) -> Result<PathBuf, String> {
    let output = cargo(sanitizer).arg("-vV").stderr(Stdio::null()).output();
    let output = output.map_err(|error| format!("cannot start cargo: {error}"))?;
    let text = String::from_utf8_lossy(&output.stdout);
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    let host = host.ok_or("cargo does not name its host")?;
    Ok(build.join(host).join("release"))
}

/// Where cargo builds.
pub(super) fn target_folder() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(folder) => project_absolute().join(folder),
        None => project_absolute().join("target"),
    }
}
