//! A bare parser: no target, but what the targets' speed is held against.
//! Inputs are changed as those of `batch_verdict` are.

#![no_main]

libfuzzer_sys::fuzz_mutator!(|data: &mut [u8], size: usize, max: usize, seed: u32| {
    duipai_fuzz::mutate("batch_verdict", data, size, max, seed)
});

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let _ = serde_json::from_slice::<serde_json::Value>(data);
});
