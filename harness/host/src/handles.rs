//! The handle table (句柄表) of one event.

use std::{
    cell::RefCell,
    collections::{HashMap, hash_map::Entry},
};

use duipai_spec::{bridge::Handle, limits::MAX_HANDLES};

use crate::{Abort, value::Value};

/// Host objects that a program holds, by random numbers of 53 bits. A number
/// cannot be guessed, and says nothing of the next one.
#[derive(Debug, Default)]
pub struct HandleTable {
    alive: HashMap<Handle, Value>,
    bytes: usize,
}

impl HandleTable {
    /// Greatest memory of all values held, in bytes.
    pub const MAX_BYTES: usize = 256 * 1024 * 1024;

    /// A new handle of `value`.
    ///
    /// # Errors
    ///
    /// When [`MAX_HANDLES`] are alive, their values would take more than
    /// [`Self::MAX_BYTES`], or the system gives no random numbers.
    pub fn insert(&mut self, value: Value) -> Result<Handle, Abort> {
        let bytes = self.bytes.saturating_add(value.memory());
        if bytes > Self::MAX_BYTES {
            return Err(Abort::new(format!("宿主句柄占用超过 {} 字节", Self::MAX_BYTES)));
        }
        if self.alive.len() >= MAX_HANDLES {
            return Err(Abort::new(format!("宿主句柄超过 {MAX_HANDLES} 个")));
        }
        loop {
            let handle = random_handle()?;
            // Zero is never a handle, and a number in use is drawn again.
            if let Entry::Vacant(entry) = self.alive.entry(handle)
                && handle.number() != 0
            {
                entry.insert(value);
                self.bytes = bytes;
                return Ok(handle);
            }
        }
    }

    /// The value of a handle.
    ///
    /// # Errors
    ///
    /// When the handle is unknown or has been released.
    pub fn get(&self, handle: Handle) -> Result<&Value, Abort> {
        self.alive.get(&handle).ok_or_else(|| unknown(handle))
    }

    /// Lets go of a handle.
    ///
    /// # Errors
    ///
    /// When the handle is unknown or has been released already.
    pub fn release(&mut self, handle: Handle) -> Result<(), Abort> {
        match self.alive.remove(&handle) {
            Some(value) => {
                self.bytes = self.bytes.saturating_sub(value.memory());
                Ok(())
            }
            None => Err(unknown(handle)),
        }
    }

    /// Number of handles alive.
    pub fn len(&self) -> usize {
        self.alive.len()
    }

    /// Whether no handle is alive.
    pub fn is_empty(&self) -> bool {
        self.alive.is_empty()
    }
}

fn random_handle() -> Result<Handle, Abort> {
    let bits = RANDOM.with_borrow_mut(RandomNumbers::next)?;
    Ok(Handle::from_number(bits >> (u64::BITS - 53)))
}

thread_local! {
    static RANDOM: RefCell<RandomNumbers> = RefCell::default();
}

/// The system's random numbers, asked for many at a time: a system call for
/// every handle was a seventh of a small event's time.
#[derive(Default)]
struct RandomNumbers {
    drawn: Vec<u64>,
}

impl RandomNumbers {
    /// How many are drawn at a time.
    const SOME: usize = 128;

    fn next(&mut self) -> Result<u64, Abort> {
        if let Some(number) = self.drawn.pop() {
            return Ok(number);
        }
        let mut bytes = [0; Self::SOME * size_of::<u64>()];
        getrandom::fill(&mut bytes)
            .map_err(|error| Abort::new(format!("宿主没有随机数：{error}")))?;
        let (numbers, _) = bytes.as_chunks();
        let (last, others) = numbers.split_last().expect("some are drawn");
        self.drawn.extend(others.iter().map(|bytes| u64::from_ne_bytes(*bytes)));
        Ok(u64::from_ne_bytes(*last))
    }
}

fn unknown(handle: Handle) -> Abort {
    Abort::new(format!("宿主句柄不存在或已释放：{handle}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    fn number_of(table: &HandleTable, handle: Handle) -> Option<f64> {
        match table.get(handle) {
            Ok(Value::Number(number)) => Some(*number),
            _ => None,
        }
    }

    #[test]
    fn numbers_are_random_and_of_53_bits() {
        let mut table = HandleTable::default();
        let handles: Vec<_> = (0..MAX_HANDLES)
            .map(|_| table.insert(Value::Null).expect("the table has room").number())
            .collect();
        assert!(handles.iter().all(|number| (1..1 << 53).contains(number)));
        // By chance, fewer than one in 2⁴⁰ neighbours are this close.
        assert!(handles.windows(2).all(|pair| pair[0].abs_diff(pair[1]) > 1));
        assert!(handles.iter().any(|number| *number >= 1 << 52));
        assert!(handles.iter().any(|number| *number < 1 << 52));
    }

    #[test]
    fn the_table_has_a_bound() {
        let mut table = HandleTable::default();
        let mut last = None;
        for _ in 0..MAX_HANDLES {
            last = Some(table.insert(Value::Null).expect("the table has room"));
        }
        let full = table.insert(Value::Null).expect_err("the table is full");
        assert_eq!(full.text(), "宿主句柄超过 4096 个");
        table.release(last.expect("a handle was made")).expect("the handle is alive");
        table.insert(Value::Null).expect("there is room again");
    }

    #[test]
    fn unknown_and_released_handles() {
        let mut table = HandleTable::default();
        let handle = table.insert(Value::Null).expect("the table has room");
        table.release(handle).expect("the handle is alive");
        assert!(table.release(handle).is_err());
        assert!(table.get(handle).is_err());
        assert!(table.get(Handle::from_number(0)).is_err());
    }

    proptest! {
        #[test]
        fn handles_are_never_confused(releases in prop::collection::vec(any::<prop::sample::Index>(), 0..200)) {
            let mut table = HandleTable::default();
            let mut alive = BTreeMap::new();
            for (count, release) in (0_u32..).zip(releases) {
                let number = f64::from(count);
                let handle = table.insert(Value::Number(number)).expect("the table has room");
                prop_assert_eq!(alive.insert(handle, number), None);
                if count % 3 == 0 {
                    let handle = *release.get(&alive.keys().copied().collect::<Vec<_>>());
                    alive.remove(&handle);
                    prop_assert!(table.release(handle).is_ok());
                    prop_assert!(table.get(handle).is_err());
                }
                prop_assert_eq!(table.len(), alive.len());
                for (handle, number) in &alive {
                    prop_assert_eq!(number_of(&table, *handle), Some(*number));
                }
            }
        }
    }
}
