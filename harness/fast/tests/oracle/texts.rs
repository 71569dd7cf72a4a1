//! Seeded texts.

/// A small generator of random numbers (SplitMix64).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn seeded(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ bits >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ bits >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ bits >> 31
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }

    pub(crate) fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    pub(crate) fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.below(from.len())]
    }
}

const PIECES: [&str; 36] = [
    "a",
    "b",
    "body",
    "",
    " ",
    "/",
    "0",
    "7",
    "é",
    "句柄",
    "\u{2028}",
    "\u{7f}",
    "😀",
    "{\\\"$",
    "[",
    "]}",
    ",",
    ":",
    "\\\"",
    "\\\\",
    "\\\\\\\"",
    "\\/",
    "\\b",
    "\\n",
    "\\u0000",
    "\\u001F",
    "\\u0009",
    "\\u0022",
    "\\u005c",
    "\\u0041",
    "\\u53e5",
    "\\ud83d\\ude00",
    "\\uD83D",
    "\\ude00",
    "\\ud83d\\\\",
    "plain text of more than sixteen bytes",
];

const KEYS: [&str; 22] = [
    "a",
    "b",
    "\\u0061",
    "body",
    "delaySeconds",
    "__proto__",
    "0",
    "1",
    "2",
    "9",
    "10",
    "01",
    "-1",
    "\\u0031",
    "4294967294",
    "4294967295",
    "4294967296",
    "99999999999",
    "$句柄",
    "$未定义",
    "$\\u6570字",
    "",
];

const NUMBERS: [&str; 36] = [
    "0",
    "-0",
    "5",
    "43200",
    "43201",
    "-1",
    "1.0",
    "1.5",
    "-0.0",
    "0.10",
    "1e3",
    "1E+2",
    "1e-7",
    "1e21",
    "1e20",
    "0.000001",
    "0.0000001",
    "0.00000123",
    "123456789012345",
    "1234567890123456",
    "9007199254740993",
    "123456789012345680000",
    "0.1234567890123456",
    "0.123456789012345",
    "1.23456789012345",
    "12.3456789012345",
    "1.2345678901234567",
    "100.25",
    "5e-324",
    "2e-324",
    "1e308",
    "1e309",
    "-1e400",
    "1.7976931348623157e308",
    "0.30000000000000004",
    "4.35",
];

/// A JSON text. The seed decides how wild it is.
pub(crate) fn json(random: &mut Random) -> String {
    let mut text = String::new();
    let style = Style { spaces: random.one_in(2), wild: random.below(4) };
    style.value(random, &mut text, 0);
    text
}

/// A text that looks like a batch.
pub(crate) fn batch(random: &mut Random) -> String {
    let style = Style { spaces: false, wild: random.below(3) };
    let mut text = "[".to_owned();
    // Around the greatest number of items too.
    let count = if random.one_in(40) { 99 + random.below(4) } else { random.below(5) };
    for index in 0..count {
        if index > 0 {
            text.push(',');
        }
        style.item(random, &mut text);
    }
    text.push(']');
    text
}

/// The text with a few characters gone, doubled or replaced.
pub(crate) fn damaged(random: &mut Random, text: &str) -> String {
    const JUNK: [&str; 24] = [
        "\"", "\\", "[", "]", "{", "}", ",", ":", "0", "1", "e", "-", ".", " ", "\n", "u", "a",
        "é", "\\\"", "\u{1}", "null", "{\"", "\\u", "\u{feff}",
    ];
    let mut chars: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(chars.len() + 1);
        match random.below(4) {
            0 if at < chars.len() => drop(chars.remove(at)),
            1 if at < chars.len() => chars.insert(at, chars[at]),
            2 => chars.truncate(at),
            _ => {
                let junk = random.pick(&JUNK);
                drop(chars.splice(at..at, junk.chars()));
            }
        }
    }
    chars.into_iter().collect()
}

