//! Everything that matters at every place of a block of 64 bytes.

use crate::oracle::{Normalizers, check_split};

/// Every place, but for Miri, which is slow.
const STEP: usize = if cfg!(miri) { 61 } else { 1 };

/// A string of `length` bytes, quotes included.
fn filler(length: usize) -> String {
    format!("\"{}\"", "x".repeat(length - 2))
}

#[test]
fn what_matters_at_every_place() {
    let mut normalizers = Normalizers::new();
    let inside =
        ["\\\"", "\\\\", "é", "句", "😀", "]", "}", ",", ":", "[{", "\\u0041", "\\ud83d", "\\/"];
    let values = [
        "[]",
        "{}",
        "[[1],2]",
        "{\"a\":{\"b\":[]}}",
        "1",
        "null",
        "\"\"",
        "[\"]\"]",
        "{\"}\":\"{\"}",
    ];
    for before in (2..140).step_by(STEP) {
        for piece in inside {
            for after in [0, 1, 60, 70] {
                let string = format!("\"{}{piece}{}\"", "x".repeat(before), "y".repeat(after));
                for text in [
                    string.clone(),
                    format!("[{string},[{string},{{\"a\":{string}}}]]"),
                    format!("[{{\"body\":{string},\"delaySeconds\":7}},{{\"body\":[{string}]}}]"),
                ] {
                    check_split(&text);
                    normalizers.check(&text);
                }
            }
        }
        let filler = filler(before);
        for value in values {
            for text in [
                format!("[{filler},{value}]"),
                format!("[[{filler},{value}],{value}]"),
                format!("[{{\"body\":[{filler},{value}]}},{{\"body\":{value}}}]"),
                format!("[{{\"body\":{{\"k\":{filler},\"l\":{value}}}}},{{\"body\":{filler}}}]"),
            ] {
                check_split(&text);
                normalizers.check(&text);
                // Without its end, and with something after it.
                check_split(&text[..text.len() - 1]);
                check_split(&format!("{text}]"));
                normalizers.check(&text[..text.len() - 1]);
            }
        }
    }
}

#[test]
fn runs_of_backslashes_of_every_length_at_every_place() {
    let mut normalizers = Normalizers::new();
    for run in (0..=200).step_by(STEP) {
        let run = "\\".repeat(run);
        for before in (0..66).step_by(if run.len() % 64 < 4 { 1 } else { 13 }) {
            let before = "x".repeat(before);
            for after in ["\"", "n\"", "\",\"", "\"]\""] {
                let string = format!("\"{before}{run}{after}");
                for text in [
                    format!("[{string}]"),
                    format!("[{{\"body\":{string}}}]"),
                    format!("[{{\"body\":[{string},1]}},{{\"body\":{string}}}]"),
                ] {
                    check_split(&text);
                    normalizers.check(&text);
                }
            }
            // Outside of strings, where it escapes nothing.
            check_split(&format!("[[{before}{run}\",\"],1]"));
            check_split(&format!("[{before}{run}\",\",1]"));
        }
    }
}

#[test]
fn long_quiet_strings_and_what_ends_them() {
    let mut normalizers = Normalizers::new();
    for length in (0..700).step_by(STEP).chain([4095, 4096, 4097]) {
        for end in ["", "\\n", "\\\\", "\\\"", "é"] {
            let string = format!("\"{}{end}\"", "x".repeat(length));
            for text in [
                format!("[{{\"body\":{string}}},{{\"body\":1}}]"),
                format!("[{{\"body\":[{string},[]]}}]"),
                format!("[{string},{string}]"),
                string,
            ] {
                check_split(&text);
                normalizers.check(&text);
            }
        }
        normalizers.check(&format!("\"{}\u{1f}\"", "x".repeat(length)));
        normalizers.check(&format!("\"{}", "x".repeat(length)));
    }
}
