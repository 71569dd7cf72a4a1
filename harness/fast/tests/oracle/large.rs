//! Objects of very many keys, and very deep texts.

use std::fmt::Write as _;

use duipai_fast::{Kernel, MAX_TEXT_BYTES, SyntaxError, canonical, canonical_with};

use crate::oracle::{Normalizers, check_split};

/// An object of these members.
fn object(members: impl Iterator<Item = String>) -> String {
    format!("{{{}}}", members.collect::<Vec<_>>().join(","))
}

#[test]
fn objects_of_any_number_of_keys() {
    let mut normalizers = Normalizers::new();
    for count in (1..80).step_by(if cfg!(miri) { 31 } else { 1 }).chain([1000]) {
        // One repeated key, at every distance; a new one; an index out of order.
        for other in [0, count / 2, count - 1, count] {
            let keys = (0..count).chain([other]);
            normalizers.check(&object(keys.clone().map(|key| format!("\"k{key}\":{key}"))));
            normalizers.check(&object(keys.clone().map(|key| format!("\"{key}\":{key}"))));
            normalizers.check(&object(keys.map(|key| format!("\"{}k{key}\":[1]", "x".repeat(50)))));
        }
        let last = format!("\"{count}\":0");
        normalizers.check(&object((0..count).map(|key| format!("\"k{key}\":1")).chain([last])));
    }
}

#[test]
fn very_many_keys() {
    let mut normalizers = Normalizers::new();
    let count = if cfg!(miri) { 300 } else { 30_000 };
    for text in [
        object((0..count).map(|key| format!("\"k{key}\":{key}"))),
        object((0..count).map(|key| format!("\"{key}\":{key}"))),
        object((0..count).rev().map(|key| format!("\"{key}\":{key}"))),
        object((0..count).map(|key| format!("\"\":{key}"))),
        object((0..count).map(|key| format!("\"7\":{key}"))),
        object((0..count).map(|key| format!("\"k{}\":{key}", key % 100))),
        object((0..count).map(|key| format!("\"\\u006b{key}\": {key}"))),
    ] {
        normalizers.check(&text);
    }
}

#[test]
fn very_deep_texts() {
    let mut normalizers = Normalizers::new();
    for depth in [63, 64, 65, 127, 128, 129, if cfg!(miri) { 130 } else { 5000 }] {
        for (open, close) in [
            ("[", "]"),
            ("{\"a\":", "}"),
            ("{\"b\":0,\"a\":", "}"),
            ("{\"b\":", ",\"1\":0}"),
            ("{\"a\":", ",\"a\":0}"),
            ("[{\"1\":[],\"0\":", "},0]"),
            ("{\"2\":[{\"x\":[", "]}],\"10\":0}"),
            ("[[{\"2\":1,\"3\":", ",\"b\":1,\"1\":2}]]"),
        ] {
            let text = format!("{}1{}", open.repeat(depth), close.repeat(depth));
            normalizers.check(&text);
            normalizers.check(&text[..text.len() - 1]);
            normalizers.check(&open.repeat(depth));
            check_split(&text);
            check_split(&format!("[{text},{text}]"));
        }
    }
}

#[test]
fn what_a_repeated_key_hides_does_not_count() {
    let mut normalizers = Normalizers::new();
    for text in [
        "{\"a\":[[[1]]],\"a\":1}",
        "{\"a\":1,\"a\":[[1]]}",
        "{\"a\":1e400,\"a\":1}",
        "[{\"a\":1e400,\"a\":1},null]",
        "[{\"a\":1,\"a\":1},1e400,\"null\"]",
        "{\"a\":{\"$数字\":1},\"a\":1}",
        "{\"a\":1,\"$数字\":1,\"a\":2}",
        "{\"$数字\":1,\"1\":1}",
        "{\"$数字\":1,\"$数字\":2}",
        "{\"1\":1,\"$数字\":2}",
        "{\"a\":{\"1\":1e400,\"0\":{\"x\":[],\"x\":{}}},\"a\":{\"c\":1,\"b\":1e999,\"c\":{\"2\":2,\"1\":[]}}}",
    ] {
        assert!(normalizers.check(text), "{text}");
    }
}

#[test]
fn long_numbers() {
    let mut normalizers = Normalizers::new();
    for zeros in [10_usize, 700, 790, 799, 800, 801, if cfg!(miri) { 802 } else { 70_000 }] {
        let (up, zeros) = (zeros + 1, "0".repeat(zeros));
        for text in [
            format!("0.{zeros}1e{up}"),
            format!("-0.{zeros}15E+{up}"),
            format!("25{zeros}0e-{up}"),
            format!("0.{zeros}e99999999999999999999"),
            format!("1.{zeros}1"),
            format!("1{zeros}.0"),
            format!("-0.{zeros}"),
            // Between two doubles, and as little above that as can be written.
            format!("9007199254740993.{zeros}"),
            format!("9007199254740993.{zeros}1"),
            format!("0.1{zeros}e-99999999999999999999"),
            format!("1{zeros}e99999999999999999999"),
        ] {
            assert!(normalizers.check(&text));
        }
    }
    let mut digits = String::new();
    for number in 0..1000 {
        write!(digits, "{}", number * 7).unwrap();
    }
    for exponent in [-3000, -2500, -324, 0, 300] {
        normalizers.check(&format!("0.{digits}e{exponent}"));
        normalizers.check(&format!("{digits}e{exponent}"));
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes memory")]
fn texts_that_are_too_long() {
    // All zeros take no memory on most systems, and are not JSON anyway.
    let text = String::from_utf8(vec![0; MAX_TEXT_BYTES + 1]).unwrap();
    assert_eq!(canonical_with(Kernel::PORTABLE, &text), Err(SyntaxError::TooLong));
    assert_eq!(SyntaxError::TooLong.offset(), MAX_TEXT_BYTES);
    let (seen, expected) = (canonical(&text[1..]), Err(SyntaxError::Unexpected(0)));
    assert_eq!(seen, expected);
    assert_eq!(
        SyntaxError::TooLong.to_string(),
        "longer than the 268435456 bytes that are read of a text"
    );
    assert_eq!(SyntaxError::Unexpected(7).to_string(), "not JSON from byte 7 on");
}
