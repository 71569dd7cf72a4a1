//! All short texts over the characters that a splitter looks at.

use duipai::oracle::{
    Tally, canonical,
    split::{self, Splitter},
};

/// The characters.
const ALPHABET: [u8; 10] = *b"[]{},:\"\\a1";

/// Every text of up to `length` characters, between `open` and `close`.
fn every(length: u32, open: &str, close: &str, mut each: impl FnMut(&str)) -> u64 {
    let mut texts = 0;
    let mut text = String::new();
    for length in 0..=length {
        for number in 0..10_u64.pow(length) {
            text.clear();
            text.push_str(open);
            let mut rest = number;
            for _ in 0..length {
                text.push(char::from(ALPHABET[(rest % 10) as usize]));
                rest /= 10;
            }
            text.push_str(close);
            each(&text);
            texts += 1;
        }
    }
    texts
}

/// The fast splitter does what the simple one does with every text, JSON or not.
#[test]
fn the_fast_splitter_is_the_simple_one() {
    let mut tally = Tally::default();
    let mut each = |text: &str| match split::same(text, &Splitter::SIMPLE, &Splitter::FAST) {
        Ok(held) => tally.count(&held),
        Err(disagreement) => panic!("{disagreement}"),
    };
    assert_eq!(every(6, "", "", &mut each), 1_111_111);
    assert_eq!(every(5, "[{\"body\":", "}]", &mut each), 111_111);
    assert_eq!(every(5, "[{\"body\":\"", "\"}]", &mut each), 111_111);
    println!("{tally:?}");
    assert!(tally.accepted >= 1000, "{tally:?}");
}

/// Both splitters cut every canonical text where serde_json does.
#[test]
fn every_canonical_text_is_cut_at_its_raw_slices() {
    for splitter in [Splitter::SIMPLE, Splitter::FAST] {
        let mut tally = Tally::default();
        let mut each = |text: &str| {
            if canonical::simple(text).is_none_or(|canonical| canonical != text) {
                return;
            }
            match split::raw(text, &splitter) {
                Ok(held) => tally.count(&held),
                Err(disagreement) => panic!("{disagreement}"),
            }
        };
        every(5, "", "", &mut each);
        every(4, "[{\"body\":", "}]", &mut each);
        every(4, "[{\"body\":\"", "\"}]", &mut each);
        every(4, "[{\"body\":1},", "]", &mut each);
        println!("{tally:?}");
        assert!(tally.accepted >= 1000 && tally.refused >= 100, "{tally:?}");
    }
}

/// The fast canonical text is the host's for every text, JSON or not.
#[test]
fn the_fast_canonical_text_is_the_hosts() {
    let mut tally = Tally::default();
    let mut each = |text: &str| match canonical::same(text, &canonical::simple, &canonical::fast) {
        Ok(held) => tally.count(&held),
        Err(disagreement) => panic!("{disagreement}"),
    };
    every(6, "", "", &mut each);
    every(5, "{\"a\":", "}", &mut each);
    println!("{tally:?}");
    assert!(tally.accepted >= 1000, "{tally:?}");
    assert_ne!(tally.refused, 0);
}
