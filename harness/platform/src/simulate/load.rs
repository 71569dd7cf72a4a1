//! What is put on a queue for days: its configuration, what arrives, and how its
//! consumer does (负载).

use crate::{
    Rules,
    scenario::{Draft, Invalid, QueueConfig, Scenario},
};

/// A load that nobody has checked yet.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Plan {
    /// The queue, under Wrangler's names. It has a consumer. It stands in the
    /// configuration and not in the load.
    #[cfg_attr(feature = "serde", serde(skip, default = "consumed"))]
    pub queue: QueueConfig,
    /// Messages that are sent in a second, on average.
    pub rate: f64,
    /// Changes of the rate, in order of time.
    pub trace: Vec<Step>,
    /// How they come.
    pub arrival: Arrival,
    /// Bytes of a body.
    pub body_bytes: u32,
    /// How the consumer does.
    pub handling: Handling,
    /// Seconds of virtual time.
    pub seconds: u64,
    /// Where chance begins.
    pub seed: u64,
    /// In thousandths: acknowledged messages that come again, and invocations
    /// that are lost before the platform hears of them.
    pub duplicates: u32,
    /// See [`duplicates`](Self::duplicates).
    pub crashes: u32,
    /// The simulation stops when so many messages are in the queue.
    pub most_backlog: usize,
}

/// A change of the rate.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields))]
pub struct Step {
    /// From when on, in seconds.
    pub from: u64,
    /// Messages a second; 0 is none.
    pub rate: f64,
}

/// How messages come.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Arrival {
    /// Evenly.
    Steady,
    /// Each on its own, so that they come in clusters.
    #[default]
    Poisson,
}

/// How a consumer does.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(deny_unknown_fields, default))]
pub struct Handling {
    /// Milliseconds of an invocation, without its messages.
    pub batch_millis: f64,
    /// Milliseconds of each message.
    pub message_millis: f64,
    /// Whether the time of an invocation varies.
    pub spread: Spread,
    /// Share of messages that fail and are retried, 0 to 1.
    pub fails: f64,
    /// Share of invocations that throw when everything is done, 0 to 1.
    pub throws: f64,
    /// When a failed message is retried.
    pub retry: RetryPolicy,
}

/// How the time of an invocation varies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum Spread {
    /// It does not.
    #[default]
    Fixed,
    /// Exponentially about its mean.
    Exponential,
}

/// When a failed message is retried.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "snake_case"))]
pub enum RetryPolicy {
    /// As the queue is configured.
    #[default]
    Plain,
    /// After so many seconds.
    After(u32),
    /// After `base` seconds, each time twice as long, at most `cap`.
    Backoff {
        /// Seconds after the first delivery.
        base: u32,
        /// Seconds at most.
        cap: u32,
    },
}

impl RetryPolicy {
    /// The delay that is asked for after so many attempts.
    pub fn delay(self, attempts: u32) -> Option<i32> {
        let seconds = match self {
            Self::Plain => return None,
            Self::After(seconds) => seconds,
            Self::Backoff { base, cap } => {
                let doubled = 1_u32.checked_shl(attempts.saturating_sub(1)).unwrap_or(u32::MAX);
                base.saturating_mul(doubled).min(cap)
            }
        };
        Some(i32::try_from(seconds).unwrap_or(i32::MAX))
    }
}

impl Default for Plan {
    fn default() -> Self {
        Self {
            queue: consumed(),
            rate: 1.0,
            trace: Vec::new(),
            arrival: Arrival::default(),
            body_bytes: 1_000,
            handling: Handling::default(),
            seconds: 86_400,
            seed: 0,
            duplicates: 0,
            crashes: 0,
            most_backlog: 10_000_000,
        }
    }
}

fn consumed() -> QueueConfig {
    QueueConfig { consumer: Some(<_>::default()), ..QueueConfig::default() }
}

/// A load that can be simulated.
#[derive(Clone, Debug, PartialEq)]
pub struct Load {
    plan: Plan,
}

/// Seconds of virtual time at most, 60 days.
const MAX_SECONDS: u64 = 60 * 86_400;

/// Changes of the rate at most.
const MAX_STEPS: usize = 100_000;

/// Messages that may be sent at most.
const MAX_MESSAGES: f64 = 1e10;

/// Messages that may be in a queue at most: a few gigabytes.
const MAX_BACKLOG: usize = 50_000_000;

