//! What the loader asks of the JSON texts in a case.

/// `JSON.stringify(JSON.parse(text))`.
pub(crate) fn canonical(text: &str) -> Result<String, String> {
    let value: serde_json::Value = serde_json::from_str(text).map_err(|e| e.to_string())?;
    Ok(value.to_string())
}

/// Whether `text` is tagged JSON text.
pub(crate) fn tagged(text: &str) -> Result<(), String> {
    canonical(text).map(drop)
}

/// Greatest nesting of arrays and objects in a JSON text, and the number of
/// items of the array that it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Shape {
    pub(crate) depth: usize,
    pub(crate) items: usize,
}

impl Shape {
    /// The shape of `text`; of what is not JSON, something.
    pub(crate) fn of(text: &str) -> Self {
        let mut shape = Self::default();
        let mut depth = 0usize;
        let mut commas = 0;
        let mut filled = false;
        let mut bytes = text.bytes();
        while let Some(byte) = bytes.next() {
            let before = depth;
            match byte {
                b'"' => skip_string(&mut bytes),
                b'[' | b'{' => depth += 1,
                b']' | b'}' => depth = depth.saturating_sub(1),
                b',' if depth == 1 => commas += 1,
                _ => {}
            }
            shape.depth = shape.depth.max(depth);
            filled |= before == 1 && depth > 0 && !byte.is_ascii_whitespace();
        }
        if filled {
            shape.items = commas + 1;
        }
        shape
    }
}

fn skip_string(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}
