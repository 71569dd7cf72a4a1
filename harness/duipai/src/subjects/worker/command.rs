//! Commands that are run to their end, within a time limit.

use std::{
    io::{self, Read, Write as _},
    process::{Command, ExitStatus, Stdio},
    thread,
    time::{Duration, Instant},
};

/// Most that is kept of a stream, in bytes.
const MAX_STREAM_BYTES: u64 = 64 * 1024 * 1024;

/// How often a command is asked whether it has ended.
const POLL: Duration = Duration::from_millis(2);

/// What a command came to.
#[derive(Debug)]
pub(super) struct Ran {
    pub(super) status: ExitStatus,
    pub(super) out: Vec<u8>,
    pub(super) err: Vec<u8>,
}

/// Runs `command` with `input` on its standard input. It is killed when `limit`
/// is over.
///
/// # Errors
///
/// When it cannot be started, or does not end in time
/// ([`TimedOut`](io::ErrorKind::TimedOut)).
pub(super) fn run(command: &mut Command, input: &[u8], limit: Duration) -> io::Result<Ran> {
    let start = Instant::now();
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
    let (stdin, out, err) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    thread::scope(|scope| {
        scope.spawn(move || {
            // A command that does not read its input says what it wants itself.
            stdin.map(|mut stdin| stdin.write_all(input))
        });
        let out = scope.spawn(move || all(out));
        let err = scope.spawn(move || all(err));
        let status = loop {
            match child.try_wait() {
                Ok(Some(status)) => break Ok(status),
                Ok(None) if start.elapsed() < limit => thread::sleep(POLL),
                Ok(None) => break Err(io::ErrorKind::TimedOut.into()),
                Err(error) => break Err(error),
            }
        };
        if status.is_err() {
            let _ = child.kill();
            let _ = child.wait();
        }
        // The threads do not panic.
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        Ok(Ran { status: status?, out, err })
    })
}

/// What comes out of a stream, up to the bound.
fn all(stream: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // What was read before an error is kept.
        let _ = stream.take(MAX_STREAM_BYTES).read_to_end(&mut bytes);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn input_and_output_may_be_larger_than_a_pipe() {
        let input = vec![b'x'; 1 << 20];
        let ran = run(&mut Command::new("cat"), &input, Duration::from_secs(20)).unwrap();
        assert!(ran.status.success() && ran.out == input && ran.err.is_empty());
    }

    #[test]
    fn a_command_that_does_not_end_is_killed() {
        let start = Instant::now();
        let error = run(Command::new("sleep").arg("60"), b"", Duration::from_millis(50));
        assert_eq!(error.unwrap_err().kind(), io::ErrorKind::TimedOut);
        assert!(start.elapsed() < Duration::from_secs(20));
    }
}
