//! Seeded texts.

use crate::{
    oracle::{Normalizers, check_split},
    texts::{Random, batch, damaged, json, junk},
};

#[test]
fn random_json_and_what_is_left_of_it() {
    let mut normalizers = Normalizers::new();
    let mut random = Random::seeded(1);
    let mut accepted = [0; 2];
    for _ in 0..60_000 {
        let text = json(&mut random);
        accepted[0] += usize::from(normalizers.check(&text));
        accepted[1] += usize::from(normalizers.check(&damaged(&mut random, &text)));
    }
    assert_eq!(accepted[0], 60_000);
    // Some of the damaged texts are JSON still, most are not.
    assert!((2_000..40_000).contains(&accepted[1]), "{accepted:?}");
}

#[test]
fn random_batches_and_what_is_left_of_them() {
    let mut normalizers = Normalizers::new();
    let mut random = Random::seeded(2);
    for _ in 0..30_000 {
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
    for _ in 0..60_000 {
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
    for _ in 0..20_000 {
        let bytes: Vec<u8> = (0..random.below(40)).map(|_| random.next() as u8 & 0x7f).collect();
        let text = String::from_utf8(bytes).unwrap();
        normalizers.check(&text);
        normalizers.check(&format!("\"{text}\""));
        check_split(&format!("[{text}]"));
    }
}
