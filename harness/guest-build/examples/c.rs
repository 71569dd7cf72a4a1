//! Builds the guest in C and writes it into the project.

use std::{error::Error, fs, path::Path};

use duipai_guest_build::c;

#[expect(clippy::print_stderr, reason = "a command speaks to a person")]
fn main() -> Result<(), Box<dyn Error>> {
    let project = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize()?;
    eprintln!("building with {}", c::toolchain(&project)?);
    let component = c::build(&project)?;
    fs::write(project.join(c::COMPONENT), &component)?;
    eprintln!("{}: {} bytes", c::COMPONENT, component.len());
    Ok(())
}
