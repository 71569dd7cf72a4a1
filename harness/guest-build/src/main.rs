//! `cargo xtask guest`: builds the components that are checked in.
//!
//! Without arguments it writes them, each with the record of what it was made
//! from, into the project. With `--check` it writes what it builds to
//! `target/guest/NAME.wasm` and holds it against what is checked in.

use std::{
    env,
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use duipai_guest_build::{
    artefact::{self, ARTEFACTS, Artefact, Made, Record},
    c, component,
    toolchain::{Toolchain, ToolchainError},
};

fn main() -> ExitCode {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let done = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => each(write),
        ["--check"] => each(check),
        _ => Err("usage: duipai-guest-build [--check]".into()),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

/// What was built just now.
struct Built {
    component: Vec<u8>,
    record: Record,
}

type Use = fn(&Path, &Artefact, &Built) -> Result<(), Box<dyn Error>>;

fn each(use_it: Use) -> Result<(), Box<dyn Error>> {
    let project: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    for artefact in &ARTEFACTS {
        let built = build(&project, artefact)?;
        use_it(&project, artefact, &built)?;
    }
    Ok(())
}

fn build(project: &Path, artefact: &Artefact) -> Result<Built, Box<dyn Error>> {
    let (component, toolchain) = match artefact.made {
        Made::Rust { features } => {
            let toolchain = rust()?;
            let module = toolchain.build(project, features)?;
            (component::from_core_module(&module)?, toolchain.version()?)
        }
        Made::C => (c::build(project)?, c::toolchain(project)?),
    };
    let record = Record {
        component: artefact::digest(&component),
        sources: artefact::source_digest(project, artefact)?,
        toolchain,
    };
    let Record { component: digest, toolchain, .. } = &record;
    tell(&format!("{}: {} bytes, {digest}, {toolchain}", artefact.name, component.len()));
    Ok(Built { component, record })
}

fn rust() -> Result<Toolchain, ToolchainError> {
    match Toolchain::find() {
        Err(ToolchainError::Missing) => {
            tell("no compiler for the target: installing Debian's rustc-web and rust-web-src");
            Toolchain::install_debian()?;
            Toolchain::find()
        }
        found => found,
    }
}

fn write(project: &Path, artefact: &Artefact, built: &Built) -> Result<(), Box<dyn Error>> {
    fs::write(project.join(artefact.component), &built.component)?;
    fs::write(project.join(artefact.record), built.record.to_text())?;
    Ok(())
}

/// The same compiler must make the same bytes where they do not depend on the
/// folder. Elsewhere, and for another compiler, what was made is left for whoever
/// holds its behaviour against the suite.
fn check(project: &Path, artefact: &Artefact, built: &Built) -> Result<(), Box<dyn Error>> {
    let folder = project.join("target/guest");
    fs::create_dir_all(&folder)?;
    fs::write(folder.join(format!("{}.wasm", artefact.name)), &built.component)?;
    let recorded = Record::read(project, artefact)?;
    let name = artefact.component;
    if built.record.sources != recorded.sources {
        return Err(format!("{name} is stale: run `cargo xtask guest`").into());
    }
    if built.record.toolchain != recorded.toolchain {
        let toolchain = &recorded.toolchain;
        tell(&format!("{name} was built by {toolchain}: its bytes are not compared"));
    } else if built.record.component == recorded.component {
        tell(&format!("{name}: the same bytes"));
    } else if !artefact.reproducible {
        tell(&format!("{name}: other bytes, as another folder may give"));
    } else {
        return Err(
            format!("{name} has other bytes though compiler and sources are the same").into()
        );
    }
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a command speaks to a person")]
fn tell(text: &str) {
    eprintln!("{text}");
}
