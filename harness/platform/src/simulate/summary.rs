//! What a simulation comes to (统计).

/// Figures of a whole simulation.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Summary {
    /// Milliseconds of virtual time that were simulated.
    pub millis: u64,
    /// When the queue held more than it may and the simulation stopped.
    pub stopped: Option<u64>,
    /// Messages that were accepted.
    pub accepted: u64,
    /// Messages that were refused.
    pub refused: u64,
    /// Deliveries of messages, each time counted.
    pub deliveries: u64,
    /// Messages that were acknowledged.
    pub acked: u64,
    /// Times that a message was handled well, though it had to be or will be
    /// handled again: what a consumer that is not idempotent does too often.
    pub repeated: u64,
    /// Messages whose deliveries were used up, to the dead-letter queue if
    /// there is one.
    pub exhausted: u64,
    /// Messages that were given up because they were kept long enough.
    pub expired: u64,
    /// Invocations that ended.
    pub invocations: u64,
    /// Those of them that failed.
    pub failed_invocations: u64,
    /// Messages in the queue at the end, those in invocations included.
    pub backlog: usize,
    /// The most of them, as far as samples show.
    pub most_backlog: usize,
    /// How many they were on average.
    pub mean_backlog: f64,
    /// The most invocations at a time.
    pub most_running: u32,
    /// How many ran on average.
    pub mean_running: f64,
    /// Milliseconds from a message's sending to its acknowledgement.
    pub latency: Latency,
    /// How it went, at even distances.
    pub samples: Vec<Sample>,
}

impl Summary {
    /// Messages acknowledged in a second, on average.
    pub fn throughput(&self) -> f64 {
        if self.millis == 0 { 0.0 } else { self.acked as f64 * 1_000.0 / self.millis as f64 }
    }

    /// Messages by which the backlog grew from the middle of the time to its
    /// end, along the straight line that fits the samples best.
    pub fn growth(&self) -> f64 {
        let half = &self.samples[self.samples.len() / 2..];
        let count = half.len() as f64;
        let mean = |of: &dyn Fn(&Sample) -> f64| half.iter().map(of).sum::<f64>() / count;
        let at = |sample: &Sample| sample.at as f64;
        let backlog = |sample: &Sample| sample.backlog as f64;
        let (middle, level) = (mean(&at), mean(&backlog));
        let spread = mean(&|sample| (at(sample) - middle).powi(2));
        let slope = mean(&|sample| (at(sample) - middle) * (backlog(sample) - level)) / spread;
        let time = half.last().zip(half.first()).map_or(0, |(last, first)| last.at - first.at);
        if slope.is_finite() { slope * time as f64 } else { 0.0 }
    }

    /// Whether the queue keeps up with what it is sent: nothing was refused,
    /// expired or stopped, and over the second half of the time the backlog did
    /// not grow by more than [`NOISE`](Self::NOISE) of what came.
    pub fn keeps_up(&self) -> bool {
        let came = self.accepted as f64 / 2.0;
        let grows = self.growth() > (came * Self::NOISE).max(Self::FEW);
        self.stopped.is_none() && self.refused == 0 && self.expired == 0 && !grows
    }

    /// Share of what comes that a backlog may grow by, so that a random day is
    /// not taken for a trend.
    pub const NOISE: f64 = 0.002;

    /// Messages that a backlog may grow by in any case.
    const FEW: f64 = 100.0;
}

/// One moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Sample {
    /// When, in milliseconds.
    pub at: u64,
    /// Messages in the queue, those in invocations included.
    pub backlog: usize,
    /// Invocations that run.
    pub running: u32,
    /// Messages acknowledged so far.
    pub acked: u64,
}

/// How long messages took, in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Latency {
    /// On average.
    pub mean: f64,
    /// Half of them at most.
    pub p50: u64,
    /// Nine of ten at most.
    pub p90: u64,
    /// 99 of a hundred at most.
    pub p99: u64,
    /// 999 of a thousand at most.
    pub p999: u64,
    /// The longest.
    pub max: u64,
}

