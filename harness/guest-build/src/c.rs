//! The second guest, which is written in C.
//!
//! Its compiler is the C compiler that the Python package `ziglang` carries: one
//! pinned version that a package registry has for every system, so that the bytes
//! do not depend on whose machine built them. The bindings are made here, from the
//! world that both guests implement. Compiler, bindings and objects lie in
//! `target/guest-c`.

use std::{
    fs, io,
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use wit_bindgen_core::{Files, wit_parser::Resolve};

use crate::component::{self, ComponentError};

/// Files and folders that the component is made from, within the project.
pub(crate) const SOURCES: [&str; 4] = [
    "harness/guest-build/src/c.rs",
    "harness/guest-build/src/component.rs",
    "harness/guest-c/src",
    "harness/guest/wit",
];

const PACKAGE: &str = "ziglang";
const VERSION: &str = "0.17.1";

const FOLDER: &str = "target/guest-c";
const BINDINGS: &str = "target/guest-c/bindings";
const CACHE: &str = "target/guest-c/cache";
const CORE_MODULE: &str = "target/guest-c/package.core.wasm";
const C_SOURCES: &str = "harness/guest-c/src";
const WORLD: &str = "harness/guest/wit";

/// No libraries, no start function; functions' names stay, other debugging
/// information does not. The stack lies below everything else, so that running
/// over it is a trap.
const FLAGS: [&str; 13] = [
    "cc",
    "--target=wasm32-freestanding",
    "-std=c17",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-O2",
    "-g0",
    "-ffreestanding",
    "-fno-builtin",
    "-nostdlib",
    "-Wl,--no-entry",
    "-Wl,-z,stack-size=65536",
];

/// The compiler is a download of 100 MB.
const INSTALLING: Duration = Duration::from_secs(900);
const COMPILING: Duration = Duration::from_secs(300);
const ASKING: Duration = Duration::from_secs(60);

/// The component cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum CError {
    /// A program cannot be started.
    #[error("cannot start {program}: {source}{hint}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
        /// What to do about it, or nothing.
        hint: &'static str,
    },
    /// A program failed; it has said why itself.
    #[error("{program} failed{hint}")]
    Failed {
        /// The program.
        program: String,
        /// What to do about it, or nothing.
        hint: &'static str,
    },
    /// A program did not end in time and was ended.
    #[error("{program} was ended after {} s; run it again", limit.as_secs())]
    TimedOut {
        /// The program.
        program: String,
        /// The time that it had.
        limit: Duration,
    },
    /// A file or folder cannot be read or written.
    #[error("cannot {action} {}: {source}", path.display())]
    Files {
        /// What was wanted.
        action: &'static str,
        /// Where.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// There are no bindings for the world.
    #[error("cannot make C bindings of {WORLD}: {0}")]
    Bindings(String),
    /// What the linker made is no component.
    #[error(transparent)]
    Component(#[from] ComponentError),
}

/// What the compiler of `project` calls itself. Installs it when it is missing.
///
/// # Errors
///
/// When it cannot be installed or does not start.
pub fn toolchain(project: &Path) -> Result<String, CError> {
    let mut command = Command::new(compiler(project)?);
    let said = output(zig(&mut command, project).args(["cc", "--version"]), ASKING)?;
    let clang = said.lines().next().unwrap_or_default();
    Ok(format!("{PACKAGE} {VERSION}: {clang}"))
}

/// Builds the C guest of `project` and returns the component. Installs the
/// compiler when it is missing.
///
/// # Errors
///
/// When the compiler cannot be installed, the sources do not compile, or the
/// module does not implement its world.
pub fn build(project: &Path) -> Result<Vec<u8>, CError> {
    let compiler = compiler(project)?;
    write_bindings(project)?;
    let mut command = Command::new(compiler);
    zig(&mut command, project).args(FLAGS).args(["-o", CORE_MODULE]);
    for folder in [C_SOURCES, &format!("{C_SOURCES}/libc"), BINDINGS] {
        command.arg(format!("-I{folder}"));
    }
    command.args(files(project, C_SOURCES, &["c"])?).args(files(project, BINDINGS, &["c", "o"])?);
    run(&mut command, COMPILING, "")?;
    let path = project.join(CORE_MODULE);
    let module = fs::read(&path).map_err(|source| failed("read", path, source))?;
    Ok(component::from_core_module(&module)?)
}

/// The compiler's program, installed when it is missing.
fn compiler(project: &Path) -> Result<PathBuf, CError> {
    let folder = project.join(format!("{FOLDER}/{PACKAGE}-{VERSION}"));
    // The whole path, for the program is started from another folder.
    let program = folder.join("ziglang/zig");
    if program.exists() {
        return Ok(program);
    }
    // Renamed when it is complete: half an installation is none.
    let partial = folder.with_extension("partial");
    if partial.exists() {
        fs::remove_dir_all(&partial).map_err(|source| failed("remove", partial.clone(), source))?;
    }
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "install", "--quiet", "--no-deps", "--only-binary=:all:"])
        .args(["--disable-pip-version-check", "--no-compile", "--root-user-action=ignore"])
        .arg(format!("{PACKAGE}=={VERSION}"))
        .arg("--target")
        .arg(&partial);
    run(&mut pip, INSTALLING, "; install Python 3 with pip, and see that it can install packages")?;
    fs::rename(&partial, &folder).map_err(|source| failed("create", folder, source))?;
    Ok(program)
}

