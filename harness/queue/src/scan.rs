//! What can be told from canonical text by one pass over its bytes.

use duipai_spec::markers;

/// A byte of canonical text that is not inside a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Structural {
    /// Where it stands, in UTF-8 bytes from the start.
    pub at: usize,
    /// The byte: a bracket, a brace, a comma or a colon.
    pub byte: u8,
}

/// The brackets, braces, commas and colons of `canonical` that are not inside
/// strings. Knows two states, string and escape; text that is not canonical
/// JSON yields something, but never panics.
pub fn structurals(canonical: &str) -> impl Iterator<Item = Structural> {
    let mut in_string = false;
    let mut escaped = false;
    canonical.bytes().enumerate().filter_map(move |(at, byte)| {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => {}
            }
            return None;
        }
        match byte {
            b'"' => {
                in_string = true;
                None
            }
            b'[' | b']' | b'{' | b'}' | b',' | b':' => Some(Structural { at, byte }),
            _ => None,
        }
    })
}

/// Greatest nesting of `canonical`; arrays and objects count one level each
/// (嵌套层数), a scalar has none.
pub fn depth(canonical: &str) -> usize {
    let mut depth = 0_usize;
    let mut deepest = 0;
    for structural in structurals(canonical) {
        match structural.byte {
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

/// Whether some object of `canonical` begins with a host marker (宿主记号).
pub fn has_marker(canonical: &str) -> bool {
    // All four begin alike, and `{"$` is rare in ordinary text.
    canonical
        .match_indices("{\"$")
        .any(|(at, _)| markers::PREFIXES.iter().any(|prefix| canonical[at..].starts_with(prefix)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depth_counts_containers_outside_strings() {
        for (canonical, expected) in [
            ("1", 0),
            ("\"[[[\"", 0),
            ("[]", 1),
            ("{\"a\":[{}]}", 3),
            ("[\"\\\"[[\",[1]]", 2),
            ("[\"\\\\\",[[]]]", 3),
        ] {
            assert_eq!(depth(canonical), expected, "{canonical}");
        }
    }

    #[test]
    fn markers_are_found_where_an_object_begins() {
        for prefix in markers::PREFIXES {
            assert!(has_marker(&alloc::format!("[{prefix}1}}]")), "{prefix}");
        }
        for text in [
            "{\"a\":1,\"$句柄\":1}",
            "\"{\\\"$句柄\\\":1}\"",
            "{\"$句柄\u{0}\":1}",
            "{\"$\":1}",
            "{\" $句柄\":1}",
        ] {
            assert!(!has_marker(text), "{text}");
        }
    }
}
