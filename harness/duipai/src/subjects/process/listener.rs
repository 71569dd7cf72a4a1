//! A program that listens on a port: started, watched, and never left behind.

use std::{
    ffi::OsStr,
    io::{self, BufRead as _, BufReader, Read},
    path::Path,
    process::ExitStatus,
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::{self, JoinHandle},
    time::Duration,
};

use serde::Deserialize;

use super::guard::Guarded;
use crate::judge::one_line;

/// Descriptor 3 takes what the program tells the harness, and is the script's
/// standard output; what a Worker prints goes to standard error.
const SCRIPT: &str = r#"exec "$@" 3>&1 1>&2"#;

/// The shell that runs the script.
const SHELL: &str = "/bin/sh";

/// Longest time from the start to the port.
const START_LIMIT: Duration = Duration::from_secs(20);

/// Longest time from the last word on the control descriptor to the program's end,
/// before it is killed.
const END_LIMIT: Duration = Duration::from_secs(2);

/// Longest line that is read from the control descriptor, in bytes.
const MAX_LINE_BYTES: u64 = 4096;

/// How much of what the program printed is kept, from its end, in bytes.
const MAX_LOG_BYTES: usize = 16 * 1024;

/// Longest text of the program's that is told, in characters.
const LOG_CHARS: usize = 400;

/// A running program that listens. Dropping it kills it and waits for its end.
#[derive(Debug)]
pub(in crate::subjects) struct Listener {
    name: &'static str,
    guarded: Guarded,
    log: Arc<Log>,
    readers: Vec<JoinHandle<()>>,
    /// The port that the socket `http` listens on.
    pub(in crate::subjects) port: u16,
}

/// Why a program that is to listen does not run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The shell that starts it cannot be started.
    #[error("cannot start `sh`, which starts {program}: {source}")]
    Shell {
        /// The program.
        program: &'static str,
        /// Why not.
        source: io::Error,
    },
    /// It ended instead of listening.
    #[error("{program} did not start: {said}")]
    Ended {
        /// The program.
        program: &'static str,
        /// What it printed.
        said: String,
    },
    /// It did not listen in time.
    #[error("{program} did not listen within {limit} seconds: {said}", limit = START_LIMIT.as_secs())]
    Silent {
        /// The program.
        program: &'static str,
        /// What it printed.
        said: String,
    },
}

impl Listener {
    /// Starts `program`, called `name` in errors, and waits until it tells the port
    /// of its socket `http` on descriptor 3.
    ///
    /// # Errors
    ///
    /// [`StartError`]; nothing is left running then.
    pub(in crate::subjects) fn start<S: AsRef<OsStr>>(
        name: &'static str,
        program: &Path,
        arguments: &[S],
    ) -> Result<Self, StartError> {
        let shell = [OsStr::new("-c"), OsStr::new(SCRIPT), OsStr::new(name), program.as_os_str()];
        let arguments = shell.into_iter().chain(arguments.iter().map(AsRef::as_ref));
        let guarded = Guarded::start(Path::new(SHELL), arguments, None);
        let mut guarded = guarded.map_err(|source| StartError::Shell { program: name, source })?;
        let (told, news) = mpsc::channel();
        let log = Arc::new(Log::default());
        let (out, err) = guarded.streams();
        let control = out.map(|out| thread::spawn(move || listen(out, &told)));
        let printed = err.map(|err| {
            let log = Arc::clone(&log);
            thread::spawn(move || log.fill(err))
        });
        let readers = control.into_iter().chain(printed).collect();
        let mut started = Self { name, guarded, log, readers, port: 0 };
        started.wait_for_port(&news)?;
        Ok(started)
    }

