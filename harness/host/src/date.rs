//! The parts of `Date` that a program can ask for.

/// Farthest time from 1970 that a `Date` holds, in milliseconds.
const MAX_MILLIS: f64 = 8.64e15;
const MILLIS_PER_DAY: i64 = 86_400_000;

/// The integer milliseconds of a time value, unless it is an invalid date.
pub(crate) fn clip(time: f64) -> Option<i64> {
    // Within the bound every integer is exact in both types.
    (time.abs() <= MAX_MILLIS).then_some(time.trunc() as i64)
}

/// `toISOString`; `None` for an invalid date, for which JavaScript throws.
pub(crate) fn to_iso_string(time: f64) -> Option<String> {
    let millis = clip(time)?;
    let (year, month, day) = civil(millis.div_euclid(MILLIS_PER_DAY));
    let of_day = millis.rem_euclid(MILLIS_PER_DAY);
    let (hour, minute) = (of_day / 3_600_000, of_day / 60_000 % 60);
    let (second, milli) = (of_day / 1000 % 60, of_day % 1000);
    let year = match year {
        0..=9999 => format!("{year:04}"),
        _ => format!("{year:+07}"),
    };
    Some(format!("{year}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z"))
}

/// Year, month and day of the proleptic Gregorian calendar, of a day counted
/// from 1970-01-01. Years are counted from March, so that the leap day is last.
fn civil(day: i64) -> (i64, i64, i64) {
    const DAYS_PER_ERA: i64 = 146_097;
    const DAYS_FROM_0000_03_01: i64 = 719_468;
    let day = day + DAYS_FROM_0000_03_01;
    let era = day.div_euclid(DAYS_PER_ERA);
    let day = day.rem_euclid(DAYS_PER_ERA);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, carry) = if month < 10 { (month + 3, 0) } else { (month - 9, 1) };
    (era * 400 + year + carry, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(time: f64, expected: Option<&str>) {
        assert_eq!(to_iso_string(time).as_deref(), expected, "{time}");
    }

    #[test]
    fn dates_as_javascript_writes_them() {
        check(0.0, Some("1970-01-01T00:00:00.000Z"));
        check(1.0, Some("1970-01-01T00:00:00.001Z"));
        check(-86_400_000.0, Some("1969-12-31T00:00:00.000Z"));
        check(951_782_400_000.0, Some("2000-02-29T00:00:00.000Z"));
        check(1_767_323_045_678.0, Some("2026-01-02T03:04:05.678Z"));
        check(8.64e15, Some("+275760-09-13T00:00:00.000Z"));
        check(-8.64e15, Some("-271821-04-20T00:00:00.000Z"));
        check(-62_167_219_200_001.0, Some("-000001-12-31T23:59:59.999Z"));
        check(8.640_000_000_000_001e15, None);
        check(f64::NAN, None);
    }
}
