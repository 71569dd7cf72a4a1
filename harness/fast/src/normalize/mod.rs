//! JSON text → canonical text (规范文字), `JSON.stringify(JSON.parse(text))`.
//!
//! One pass reads the text and copies it through. Nothing is copied while text
//! and canonical text agree; where they part, what agreed is copied at once and
//! the difference is written in its place. A text that is canonical already is
//! handed back as it is.
//!
//! JavaScript lists array indices first and ascending, and a repeated key
//! stands where it stood first. An object that needs this is remembered when it
//! ends, and the copy is put in order at the very end, so that no byte moves
//! more than once, however deep such objects nest.
//!
//! | module | holds |
//! | --- | --- |
//! | `reader` | the grammar, the copy, what is open |
//! | `string` | strings and escapes |
//! | `number` | numbers, exact in both directions |
//! | `keys` | array indices, repeated keys, the order of an object |
//! | `table` | a hash table that the keys are found in |
//! | `reorder` | the copy → the text with its objects in order |

use std::{borrow::Cow, hash::RandomState};

use crate::kernel::{Kernel, Vector, dispatch};

mod keys;
mod number;
mod reader;
mod reorder;
mod string;
mod table;

/// The longest text that is read, in UTF-8 bytes: 256 MiB. Places are kept in 31
/// bits, and a canonical text may be five times as long as the text it was made
/// of.
pub const MAX_TEXT_BYTES: usize = 1 << 28;

/// The canonical text of a text, and what the interface asks about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical<'a> {
    /// `JSON.stringify(JSON.parse(text))`; borrowed from the text itself when
    /// that is canonical already.
    pub text: Cow<'a, str>,
    /// Greatest nesting of the canonical text (嵌套层数); a scalar has none.
    pub depth: usize,
    /// Whether some object of the canonical text begins with a host marker
    /// (宿主记号).
    pub marker: bool,
    /// Whether some `null` of the canonical text was a number beyond the
    /// doubles.
    pub non_finite: bool,
}

impl Canonical<'_> {
    /// The same, on its own.
    pub fn into_owned(self) -> Canonical<'static> {
        Canonical { text: Cow::Owned(self.text.into_owned()), ..self }
    }
}

/// A text is not JSON, or is longer than [`MAX_TEXT_BYTES`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SyntaxError {
    /// `JSON.parse` refuses the text.
    #[error("not JSON from byte {0} on")]
    Unexpected(usize),
    /// `JSON.parse` was not asked.
    #[error("longer than the {MAX_TEXT_BYTES} bytes that are read of a text")]
    TooLong,
}

impl SyntaxError {
    /// Where reading the text stopped, in UTF-8 bytes from its start.
    pub const fn offset(self) -> usize {
        match self {
            Self::Unexpected(offset) => offset,
            Self::TooLong => MAX_TEXT_BYTES,
        }
    }
}

/// The canonical text of a JSON text.
///
/// # Errors
///
/// When `JSON.parse` refuses the text.
pub fn canonical(text: &str) -> Result<Canonical<'_>, SyntaxError> {
    let canonical = canonical_with(Kernel::best(), text);
    debug_assert_eq!(
        canonical,
        canonical_with(Kernel::PORTABLE, text),
        "{}",
        Kernel::best().name()
    );
    canonical
}

/// [`canonical`] with a given kernel.
///
/// # Errors
///
/// As [`canonical`].
pub fn canonical_with(kernel: Kernel, text: &str) -> Result<Canonical<'_>, SyntaxError> {
    let mut normalizer = Normalizer::with(kernel);
    let found = normalizer.read(text)?;
    let result = match found.place {
        Place::Text => Cow::Borrowed(text),
        Place::Copy => Cow::Owned(normalizer.copy),
        Place::Ordered => Cow::Owned(normalizer.ordered),
    };
    Ok(found.canonical(result))
}

/// Makes canonical texts one after another, and keeps its memory in between.
///
/// Time grows with the text and no faster, whatever the keys are. Memory stays
/// within four times the text, its result included, where the result is not
/// longer than the text itself (numbers such as `1e20` may grow fivefold);
/// objects out of order within each other, level upon level, take up to 4.7
/// times.
#[derive(Debug)]
pub struct Normalizer {
    kernel: Kernel,
    /// The text so far, except for what is copied later.
    copy: String,
    /// The copy with its objects in order.
    ordered: String,
    stack: reader::Stack,
    keys: keys::Keys,
    objects: reorder::Objects,
}

impl Default for Normalizer {
    fn default() -> Self {
        Self::new()
    }
}

impl Normalizer {
    /// With the fastest kernel.
    pub fn new() -> Self {
        Self::with(Kernel::best())
    }

    /// With a given kernel.
    pub fn with(kernel: Kernel) -> Self {
        Self {
            kernel,
            copy: String::new(),
            ordered: String::new(),
            stack: reader::Stack::default(),
            keys: keys::Keys::new(RandomState::new()),
            objects: reorder::Objects::default(),
        }
    }

    /// The canonical text of a JSON text.
    ///
    /// # Errors
    ///
    /// When `JSON.parse` refuses the text.
    pub fn canonical<'a>(&'a mut self, text: &'a str) -> Result<Canonical<'a>, SyntaxError> {
        let found = self.read(text)?;
        let result = match found.place {
            Place::Text => text,
            Place::Copy => self.copy.as_str(),
            Place::Ordered => self.ordered.as_str(),
        };
        Ok(found.canonical(Cow::Borrowed(result)))
    }

    fn read(&mut self, text: &str) -> Result<Found, SyntaxError> {
        if text.len() > MAX_TEXT_BYTES {
            return Err(SyntaxError::TooLong);
        }
        dispatch!(self.kernel, vector => self.read_with(vector, text))
    }

    fn read_with<V: Vector>(&mut self, vector: V, text: &str) -> Result<Found, SyntaxError> {
        self.objects.clear();
        let found = reader::read(vector, text, self)?;
        if !self.objects.is_empty() {
            self.keys.release();
            self.objects.put_in_order(&self.copy, &mut self.ordered);
            self.objects.release();
            // What a repeated key has hidden counts for nothing.
            return Ok(reorder::count(&mut self.ordered, found.non_finite));
        }
        if found.non_finite {
            self.copy = self.copy.replace(reader::INFINITY, "null");
        }
        Ok(found)
    }
}

/// Makes room for so many more. A text of keys alone costs memory, so room grows
/// by a quarter and not twice.
fn make_room<T>(list: &mut Vec<T>, more: usize) {
    if list.capacity() - list.len() < more {
        list.reserve_exact(more.max(list.len() / 4 + 16));
    }
}

/// Gives memory back, unless it is so little that the next text may have it.
fn release<T>(list: &mut Vec<T>) {
    if list.capacity() * size_of::<T>() > 1 << 16 {
        *list = Vec::new();
    }
}

/// Which text is the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    /// The one that was given.
    Text,
    /// [`Normalizer::copy`].
    Copy,
    /// [`Normalizer::ordered`].
    Ordered,
}

/// A result, but for the text itself.
#[derive(Clone, Copy, Debug)]
struct Found {
    place: Place,
    depth: usize,
    marker: bool,
    non_finite: bool,
}

impl Found {
    fn canonical(self, text: Cow<'_, str>) -> Canonical<'_> {
        let Self { depth, marker, non_finite, .. } = self;
        Canonical { text, depth, marker, non_finite }
    }
}
