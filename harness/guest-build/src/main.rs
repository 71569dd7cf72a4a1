//! `cargo xtask guest`: builds the guest component and writes it, with the
//! record of what it was made from, into the project.

use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    process::ExitCode,
};

use duipai_guest_build::{
    artefact::{self, COMPONENT, RECORD, Record},
    component,
    toolchain::{Toolchain, ToolchainError},
};

fn main() -> ExitCode {
    match build() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("error: {error}"));
            ExitCode::FAILURE
        }
    }
}

fn build() -> Result<(), Box<dyn Error>> {
    let project: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    let toolchain = match Toolchain::find() {
        Err(ToolchainError::Missing) => {
            tell("no compiler for the target: installing Debian's rustc-web and rust-web-src");
            Toolchain::install_debian()?;
            Toolchain::find()?
        }
        found => found?,
    };
    let version = toolchain.version()?;
    tell(&format!("building the guest with {version}"));
    let component = component::from_core_module(&toolchain.build(&project)?)?;
    let record = Record {
        component: artefact::digest(&component),
        sources: artefact::source_digest(&project)?,
        toolchain: version,
    };
    fs::write(project.join(COMPONENT), &component)?;
    fs::write(project.join(RECORD), record.to_text())?;
    tell(&format!("{COMPONENT}: {} bytes, {}", component.len(), record.component));
    Ok(())
}

#[expect(clippy::print_stderr, reason = "a command speaks to a person")]
fn tell(text: &str) {
    eprintln!("{text}");
}
