//! Messages as the model holds them: small records in one table, named by index.

/// Where a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// In nobody's hands: the record is free.
    Free,
    /// Waiting for its delay to pass.
    Delayed,
    /// Waiting for a batch.
    Ready,
    /// In an invocation.
    Running,
    /// Expired, but still named by an event or by a queue.
    Corpse,
}

/// One message in a queue.
#[derive(Clone, Copy, Debug)]
pub struct Ticket {
    /// What the caller knows it by.
    pub source: u32,
    /// Deliveries in this queue so far.
    pub deliveries: u32,
    /// What its id is made of.
    pub serial: u64,
    /// When it was sent, as the consumer is told.
    pub timestamp: u64,
    /// Bytes of its body.
    pub bytes: u32,
    pub(super) queue: u32,
    /// When it came to this queue: its retention runs from here.
    pub(super) arrived: u64,
    /// Since when it waits for a batch.
    pub(super) ready_at: u64,
    /// Told apart from earlier holders of the record, and from itself in
    /// another queue.
    pub(super) generation: u32,
    pub(super) place: Place,
}

/// All messages; records are used again.
#[derive(Default)]
pub(super) struct Tickets {
    all: Vec<Ticket>,
    free: Vec<u32>,
}

impl Tickets {
    pub(super) fn add(&mut self, ticket: Ticket) -> u32 {
        match self.free.pop() {
            Some(index) => {
                let slot = &mut self.all[index as usize];
                *slot = Ticket { generation: slot.generation.wrapping_add(1), ..ticket };
                index
            }
            None => {
                self.all.push(ticket);
                u32::try_from(self.all.len() - 1).expect("fewer than 2^32 messages fit in memory")
            }
        }
    }

    pub(super) fn free(&mut self, index: u32) {
        self[index].place = Place::Free;
        self.free.push(index);
    }

    /// Those that are in a queue, with their indices.
    pub(super) fn alive(&self) -> impl Iterator<Item = &Ticket> {
        self.all.iter().filter(|ticket| !matches!(ticket.place, Place::Free | Place::Corpse))
    }
}

impl std::ops::Index<u32> for Tickets {
    type Output = Ticket;

    fn index(&self, index: u32) -> &Ticket {
        &self.all[index as usize]
    }
}

impl std::ops::IndexMut<u32> for Tickets {
    fn index_mut(&mut self, index: u32) -> &mut Ticket {
        &mut self.all[index as usize]
    }
}
