//! The built-in suite against the subject that `DUIPAI_SUBJECT` names.

use std::process::ExitCode;

fn main() -> ExitCode {
    duipai::testing::main_from_env()
}
