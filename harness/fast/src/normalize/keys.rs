//! The keys of the objects that are open.
//!
//! A key is known by the place of its literal in the canonical text so far. A
//! canonical literal begins with a quote and has no other that is not escaped
//! but its last, so none is the beginning of another: a place is enough to
//! compare by.

use std::hash::{BuildHasher, RandomState};

use duipai_spec::markers;

use crate::{
    normalize::{
        make_room,
        reader::Written,
        release,
        reorder::{Member, Objects},
        table::Table,
    },
    portable,
};

/// A key of an open object.
#[derive(Clone, Copy, Debug)]
struct Key {
    /// Where its literal begins.
    place: u32,
    /// Of the first key of an object: what there is to know of the object
    /// around. Of any other: a digest, equal if the keys are.
    tag: u32,
}

/// The keys of all open objects, the innermost object's last.
#[derive(Debug)]
pub(super) struct Keys {
    keys: Vec<Key>,
    /// Where the innermost object's begin.
    first: usize,
    /// The innermost object's order so far.
    order: Order,
    table: Table,
    /// The numbers of the keys that are array indices.
    indices: Vec<u32>,
    /// Keyed at random, so that no text can be written to collide.
    hasher: RandomState,
}

/// How the keys of an object have come so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    /// Array indices alone, ascending; the least that may come next.
    Indices(u32),
    /// Perhaps array indices, ascending, then other keys.
    Names,
    /// Not in order, or some key has come twice.
    Wrong,
}

impl Keys {
    /// Among so many keys a new one is looked for as it comes; an object of
    /// more is searched when it ends.
    const WALKED: usize = 32;

    pub(super) fn new(hasher: RandomState) -> Self {
        Self {
            keys: Vec::new(),
            first: 0,
            order: Order::Names,
            table: Table::default(),
            indices: Vec::new(),
            hasher,
        }
    }

    pub(super) fn clear(&mut self) {
        self.keys.clear();
        self.first = 0;
        self.order = Order::Names;
    }

    /// Adds a key to the innermost object, or as the first one of a new object.
    /// Whether the object is a host marker.
    #[inline(always)]
    pub(super) fn add(
        &mut self,
        first: bool,
        place: usize,
        literal: &[u8],
        written: Written<'_>,
    ) -> bool {
        let name = &literal[1..literal.len() - 1];
        let place = place as u32;
        let tag = if first {
            let around = self.around();
            self.first = self.keys.len();
            self.order = Order::Indices(0);
            around
        } else {
            digest(literal)
        };
        match (self.order, array_index(name)) {
            (Order::Indices(least), Some(index)) if index >= least => {
                self.order = Order::Indices(index + 1);
            }
            (Order::Indices(_) | Order::Names, Some(_)) => self.order = Order::Wrong,
            (Order::Indices(_) | Order::Names, None) => {
                self.order =
                    if self.walk(tag, literal, written) { Order::Wrong } else { Order::Names };
            }
            (Order::Wrong, _) => {}
        }
        make_room(&mut self.keys, 1);
        self.keys.push(Key { place, tag });
        first && name.first() == Some(&b'$') && is_marker(name)
    }

    /// Whether the innermost object has the key already; not looked for among
    /// many.
    #[inline(always)]
    fn walk(&self, tag: u32, literal: &[u8], written: Written<'_>) -> bool {
        let Some((first, others)) = self.keys[self.first..].split_first() else { return false };
        others.len() < Self::WALKED
            && (written.from(first.place).starts_with(literal)
                || others
                    .iter()
                    .any(|key| key.tag == tag && written.from(key.place).starts_with(literal)))
    }

    /// Whether the innermost object has to be put in order.
    #[inline(always)]
    pub(super) fn out_of_order(&mut self, written: Written<'_>) -> bool {
        match self.order {
            Order::Wrong => true,
            Order::Indices(_) => false,
            Order::Names => {
                self.keys.len() - self.first > Self::WALKED + 1 && self.has_repeated(written)
            }
        }
    }

    fn has_repeated(&mut self, written: Written<'_>) -> bool {
        let Self { keys, table, hasher, .. } = self;
        let keys = &keys[self.first..];
        let literal = |key: u32| literal(written.from(keys[key as usize].place));
        let hash = |key: u32| hasher.hash_one(literal(key));
        table.clear(keys.len());
        let repeated = (0..keys.len() as u32).any(|key| {
            let same = |other: u32| literal(other) == literal(key);
            table.find_or_add(key, hash, same).is_some()
        });
        table.release();
        repeated
    }

