//! The copy → the canonical text, when some object has to be put in order.

use duipai_spec::markers;

use crate::normalize::{Found, Place, make_room, reader::INFINITY, release};

/// A key and its value in the copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Where the key begins.
    start: u32,
    /// Where the value ends, and whether no member follows it.
    end: u32,
}

impl Member {
    /// No place is as great as this bit.
    const LAST: u32 = 1 << 31;

    pub(super) fn new(start: u32, end: u32) -> Self {
        Self { start, end }
    }

    fn start(self) -> usize {
        self.start as usize
    }

    fn end(self) -> usize {
        (self.end & !Self::LAST) as usize
    }

    fn is_last(self) -> bool {
        self.end & Self::LAST != 0
    }
}

/// An object that is not in order.
#[derive(Clone, Copy, Debug)]
struct Object {
    /// Where its brace stands in the copy. (Its first member begins one later,
    /// so that the object is not found again inside of it.)
    start: u32,
    /// Which member comes next.
    next: u32,
}

/// The objects that are not in order.
#[derive(Debug, Default)]
pub(super) struct Objects {
    objects: Vec<Object>,
    /// Of each object, in order.
    members: Vec<Member>,
    /// The objects that are being written.
    open: Vec<u32>,
}

impl Objects {
    pub(super) fn clear(&mut self) {
        self.objects.clear();
        self.members.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Adds an object, which has `count` members left.
    pub(super) fn add(&mut self, start: u32, count: usize, members: impl Iterator<Item = Member>) {
        make_room(&mut self.objects, 1);
        self.objects.push(Object { start, next: self.members.len() as u32 });
        make_room(&mut self.members, count);
        self.members.extend(members);
        if let Some(last) = self.members.last_mut() {
            last.end |= Member::LAST;
        }
    }

    /// Writes the copy with its objects in order.
    pub(super) fn put_in_order(&mut self, copy: &str, ordered: &mut String) {
        let Self { objects, members, open } = self;
        objects.sort_unstable_by_key(|object| object.start);
        ordered.clear();
        ordered.reserve_exact(copy.len());
        open.clear();
        let (mut at, mut end) = (0, copy.len());
        loop {
            let index = objects.partition_point(|object| (object.start as usize) < at);
            let inside = objects.get_mut(index).filter(|object| (object.start as usize) < end);
            let object = if let Some(object) = inside {
                ordered.push_str(&copy[at..=object.start as usize]);
                make_room(open, 1);
                open.push(index as u32);
                object
            } else {
                ordered.push_str(&copy[at..end]);
                let Some(innermost) = open.last() else { break };
                let object = &mut objects[*innermost as usize];
                let written = object.next as usize - 1;
                if members[written].is_last() {
                    at = end_of_object(members, written);
                    open.pop();
                    // The rest of the member around it, or of the whole.
                    end = open.last().map_or(copy.len(), |around| {
                        members[objects[*around as usize].next as usize - 1].end()
                    });
                    continue;
                }
                ordered.push(',');
                object
            };
            let member = members[object.next as usize];
            object.next += 1;
            (at, end) = (member.start(), member.end());
        }
    }

    /// Gives back the memory of a large text.
    pub(super) fn release(&mut self) {
        release(&mut self.objects);
        release(&mut self.members);
        release(&mut self.open);
    }
}

/// Where an object ends in the copy, by its last member in order. The member
/// that came last in the text is always left, since none can hide it.
fn end_of_object(members: &[Member], last: usize) -> usize {
    let others = members[..last].iter().rev().take_while(|member| !member.is_last());
    others.fold(members[last].end(), |end, member| end.max(member.end()))
}

/// Depth and marker of a canonical text, which may hold infinities still if
/// there were any.
pub(super) fn count(text: &mut String, infinities: bool) -> Found {
    let non_finite = infinities && text.contains(INFINITY);
    if non_finite {
        *text = text.replace(INFINITY, "null");
    }
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut in_string = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => in_string = !in_string,
            b'\\' => drop(bytes.next()),
            b'[' | b'{' if !in_string => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' if !in_string => depth -= 1,
            _ => {}
        }
    }
    let marker = markers::PREFIXES.iter().any(|prefix| text.contains(prefix));
    Found { place: Place::Ordered, depth: deepest, marker, non_finite }
}
