//! workerd over the whole run: one process for all scenes, and a new one after
//! a scene that broke it.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use super::{
    WorkerError,
    driver::{Driver, EventRequest, Mode, RawEvent, SceneRequest, Trouble},
    launch::{Launch, Setting},
    wire::Broker,
};
use crate::{subject::Fault, subjects::process::Listener};

/// Starts in a row that may fail before no other is tried.
const MAX_FAILED_STARTS: u32 = 3;

/// workerd, started again as often as it takes.
pub(super) struct Server {
    launch: Launch,
    state: Mutex<State>,
}

/// The process, between two scenes.
#[derive(Default)]
struct State {
    running: Option<Running>,
    /// What the last process was started with.
    setting: Setting,
    failed_starts: u32,
    /// Why the last start failed.
    failure: String,
}

pub(super) struct Running {
    pub(super) setting: Setting,
    pub(super) driver: Driver,
    pub(super) workerd: Listener,
}

impl From<Running> for State {
    fn from(running: Running) -> Self {
        let setting = running.setting.clone();
        Self { running: Some(running), setting, ..Self::default() }
    }
}

impl Server {
    /// Starts workerd.
    ///
    /// # Errors
    ///
    /// When it does not start.
    pub(super) fn start(launch: Launch) -> Result<Self, WorkerError> {
        let state = Mutex::new(State::from(launch.start(&Setting::default())?));
        Ok(Self { launch, state })
    }

    /// Starts workerd again if it does not run.
    pub(super) fn prepare(&self) {
        // Whether it runs is asked again when a scene is to be played.
        let mut state = self.lock();
        let setting = state.setting.clone();
        let _ = self.launch.ready(&mut state, &setting);
    }

    /// The broker, in wire mode.
    pub(super) fn broker(&self) -> Option<&Broker> {
        self.launch.broker.as_ref()
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has these events happen together, in a process that serves `setting`; what
    /// was seen of each, in order.
    ///
    /// # Errors
    ///
    /// When the time is over, or what came back is no answer. workerd is ended
    /// then.
    pub(super) fn play(
        &self,
        events: &[EventRequest<'_>],
        setting: &Setting,
        budget: Duration,
    ) -> Result<Vec<RawEvent>, Fault> {
        let start = Instant::now();
        let mut state = self.lock();
        let scene = SceneRequest { mode: self.mode(), events };
        let attempt = |state: &mut State| {
            let running = self.launch.ready(state, setting).ok_or(Trouble::Unreachable)?;
            let left = budget.saturating_sub(start.elapsed());
            if left.is_zero() { Err(Trouble::TimedOut) } else { running.driver.play(&scene, left) }
        };
        let mut played = attempt(&mut state);
        if matches!(played, Err(Trouble::Unreachable)) {
            // It died between two scenes, and none is to pay for that.
            state.running = None;
            played = attempt(&mut state);
        }
        played.map_err(|trouble| match trouble {
            Trouble::TimedOut => {
                // It may be in an endless loop: nothing else brings it back.
                state.running = None;
                Fault::TimedOut
            }
            Trouble::Refused(reason) => {
                Fault::Crashed(format!("the scene cannot be played: {reason}"))
            }
            Trouble::Unreachable => {
                let reason =
                    if state.failure.is_empty() { "nobody listens" } else { &state.failure };
                Fault::Crashed(format!("workerd could not be started again: {reason}"))
            }
            Trouble::Broken(reason) => {
                let words = state.running.take().map(|broken| broken.workerd.last_words());
                let words = words.filter(|words| !words.is_empty());
                let words = words.map(|words| format!("; workerd said: {words}"));
                Fault::Crashed(reason + &words.unwrap_or_default())
            }
        })
    }

    fn mode(&self) -> Mode {
        if self.launch.broker.is_some() { Mode::Wire } else { Mode::Double }
    }
}

impl Launch {
    /// The process that runs and serves `setting`, started if there is none;
    /// `None` if none can be.
    fn ready<'a>(&self, state: &'a mut State, setting: &Setting) -> Option<&'a mut Running> {
        let serves = |running: &mut Running| {
            running.setting.serves(setting, &self.deployment.compatibility_date)
                && !running.workerd.has_ended()
        };
        if !state.running.as_mut().is_some_and(serves) {
            state.running = None;
            // Queues stay, so that soon no scene needs another process.
            state.setting.queues.extend(setting.queues.iter().cloned());
            state.setting.compatibility_date.clone_from(&setting.compatibility_date);
            if state.failed_starts < MAX_FAILED_STARTS {
                match self.start(&state.setting) {
                    Ok(running) => {
                        state.running = Some(running);
                        state.failed_starts = 0;
                    }
                    Err(error) => {
                        state.failure = error.to_string();
                        state.failed_starts += 1;
                    }
                }
            }
        }
        state.running.as_mut()
    }
}
