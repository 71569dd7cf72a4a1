//! The worker threads, and the clock over them.

use std::{
    collections::BTreeMap,
    io,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread::{self, JoinHandle},
    time::{Duration, Instant},
};

use super::{CaseResult, Ending, Options, Progress, panics, play};
use crate::{case::Case, subject::Subject};

/// Stack of a worker thread, in bytes.
const STACK_BYTES: usize = 8 << 20;

/// How long a subject may overrun its budget before its thread is given up, so
/// that one that keeps time itself can say so.
const GRACE: Duration = Duration::from_millis(500);

/// Longest sleep of the clock.
const LONGEST_WAIT: Duration = Duration::from_secs(60);

pub(super) fn run(
    cases: &[Case],
    subject: &Arc<dyn Subject>,
    options: &Options,
    progress: &dyn Progress,
) -> Vec<CaseResult> {
    // Threads that hang outlive this call, so they own what they use.
    let shared = Arc::new(Shared {
        cases: cases.to_vec(),
        subject: Arc::clone(subject),
        options: options.clone(),
        state: Mutex::default(),
        changed: Condvar::new(),
    });
    let mut pool = Pool { shared, handles: BTreeMap::new(), started: 0, refused: false };
    for _ in 0..options.jobs.min(subject.at_once()).get().min(cases.len()) {
        pool.start();
    }
    let mut results = vec![None; cases.len()];
    while let Some(finished) = pool.next() {
        for (case, result) in finished {
            progress.finished(&result);
            results[case] = Some(result);
        }
    }
    let reason = pool.close();
    let rest = |(case, result): (&Case, Option<CaseResult>)| {
        let not_run =
            || CaseResult::new(case, Ending::NotRun { reason }, options.rerun.command(&case.id));
        result.unwrap_or_else(not_run)
    };
    cases.iter().zip(results).map(rest).collect()
}

/// What the workers share.
struct Shared {
    cases: Vec<Case>,
    subject: Arc<dyn Subject>,
    options: Options,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The first case that no worker has taken.
    next: usize,
    /// No more cases are to be taken.
    stopped: bool,
    /// What each worker does. A worker that is not in here has been given up.
    busy: BTreeMap<usize, Busy>,
    /// Results that the caller has not seen, by index of the case.
    finished: Vec<(usize, CaseResult)>,
}

struct Busy {
    case: usize,
    since: Instant,
}

impl Shared {
    /// The state. Nothing panics while it is locked, but even then every field
    /// would still be whole.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn work(&self, worker: usize) {
        while self.is_any_left() {
            // What a subject does to get ready may fail as its scenes may; the
            // case that follows shows it.
            let _ = panics::catch(|| self.subject.prepare());
            let Some(case) = self.take(worker) else { return };
            let result = self.run(&self.cases[case]);
            if !self.hand_in(worker, case, result) {
                return;
            }
        }
    }

    fn is_any_left(&self) -> bool {
        let state = self.lock();
        !state.stopped && state.next < self.cases.len()
    }

    fn take(&self, worker: usize) -> Option<usize> {
        let mut state = self.lock();
        let case = state.next;
        if state.stopped || case == self.cases.len() {
            return None;
        }
        state.next += 1;
        state.busy.insert(worker, Busy { case, since: Instant::now() });
        Some(case)
    }

    /// Hands in a result; `false` if the worker has been given up meanwhile.
    fn hand_in(&self, worker: usize, case: usize, result: CaseResult) -> bool {
        let mut state = self.lock();
        let in_time = state.busy.remove(&worker).is_some();
        if in_time {
            self.finish(&mut state, case, result);
        }
        in_time
    }

    fn finish(&self, state: &mut State, case: usize, result: CaseResult) {
        let enforced = self.options.fail_fast.is_some_and(|level| result.level <= level);
        state.stopped |= enforced && result.status().is_bad();
        state.finished.push((case, result));
        self.changed.notify_all();
    }

    fn run(&self, case: &Case) -> CaseResult {
        let start = Instant::now();
        let Options { profile, timeout, .. } = self.options;
        let played = panics::catch(|| play::play(case, &*self.subject, profile, timeout));
        let (ending, console) = match played {
            Ok(played) => (played.ending, played.console),
            Err(reason) => (Ending::Crashed { reason }, Vec::new()),
        };
        CaseResult { console, elapsed: start.elapsed(), ..self.result(case, ending) }
    }

    fn result(&self, case: &Case, ending: Ending) -> CaseResult {
        let ending = self.options.known.weigh(&case.id, ending);
        CaseResult::new(case, ending, self.options.rerun.command(&case.id))
    }
}

struct Pool {
    shared: Arc<Shared>,
    /// Threads that have not been given up.
    handles: BTreeMap<usize, JoinHandle<()>>,
    /// Threads started so far; the next one's number.
    started: usize,
    /// The system refused a thread.
    refused: bool,
}

impl Pool {
    fn start(&mut self) {
        match self.spawn() {
            Ok(handle) => {
                self.handles.insert(self.started, handle);
                self.started += 1;
            }
            Err(_) => self.refused = true,
        }
    }

    fn spawn(&self) -> io::Result<JoinHandle<()>> {
        let (shared, worker) = (Arc::clone(&self.shared), self.started);
        let thread = thread::Builder::new().name(format!("case-{worker}")).stack_size(STACK_BYTES);
        thread.spawn(move || shared.work(worker))
    }

    /// Waits for results; `None` when there will be no more.
    fn next(&mut self) -> Option<Vec<(usize, CaseResult)>> {
        let shared = Arc::clone(&self.shared);
        let limit = shared.options.timeout.saturating_add(GRACE);
        let mut state = shared.lock();
        loop {
            for (worker, case, elapsed) in state.overdue(limit) {
                // The thread is left behind; it ends when its case does.
                state.busy.remove(&worker);
                self.handles.remove(&worker);
                let result = shared.result(&shared.cases[case], Ending::TimedOut);
                shared.finish(&mut state, case, CaseResult { elapsed, ..result });
                if state.next < shared.cases.len() && !state.stopped {
                    self.start();
                }
            }
            if !state.finished.is_empty() {
                return Some(std::mem::take(&mut state.finished));
            }
            let nothing_left = state.stopped || state.next == shared.cases.len();
            if state.busy.is_empty() && (nothing_left || self.handles.is_empty()) {
                return None;
            }
            let wait = state.busy.values().map(|busy| limit.saturating_sub(busy.since.elapsed()));
            // A worker that is about to take a case does not say so: look again by
            // the time that case could be overdue.
            let wait = wait.min().unwrap_or(limit).min(LONGEST_WAIT);
            let waited = shared.changed.wait_timeout(state, wait);
            state = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// Waits for the threads, none of which has a case left, so that the
    /// subject is not dropped on one of them later. Returns why cases were left
    /// over, if any were.
    fn close(self) -> &'static str {
        for handle in self.handles.into_values() {
            // A worker catches the panics of its cases and has no others.
            let _ = handle.join();
        }
        if self.refused { "no thread could be started" } else { "the run stopped at a bad result" }
    }
}

impl State {
    /// Worker, case and running time of everything beyond `limit`.
    fn overdue(&self, limit: Duration) -> Vec<(usize, usize, Duration)> {
        let all = self.busy.iter().map(|(worker, busy)| (*worker, busy.case, busy.since.elapsed()));
        all.filter(|(_, _, elapsed)| *elapsed >= limit).collect()
    }
}
