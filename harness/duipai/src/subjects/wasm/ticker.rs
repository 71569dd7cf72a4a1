//! The clock that interrupts a guest.

use std::{io, thread, time::Duration};

use wasmtime::Engine;

/// Time between two ticks, and so the most by which a guest overruns.
pub(super) const TICK: Duration = Duration::from_millis(10);

/// Lets the engine's epoch tick for as long as the engine is in use.
pub(super) fn start(engine: &Engine) -> io::Result<()> {
    let engine = engine.weak();
    let tick = move || {
        while let Some(engine) = engine.upgrade() {
            engine.increment_epoch();
            drop(engine);
            thread::sleep(TICK);
        }
    };
    thread::Builder::new().name("wasm-clock".to_owned()).spawn(tick).map(drop)
}

/// The ticks that cover this time.
pub(super) fn ticks(time: Duration) -> u64 {
    let ticks = time.as_millis().div_ceil(TICK.as_millis());
    // The first of them may be just about to come.
    u32::try_from(ticks).map_or(u32::MAX.into(), u64::from) + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_cover_the_time() {
        for (millis, expected) in [(0, 1), (1, 2), (10, 2), (11, 3), (30_000, 3001)] {
            assert_eq!(ticks(Duration::from_millis(millis)), expected, "{millis} ms");
        }
        assert_eq!(ticks(Duration::MAX), u64::from(u32::MAX) + 1);
    }
}
