//! `JSON.parse` and `JSON.stringify`, exactly as ECMAScript has them.

mod error;
mod parse;
mod plain;
mod stringify;
pub(crate) mod write;

pub use error::SyntaxError;
pub use parse::{parse, parse_js};
pub use stringify::{NotText, stringify};
pub use write::quote;

/// The canonical text of a JSON text (规范文字): `JSON.stringify(JSON.parse(text))`.
///
/// # Errors
///
/// When `JSON.parse` refuses the text.
pub fn canonical(text: &str) -> Result<String, SyntaxError> {
    let value = parse(text)?;
    Ok(stringify(&value).expect("JSON.parse makes neither undefined nor BigInt"))
}

#[cfg(test)]
mod tests;