    fn wait_for_port(&mut self, news: &mpsc::Receiver<u16>) -> Result<(), StartError> {
        match news.recv_timeout(START_LIMIT) {
            Ok(port) => {
                self.port = port;
                Ok(())
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {
                self.stop();
                Err(StartError::Silent { program: self.name, said: self.log.told() })
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                // How it ended is worth some patience.
                self.guarded.wait(END_LIMIT);
                let ended = self.stop();
                let mut told = self.log.told();
                if let (true, Some(status)) = (told.is_empty(), ended) {
                    told = format!("it said nothing ({status})");
                }
                Err(StartError::Ended { program: self.name, said: told })
            }
        }
    }

    /// Whether it has ended by itself.
    pub(in crate::subjects) fn has_ended(&mut self) -> bool {
        self.guarded.has_ended()
    }

    /// Ends it and returns what it last printed, in one line.
    pub(in crate::subjects) fn last_words(mut self) -> String {
        self.stop();
        self.log.told()
    }

    /// Kills it if it still runs, and waits for the end of everything started.
    fn stop(&mut self) -> Option<ExitStatus> {
        let status = self.guarded.stop().ok();
        for reader in self.readers.drain(..) {
            // The streams are at their end, and readers do not panic.
            let _ = reader.join();
        }
        status
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The message that matters; there may be others.
#[derive(Deserialize)]
struct Listening {
    event: String,
    socket: String,
    port: u16,
}

/// Passes on the ports that `control` tells, until its end.
fn listen(control: impl Read, told: &mpsc::Sender<u16>) {
    let mut control = BufReader::new(control);
    let mut line = Vec::new();
    loop {
        line.clear();
        match control.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        if let Ok(Listening { event, socket, port }) = serde_json::from_slice(&line)
            && event == "listen"
            && socket == "http"
        {
            // Nobody may be waiting any more; the pipe is emptied all the same.
            let _ = told.send(port);
        }
    }
}

/// The end of what workerd printed.
#[derive(Debug, Default)]
struct Log(Mutex<Vec<u8>>);

impl Log {
    fn fill(&self, mut printed: impl Read) {
        let mut piece = [0; 4096];
        while let Ok(count @ 1..) = printed.read(&mut piece) {
            let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            kept.extend_from_slice(&piece[..count]);
            let over = kept.len().saturating_sub(MAX_LOG_BYTES);
            kept.drain(..over);
        }
    }

    /// What was printed, as one line.
    fn told(&self) -> String {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        one_line(&short(&String::from_utf8_lossy(&kept)), LOG_CHARS)
    }
}

/// Without machine code's addresses, the garbage collector's last deeds, and the
/// shell's word on the end.
fn short(printed: &str) -> String {
    let noise = |line: &str| {
        let starts = ["stack: ", "<--- ", "[", "*** "];
        line.is_empty() || line == "Killed" || starts.iter().any(|start| line.starts_with(start))
    };
    let lines = printed.lines().map(str::trim).filter(|line| !noise(line));
    lines.collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_port_is_found_among_other_news() {
        let (told, news) = mpsc::channel();
        let long = "x".repeat(10_000);
        let text = format!(
            "17\n{long}\n{{\"event\":\"listen-inspector\",\"port\":1}}\n\
             {{\"event\":\"listen\",\"socket\":\"other\",\"port\":2}}\n\
             {{\"event\":\"listen\",\"socket\":\"http\",\"port\":3}}\n"
        );
        listen(text.as_bytes(), &told);
        drop(told);
        let all: Vec<_> = news.iter().collect();
        assert_eq!(all, [3]);
    }

    #[test]
    fn the_log_keeps_the_end() {
        let log = Log::default();
        log.fill(format!("{}\nError: the end\nstack: 1 2 3\n", "y".repeat(100_000)).as_bytes());
        assert!(log.told().starts_with("yyy"));
        assert!(log.0.lock().unwrap().len() <= MAX_LOG_BYTES);
        log.fill(&b"z"[..]);
        assert!(short("a\n  stack: 1\n b\n\nKilled\n") == "a; b");
    }
}
