//! Seeded texts.

use crate::{
    oracle::{Normalizers, check_split},
    texts::{Random, batch, damaged, json, junk},
};

/// So many rounds; far fewer under Miri, which is slow.
fn rounds(count: usize) -> usize {
    if cfg!(miri) { count.div_ceil(1000) } else { count }
}

#[test]
fn random_json_and_what_is_left_of_it() {
    let mut normalizers = Normalizers::new();
    let mut random = Random::seeded(1);
    let mut accepted = [0; 2];
    let rounds = rounds(60_000);
    for _ in 0..rounds {
        let text = json(&mut random);
        accepted[0] += usize::from(normalizers.check(&text));
        accepted[1] += usize::from(normalizers.check(&damaged(&mut random, &text)));
    }
    assert_eq!(accepted[0], rounds);
    // Some of the damaged texts are JSON still, most are not.
    assert!((rounds / 30..rounds * 2 / 3).contains(&accepted[1]), "{accepted:?}");
}

#[test]
fn random_batches_and_what_is_left_of_them() {
    let mut normalizers = Normalizers::new();
    let mut random = Random::seeded(2);
    for _ in 0..rounds(30_000) {
        let text = batch(&mut random);
        normalizers.check(&text);
        check_split(&text);
        check_split(&damaged(&mut random, &text));
        if let Ok(canonical) = duipai_fast::canonical(&text) {
            check_split(&canonical.text);
        }
    }
}

#[test]
fn any_text_at_all() {
    let mut normalizers = Normalizers::new();
    let mut random = Random::seeded(3);
    for _ in 0..rounds(60_000) {
        let text = junk(&mut random);
        normalizers.check(&text);
        check_split(&text);
        check_split(&format!("[{text}]"));
        check_split(&format!("[{{\"body\":{text}}}]"));
    }
}

#[test]
fn any_bytes_that_are_text() {
    let mut normalizers = Normalizers::new();
    let mut random = Random::seeded(4);
    for _ in 0..rounds(20_000) {
        // Half of the texts are ASCII alone.
        let mask = if random.one_in(2) { 0x7f } else { 0xff };
        let bytes: Vec<u8> = (0..random.below(40)).map(|_| random.next() as u8 & mask).collect();
        let text = String::from_utf8_lossy(&bytes);
        normalizers.check(&text);
        normalizers.check(&format!("\"{text}\""));
        check_split(&format!("[{text}]"));
    }
}

/// Which decimals are left as they are is decided by counting, so every count
/// is tried.
#[test]
fn decimals_of_every_length() {
    let mut normalizers = Normalizers::new();
    let mut random = Random::seeded(5);
    let mut text = String::new();
    for _ in 0..rounds(200) {
        for length in 1..=20 {
            for point in 0..=length {
                text.clear();
                text.push_str(if random.one_in(4) { "-" } else { "" });
                let whole = if point == 0 { 1 } else { point };
                // Zeros are what is special, at both ends.
                let zeros = random.one_in(3);
                for place in 0..whole + length - point {
                    if place == whole {
                        text.push('.');
                    }
                    let digit = match (zeros, random.below(10)) {
                        (true, 0..7) => 0,
                        (_, digit) => digit,
                    };
                    let leads = place == 0 && whole > 1;
                    text.push(char::from(b'0' + if leads { digit.max(1) } else { digit } as u8));
                }
                assert!(normalizers.check(&text), "{text}");
            }
        }
    }
}
