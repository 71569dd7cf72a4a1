//! Writes the seeds of `corpus/` anew: `cargo xtask corpus`. Regressions stay.

use std::{
    error::Error,
    fs, io,
    path::{Path, PathBuf},
    process::ExitCode,
};

#[expect(clippy::print_stderr, reason = "a command speaks to a person")]
fn main() -> ExitCode {
    match write(&Path::new(env!("CARGO_MANIFEST_DIR")).join("..")) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::from(2)
        }
    }
}

#[expect(clippy::print_stdout, reason = "a command speaks to a person")]
fn write(project: &Path) -> Result<(), Box<dyn Error>> {
    for (target, seeds) in duipai::fuzz::seeds::build(project)? {
        let folder = project.join("corpus").join(target);
        fs::create_dir_all(&folder)?;
        for old in files(&folder)? {
            fs::remove_file(old)?;
        }
        let bytes: usize = seeds.values().map(Vec::len).sum();
        for (name, content) in &seeds {
            fs::write(folder.join(name), content)?;
        }
        println!("corpus/{target}: {} seeds, {bytes} bytes", seeds.len());
    }
    Ok(())
}

/// The files in a folder; not its folders, which hold the regressions.
fn files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_file() {
            files.push(path);
        }
    }
    Ok(files)
}
