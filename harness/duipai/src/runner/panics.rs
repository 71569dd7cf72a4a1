//! Panics of a subject, caught with their place and kept off the terminal.

use std::{
    cell::RefCell,
    panic::{self, AssertUnwindSafe, PanicHookInfo},
    path::Path,
    sync::Once,
};

use crate::judge::one_line;

/// Longest message that is kept, in characters.
const MESSAGE_CHARS: usize = 240;

thread_local! {
    /// `Some` while this thread catches: the line of its last panic.
    static CAUGHT: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Runs `work`; if it panics, returns message and place in one line.
///
/// The panic hook is replaced once for the process. On threads that are not in
/// here it does what the hook before it did.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static INSTALL: Once = Once::new();
    INSTALL.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let ours = CAUGHT.with_borrow_mut(|caught| match caught {
                Some(line) => {
                    *line = describe(info);
                    true
                }
                None => false,
            });
            if !ours {
                before(info);
            }
        }));
    });
    CAUGHT.set(Some(String::new()));
    // The subject's state may be torn after a panic; it is asked again all the
    // same, since it is the subject's duty to stay whole.
    let result = panic::catch_unwind(AssertUnwindSafe(work));
    let line = CAUGHT.take().unwrap_or_default();
    result.map_err(|_| line)
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let message = info.payload_as_str().unwrap_or("a value that is not a text");
    let message = one_line(message, MESSAGE_CHARS);
    match info.location() {
        Some(at) => format!("panicked at {}:{}: {message}", place(at.file()), at.line()),
        None => format!("panicked: {message}"),
    }
}

/// A path without the part that depends on the machine.
fn place(file: &str) -> String {
    let path = Path::new(file);
    match path.file_name() {
        Some(name) if path.is_absolute() => name.to_string_lossy().into_owned(),
        _ => file.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_caught_with_message_and_place() {
        let line = catch(|| -> () { panic!("bad\n{}", 7) }).unwrap_err();
        assert!(line.starts_with("panicked at harness/duipai/src/runner/panics.rs:"), "{line}");
        assert!(line.ends_with(": bad\\n7"), "{line}");
        assert_eq!(catch(|| 3), Ok(3));
    }

    #[test]
    fn places_do_not_depend_on_the_machine() {
        assert_eq!(place("harness/x/src/lib.rs"), "harness/x/src/lib.rs");
        assert_eq!(place("/home/someone/x/src/lib.rs"), "lib.rs");
    }
}