/// Characters that JSON is made of, in no order.
pub(crate) fn junk(random: &mut Random) -> String {
    const ALPHABET: [&str; 16] = [
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"",
        "\\",
        "\"",
        "1",
        "a",
        " ",
        "é",
        "[{",
        "\"body\":",
        "\"delaySeconds\":",
    ];
    (0..random.below(24)).map(|_| random.pick(&ALPHABET)).collect()
}

struct Style {
    spaces: bool,
    /// Of repeated keys, indices and escapes.
    wild: usize,
}

impl Style {
    fn value(&self, random: &mut Random, text: &mut String, depth: usize) {
        self.space(random, text);
        match random.below(if depth < 5 { 7 } else { 5 }) {
            0 => text.push_str(random.pick(&["null", "true", "false"])),
            1 | 2 => self.number(random, text),
            3 | 4 => self.string(random, text),
            5 => {
                text.push('[');
                self.list(random, text, |style, random, text| style.value(random, text, depth + 1));
                text.push(']');
            }
            _ => {
                text.push('{');
                self.list(random, text, |style, random, text| {
                    style.space(random, text);
                    style.key(random, text);
                    style.space(random, text);
                    text.push(':');
                    style.value(random, text, depth + 1);
                });
                text.push('}');
            }
        }
        self.space(random, text);
    }

    fn list(
        &self,
        random: &mut Random,
        text: &mut String,
        one: impl Fn(&Self, &mut Random, &mut String),
    ) {
        let most = if random.one_in(30) { 50 } else { 6 };
        for index in 0..random.below(most) {
            if index > 0 {
                text.push(',');
            }
            one(self, random, text);
        }
        self.space(random, text);
    }

    fn item(&self, random: &mut Random, text: &mut String) {
        if self.wild == 2 && random.one_in(8) {
            return self.value(random, text, 3);
        }
        text.push('{');
        let most = if self.wild == 0 { 1 } else { 4 };
        for index in 0..=random.below(most) {
            if index > 0 {
                text.push(',');
            }
            let field =
                if random.one_in(2) || self.wild == 0 { "\"body\":" } else { "\"delaySeconds\":" };
            if self.wild == 2 && random.one_in(10) {
                self.key(random, text);
                text.push(':');
            } else {
                text.push_str(field);
            }
            if field == "\"body\":" || random.one_in(4) {
                self.value(random, text, 3);
            } else {
                text.push_str(random.pick(&[
                    "0",
                    "5",
                    "43200",
                    "43201",
                    "007",
                    "-1",
                    "1.5",
                    "99999999999",
                ]));
            }
        }
        text.push('}');
    }

    fn key(&self, random: &mut Random, text: &mut String) {
        match self.wild {
            0 => text.push_str(&format!("\"k{}\"", random.below(1000))),
            1 => text.push_str(&format!("\"{}\"", random.below(100))),
            2 => {
                text.push('"');
                text.push_str(random.pick(&KEYS));
                text.push('"');
            }
            _ => self.string(random, text),
        }
    }

    fn string(&self, random: &mut Random, text: &mut String) {
        text.push('"');
        for _ in 0..random.below(5) {
            let most = if self.wild == 0 { 13 } else { PIECES.len() };
            text.push_str(random.pick(&PIECES[..most]));
        }
        text.push('"');
    }

    fn number(&self, random: &mut Random, text: &mut String) {
        match random.below(4) {
            0 => text.push_str(&format!("{}", random.below(100_000))),
            1 => {
                // Any double, as Rust writes it, and not so that it is too long.
                let number = f64::from_bits(random.next());
                let number = if number.is_finite() { number } else { 0.5 };
                text.push_str(&format!("{number:e}"));
            }
            2 => {
                let digits = random.next() >> random.below(64);
                text.push_str(&format!("{}.{digits}", random.below(1000)));
            }
            _ => text.push_str(random.pick(&NUMBERS)),
        }
    }

    fn space(&self, random: &mut Random, text: &mut String) {
        if self.spaces && random.one_in(4) {
            text.push_str(random.pick(&[" ", "\n", "\t", "\r\n", "    ", "                    "]));
        }
    }
}
