//! Numbers, exact in both directions.

use crate::{
    kernel::Vector,
    normalize::{
        SyntaxError,
        reader::{INFINITY, Reader},
    },
};

/// Every decimal of so many digits is the shortest text of its double: no two
/// of them share one.
const EXACT_DIGITS: usize = 15;

/// JavaScript writes up to so many zeros between point and first digit.
const ZEROS: usize = 5;

/// Of more significant digits than this the rest only says whether the number
/// is above the others' value: no double, nor the middle between two, has more.
const SIGNIFICANT: usize = 800;

impl<V: Vector> Reader<'_, V> {
    /// The number that begins here.
    #[inline(always)]
    pub(super) fn number(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        let negative = self.eat(b'-');
        let whole = self.at;
        let zero = self.eat(b'0');
        if !zero {
            self.digits()?;
        }
        let whole = self.at - whole;
        let canonical = match self.peek() {
            Some(b'.' | b'e' | b'E') => self.fraction_and_exponent(zero, whole)?,
            _ => whole <= EXACT_DIGITS && !(negative && zero),
        };
        if !canonical {
            self.rewrite(start);
        }
        Ok(())
    }

    /// Reads the rest of a number, and says whether it is certain that
    /// JavaScript writes the number so.
    fn fraction_and_exponent(&mut self, zero: bool, whole: usize) -> Result<bool, SyntaxError> {
        let mut canonical = true;
        if self.eat(b'.') {
            let start = self.at;
            self.digits()?;
            let fraction = &self.text.as_bytes()[start..self.at];
            let zeros = fraction.iter().take_while(|byte| **byte == b'0').count();
            canonical = fraction.last() != Some(&b'0')
                && if zero {
                    zeros <= ZEROS && fraction.len() - zeros <= EXACT_DIGITS
                } else {
                    whole + fraction.len() <= EXACT_DIGITS
                };
        }
        if self.eat(b'e') || self.eat(b'E') {
            canonical = false;
            let _ = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        Ok(canonical)
    }

    /// Writes the number that began at `start` as JavaScript does.
    fn rewrite(&mut self, start: usize) {
        let text = &self.text[start..self.at];
        let number = parse(text);
        let length = text.len();
        if number.is_finite() {
            let mut buffer = ryu_js::Buffer::new();
            let canonical = buffer.format_finite(number);
            if canonical != text {
                self.at = start;
                self.replace(length, canonical);
            }
        } else {
            self.non_finite = true;
            self.at = start;
            self.replace(length, INFINITY);
        }
    }

    /// At least one digit.
    #[inline(always)]
    fn digits(&mut self) -> Result<(), SyntaxError> {
        let start = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == start { Err(self.unexpected()) } else { Ok(()) }
    }

    /// Steps over a byte if it comes next.
    #[inline(always)]
    fn eat(&mut self, byte: u8) -> bool {
        let next = self.peek() == Some(byte);
        self.at += usize::from(next);
        next
    }
}

/// The double nearest to a JSON number; an infinity when it lies beyond them.
fn parse(text: &str) -> f64 {
    // The standard parser stops counting at large exponents, and only a long
    // text has digits enough to make up for one.
    if text.len() < SIGNIFICANT {
        return float(text);
    }
    let (sign, text) = match text.strip_prefix('-') {
        Some(text) => ("-", text),
        None => ("", text),
    };
    let (mantissa, exponent) = text.split_once(['e', 'E']).unwrap_or((text, "0"));
    let point = mantissa.find('.').unwrap_or(mantissa.len());
    let mut digits = String::with_capacity(SIGNIFICANT + 1);
    // number = 0.digits × 10^exponent
    let mut exponent = clamped(exponent) + point as i64;
    let mut more = false;
    for digit in mantissa.chars().filter(|char| *char != '.') {
        match digit {
            '0' if digits.is_empty() => exponent -= 1,
            _ if digits.len() < SIGNIFICANT => digits.push(digit),
            _ => more |= digit != '0',
        }
    }
    if more {
        digits.push('1');
    }
    float(&format!("{sign}0.{digits}0e{exponent}"))
}

fn float(text: &str) -> f64 {
    text.parse().expect("every JSON number has the form of a Rust float")
}

/// The exponent that is written, or one that is as good: no text in memory has
/// digits enough to tell them apart.
fn clamped(exponent: &str) -> i64 {
    const BOUND: i64 = 1 << 60;
    let bound = if exponent.starts_with('-') { -BOUND } else { BOUND };
    // The only failure is overflow.
    exponent.parse().unwrap_or(bound).clamp(-BOUND, BOUND)
}
