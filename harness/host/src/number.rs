//! Numbers: JSON text → double, and double → text as JavaScript writes it.

/// The double nearest to a text that has the form of a JSON number; an infinity
/// when it lies beyond them.
///
/// The sum of written exponent and digit count is worked out here, since the
/// standard parser stops counting at large exponents, which only matters for
/// texts such as a point, 70000 zeros, `1e70001`.
pub(crate) fn parse(text: &str) -> f64 {
    let direct = || text.parse().expect("every JSON number has the form of a Rust float");
    if text.len() < LONG {
        return direct();
    }
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let (sign, mantissa) = match mantissa.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", mantissa),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_start_matches('0');
    let leading_zeros = saturating(digits.len() - significant.len());
    let significant = significant.trim_end_matches('0');
    if significant.is_empty() {
        return if sign.is_empty() { 0.0 } else { -0.0 };
    }
    // value = 0.significant × 10^exponent
    let exponent = exponent_of(exponent) + saturating(whole.len()) - leading_zeros;
    format!("{sign}0.{significant}e{exponent}")
        .parse()
        .expect("a sign, digits and a small exponent have the form of a Rust float")
}

/// Shorter texts cannot move an exponent far enough to matter.
const LONG: usize = 1000;

/// Beyond any exponent that the digits of a text in memory could make up for,
/// and far from overflow when added.
const HUGE: i64 = 1 << 60;

fn saturating(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(HUGE)
}

fn exponent_of(text: &str) -> i64 {
    // The only failure is overflow.
    let bound = if text.starts_with('-') { -HUGE } else { HUGE };
    text.parse().unwrap_or(bound).clamp(-HUGE, HUGE)
}

/// `Number::toString` of a finite double: the shortest digits that read back to
/// it, and `0` for −0.
pub fn finite_to_string(number: f64) -> String {
    ryu_js::Buffer::new().format_finite(number).to_owned()
}

/// JavaScript's `String(number)`.
pub fn to_string(number: f64) -> String {
    ryu_js::Buffer::new().format(number).to_owned()
}

/// The digits of a BigInt written in decimal, without leading zeros.
pub(crate) fn parse_bigint(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text),
    };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    match digits.trim_start_matches('0') {
        "" => Some("0".to_owned()),
        significant => Some(format!("{sign}{significant}")),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(finite_to_string(parse(text)), expected, "{text}");
    }

    #[test]
    fn texts_as_javascript_writes_them() {
        check("-0", "0");
        check("1.0", "1");
        check("1e20", "100000000000000000000");
        check("1e21", "1e+21");
        check("1e-6", "0.000001");
        check("1e-7", "1e-7");
        check("123456789012345680000", "123456789012345680000");
        check("5e-324", "5e-324");
        check("1.7976931348623157e308", "1.7976931348623157e+308");
        check("9007199254740993", "9007199254740992");
        check("1.5777777777770001", "1.5777777777770001");
        check("0.1e1", "1");
    }

    #[test]
    fn exponents_and_digits_that_cancel() {
        for zeros in [10_usize, 900, 70_000, 1_000_000] {
            let up = zeros + 1;
            let zeros = "0".repeat(zeros);
            check(&format!("0.{zeros}1e{up}"), "1");
            check(&format!("-0.{zeros}15E+{up}"), "-1.5");
            check(&format!("25{zeros}0e-{up}"), "25");
            check(&format!("0.{zeros}e99999999999999999999"), "0");
        }
        let long = "1".repeat(2000);
        assert_eq!(parse(&long), f64::INFINITY);
        assert_eq!(parse(&format!("-{long}")), f64::NEG_INFINITY);
        assert_eq!(parse(&format!("0.{long}e-99999999999999999999")), 0.0);
        assert_eq!(parse(&format!("0.{long}e99999999999999999999")), f64::INFINITY);
        assert_eq!(parse("1e999"), f64::INFINITY);
        assert!(parse(&format!("-0.{}", "0".repeat(2000))).is_sign_negative());
    }

    #[test]
    fn numbers_beyond_json() {
        assert_eq!(to_string(f64::NAN), "NaN");
        assert_eq!(to_string(f64::NEG_INFINITY), "-Infinity");
        assert_eq!(to_string(-0.0), "0");
    }

    #[test]
    fn bigints_in_decimal() {
        for (text, expected) in [
            ("0", Some("0")),
            ("-000", Some("0")),
            ("-0042", Some("-42")),
            ("9007199254740993", Some("9007199254740993")),
            ("", None),
            ("-", None),
            ("+1", None),
            ("1n", None),
            ("0x1", None),
        ] {
            assert_eq!(parse_bigint(text).as_deref(), expected, "{text}");
        }
    }

    proptest! {
        #[test]
        fn doubles_read_back_from_their_text(bits: u64) {
            let number = f64::from_bits(bits);
            prop_assume!(number.is_finite());
            prop_assert_eq!(parse(&finite_to_string(number)), number);
        }

        #[test]
        fn padding_does_not_change_a_number(number in -1e300..1e300_f64, zeros in 900..3000_usize) {
            let text = format!("{number:e}");
            let (mantissa, exponent) = text.split_once('e').expect("an exponent is written");
            let point = if mantissa.contains('.') { "" } else { "." };
            let padded = format!("{mantissa}{point}{}e{exponent}", "0".repeat(zeros));
            prop_assert_eq!(parse(&padded), number);
        }
    }
}
