//! The `duipai` command. Everything is in the library.

use std::process::ExitCode;

fn main() -> ExitCode {
    duipai::cli::main()
}