    /// Writes down the members of the innermost object in order. All of it has
    /// been copied, but for its end.
    #[cold]
    pub(super) fn put_in_order(&mut self, copy: &str, objects: &mut Objects) {
        /// The tag of a key that has no place of its own among the names.
        const NONE: u32 = u32::MAX;
        let Self { keys, table, indices, hasher, .. } = self;
        let keys = &mut keys[self.first..];
        // From here on the tags say which member takes the place of which.
        let around = keys[0].tag;
        let literal = |place: u32| literal(&copy.as_bytes()[place as usize..]);
        let index = |key: &Key| {
            let literal = literal(key.place);
            array_index(&literal[1..literal.len() - 1])
        };
        indices.clear();
        for (number, key) in (0..).zip(keys.iter_mut()) {
            if let Some(index) = index(key) {
                make_room(indices, 1);
                indices.push(number);
                key.tag = index;
            }
        }
        indices.sort_unstable_by_key(|number| (keys[*number as usize].tag, *number));
        indices.dedup_by(|later, earlier| {
            let same = keys[*later as usize].tag == keys[*earlier as usize].tag;
            if same {
                *earlier = *later;
            }
            same
        });
        let mut count = indices.len();
        table.clear(keys.len());
        for number in 0..keys.len() {
            let key = keys[number];
            keys[number].tag = NONE;
            if index(&key).is_some() {
                continue;
            }
            let hash = |other: u32| hasher.hash_one(literal(keys[other as usize].place));
            let same = |other: u32| literal(keys[other as usize].place) == literal(key.place);
            let first = table.find_or_add(number as u32, hash, same);
            count += usize::from(first.is_none());
            keys[first.unwrap_or(number as u32) as usize].tag = number as u32;
        }
        table.release();
        let member = |number: u32| {
            let number = number as usize;
            let end = keys.get(number + 1).map_or(copy.len() as u32, |next| next.place - 1);
            Member::new(keys[number].place, end)
        };
        let names = keys.iter().map(|key| key.tag).filter(|number| *number != NONE);
        let brace = keys[0].place - 1;
        objects.add(brace, count, indices.iter().copied().chain(names).map(member));
        keys[0].tag = around;
    }

    /// Gives back the memory of a large text.
    pub(super) fn release(&mut self) {
        release(&mut self.keys);
        release(&mut self.indices);
    }

    /// Goes back to the object around the innermost one.
    #[inline(always)]
    pub(super) fn close(&mut self, written: Written<'_>) {
        let around = self.keys[self.first].tag;
        self.keys.truncate(self.first);
        self.first = (around >> 2) as usize;
        self.order = match around & 3 {
            0 => Order::Names,
            1 => Order::Wrong,
            // Its last key is the greatest index so far.
            _ => {
                let last = self.keys.last().map(|key| literal(written.from(key.place)));
                let index = last.and_then(|key| array_index(&key[1..key.len() - 1]));
                Order::Indices(index.map_or(0, |index| index + 1))
            }
        };
    }

    /// The innermost object in one word. (There are fewer keys than 2^30, since
    /// a text has at most 2^28 bytes.)
    #[inline(always)]
    fn around(&self) -> u32 {
        let order = match self.order {
            Order::Names => 0,
            Order::Wrong => 1,
            Order::Indices(_) => 2,
        };
        (self.first as u32) << 2 | order
    }
}

fn is_marker(name: &[u8]) -> bool {
    markers::KEYS.iter().any(|key| key.as_bytes() == name)
}

/// The array index that a key spells canonically: 0 to 2³² − 2.
#[inline(always)]
fn array_index(name: &[u8]) -> Option<u32> {
    match name {
        [b'0'] => Some(0),
        [b'1'..=b'9', rest @ ..] if rest.len() < 10 => longer_index(name),
        _ => None,
    }
}

fn longer_index(name: &[u8]) -> Option<u32> {
    let mut index = 0_u64;
    for byte in name {
        let digit = byte.is_ascii_digit().then(|| byte - b'0')?;
        index = index * 10 + u64::from(digit);
    }
    u32::try_from(index).ok().filter(|index| *index != u32::MAX)
}

/// A few bytes of a literal in one word.
#[inline(always)]
fn digest(literal: &[u8]) -> u32 {
    match (literal.first_chunk(), literal.last_chunk()) {
        (Some(first), Some(last)) => {
            let (first, last) = (u32::from_le_bytes(*first), u32::from_le_bytes(*last));
            first.rotate_left(13) ^ last ^ (literal.len() as u32) << 8
        }
        // At most one byte between the quotes.
        _ => u32::from(literal[1]),
    }
}

/// The canonical literal that begins here.
fn literal(bytes: &[u8]) -> &[u8] {
    let mut end = 1;
    loop {
        end += portable::plain(&bytes[end..]);
        match bytes.get(end) {
            Some(b'\\') => end += 2,
            _ => return &bytes[..=end],
        }
    }
}
