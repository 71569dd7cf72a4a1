//! What the normalizer costs on texts that are made to cost: memory, counted
//! byte by byte, and time, which has to grow with the text and no faster.

#![allow(unsafe_code, reason = "only an allocator can count what is allocated")]

use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

use duipai_fast::{Kernel, Normalizer};

/// Counts what the thread that asks has allocated.
struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static PEAK: Cell<isize> = const { Cell::new(0) };
}

fn count(bytes: isize) {
    // A thread that is ending counts nothing.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + bytes);
        let _ = PEAK.try_with(|peak| peak.set(peak.get().max(now.get())));
    });
}

// SAFETY: the system's allocator does it all.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: the caller's promise.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count(size as isize - layout.size() as isize);
        // SAFETY: the caller's promise.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// Texts of about so many bytes: name, text.
fn texts(bytes: usize) -> Vec<(&'static str, String)> {
    let object = |count: usize, member: &dyn Fn(usize) -> String| {
        format!("{{{}}}", (0..count).map(member).collect::<Vec<_>>().join(","))
    };
    let nested = |open: &str, close: &str| {
        let levels = bytes / (open.len() + close.len());
        format!("{}1{}", open.repeat(levels), close.repeat(levels))
    };
    let string = |piece: &str| format!("\"{}\"", piece.repeat(bytes / piece.len()));
    let array = |item: &str| format!("[{}0]", format!("{item},").repeat(bytes / (item.len() + 1)));
    let digits = |key: usize| format!("\"{key}\":1");
    vec![
        ("one string", string("句子")),
        ("escapes that stay", string("\\n")),
        ("escapes that go", string("\\u0041")),
        ("lone surrogates", string("\\uD83D")),
        ("white space", format!("[1{}]", " ".repeat(bytes))),
        ("spaced array", array("1 ")),
        ("small objects", array("{\"id\":1,\"name\":\"x\"}")),
        ("doubles", array("0.1234567890123456")),
        ("a long number", "7".repeat(bytes)),
        ("infinities", array("1e999")),
        ("arrays in arrays", nested("[", "]")),
        ("open arrays", "[".repeat(bytes)),
        ("objects in objects", nested("{\"\":", "}")),
        ("open objects", "{\"\":".repeat(bytes / 4)),
        ("objects in wrong order in each other", nested("{\"b\":", ",\"1\":0}")),
        ("repeated keys in each other", nested("{\"\":", ",\"\":0}")),
        ("many keys", object(bytes / 11, &|key| format!("\"k{key:06}\":1"))),
        ("many short keys", object(bytes / 8, &|key| format!("\"{key:03x}\":1"))),
        ("many indices", object(bytes / 10, &digits)),
        ("many indices, descending", object(bytes / 10, &|key| digits(bytes / 10 - key))),
        ("one key, many times", object(bytes / 5, &|_| "\"\":1".to_owned())),
        ("one index, many times", object(bytes / 6, &|_| digits(7))),
        (
            "two keys, many times",
            object(bytes / 6, &|key| format!("\"{}\":1", ["a", "b"][key % 2])),
        ),
        (
            "a repeated key at the end",
            object(bytes / 10, &|key| format!("\"{:05}\":1", key.max(1))),
        ),
        (
            "long keys that end alike",
            object(bytes / 1000, &|key| {
                format!("\"{}{key:04}{}\":1", "x".repeat(485), "y".repeat(500))
            }),
        ),
        (
            "objects of long keys that end alike",
            array(&object(32, &|key| {
                format!("\"{}{key:04}{}\":1", "x".repeat(485), "y".repeat(500))
            })),
        ),
        ("objects of 33 keys", array(&object(33, &|key| format!("\"{key:x}_\":1")))),
    ]
}

/// Greatest memory of a call, its result included.
fn peak(run: impl FnOnce()) -> usize {
    let before = NOW.get();
    PEAK.set(before);
    run();
    (PEAK.get() - before) as usize
}

#[test]
fn memory_is_at_most_four_times_the_text() {
    let bytes = if cfg!(miri) { 1 << 10 } else { 1 << 20 };
    for (name, text) in texts(bytes) {
        // Beside the copy and its ordered form, three lists have an entry for
        // every few bytes.
        let most = if name == "objects in wrong order in each other" { 4.7 } else { 4.0 };
        for kernel in Kernel::available() {
            let peak = peak(|| drop(Normalizer::with(kernel).canonical(&text)));
            let times = peak as f64 / text.len() as f64;
            // Small texts have the least memory that there is.
            let kept = if cfg!(miri) { 4096.0 / bytes as f64 } else { 0.0 };
            assert!(times <= most + kept, "{name}, {}: {times:.2} times", kernel.name());
        }
    }
}

/// How long this thread has been running. A machine that does other things
/// makes long runs longer than short ones by any clock on the wall.
#[cfg(unix)]
fn now() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

#[cfg(not(unix))]
fn now() -> f64 {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed().as_secs_f64()
}

/// Shortest of a few runs, in seconds.
fn shortest(mut run: impl FnMut()) -> f64 {
    let times = (0..3).map(|_| {
        let start = now();
        run();
        now() - start
    });
    times.fold(f64::INFINITY, f64::min)
}

#[test]
#[cfg_attr(miri, ignore = "measures time")]
fn time_grows_with_the_text_and_no_faster() {
    const TIMES: usize = 32;
    let mut normalizer = Normalizer::new();
    for ((name, short), (_, long)) in texts(1 << 16).into_iter().zip(texts(TIMES << 16)) {
        let mut time =
            |text: &str| shortest(|| drop(normalizer.canonical(text))) / text.len() as f64;
        // Caches and a busy machine may cost some of the time, so there are a few
        // attempts. Of anything quadratic a byte would take 32 times as long.
        let grows = |_: &usize| time(&long) / time(&short) > 14.0;
        let attempts = (0..5).take_while(grows).count();
        assert!(attempts < 5, "{name}: the time of a byte grows with the text");
    }
}
