//! The copy → the canonical text, when some object has to be put in order.

use duipai_spec::markers;

use crate::normalize::{Found, Place, reader::INFINITY};

/// A key and its value in the copy.
#[derive(Clone, Copy, Debug)]
pub(super) struct Member {
    /// Where the key begins.
    pub(super) start: u32,
    /// Where the value ends.
    pub(super) end: u32,
}

/// An object that is not in order.
#[derive(Clone, Copy, Debug)]
struct Object {
    /// Where its brace stands in the copy. (Its first member begins one later,
    /// so that the object is not found again inside of it.)
    start: u32,
    /// Where its last value ends.
    end: u32,
    /// Which members it has, in order.
    members: (u32, u32),
}

/// The objects that are not in order.
#[derive(Debug, Default)]
pub(super) struct Objects {
    objects: Vec<Object>,
    members: Vec<Member>,
    tasks: Vec<Task>,
}

/// What is still to be written.
#[derive(Clone, Copy, Debug)]
enum Task {
    /// The copy between two places.
    Text(Member),
    /// Members, the first without a comma before it.
    Members { first: bool, next: u32, end: u32 },
}

impl Objects {
    pub(super) fn clear(&mut self) {
        self.objects.clear();
        self.members.clear();
    }

    pub(super) fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Begins the list of an object's members.
    pub(super) fn begin(&mut self, start: u32, end: u32) -> Ordered<'_> {
        let first = self.members.len() as u32;
        let index = self.objects.len();
        self.objects.push(Object { start, end, members: (first, first) });
        Ordered { object: &mut self.objects[index], members: &mut self.members }
    }

    /// Writes the copy with its objects in order.
    pub(super) fn put_in_order(&mut self, copy: &str, ordered: &mut String) {
        let Self { objects, members, tasks } = self;
        objects.sort_unstable_by_key(|object| object.start);
        ordered.clear();
        ordered.reserve_exact(copy.len());
        tasks.clear();
        tasks.push(Task::Text(Member { start: 0, end: copy.len() as u32 }));
        while let Some(task) = tasks.pop() {
            match task {
                Task::Text(Member { start, end }) => {
                    let next = objects.partition_point(|object| object.start < start);
                    match objects.get(next) {
                        Some(object) if object.start < end => {
                            ordered.push_str(&copy[start as usize..=object.start as usize]);
                            tasks.push(Task::Text(Member { start: object.end, end }));
                            let (next, end) = object.members;
                            tasks.push(Task::Members { first: true, next, end });
                        }
                        _ => ordered.push_str(&copy[start as usize..end as usize]),
                    }
                }
                Task::Members { first, next, end } => {
                    if next < end {
                        if !first {
                            ordered.push(',');
                        }
                        tasks.push(Task::Members { first: false, next: next + 1, end });
                        tasks.push(Task::Text(members[next as usize]));
                    }
                }
            }
        }
    }
}

/// The list of an object's members.
pub(super) struct Ordered<'a> {
    object: &'a mut Object,
    members: &'a mut Vec<Member>,
}

impl Ordered<'_> {
    /// Adds a member; its number.
    pub(super) fn push(&mut self, member: Member) -> u32 {
        self.members.push(member);
        self.object.members.1 += 1;
        self.object.members.1 - 1
    }

    pub(super) fn member(&self, number: u32) -> Member {
        self.members[number as usize]
    }

    /// Moves the last member to the place of an earlier one.
    pub(super) fn replace_with_last(&mut self, earlier: u32) {
        if let Some(last) = self.members.pop() {
            self.members[earlier as usize] = last;
            self.object.members.1 -= 1;
        }
    }
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
