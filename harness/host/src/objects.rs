//! Objects that only the host can make.

/// An object of the host, which a program can hold a handle of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HostObject {
    /// A global object.
    Global(Global),
    /// A `TextDecoder`.
    Decoder(TextDecoder),
    /// A `TextEncoder`.
    Encoder,
    /// The queue bound under this name.
    Queue(String),
    /// A message of the current batch, by its index.
    Message(u32),
}

impl HostObject {
    /// A name for people.
    pub fn name(&self) -> &str {
        match self {
            Self::Global(global) => global.name(),
            Self::Decoder(_) => "TextDecoder instance",
            Self::Encoder => "TextEncoder instance",
            Self::Queue(_) => "Queue",
            Self::Message(_) => "Message",
        }
    }
}

/// A global object that programs may reach.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Global {
    /// `JSON`.
    Json,
    /// `console`.
    Console,
    /// The constructor `TextDecoder`.
    TextDecoder,
    /// The constructor `TextEncoder`.
    TextEncoder,
}

impl Global {
    const ALL: [Self; 4] = [Self::Json, Self::Console, Self::TextDecoder, Self::TextEncoder];

    /// Its name in JavaScript.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Console => "console",
            Self::TextDecoder => "TextDecoder",
            Self::TextEncoder => "TextEncoder",
        }
    }

    /// The global of this name.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|global| global.name() == name)
    }

    /// Whether it is a constructor, and so a function.
    pub const fn is_function(self) -> bool {
        matches!(self, Self::TextDecoder | Self::TextEncoder)
    }
}

/// A `TextDecoder` for UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextDecoder {
    /// A leading U+FEFF is kept; by default it is dropped.
    pub ignore_bom: bool,
    /// Bytes that are not UTF-8 throw; by default they become U+FFFD.
    pub fatal: bool,
}

impl TextDecoder {
    /// Labels of UTF-8 in the encoding standard.
    const LABELS: [&str; 6] =
        ["utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8"];

    /// Whether a label names UTF-8, the only encoding that there is here.
    pub fn knows(label: &str) -> bool {
        let label = label.trim_matches(['\t', '\n', '\x0c', '\r', ' ']);
        Self::LABELS.iter().any(|known| label.eq_ignore_ascii_case(known))
    }

    /// The text of `bytes`; `None` when they are not UTF-8 and that is fatal.
    pub fn decode(self, bytes: &[u8]) -> Option<String> {
        let bytes = match bytes.strip_prefix(b"\xef\xbb\xbf") {
            Some(rest) if !self.ignore_bom => rest,
            _ => bytes,
        };
        if self.fatal {
            str::from_utf8(bytes).ok().map(str::to_owned)
        } else {
            Some(String::from_utf8_lossy(bytes).into_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(decoder: TextDecoder, bytes: &[u8], expected: Option<&str>) {
        assert_eq!(decoder.decode(bytes).as_deref(), expected, "{decoder:?} {bytes:x?}");
    }

    #[test]
    fn only_the_first_mark_is_dropped_and_only_by_default() {
        let marked = "\u{feff}\u{feff}é".as_bytes();
        check(TextDecoder::default(), marked, Some("\u{feff}é"));
        let keeps = TextDecoder { ignore_bom: true, fatal: true };
        check(keeps, marked, Some("\u{feff}\u{feff}é"));
    }

    #[test]
    fn broken_bytes_are_replaced_or_fatal() {
        let fatal = TextDecoder { ignore_bom: false, fatal: true };
        for (bytes, replaced) in [
            (&b"a\xffb"[..], "a\u{fffd}b"),
            (b"\xf0\x9f\x98", "\u{fffd}"),
            (b"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
            (b"\xe2\x82(", "\u{fffd}("),
            (b"\xc0\xaf", "\u{fffd}\u{fffd}"),
        ] {
            check(TextDecoder::default(), bytes, Some(replaced));
            check(fatal, bytes, None);
        }
        check(fatal, b"", Some(""));
    }

    #[test]
    fn labels_of_utf_8() {
        for (label, known) in [(" UTF-8\n", true), ("utf8", true), ("utf-16le", false), ("", false)]
        {
            assert_eq!(TextDecoder::knows(label), known, "{label:?}");
        }
    }
}