/// Counts of times, in steps of at most 1 in 64: what is read of it is at most
/// so much too long.
#[derive(Clone, Debug)]
pub(super) struct Histogram {
    counts: Vec<u64>,
    count: u64,
    sum: u128,
    max: u64,
}

/// Steps between a power of two and the next.
const STEPS: u32 = 64;

impl Histogram {
    pub(super) fn new() -> Self {
        let last = Self::bucket(u64::MAX);
        Self { counts: vec![0; last + 1], count: 0, sum: 0, max: 0 }
    }

    pub(super) fn add(&mut self, value: u64) {
        self.counts[Self::bucket(value)] += 1;
        self.count += 1;
        self.sum += u128::from(value);
        self.max = self.max.max(value);
    }

    fn bucket(value: u64) -> usize {
        let bits = STEPS.ilog2();
        let above = (63 - (value | 1).leading_zeros()).saturating_sub(bits);
        (above * STEPS) as usize + (value >> above) as usize
    }

    /// The greatest value of a bucket.
    fn top(bucket: usize) -> u64 {
        let bits = STEPS.ilog2();
        let steps = STEPS as usize;
        if bucket < 2 * steps {
            return bucket as u64;
        }
        let above = (bucket / steps - 1) as u32;
        debug_assert!(above <= 63 - bits, "there is no such bucket");
        let low = (bucket - above as usize * steps) as u64;
        (low << above) + ((1 << above) - 1)
    }

    fn at_most(&self, share: f64) -> u64 {
        let wanted = (self.count as f64 * share).ceil() as u64;
        let mut seen = 0;
        for (bucket, count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= wanted && *count > 0 {
                return Self::top(bucket).min(self.max);
            }
        }
        self.max
    }

    pub(super) fn latency(&self) -> Latency {
        if self.count == 0 {
            return Latency::default();
        }
        Latency {
            mean: self.sum as f64 / self.count as f64,
            p50: self.at_most(0.5),
            p90: self.at_most(0.9),
            p99: self.at_most(0.99),
            p999: self.at_most(0.999),
            max: self.max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_and_fine() {
        let values = (0..5_000).chain((13..63).flat_map(|bits| [(1 << bits) - 1, 1 << bits]));
        for value in values.chain([u64::MAX - 1, u64::MAX]) {
            let bucket = Histogram::bucket(value);
            let top = Histogram::top(bucket);
            assert!(top >= value && top - value <= value / 64, "{value} in {bucket}: {top}");
            assert_eq!(Histogram::bucket(top), bucket);
        }
    }

    #[test]
    fn a_backlog_that_grows_does_not_keep_up() {
        let sample = |at, backlog| Sample { at, backlog, running: 1, acked: 0 };
        let summary = |backlog: &dyn Fn(u64) -> usize| Summary {
            accepted: 100_000,
            samples: (0..100).map(|at| sample(at * 10, backlog(at))).collect(),
            ..Summary::default()
        };
        let grows = summary(&|at| at as usize * 10);
        assert!((grows.growth() - 490.0).abs() < 1e-6, "{}", grows.growth());
        assert!(!grows.keeps_up());
        assert!(summary(&|at| (at % 2) as usize * 50).keeps_up());
        assert!(summary(&|at| (100 - at as usize) * 10).keeps_up());
        assert!(!Summary { expired: 1, ..summary(&|_| 0) }.keeps_up());
        assert!(!Summary { refused: 1, ..summary(&|_| 0) }.keeps_up());
        assert!(Summary::default().keeps_up());
    }

    #[test]
    fn percentiles_of_known_values() {
        let mut histogram = Histogram::new();
        assert_eq!(histogram.latency(), Latency::default());
        for value in 1..=100 {
            histogram.add(value);
        }
        let Latency { mean, p50, p90, p99, p999, max } = histogram.latency();
        assert_eq!((p50, p90, p99, p999, max), (50, 90, 99, 100, 100));
        assert!((mean - 50.5).abs() < 1e-9);
    }
}
