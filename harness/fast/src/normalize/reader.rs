//! The grammar of JSON, and the copy.

use crate::{
    kernel::Vector,
    normalize::{Found, Normalizer, Place, SyntaxError, keys::Keys, reorder::Objects},
};

/// Stands for an infinity until the text is whole: no canonical text has this
/// character, so the place is found again wherever it has been moved.
pub(super) const INFINITY: &str = "\u{1}ull";

/// Reads a text. What is not canonical in it makes a copy in `normalizer`.
pub(super) fn read<V: Vector>(
    vector: V,
    text: &str,
    normalizer: &mut Normalizer,
) -> Result<Found, SyntaxError> {
    let Normalizer { copy, stack, keys, objects, .. } = normalizer;
    copy.clear();
    keys.clear();
    stack.clear();
    let mut reader = Reader {
        vector,
        text,
        at: 0,
        from: 0,
        copy,
        stack,
        keys,
        objects,
        marker: false,
        non_finite: false,
    };
    reader.document()?;
    let place = if reader.from == 0 && reader.copy.is_empty() {
        Place::Text
    } else {
        reader.flush();
        Place::Copy
    };
    let Reader { marker, non_finite, .. } = reader;
    Ok(Found { place, depth: stack.deepest, marker, non_finite })
}

/// Reads one text.
pub(super) struct Reader<'a, V> {
    pub(super) vector: V,
    pub(super) text: &'a str,
    /// Bytes read.
    pub(super) at: usize,
    /// Bytes copied: what lies between here and `at` is canonical as it is.
    from: usize,
    copy: &'a mut String,
    stack: &'a mut Stack,
    keys: &'a mut Keys,
    objects: &'a mut Objects,
    marker: bool,
    pub(super) non_finite: bool,
}

impl<V: Vector> Reader<'_, V> {
    fn document(&mut self) -> Result<(), SyntaxError> {
        self.space();
        loop {
            if self.begin()? {
                continue;
            }
            // The value may be the last of any number of arrays and objects.
            loop {
                self.space();
                if self.stack.depth == 0 {
                    return if self.at == self.text.len() {
                        Ok(())
                    } else {
                        Err(self.unexpected())
                    };
                }
                match (self.peek(), self.stack.in_object) {
                    (Some(b','), in_object) => {
                        self.at += 1;
                        self.space();
                        if in_object {
                            self.key(false)?;
                        }
                        break;
                    }
                    (Some(b'}'), true) => {
                        self.end_object();
                        self.at += 1;
                        self.stack.pop();
                    }
                    (Some(b']'), false) => {
                        self.at += 1;
                        self.stack.pop();
                    }
                    _ => return Err(self.unexpected()),
                }
            }
        }
    }

    /// Reads a value that has no children, or opens one that has; whether a
    /// value comes next.
    #[inline(always)]
    fn begin(&mut self) -> Result<bool, SyntaxError> {
        match self.peek() {
            Some(b'"') => self.string()?,
            Some(b'{') => {
                self.at += 1;
                self.space();
                if self.peek() != Some(b'}') {
                    self.stack.push(true);
                    self.key(true)?;
                    return Ok(true);
                }
                self.at += 1;
                self.stack.empty();
            }
            Some(b'[') => {
                self.at += 1;
                self.space();
                if self.peek() != Some(b']') {
                    self.stack.push(false);
                    return Ok(true);
                }
                self.at += 1;
                self.stack.empty();
            }
            Some(b'-' | b'0'..=b'9') => self.number()?,
            Some(b'n') => self.word(b"null")?,
            Some(b't') => self.word(b"true")?,
            Some(b'f') => self.word(b"false")?,
            _ => return Err(self.unexpected()),
        }
        Ok(false)
    }

    /// A key, the colon after it, and the space around that.
    #[inline(always)]
    fn key(&mut self, first: bool) -> Result<(), SyntaxError> {
        if self.peek() != Some(b'"') {
            return Err(self.unexpected());
        }
        let start = self.at;
        let place = self.copy.len() + (start - self.from);
        self.string()?;
        let literal = if self.from <= start {
            &self.text.as_bytes()[start..self.at]
        } else {
            // Part of it has been copied, so all of it is: a key never lies in
            // two places.
            self.copy.push_str(&self.text[self.from..self.at]);
            self.from = self.at;
            &self.copy.as_bytes()[place..]
        };
        let written = Written { copy: self.copy, rest: &self.text[self.from..] };
        self.marker |= self.keys.add(first, place, literal, written);
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.unexpected());
        }
        self.at += 1;
        self.space();
        Ok(())
    }

    #[inline(always)]
    fn end_object(&mut self) {
        let written = Written { copy: self.copy, rest: &self.text[self.from..] };
        if self.keys.out_of_order(written) {
            self.flush();
            self.keys.put_in_order(self.copy, self.objects);
        }
        self.keys.close(Written { copy: self.copy, rest: &self.text[self.from..] });
    }

    fn word(&mut self, word: &[u8]) -> Result<(), SyntaxError> {
        let rest = &self.text.as_bytes()[self.at..];
        if rest.starts_with(word) {
            self.at += word.len();
            return Ok(());
        }
        self.at += word.iter().zip(rest).take_while(|(word, byte)| word == byte).count();
        Err(self.unexpected())
    }

    /// Steps over white space, which is not copied.
    #[inline(always)]
    fn space(&mut self) {
        if let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.some_space();
        }
    }

    fn some_space(&mut self) {
        self.flush();
        let space = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'\n' | b'\r');
        self.at += self.text.as_bytes()[self.at..].iter().take_while(space).count();
        self.from = self.at;
    }

    /// Copies all that has been read.
    fn flush(&mut self) {
        if self.copy.is_empty() {
            self.copy.reserve_exact(self.text.len());
        }
        self.copy.push_str(&self.text[self.from..self.at]);
        self.from = self.at;
    }

    /// Copies `canonical` for the next `length` bytes of the text.
    pub(super) fn replace(&mut self, length: usize, canonical: &str) {
        self.flush();
        self.copy.push_str(canonical);
        self.at += length;
        self.from = self.at;
    }

    #[inline(always)]
    pub(super) fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Nothing that is JSON goes on with what comes next.
    #[cold]
    pub(super) fn unexpected(&self) -> SyntaxError {
        SyntaxError::Unexpected(self.at)
    }
}

