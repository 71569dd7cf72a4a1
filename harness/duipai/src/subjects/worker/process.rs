//! A workerd process: started, watched, and never left behind.
//!
//! A shell stands between the harness and workerd, for two things that a
//! process of the standard library cannot do: hand workerd a descriptor of its
//! own for the port that it listens on, and end workerd when the harness is gone
//! however it went. A second process of the shell waits for its standard input
//! to be closed, which the system does even for a harness that was killed, and
//! then kills workerd: an endless loop in a Worker makes workerd deaf to
//! everything else.

use std::{
    fmt::Write as _,
    io::{self, BufRead as _, BufReader, Read},
    path::Path,
    process::{Child, ChildStdin, Command, ExitStatus, Stdio},
    sync::{Arc, Mutex, PoisonError, mpsc},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use serde::Deserialize;

use crate::judge::one_line;

/// Descriptor 3 takes what workerd tells the harness, and is the script's
/// standard output; what a Worker prints goes to standard error. Nothing but
/// the waiting shell holds descriptor 4, and it holds none that the harness
/// reads.
const SCRIPT: &str = r#"
exec 4<&0
"$@" </dev/null 3>&1 1>&2 4<&- &
runtime=$!
echo "$runtime"
( read -r _ <&4; kill -9 "$runtime" ) </dev/null >/dev/null 2>&1 &
watch=$!
exec 4<&- >&-
wait "$runtime"
status=$?
kill "$watch" 2>/dev/null
exit "$status"
"#;

/// Longest time from the start to the port.
const START_LIMIT: Duration = Duration::from_secs(20);

/// Longest time that the end of a killed process is waited for.
const STOP_LIMIT: Duration = Duration::from_secs(5);

/// How often a process is asked whether it has ended.
const POLL: Duration = Duration::from_millis(2);

/// Longest line that is read from the control descriptor, in bytes.
const MAX_LINE_BYTES: u64 = 4096;

/// How much of what workerd printed is kept, from its end, in bytes.
const MAX_LOG_BYTES: usize = 16 * 1024;

/// Longest text of workerd's that is told, in characters.
const LOG_CHARS: usize = 400;

/// A running workerd. Dropping it kills it and waits for its end.
#[derive(Debug)]
pub(super) struct Workerd {
    shell: Child,
    /// Closing it is the order to kill.
    life: Option<ChildStdin>,
    log: Arc<Log>,
    readers: Vec<JoinHandle<()>>,
    /// The port that the socket `http` listens on.
    pub(super) port: u16,
    /// The process id of workerd itself.
    pub(super) pid: u32,
}

/// Why workerd does not run.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The shell cannot be started.
    #[error("cannot start `sh`, which starts workerd: {0}")]
    Shell(io::Error),
    /// It ended instead of listening; holds what it printed.
    #[error("workerd did not start: {0}")]
    Ended(String),
    /// It did not listen in time; holds what it printed.
    #[error("workerd did not listen within {limit} seconds: {0}", limit = START_LIMIT.as_secs())]
    Silent(String),
}

impl Workerd {
    /// Starts `binary` with the configuration file `config`, and waits until
    /// its socket listens. Afterwards workerd needs the file no more.
    ///
    /// # Errors
    ///
    /// [`StartError`]; nothing is left running then.
    pub(super) fn start(binary: &Path, config: &Path) -> Result<Self, StartError> {
        let mut shell = Command::new("sh")
            .args(["-c", SCRIPT, "workerd"])
            .arg(binary)
            .args(["serve", "--experimental", "--control-fd", "3"])
            .arg(config)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(StartError::Shell)?;
        let life = shell.stdin.take();
        let (told, news) = mpsc::channel();
        let log = Arc::new(Log::default());
        let control = shell.stdout.take().map(|out| thread::spawn(move || listen(out, &told)));
        let printed = shell.stderr.take().map(|err| {
            let log = Arc::clone(&log);
            thread::spawn(move || log.fill(err))
        });
        let readers = control.into_iter().chain(printed).collect();
        let mut started = Self { shell, life, log, readers, port: 0, pid: 0 };
        started.wait_for_port(&news)?;
        Ok(started)
    }

    fn wait_for_port(&mut self, news: &mpsc::Receiver<News>) -> Result<(), StartError> {
        let start = Instant::now();
        loop {
            match news.recv_timeout(START_LIMIT.saturating_sub(start.elapsed())) {
                Ok(News::Pid(pid)) => self.pid = pid,
                Ok(News::Port(port)) => {
                    self.port = port;
                    return Ok(());
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {
                    self.stop();
                    return Err(StartError::Silent(self.log.told()));
                }
                Err(mpsc::RecvTimeoutError::Disconnected) => {
                    let ended = self.stop();
                    let mut told = self.log.told();
                    if let (true, Some(status)) = (told.is_empty(), ended) {
                        // Writing to a string cannot fail.
                        let _ = write!(told, "it said nothing ({status})");
                    }
                    return Err(StartError::Ended(told));
                }
            }
        }
    }

    /// Whether it has ended by itself.
    pub(super) fn has_ended(&mut self) -> bool {
        !matches!(self.shell.try_wait(), Ok(None))
    }

    /// Ends it and returns what it last printed, in one line.
    pub(super) fn last_words(mut self) -> String {
        self.stop();
        self.log.told()
    }

    /// Kills it if it still runs, and waits for the end of everything started.
    fn stop(&mut self) -> Option<ExitStatus> {
        drop(self.life.take());
        let start = Instant::now();
        let status = loop {
            match self.shell.try_wait() {
                Ok(Some(status)) => break Some(status),
                Ok(None) if start.elapsed() < STOP_LIMIT => thread::sleep(POLL),
                // The shell does not do its duty, or is not ours any more.
                Ok(None) | Err(_) => {
                    let _ = self.shell.kill();
                    break self.shell.wait().ok();
                }
            }
        };
        for reader in self.readers.drain(..) {
            // The streams are at their end, and readers do not panic.
            let _ = reader.join();
        }
        status
    }
}

impl Drop for Workerd {
    fn drop(&mut self) {
        self.stop();
    }
}

/// What comes over the control descriptor.
enum News {
    Pid(u32),
    Port(u16),
}

/// The message of workerd that matters; it may send others.
#[derive(Deserialize)]
struct Listening {
    event: String,
    socket: String,
    port: u16,
}

/// Passes on what `control` says, until its end.
fn listen(control: impl Read, told: &mpsc::Sender<News>) {
    let mut control = BufReader::new(control);
    let mut line = Vec::new();
    loop {
        line.clear();
        match control.by_ref().take(MAX_LINE_BYTES).read_until(b'\n', &mut line) {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let text = String::from_utf8_lossy(&line);
        let news = match (text.trim().parse(), serde_json::from_slice(&line)) {
            (Ok(pid), _) => News::Pid(pid),
            (_, Ok(Listening { event, socket, port })) if event == "listen" && socket == "http" => {
                News::Port(port)
            }
            _ => continue,
        };
        // Nobody may be waiting any more; the pipe is emptied all the same.
        let _ = told.send(news);
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
        assert!(matches!(all[..], [News::Pid(17), News::Port(3)]));
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
