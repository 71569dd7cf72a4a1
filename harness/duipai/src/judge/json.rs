//! JSON texts as the judge needs them: cut into their parts without touching a
//! byte, and compared by value.

/// The texts of the elements of a JSON array; `None` if `text` is not an array.
///
/// `text` is what a subject reports as `JSON.stringify` of a value. Of other
/// input this only promises to end.
pub(super) fn elements(text: &str) -> Option<Vec<&str>> {
    let inner = text.strip_prefix('[')?.strip_suffix(']')?;
    parts(inner, b',')
}

/// The key and value texts of a JSON object, keys with their quotes; `None` if
/// `text` is not an object.
pub(super) fn members(text: &str) -> Option<Vec<(&str, &str)>> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    parts(inner, b',')?
        .into_iter()
        .map(|member| match parts(member, b':')?.as_slice() {
            [key, value] if key.starts_with('"') => Some((*key, *value)),
            _ => None,
        })
        .collect()
}

/// `text` cut at every `separator` outside strings and brackets. No text has no
/// parts; an empty part, an open string or an open bracket is no JSON.
fn parts(text: &str, separator: u8) -> Option<Vec<&str>> {
    if text.is_empty() {
        return Some(Vec::new());
    }
    let mut parts = Vec::new();
    let (mut from, mut depth) = (0, 0_usize);
    let (mut in_string, mut after_backslash) = (false, false);
    for (at, byte) in text.bytes().enumerate() {
        if in_string {
            match byte {
                _ if after_backslash => after_backslash = false,
                b'\\' => after_backslash = true,
                b'"' => in_string = false,
                _ => {}
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.checked_sub(1)?,
            _ if byte == separator && depth == 0 => {
                parts.push(&text[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&text[from..]);
    let closed = depth == 0 && !in_string;
    (closed && parts.iter().all(|part| !part.is_empty())).then_some(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_cut_outside_strings_and_brackets() {
        let check = |text, expected: Option<&[&str]>| {
            assert_eq!(elements(text).as_deref(), expected, "{text}");
        };
        check("[]", Some(&[]));
        check("[1,[2,3],{\"a\":[4]}]", Some(&["1", "[2,3]", "{\"a\":[4]}"]));
        check(r#"["],[","\\","\",\""]"#, Some(&[r#""],[""#, r#""\\""#, r#""\",\"""#]));
        check("{}", None);
        check("[1,]", None);
        check("[\"]", None);
        check("[[1]", None);
        check("[1]]", None);
        check("", None);
    }

    #[test]
    fn members_are_cut_at_the_colon() {
        let check = |text, expected: Option<&[(&str, &str)]>| {
            assert_eq!(members(text).as_deref(), expected, "{text}");
        };
        check("{}", Some(&[]));
        check(
            r#"{"a:b":{"c":1},"d":":"}"#,
            Some(&[(r#""a:b""#, r#"{"c":1}"#), (r#""d""#, r#"":""#)]),
        );
        check("{1:2}", None);
        check("{\"a\"}", None);
        check("[]", None);
    }
}