impl Load {
    /// Checks a plan.
    ///
    /// # Errors
    ///
    /// The first field that is impossible, and what it must be.
    pub fn new(plan: Plan, rules: &Rules) -> Result<Self, Invalid> {
        let wrong = |field: &str, problem: String| Err(Invalid { field: field.into(), problem });
        let queue = plan.queue.clone();
        Scenario::new(Draft { queues: [("queue".into(), queue)].into(), ..Draft::default() })
            .map_err(|invalid| Invalid {
                field: invalid.field.replacen("queues.", "", 1),
                ..invalid
            })?;
        if plan.queue.consumer.is_none() {
            return wrong("queue.consumer", "must be there".into());
        }
        let steps = plan.trace.iter().map(|step| step.rate);
        let names = (0..).map(|step| format!("trace.{step}.rate"));
        for (rate, name) in steps.zip(names).chain([(plan.rate, "rate".into())]) {
            if !(0.0..=1e6).contains(&rate) {
                return wrong(&name, format!("must be 0 to 1000000, not {rate}"));
            }
        }
        if plan.trace.len() > MAX_STEPS {
            return wrong("trace", format!("must have at most {MAX_STEPS} steps"));
        }
        if !plan.trace.is_sorted_by_key(|step| step.from) {
            return wrong("trace", "must be in order of time".into());
        }
        if plan.seconds > MAX_SECONDS {
            let problem = format!("must be at most {MAX_SECONDS}, not {}", plan.seconds);
            return wrong("seconds", problem);
        }
        let most = plan.trace.iter().map(|step| step.rate).fold(plan.rate, f64::max);
        if most * plan.seconds as f64 > MAX_MESSAGES {
            return wrong("seconds", format!("times rate must be at most {MAX_MESSAGES} messages"));
        }
        if u64::from(plan.body_bytes) > rules.max_body_bytes {
            let problem =
                format!("must be at most {}, not {}", rules.max_body_bytes, plan.body_bytes);
            return wrong("body_bytes", problem);
        }
        if plan.most_backlog == 0 || plan.most_backlog > MAX_BACKLOG {
            let problem = format!("must be 1 to {MAX_BACKLOG}, not {}", plan.most_backlog);
            return wrong("most_backlog", problem);
        }
        let Handling { batch_millis, message_millis, fails, throws, .. } = plan.handling;
        for (field, millis) in [("batch_millis", batch_millis), ("message_millis", message_millis)]
        {
            if !(0.0..=86_400_000.0).contains(&millis) {
                let problem = format!("must be 0 to 86400000, not {millis}");
                return wrong(&format!("handling.{field}"), problem);
            }
        }
        for (field, share) in [("fails", fails), ("throws", throws)] {
            if !(0.0..=1.0).contains(&share) {
                return wrong(&format!("handling.{field}"), format!("must be 0 to 1, not {share}"));
            }
        }
        for (field, times) in [("duplicates", plan.duplicates), ("crashes", plan.crashes)] {
            if times > 1_000 {
                return wrong(field, format!("must be at most 1000, not {times}"));
            }
        }
        Ok(Self { plan })
    }

    /// The plan.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, scenario::Consumer};

    fn refused(change: impl FnOnce(&mut Plan)) -> String {
        let mut plan = Plan::default();
        change(&mut plan);
        Load::new(plan, &Rules::of(Profile::Cloudflare)).unwrap_err().to_string()
    }

    #[test]
    fn an_impossible_load_is_refused_by_its_field() {
        let text = refused(|plan| {
            let consumer = Consumer { max_batch_size: Some(0), ..Consumer::default() };
            plan.queue.consumer = Some(consumer);
        });
        assert_eq!(text, "queue.consumer.max_batch_size: must be 1 to 100, not 0");
        assert_eq!(refused(|plan| plan.queue.consumer = None), "queue.consumer: must be there");
        for rate in [-1.0, f64::NAN, f64::INFINITY] {
            assert!(refused(|plan| plan.rate = rate).starts_with("rate: "));
        }
        let step = |from, rate| Step { from, rate };
        let text = refused(|plan| plan.trace = vec![step(5, 1.0), step(4, 1.0)]);
        assert_eq!(text, "trace: must be in order of time");
        let text = refused(|plan| plan.trace = vec![step(5, -1.0)]);
        assert_eq!(text, "trace.0.rate: must be 0 to 1000000, not -1");
        assert!(refused(|plan| plan.handling.fails = 1.1).starts_with("handling.fails: "));
        assert!(refused(|plan| plan.handling.batch_millis = -1.0).starts_with("handling.batch"));
        assert!(refused(|plan| plan.body_bytes = 128_001).starts_with("body_bytes: "));
        assert!(refused(|plan| plan.seconds = MAX_SECONDS + 1).starts_with("seconds: "));
        assert!(refused(|plan| plan.most_backlog = 0).starts_with("most_backlog: "));
        assert!(refused(|plan| plan.crashes = 1_001).starts_with("crashes: "));
    }

    #[test]
    fn a_backoff_doubles_up_to_its_cap() {
        let policy = RetryPolicy::Backoff { base: 10, cap: 3_600 };
        let delays = [1, 2, 3, 10, 40].map(|attempts| policy.delay(attempts));
        assert_eq!(delays, [10, 20, 40, 3_600, 3_600].map(Some));
        assert_eq!(RetryPolicy::Plain.delay(3), None);
        assert_eq!(RetryPolicy::After(7).delay(3), Some(7));
    }
}
