//! Canon vectors: a text is sent, and the platform must see its canonical form.

use std::sync::Arc;

use duipai_host::json;
use duipai_spec::{
    limits::{MAX_BODY_BYTES, MAX_DEPTH},
    messages,
};
use serde::Deserialize;

use crate::{
    case::{Case, ExactText, ExpectedCall, Origin},
    plan::{Action, Binding},
    sha256,
    vectors::{
        Played, case as case_of,
        line::{Recipe, Source},
    },
};

const BINDING: &str = "PAGE_QUEUE";

/// The fields that a canon line is judged by.
#[derive(Debug, Deserialize)]
pub(super) struct Line {
    name: String,
    input_b64: Option<String>,
    input_recipe: Option<Recipe>,
    input_sha256: Option<String>,
    bytes_in: usize,
    utf8_ok: bool,
    parse_ok: Option<bool>,
    lossy_parse_ok: Option<bool>,
    lossy_canonical: Option<String>,
    canonical: Option<String>,
    canonical_sha256: Option<String>,
    depth: Option<usize>,
    bytes_out: Option<usize>,
    #[serde(default)]
    nonfinite: Option<bool>,
    #[serde(default)]
    markers: Vec<String>,
}

/// The case of a canon line.
///
/// A text that is not UTF-8 reaches the package as text with U+FFFD for every
/// bad sequence, which is what the line's `lossy_` fields speak of.
pub(super) fn case(line: Line, origin: Origin) -> Result<Case, String> {
    let source = Source {
        base64: line.input_b64.as_deref(),
        recipe: line.input_recipe.as_ref(),
        sha256: line.input_sha256.as_deref(),
        bytes: line.bytes_in,
    };
    let bytes = source.bytes()?;
    let body: Arc<str> = match String::from_utf8(bytes) {
        Ok(text) if line.utf8_ok => text.into(),
        Err(bad) if !line.utf8_ok => String::from_utf8_lossy(bad.as_bytes()).into(),
        _ => return Err("`utf8_ok` does not agree with the text".to_owned()),
    };
    let broken = broken(&line, &body)?;
    let calls = if broken.is_empty() {
        let canonical = canonical(&line, &body)?;
        let arguments = format!("[{canonical},{{\"contentType\":\"json\"}}]");
        vec![ExpectedCall::Exact {
            method: "send".to_owned(),
            binding: BINDING.to_owned(),
            arguments: ExactText::Text(arguments.into()),
        }]
    } else {
        Vec::new()
    };
    let played = Played {
        action: Action::Send { binding: BINDING.to_owned(), body, delay: 0 },
        platform: Binding::Accepts,
        messages: broken.into_iter().map(str::to_owned).collect(),
        calls,
    };
    Ok(case_of(line.name, origin, "规范化后的文字".to_owned(), played))
}

/// The rules that the text breaks, told from the oracle's fields alone.
fn broken(line: &Line, body: &str) -> Result<Vec<&'static str>, String> {
    let mut broken = Vec::new();
    if body.len() > MAX_BODY_BYTES {
        broken.push(messages::BODY_TOO_LARGE);
    }
    let parses = if line.utf8_ok { line.parse_ok } else { line.lossy_parse_ok };
    if !parses.ok_or("the line does not say whether the text parses")? {
        broken.push(messages::BODY_NOT_JSON);
        return Ok(broken);
    }
    if !line.utf8_ok {
        return Ok(broken);
    }
    if line.depth.ok_or("the line has no `depth`")? > MAX_DEPTH {
        broken.push(messages::BODY_TOO_DEEP);
    }
    if line.nonfinite.unwrap_or(false) || !line.markers.is_empty() {
        broken.push(messages::BODY_MARKER);
    }
    let bytes_out = line.bytes_out.ok_or("the line has no `bytes_out`")?;
    if bytes_out > MAX_BODY_BYTES && !broken.contains(&messages::BODY_TOO_LARGE) {
        broken.push(messages::BODY_TOO_LARGE);
    }
    Ok(broken)
}

/// The canonical text. Where the line has only its digest, the text is made
/// here and must have that digest.
fn canonical(line: &Line, body: &str) -> Result<String, String> {
    let given = if line.utf8_ok { &line.canonical } else { &line.lossy_canonical };
    if let Some(given) = given {
        return Ok(given.clone());
    }
    let digest = line.canonical_sha256.as_deref().ok_or("the line has no canonical text")?;
    let made = json::canonical(body).map_err(|error| error.to_string())?;
    if sha256::hex(&made) == digest {
        Ok(made)
    } else {
        Err(format!("the canonical text made here does not have the SHA-256 {digest}"))
    }
}
