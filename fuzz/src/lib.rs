//! What the fuzz targets have in common: libFuzzer's bytes go to the target of
//! the same name in [`duipai::fuzz`], which does the rest.

use std::{cell::RefCell, process};

use duipai::fuzz::{self, Driver, Run, mutate};

thread_local! {
    /// The target of this program. libFuzzer runs one input at a time, on one
    /// thread; what the thread keeps is let go at the end, counts included.
    static DRIVER: RefCell<Option<Driver>> = const { RefCell::new(None) };
}

/// Starts the target, or ends the program: what cannot be started has found
/// nothing, and must not look as if it had run.
#[expect(clippy::print_stderr, reason = "a program speaks on standard error")]
pub fn start(name: &str) {
    match Driver::named(name) {
        Ok(driver) => DRIVER.set(Some(driver.counted())),
        Err(error) => {
            eprintln!("error: {error}");
            process::exit(2);
        }
    }
}

/// Runs the target on these bytes; whether libFuzzer may keep them.
///
/// # Panics
///
/// With the finding, which is how libFuzzer is told of it.
pub fn run(bytes: &[u8]) -> libfuzzer_sys::Corpus {
    let run = DRIVER.with_borrow_mut(|driver| match driver {
        Some(driver) => driver.run(bytes),
        None => panic!("the target has not been started"),
    });
    match run {
        Run::Found(finding) => panic!("{finding}"),
        // An over-long one would only come back longer.
        Run::Rejected(fuzz::Rejection::TooLong) => libfuzzer_sys::Corpus::Reject,
        Run::Accepted | Run::Refused | Run::Rejected(_) => libfuzzer_sys::Corpus::Keep,
    }
}

/// Changes an input of the target of this name.
pub fn mutate(name: &str, data: &mut [u8], size: usize, max: usize, seed: u32) -> usize {
    let form = fuzz::find(name).map_or(fuzz::Form::Bytes, |target| target.form);
    mutate::mutate(form, data, size, max, seed, libfuzzer_sys::fuzzer_mutate)
}

/// A fuzz target: `target!("split")` is the whole program.
#[macro_export]
macro_rules! target {
    ($name:literal) => {
        libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max: usize, seed: u32| {
            $crate::mutate($name, data, size, max, seed)
        });

        libfuzzer_sys::fuzz_target!(
            init: $crate::start($name),
            |data: &[u8]| -> libfuzzer_sys::Corpus { $crate::run(data) }
        );
    };
}
