//! What libFuzzer's log says of a run.

/// The last of every figure that a log tells.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Log {
    pub(super) executions: Option<u64>,
    pub(super) a_second: Option<u64>,
    pub(super) coverage: Option<u64>,
    pub(super) features: Option<u64>,
    pub(super) corpus_inputs: Option<u64>,
    pub(super) corpus_bytes: Option<u64>,
    pub(super) seconds: Option<u64>,
    /// Most memory, in MiB.
    pub(super) memory: Option<u64>,
    /// Whether libFuzzer said that it is done.
    pub(super) done: bool,
    /// What the findings said of themselves, each once.
    pub(super) faults: Vec<String>,
}

/// Begins the line in which a target says what it found.
const FAULT: &str = "finding: ";

/// Most faults that are kept, and most characters of one.
const FAULTS: usize = 20;
const FAULT_CHARS: usize = 200;

impl Log {
    /// Reads a log. A line that is none of libFuzzer's says nothing.
    pub(super) fn read(text: &str) -> Self {
        let mut log = Self::default();
        for line in text.lines() {
            log.line(line);
        }
        log
    }

    fn line(&mut self, line: &str) {
        if let Some(rest) = line.strip_prefix("stat::") {
            self.statistic(rest);
        } else if let Some(rest) = line.strip_prefix("Done ") {
            // Done 1000 runs in 3 second(s)
            let mut words = rest.split_whitespace();
            set(&mut self.executions, words.next());
            set(&mut self.seconds, words.nth(2));
            self.done = true;
        } else if line.starts_with("INFO: exiting: ") {
            // The end of fork mode.
            self.done = true;
        } else if let Some(rest) = line.strip_prefix('#') {
            self.pulse(rest);
        } else if let Some(at) = line.find(FAULT) {
            let fault: String = line[at + FAULT.len()..].chars().take(FAULT_CHARS).collect();
            if self.faults.len() < FAULTS && !self.faults.contains(&fault) {
                self.faults.push(fault);
            }
        }
    }

    /// `stat::number_of_executed_units: 1000`
    fn statistic(&mut self, rest: &str) {
        let Some((name, value)) = rest.split_once(':') else { return };
        let figure = match name {
            "number_of_executed_units" => &mut self.executions,
            "average_exec_per_sec" => &mut self.a_second,
            "peak_rss_mb" => &mut self.memory,
            _ => return,
        };
        set(figure, Some(value.trim()));
    }

    /// `#1000 NEW cov: 5 ft: 6 corp: 7/80b exec/s: 9 rss: 30Mb`, or in fork mode
    /// `#1000: cov: 5 ft: 6 corp: 7 exec/s: 9 oom/timeout/crash: 0/0/0 time: 10s`.
    fn pulse(&mut self, rest: &str) {
        let mut words = rest.split_whitespace().peekable();
        let Some(executions) = words.next() else { return };
        if words.peek().is_none() {
            return;
        }
        set(&mut self.executions, Some(executions.trim_end_matches(':')));
        self.done |= words.peek() == Some(&"DONE");
        while let Some(word) = words.next() {
            let figure = match word.trim_end_matches(':') {
                "cov" => &mut self.coverage,
                "ft" => &mut self.features,
                "exec/s" => &mut self.a_second,
                "rss" => &mut self.memory,
                "time" => &mut self.seconds,
                "corp" => {
                    let mut parts = words.next().unwrap_or_default().split('/');
                    set(&mut self.corpus_inputs, parts.next());
                    self.corpus_bytes = parts.next().and_then(bytes).or(self.corpus_bytes);
                    continue;
                }
                _ => continue,
            };
            set(figure, words.next().map(|word| word.trim_end_matches(['s', 'M', 'b'])));
        }
    }
}

/// Keeps the old figure where the new one cannot be read.
fn set(figure: &mut Option<u64>, word: Option<&str>) {
    if let Some(number) = word.and_then(|word| word.parse().ok()) {
        *figure = Some(number);
    }
}

/// A size as libFuzzer writes it: `80b`, `12Kb`, `3Mb`.
fn bytes(size: &str) -> Option<u64> {
    let digits = size.trim_end_matches(|c: char| !c.is_ascii_digit());
    let unit = match &size[digits.len()..] {
        "b" => 1,
        "Kb" => 1 << 10,
        "Mb" => 1 << 20,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_figures_hold() {
        let log = Log::read(
            "INFO: Seed: 1\n#2\tINITED cov: 5 ft: 6 corp: 1/1b exec/s: 0 rss: 30Mb\n\
             #1024\tpulse  cov: 70 ft: 81 corp: 9/12Kb lim: 4 exec/s: 512 rss: 31Mb\n\
             #2000\tDONE   cov: 71 ft: 82 corp: 10/13Kb lim: 4 exec/s: 600 rss: 32Mb\n\
             Done 2000 runs in 3 second(s)\nstat::number_of_executed_units: 2000\n\
             stat::average_exec_per_sec:     666\nstat::peak_rss_mb:              33\n",
        );
        let expected = Log {
            executions: Some(2000),
            a_second: Some(666),
            coverage: Some(71),
            features: Some(82),
            corpus_inputs: Some(10),
            corpus_bytes: Some(13 << 10),
            seconds: Some(3),
            memory: Some(33),
            done: true,
            faults: Vec::new(),
        };
        assert_eq!(log, expected);
    }

    #[test]
    fn fork_mode_is_read_too() {
        let log = Log::read(
            "#1000: cov: 5 ft: 6 corp: 7 exec/s: 9 oom/timeout/crash: 0/0/1 time: 10s job: 1\n\
             panicked: finding: calls differ\nfinding: calls differ\n\
             INFO: exiting: 0 time: 11s\n",
        );
        assert!(log.done);
        assert_eq!((log.executions, log.coverage, log.seconds), (Some(1000), Some(5), Some(10)));
        assert_eq!((log.corpus_inputs, log.faults), (Some(7), vec!["calls differ".to_owned()]));
    }

    #[test]
    fn any_text_is_read() {
        for text in
            ["", "#", "#x", "#1 corp:", "#9 cov: x corp: /b", "Done", "stat::", "stat::x: y"]
        {
            let log = Log::read(text);
            assert!(!log.done, "{text}");
        }
        let kept = Log::read("#1 cov: 7\n#2 cov: 99999999999999999999999\n");
        assert_eq!((kept.executions, kept.coverage), (Some(2), Some(7)));
        assert_eq!(bytes("99999999999999999999Mb"), None);
        assert_eq!(bytes("é"), None);
    }
}
