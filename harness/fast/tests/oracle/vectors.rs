//! The vectors of the corpus.

use std::{fs, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use crate::oracle::{Normalizers, check_split};

fn vectors(file: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/vectors");
    let lines = fs::read_to_string(folder.join(file)).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn decoded(text: &Value) -> Vec<u8> {
    STANDARD.decode(text.as_str().unwrap()).unwrap()
}

/// The text of a vector, in Base64 or as pieces, each with how often it comes.
fn text(vector: &Value, name: &str) -> Option<String> {
    let base64 = &vector[format!("{name}_b64")];
    if !base64.is_null() {
        return String::from_utf8(decoded(base64)).ok();
    }
    let pieces = vector[format!("{name}_recipe")].as_array().unwrap().iter();
    let text = pieces.map(|piece| {
        piece[0].as_str().unwrap().repeat(piece[1].as_u64().unwrap().try_into().unwrap())
    });
    Some(text.collect())
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn canonical_texts() {
    let mut normalizers = Normalizers::new();
    let mut seen = 0;
    for kind in ["keys", "numbers", "rejects", "strings", "structures"] {
        for vector in vectors(&format!("canon-{kind}.jsonl")) {
            let Some(text) = text(&vector, "input") else {
                assert_eq!(vector["utf8_ok"], false);
                continue;
            };
            seen += 1;
            // The simple one, which the text is held against here, …
            assert_eq!(normalizers.check(&text), vector["parse_ok"] == true, "{vector}");
            // … and what JavaScript said.
            if let Ok(canonical) = duipai_fast::canonical(&text) {
                assert_eq!(canonical.text.len() as u64, vector["bytes_out"], "{vector}");
                if !vector["canonical_b64"].is_null() {
                    let expected = decoded(&vector["canonical_b64"]);
                    assert_eq!(canonical.text.as_bytes(), expected, "{vector}");
                }
                assert_eq!(canonical.depth as u64, vector["depth"], "{vector}");
                assert_eq!(canonical.non_finite, vector["nonfinite"] == true, "{vector}");
            }
        }
    }
    assert!(seen > 7000, "{seen}");
}

#[test]
#[cfg_attr(miri, ignore = "reads files")]
fn batches() {
    let mut normalizers = Normalizers::new();
    let mut accepted = 0;
    for vector in vectors("verdict-batch.jsonl").iter().chain(&vectors("verdict-send.jsonl")) {
        let text = text(vector, "text").unwrap();
        check_split(&text);
        if normalizers.check(&text) {
            accepted += 1;
            check_split(&duipai_fast::canonical(&text).unwrap().text);
        }
    }
    assert!(accepted > 1000, "{accepted}");
}
