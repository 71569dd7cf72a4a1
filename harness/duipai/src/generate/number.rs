//! Numbers in all spellings that JSON has.

use super::{Source, features::Feature};

/// Spellings around what differs between number parsers and printers.
const ODD: [&str; 34] = [
    "-0",
    "1.0",
    "0.0",
    "1E3",
    "1e+3",
    "10e-1",
    "100",
    "1e-6",
    "1e-7",
    "1e20",
    "1e21",
    "1e16",
    "5e-324",
    "2e-324",
    "1e-400",
    "1.7976931348623157e308",
    "1.7976931348623158e308",
    "9007199254740991",
    "9007199254740992",
    "9007199254740993",
    "-9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "123456789012345680000",
    "1.5777777777770001",
    "0.9999999999999999",
    "0.1",
    "-1.5",
    "2.2250738585072011e-308",
    "2.2250738585072014e-308",
    "4.35",
    "1e0",
    "0e999999999999",
    "-0.0e-0",
];

const INFINITE: [&str; 6] =
    ["1e999", "-1e999", "1e309", "1.7976931348623159e308", "1e99999999999999999999", "-2E+400"];

/// Writes a number.
pub(super) fn number(source: &mut Source<'_>, out: &mut String) {
    if source.has(Feature::Infinities, 6) {
        return out.push_str(source.pick(&INFINITE));
    }
    if !source.swarm().has(Feature::Numbers) {
        let small = source.byte();
        return out.push_str(&small.to_string());
    }
    match source.below(8) {
        0..4 => out.push_str(source.pick(&ODD)),
        4 => double(source, out),
        5 => spelled(source, out),
        6 => out.push_str(&source.word().to_string()),
        _ => cancelling(source, out),
    }
}

/// Any double, in the shortest digits.
fn double(source: &mut Source<'_>, out: &mut String) {
    let double = f64::from_bits(source.word());
    match double.is_finite() {
        true => out.push_str(&format!("{double:e}")),
        false => out.push('0'),
    }
}

/// Digits, a fraction and an exponent, put together at random.
fn spelled(source: &mut Source<'_>, out: &mut String) {
    if source.one_in(2) {
        out.push('-');
    }
    let whole = source.word() % 10_u64.pow(source.below(19) as u32);
    out.push_str(&whole.to_string());
    if source.one_in(2) {
        let zeros = source.below(20);
        let fraction = source.word();
        out.push_str(&format!(".{:0zeros$}{fraction}", 0));
    }
    if source.one_in(2) {
        let mark = source.pick(&["e", "E", "e+", "E-", "e-0", "E+00"]);
        out.push_str(&format!("{mark}{}", source.below(280)));
    }
}

/// Zeros and an exponent that make up for each other. Rarely so many that a
/// number parser stops counting.
fn cancelling(source: &mut Source<'_>, out: &mut String) {
    let zeros = match source.one_in(16) {
        true => 1000 + source.below(500),
        false => source.below(400),
    };
    let digit = 1 + source.below(9);
    match source.one_in(2) {
        false => out.push_str(&format!("0.{}{digit}e{}", "0".repeat(zeros), zeros + 1)),
        true => out.push_str(&format!("{digit}{}e-{zeros}", "0".repeat(zeros))),
    }
}
