//! What `JSON.parse` says of a text that it refuses.

/// A text is not JSON.
///
/// The message has the form of V8's: it quotes the input around the place, so
/// it may hold any words at all and says nothing to a program that searches it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct SyntaxError {
    message: String,
    offset: usize,
}

impl SyntaxError {
    /// Characters quoted before and after the place.
    const CONTEXT: usize = 10;

    /// `offset` is a character boundary of `text`.
    pub(crate) fn at(text: &str, offset: usize) -> Self {
        let (before, after) = text.split_at(offset);
        let message = match after.chars().next() {
            None => "Unexpected end of JSON input".to_owned(),
            Some(token) => {
                let (before, cut) = last_chars(before);
                let head = if cut { "..." } else { "" };
                let (after, cut) = first_chars(after);
                let tail = if cut { "..." } else { "" };
                format!(
                    "Unexpected token '{token}', {head}\"{before}{after}\"{tail} is not valid JSON"
                )
            }
        };
        Self { message, offset }
    }

    /// Where the text stops being JSON, in UTF-8 bytes from its start.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

/// The last few characters, and whether there are more.
fn last_chars(text: &str) -> (&str, bool) {
    match text.char_indices().rev().nth(SyntaxError::CONTEXT - 1) {
        Some((start, _)) => (&text[start..], start > 0),
        None => (text, false),
    }
}

/// The first few characters, and whether there are more.
fn first_chars(text: &str) -> (&str, bool) {
    match text.char_indices().nth(SyntaxError::CONTEXT + 1) {
        Some((end, _)) => (&text[..end], true),
        None => (text, false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, offset: usize, expected: &str) {
        assert_eq!(SyntaxError::at(text, offset).to_string(), expected);
    }

    #[test]
    fn quotes_the_input() {
        check("", 0, "Unexpected end of JSON input");
        check("[1,", 3, "Unexpected end of JSON input");
        check("[1,嵌套过深", 3, "Unexpected token '嵌', \"[1,嵌套过深\" is not valid JSON");
        check(
            "0123456789abcdefghijklmnopqrstuvwxyz",
            12,
            "Unexpected token 'c', ...\"23456789abcdefghijklm\"... is not valid JSON",
        );
    }
}
