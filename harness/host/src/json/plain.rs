//! Where a string of JSON text stops being plain. Parsing and writing both spend
//! most of their time here.

/// UTF-8 bytes of `text` before the first quote, backslash or control character
/// below U+0020: what stands in a JSON string as it is.
pub(super) fn plain_length(text: &str) -> usize {
    let (words, rest) = text.as_bytes().as_chunks();
    let whole = words.iter().position(|word| special_bytes(u64::from_le_bytes(*word)) != 0);
    if let Some(at) = whole {
        let special = special_bytes(u64::from_le_bytes(words[at]));
        return at * size_of::<u64>() + special.trailing_zeros() as usize / 8;
    }
    let plain = text.len() - rest.len();
    let special = |byte: &u8| matches!(byte, b'"' | b'\\' | ..b' ');
    plain + rest.iter().position(special).unwrap_or(rest.len())
}

/// Marks the bytes of a word that are not plain by their highest bit. Above the
/// first such byte a plain one may be marked too, because subtraction borrows;
/// the first, which is the lowest, is always right.
fn special_bytes(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x80 * ONES;
    let below = |limit: u8, word: u64| word.wrapping_sub(ONES * u64::from(limit)) & !word & HIGH;
    let equal = |byte: u8| below(1, word ^ (ONES * u64::from(byte)));
    below(b' ', word) | equal(b'"') | equal(b'\\')
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One byte after the other.
    fn simple(text: &str) -> usize {
        let special = |byte: u8| byte == b'"' || byte == b'\\' || byte < b' ';
        text.bytes().position(special).unwrap_or(text.len())
    }

    #[test]
    fn every_character_at_every_place() {
        for fill in ["a", "é", "汉", "😀", "\u{7f}", "!", "#", "[", "]"] {
            for before in 0..20 {
                for point in (0..0x300).filter_map(char::from_u32) {
                    let text = format!("{}{point}{}", fill.repeat(before), fill.repeat(9));
                    assert_eq!(plain_length(&text), simple(&text), "{text:?}");
                }
            }
        }
    }

    #[test]
    fn neighbours_do_not_hide_each_other() {
        let points = ['"', '\\', '\u{0}', '\u{1}', '\u{1f}', ' ', '!', '#', '[', ']', '\u{80}'];
        for first in points {
            for second in points {
                for third in points {
                    for before in 0..9 {
                        let text = format!("{}{first}{second}{third}", "x".repeat(before));
                        assert_eq!(plain_length(&text), simple(&text), "{text:?}");
                    }
                }
            }
        }
    }
}
