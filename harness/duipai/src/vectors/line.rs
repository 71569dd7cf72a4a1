//! One line of a vector file: which family it is of, and its text.

use std::sync::Arc;

use base64::{Engine, engine::general_purpose::STANDARD};

use crate::{
    case::{Case, Origin},
    sha256,
    vectors::{canon, verdict},
};

/// Greatest size of one text, in bytes.
const MAX_TEXT_BYTES: usize = 16 * 1024 * 1024;

/// The case of the vector in `text`.
pub(super) fn parse(text: &str, origin: Origin) -> Result<Case, String> {
    let line: serde_json::Value =
        serde_json::from_str(text).map_err(|error| format!("the line is not JSON: {error}"))?;
    let has = |field| line.get(field).is_some();
    let wrong = |error: serde_json::Error| format!("the vector does not fit its family: {error}");
    if has("verdict") {
        verdict::case(serde_json::from_value(line).map_err(wrong)?, origin)
    } else if has("parse_ok") {
        canon::case(serde_json::from_value(line).map_err(wrong)?, origin)
    } else {
        Err("neither a canon vector (no `parse_ok`) nor a verdict vector (no `verdict`)".to_owned())
    }
}

/// The pieces of a text, each with how often it is repeated.
pub(super) type Recipe = Vec<(String, usize)>;

/// A text as a vector gives it.
pub(super) struct Source<'a> {
    /// Base64 of its bytes.
    pub(super) base64: Option<&'a str>,
    /// Or a recipe.
    pub(super) recipe: Option<&'a Recipe>,
    /// SHA-256 of the expanded recipe.
    pub(super) sha256: Option<&'a str>,
    /// Its size in bytes.
    pub(super) bytes: usize,
}

impl Source<'_> {
    /// The bytes, once size and digest are known to be right.
    pub(super) fn bytes(&self) -> Result<Vec<u8>, String> {
        let bytes = match (self.base64, self.recipe) {
            (Some(base64), None) => STANDARD
                .decode(base64)
                .map_err(|error| format!("the text is not Base64: {error}"))?,
            (None, Some(recipe)) => expand(recipe)?,
            _ => return Err("the text must be given as Base64 or as a recipe".to_owned()),
        };
        if bytes.len() != self.bytes {
            return Err(format!(
                "the text has {} bytes, but the line says {}",
                bytes.len(),
                self.bytes
            ));
        }
        match self.sha256 {
            Some(digest) if sha256::hex(&bytes) != digest => {
                Err(format!("the text's SHA-256 is not {digest}"))
            }
            None if self.recipe.is_some() => Err("a recipe needs the text's SHA-256".to_owned()),
            _ => Ok(bytes),
        }
    }

    /// The text, when it must be UTF-8.
    pub(super) fn text(&self) -> Result<Arc<str>, String> {
        let text = String::from_utf8(self.bytes()?);
        Ok(text.map_err(|_| "the text is not UTF-8".to_owned())?.into())
    }
}

fn expand(recipe: &Recipe) -> Result<Vec<u8>, String> {
    let mut size = 0_usize;
    for (piece, times) in recipe {
        size = size.saturating_add(piece.len().saturating_mul(*times));
    }
    if size > MAX_TEXT_BYTES {
        return Err(format!("the recipe makes {size} bytes; at most {MAX_TEXT_BYTES} are allowed"));
    }
    Ok(recipe.iter().flat_map(|(piece, times)| piece.repeat(*times).into_bytes()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(recipe: &[(&str, usize)], bytes: usize, expected: Result<&str, &str>) {
        let recipe: Recipe = recipe.iter().map(|(p, n)| ((*p).to_owned(), *n)).collect();
        let expanded = recipe.iter().map(|(p, n)| p.repeat((*n).min(9))).collect::<String>();
        let digest = sha256::hex(&expanded);
        let source = Source { base64: None, recipe: Some(&recipe), sha256: Some(&digest), bytes };
        let seen = source.text();
        assert_eq!(seen.as_deref().map_err(String::as_str), expected);
    }

    #[test]
    fn recipes_are_expanded_and_checked() {
        check(&[("[", 2), ("é", 1), ("]", 2)], 6, Ok("[[é]]"));
        check(&[("[", 2)], 3, Err("the text has 2 bytes, but the line says 3"));
        let bomb = "the recipe makes 1000000000000 bytes; at most 16777216 are allowed";
        check(&[("ab", 500_000_000_000)], 6, Err(bomb));
        check(&[("ab", usize::MAX), ("x", usize::MAX)], 6, {
            Err("the recipe makes 18446744073709551615 bytes; at most 16777216 are allowed")
        });
    }
}
