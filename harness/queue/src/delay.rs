//! Delays in seconds (延迟秒数).

use duipai_spec::limits::MAX_DELAY_SECONDS;

/// A delay in 0 to 43200 seconds; 0 is no delay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Delay(u32);

impl Delay {
    /// No delay.
    pub const NONE: Self = Self(0);

    /// The delay of `seconds`, if it is within the range.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        let seconds = u32::try_from(seconds).ok()?;
        (seconds <= MAX_DELAY_SECONDS).then_some(Self(seconds))
    }

    /// The delay written as a number in canonical text. Canonical text writes
    /// every integer in range as plain digits, whatever its spelling was, so
    /// anything else is not an integer in range.
    pub fn from_canonical(number: &str) -> Option<Self> {
        let digits = !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit());
        let seconds = if digits {
            number.parse().ok()?
        } else {
            return None;
        };
        Self::from_seconds(seconds)
    }

    /// The delay in seconds.
    pub const fn seconds(self) -> u32 {
        self.0
    }

    /// The delay in seconds, unless there is none: the platform is told of a
    /// delay only when it is above 0.
    pub const fn above_zero(self) -> Option<u32> {
        if self.0 == 0 { None } else { Some(self.0) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_in_range() {
        for seconds in [0, 1, 43_199, 43_200] {
            assert_eq!(Delay::from_seconds(seconds).map(|d| i64::from(d.seconds())), Some(seconds));
        }
        let wrapping = [1 << 32, (1 << 32) + 30, i64::from(u32::MAX), i64::MAX, i64::MIN];
        for seconds in [-1, 43_201].into_iter().chain(wrapping) {
            assert_eq!(Delay::from_seconds(seconds), None, "{seconds}");
        }
    }

    #[test]
    fn canonical_numbers() {
        for (number, seconds) in [("0", 0), ("5", 5), ("43200", 43_200)] {
            assert_eq!(Delay::from_canonical(number).map(Delay::seconds), Some(seconds));
        }
        let not = ["", "43201", "-1", "1.5", "1e+21", "null", "true", "\"5\"", "[]", "{}"];
        for number in not.into_iter().chain(["99999999999999999999"]) {
            assert_eq!(Delay::from_canonical(number), None, "{number}");
        }
    }
}