/// Makes the bindings, and with them the description of the world, which the
/// linker carries into the module.
fn write_bindings(project: &Path) -> Result<(), CError> {
    let mut resolve = Resolve::default();
    let mut bindings = Files::default();
    resolve
        .push_path(project.join(WORLD))
        .and_then(|(package, _)| resolve.select_world(&[package], Some("guest")))
        .and_then(|world| {
            let mut generator = wit_bindgen_c::Opts::default().build();
            generator.generate(&mut resolve, world, &mut bindings)
        })
        .map_err(|error| CError::Bindings(format!("{error:#}")))?;
    let folder = project.join(BINDINGS);
    fs::create_dir_all(&folder).map_err(|source| failed("create", folder.clone(), source))?;
    for (name, content) in bindings.iter() {
        let path = folder.join(name);
        fs::write(&path, content).map_err(|source| failed("write", path, source))?;
    }
    Ok(())
}

/// The files with these extensions right in `folder`, within the project and in
/// an order that does not depend on the file system.
fn files(project: &Path, folder: &str, extensions: &[&str]) -> Result<Vec<String>, CError> {
    let path = project.join(folder);
    let unreadable = |source| failed("read", path.clone(), source);
    let mut files = Vec::new();
    for entry in fs::read_dir(&path).map_err(unreadable)? {
        let name = entry.map_err(unreadable)?.file_name().to_string_lossy().into_owned();
        if extensions.iter().any(|extension| name.ends_with(&format!(".{extension}"))) {
            files.push(format!("{folder}/{name}"));
        }
    }
    files.sort_unstable();
    Ok(files)
}

/// Runs the compiler in the project, so that paths are the same everywhere, and
/// keeps its cache out of the user's home.
fn zig<'a>(command: &'a mut Command, project: &Path) -> &'a mut Command {
    let cache = project.join(CACHE);
    command
        .current_dir(project)
        .env("ZIG_GLOBAL_CACHE_DIR", &cache)
        .env("ZIG_LOCAL_CACHE_DIR", &cache)
}

fn run(command: &mut Command, limit: Duration, hint: &'static str) -> Result<(), CError> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.stdin(Stdio::null()).spawn() {
        Ok(mut child) => wait(&mut child, program, limit, hint),
        Err(source) => Err(CError::Start { program, source, hint }),
    }
}

/// What a program prints that prints a few lines.
fn output(command: &mut Command, limit: Duration) -> Result<String, CError> {
    let program = command.get_program().to_string_lossy().into_owned();
    let started = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
    let unreadable = |program, source| CError::Start { program, source, hint: "" };
    let mut child = started.map_err(|source| unreadable(program.clone(), source))?;
    wait(&mut child, program.clone(), limit, "")?;
    let mut said = String::new();
    if let Some(mut stdout) = child.stdout.take() {
        io::Read::read_to_string(&mut stdout, &mut said)
            .map_err(|source| unreadable(program, source))?;
    }
    Ok(said)
}

/// Waits for a program to succeed, and ends it when its time is over.
fn wait(
    child: &mut Child,
    program: String,
    limit: Duration,
    hint: &'static str,
) -> Result<(), CError> {
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(_)) => return Err(CError::Failed { program, hint }),
            Ok(None) if start.elapsed() < limit => thread::sleep(Duration::from_millis(20)),
            Ok(None) => {
                // One that cannot be killed has just ended; both are waited for.
                let _ = child.kill();
                let _ = child.wait();
                return Err(CError::TimedOut { program, limit });
            }
            Err(source) => return Err(CError::Start { program, source, hint }),
        }
    }
}

fn failed(action: &'static str, path: PathBuf, source: io::Error) -> CError {
    CError::Files { action, path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_out_of_time_is_ended() {
        let start = Instant::now();
        let limit = Duration::from_millis(50);
        let ended = run(Command::new("sleep").arg("60"), limit, "");
        assert!(matches!(ended, Err(CError::TimedOut { .. })), "{ended:?}");
        assert!(start.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn a_missing_program_is_told_with_what_to_do() {
        let error = run(&mut Command::new("no-such-program"), ASKING, "; install it").unwrap_err();
        assert!(error.to_string().ends_with("; install it"), "{error}");
    }

    #[test]
    fn the_world_has_bindings() {
        let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
        write_bindings(&project).unwrap();
        assert_eq!(
            files(&project, BINDINGS, &["c", "h", "o"]).unwrap(),
            ["guest.c", "guest.h", "guest_component_type.o"].map(|n| format!("{BINDINGS}/{n}")),
        );
    }
}
