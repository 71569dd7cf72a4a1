//! Commands that are run to their end, within a time limit.

use std::{
    ffi::OsStr,
    io::{self, Read},
    path::Path,
    process::ExitStatus,
    thread,
    time::Duration,
};

use super::guard::Guarded;

/// Most that is kept of a stream, in bytes.
const MAX_STREAM_BYTES: u64 = 1 << 20;

/// What a command came to.
#[derive(Debug)]
pub(in crate::subjects) struct Ran {
    pub(in crate::subjects) status: ExitStatus,
    pub(in crate::subjects) out: Vec<u8>,
    pub(in crate::subjects) err: Vec<u8>,
}

/// Runs `program` in `folder`, or where the harness runs. What it has started
/// ends with it, and all is killed when `limit` is over.
///
/// # Errors
///
/// When it cannot be started, or does not end in time
/// ([`TimedOut`](io::ErrorKind::TimedOut)).
pub(in crate::subjects) fn run<S: AsRef<OsStr>>(
    program: &Path,
    arguments: impl IntoIterator<Item = S>,
    folder: Option<&Path>,
    limit: Duration,
) -> io::Result<Ran> {
    let mut running = Guarded::start(program, arguments, folder)?;
    let (out, err) = running.streams();
    thread::scope(|scope| {
        let out = scope.spawn(move || all(out));
        let err = scope.spawn(move || all(err));
        let in_time = running.wait(limit);
        // Also what holds the streams open after the command itself has ended.
        let status = running.stop();
        // The threads do not panic.
        let (out, err) = (out.join().unwrap_or_default(), err.join().unwrap_or_default());
        match in_time {
            true => Ok(Ran { status: status?, out, err }),
            false => Err(io::Error::new(
                io::ErrorKind::TimedOut,
                format!("it did not end within {} seconds", limit.as_secs()),
            )),
        }
    })
}

/// What comes out of a stream. What is beyond the bound is read and dropped.
fn all(stream: Option<impl Read>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        // What was read before an error is kept.
        let _ = stream.by_ref().take(MAX_STREAM_BYTES).read_to_end(&mut bytes);
        let _ = io::copy(&mut stream, &mut io::sink());
    }
    bytes
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    fn sh(script: &str, limit: Duration) -> io::Result<Ran> {
        run(Path::new("/bin/sh"), ["-c", script], None, limit)
    }

    #[test]
    fn output_may_be_larger_than_a_pipe_and_is_bounded() {
        let limit = Duration::from_secs(20);
        let ran = sh("head -c 3000000 /dev/zero; echo bad >&2; exit 3", limit).unwrap();
        assert_eq!(ran.status.code(), Some(3));
        assert_eq!(ran.out.len() as u64, MAX_STREAM_BYTES);
        assert_eq!(ran.err, b"bad\n");
    }

    /// Also when something that it has started holds its streams.
    #[test]
    fn nothing_waits_longer_than_the_limit() {
        let start = Instant::now();
        let error = sh("sleep 60; true", Duration::from_millis(50)).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        let ran = sh("sleep 60 & echo here", Duration::from_secs(20)).unwrap();
        assert_eq!(ran.out, b"here\n");
        assert!(start.elapsed() < Duration::from_secs(20));
    }

    #[test]
    fn what_cannot_be_executed_is_told() {
        let limit = Duration::from_secs(20);
        let none: [&str; 0] = [];
        let error = |path: &str| run(Path::new(path), none, None, limit).unwrap_err().kind();
        assert_eq!(error("/no/such/program"), io::ErrorKind::NotFound);
        assert_eq!(error("/"), io::ErrorKind::PermissionDenied);
        assert_eq!(error("/etc/passwd"), io::ErrorKind::PermissionDenied);
    }
}
