//! Where words to a person go.

use std::io::Write as _;

use super::CliError;

/// Writes to standard output; colours are left out where it is not a terminal
/// or `NO_COLOR` is set.
///
/// A reader that has gone away, as `head` does, has seen enough; the verdict
/// and with it the exit status stay what they are.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::AutoStream::auto(std::io::stdout().lock());
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(error) if error.kind() != std::io::ErrorKind::BrokenPipe => {
            Err(CliError::Output(error))
        }
        _ => Ok(()),
    }
}

/// One line on standard error, which may be closed: then nobody is there to be
/// told.
pub(super) fn complain(text: &str) {
    let mut out = anstream::AutoStream::auto(std::io::stderr().lock());
    let _ = writeln!(out, "error: {text}");
}
