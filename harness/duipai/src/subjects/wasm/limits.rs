//! What one instance may take.

use duipai_host::Event;
use wasmtime::ResourceLimiter;

/// Memory of one instance, in bytes.
pub(super) const MAX_MEMORY_BYTES: usize = 64 << 20;

/// Elements of all tables of one instance.
pub(super) const MAX_TABLE_ELEMENTS: usize = 100_000;

/// Core instances, tables and memories that a component may be made of.
pub(super) const MAX_PARTS: u32 = 100;

/// Stack of a guest, in bytes.
pub(super) const MAX_STACK_BYTES: usize = 512 << 10;

/// One text or byte string that a guest hands to the host, in bytes. The host
/// makes values of it, which take a multiple.
const MAX_TEXT_BYTES: usize = 8 << 20;

/// All that a guest hands to the host in one event, in bytes.
const MAX_HANDED_BYTES: usize = 64 << 20;

/// The guest asked for more than it may have.
#[derive(Debug, thiserror::Error)]
#[error("the guest {0}")]
pub(super) struct Exceeded(String);

/// The host's side of one instance.
pub(super) struct State {
    pub(super) event: Event,
    memory: usize,
    elements: usize,
    handed: usize,
}

impl State {
    pub(super) fn new(event: Event) -> Self {
        Self { event, memory: 0, elements: 0, handed: 0 }
    }

    /// Counts texts that the guest hands over, before the host looks at them.
    pub(super) fn take<const N: usize>(&mut self, texts: [&[u8]; N]) -> Result<(), Exceeded> {
        for text in texts {
            if text.len() > MAX_TEXT_BYTES {
                let bytes = text.len();
                let what = format!("handed over a text of {bytes} bytes, {MAX_TEXT_BYTES} at most");
                return Err(Exceeded(what));
            }
            self.handed += text.len();
        }
        if self.handed > MAX_HANDED_BYTES {
            let what = format!("handed over more than {MAX_HANDED_BYTES} bytes in one event");
            return Err(Exceeded(what));
        }
        Ok(())
    }
}

impl ResourceLimiter for State {
    fn memory_growing(
        &mut self,
        current: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.memory.saturating_add(desired.saturating_sub(current));
        if total > MAX_MEMORY_BYTES {
            let what = format!("wants more than {} MiB of memory", MAX_MEMORY_BYTES >> 20);
            return Err(Exceeded(what).into());
        }
        self.memory = total;
        Ok(true)
    }

    fn table_growing(
        &mut self,
        current: usize,
        desired: usize,
        _: Option<usize>,
    ) -> wasmtime::Result<bool> {
        let total = self.elements.saturating_add(desired.saturating_sub(current));
        if total > MAX_TABLE_ELEMENTS {
            let what = format!("wants more than {MAX_TABLE_ELEMENTS} table elements");
            return Err(Exceeded(what).into());
        }
        self.elements = total;
        Ok(true)
    }

    fn instances(&self) -> usize {
        MAX_PARTS as usize
    }

    fn tables(&self) -> usize {
        MAX_PARTS as usize
    }

    fn memories(&self) -> usize {
        MAX_PARTS as usize
    }
}
