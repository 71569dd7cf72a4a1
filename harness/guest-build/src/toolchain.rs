//! The compiler for the WebAssembly target.
//!
//! With rustup it is one command: `rustup target add wasm32-unknown-unknown`.
//! Where that download is not possible, Debian packages a compiler for the
//! target and the standard library's sources; the linker is rustup's own, since
//! Debian's is too old.

use std::{
    io,
    path::{Path, PathBuf},
    process::Command,
};

const TARGET: &str = "wasm32-unknown-unknown";

const DEBIAN_COMPILER: &str = "/usr/bin/rustc";
const DEBIAN_SOURCES: &str = "/usr/lib/rustlib/src/rust/library/core";
const DEBIAN_PACKAGES: [&str; 2] = ["rustc-web", "rust-web-src"];

/// A compiler for the target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Toolchain {
    /// Rustup's, with the target's standard library.
    Rustup,
    /// Debian's, which builds `core` and `alloc` from source.
    Debian {
        /// Rustup's linker.
        linker: PathBuf,
    },
}

/// The core module cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum ToolchainError {
    /// A program cannot be started.
    #[error("cannot start {program}: {source}")]
    Start {
        /// The program.
        program: String,
        /// What the system said.
        source: io::Error,
    },
    /// A program failed; it has said why itself.
    #[error("{program} failed")]
    Failed {
        /// The program.
        program: String,
    },
    /// There is none, and none can be installed here.
    #[error(
        "no compiler for {TARGET}: run `rustup target add {TARGET}`, or as root on Debian \
         `apt-get install {}`",
        DEBIAN_PACKAGES.join(" ")
    )]
    Missing,
    /// The module cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// Its file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Toolchain {
    /// Rustup's compiler where it knows the target, otherwise Debian's.
    ///
    /// # Errors
    ///
    /// When there is neither.
    pub fn find() -> Result<Self, ToolchainError> {
        let rustup = output(Command::new("rustup").args(["target", "list", "--installed"]));
        if rustup.is_ok_and(|targets| targets.lines().any(|line| line == TARGET)) {
            return Ok(Self::Rustup);
        }
        if !Path::new(DEBIAN_COMPILER).exists() || !Path::new(DEBIAN_SOURCES).exists() {
            return Err(ToolchainError::Missing);
        }
        let sysroot = output(Command::new("rustc").args(["--print", "sysroot"]))?;
        let version = output(Command::new("rustc").arg("-vV"))?;
        let host = version.lines().find_map(|line| line.strip_prefix("host: "));
        let linker = Path::new(sysroot.trim())
            .join("lib/rustlib")
            .join(host.unwrap_or_default())
            .join("bin/rust-lld");
        if linker.exists() { Ok(Self::Debian { linker }) } else { Err(ToolchainError::Missing) }
    }

    /// Installs Debian's compiler, as root.
    ///
    /// # Errors
    ///
    /// When this is not Debian or the installation fails.
    pub fn install_debian() -> Result<(), ToolchainError> {
        if !Path::new("/usr/bin/apt-get").exists() {
            return Err(ToolchainError::Missing);
        }
        run(Command::new("apt-get").args(["update", "--quiet"]))?;
        let install = ["install", "--quiet", "--yes", "--no-install-recommends"];
        let mut apt = Command::new("apt-get");
        run(apt.env("DEBIAN_FRONTEND", "noninteractive").args(install).args(DEBIAN_PACKAGES))
    }

    /// What the compiler calls itself.
    ///
    /// # Errors
    ///
    /// When it does not start.
    pub fn version(&self) -> Result<String, ToolchainError> {
        let compiler = match self {
            Self::Rustup => "rustc",
            Self::Debian { .. } => DEBIAN_COMPILER,
        };
        Ok(output(Command::new(compiler).arg("--version"))?.trim().to_owned())
    }

    /// Builds the guest of `project` with these comma-separated features and
    /// returns the core module.
    ///
    /// # Errors
    ///
    /// When the build fails.
    pub fn build(&self, project: &Path, features: &str) -> Result<Vec<u8>, ToolchainError> {
        let target = project.join("target/guest");
        let mut cargo = Command::new("cargo");
        cargo
            .args(["build", "--release", "--locked", "--features", features])
            .args(["--target", TARGET, "--target-dir"])
            .arg(&target)
            // The guest is a workspace of its own.
            .current_dir(project.join("harness/guest"))
            // Flags for the native build are none for this one.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS")
            .env_remove("RUSTC");
        if let Self::Debian { linker } = self {
            cargo
                .args(["-Z", "build-std=core,alloc"])
                .env("RUSTC", DEBIAN_COMPILER)
                .env("RUSTC_BOOTSTRAP", "1")
                .env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", linker);
        }
        run(&mut cargo)?;
        let path = target.join(TARGET).join("release/duipai_guest.wasm");
        std::fs::read(&path).map_err(|source| ToolchainError::Unreadable { path, source })
    }
}

fn run(command: &mut Command) -> Result<(), ToolchainError> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(ToolchainError::Failed { program }),
        Err(source) => Err(ToolchainError::Start { program, source }),
    }
}

fn output(command: &mut Command) -> Result<String, ToolchainError> {
    let program = command.get_program().to_string_lossy().into_owned();
    match command.output() {
        Ok(output) if output.status.success() => {
            Ok(String::from_utf8_lossy(&output.stdout).into_owned())
        }
        Ok(_) => Err(ToolchainError::Failed { program }),
        Err(source) => Err(ToolchainError::Start { program, source }),
    }
}