/// The canonical text so far, of which the last part has not been copied.
#[derive(Clone, Copy)]
pub(super) struct Written<'a> {
    copy: &'a str,
    rest: &'a str,
}

impl<'a> Written<'a> {
    /// The bytes from a place on. What begins in one part ends in it.
    #[inline(always)]
    pub(super) fn from(self, place: u32) -> &'a [u8] {
        let place = place as usize;
        match place.checked_sub(self.copy.len()) {
            None => &self.copy.as_bytes()[place..],
            Some(place) => &self.rest.as_bytes()[place..],
        }
    }
}

/// The arrays and objects that are open, one bit for each.
#[derive(Debug, Default)]
pub(super) struct Stack {
    /// One for an object.
    kinds: Vec<u64>,
    depth: usize,
    deepest: usize,
    /// Whether the innermost is an object.
    in_object: bool,
}

impl Stack {
    fn clear(&mut self) {
        (self.depth, self.deepest) = (0, 0);
    }

    #[inline(always)]
    fn push(&mut self, object: bool) {
        let (word, bit) = (self.depth / 64, self.depth % 64);
        if word == self.kinds.len() {
            self.kinds.push(0);
        }
        let kinds = &mut self.kinds[word];
        *kinds = *kinds & !(1 << bit) | u64::from(object) << bit;
        self.in_object = object;
        self.depth += 1;
        self.deepest = self.deepest.max(self.depth);
    }

    #[inline(always)]
    fn pop(&mut self) {
        self.depth -= 1;
        if let Some(outer) = self.depth.checked_sub(1) {
            self.in_object = self.kinds[outer / 64] >> (outer % 64) & 1 == 1;
        }
    }

    /// Counts an array or object that ends where it begins.
    #[inline(always)]
    fn empty(&mut self) {
        self.deepest = self.deepest.max(self.depth + 1);
    }
}
