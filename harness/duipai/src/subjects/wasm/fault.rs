//! Why a guest broke, in a line.

use std::fmt::Write as _;

use wasmtime::{Error, FrameInfo, Trap, WasmBacktrace};

use crate::subject::Fault;

/// Functions that are named, from the innermost.
const MAX_FRAMES: usize = 6;

/// Longest name of a function, in characters.
const MAX_NAME_CHARS: usize = 80;

/// The fault behind an error of the engine.
pub(super) fn of(error: &Error) -> Fault {
    if error.downcast_ref::<Trap>() == Some(&Trap::Interrupt) {
        return Fault::TimedOut;
    }
    let mut reason = error.root_cause().to_string();
    let frames = error.downcast_ref::<WasmBacktrace>().map_or(&[][..], WasmBacktrace::frames);
    for (index, frame) in frames.iter().take(MAX_FRAMES).enumerate() {
        let join = if index == 0 { ", in " } else { " < " };
        // Writing to a string cannot fail.
        let _ = write!(reason, "{join}{}", name(frame));
    }
    if frames.len() > MAX_FRAMES {
        reason.push_str(" < …");
    }
    Fault::Crashed(reason)
}

fn name(frame: &FrameInfo) -> String {
    match frame.func_name() {
        Some(name) => {
            format!("{:#}", rustc_demangle::demangle(name)).chars().take(MAX_NAME_CHARS).collect()
        }
        None => format!("function {}", frame.func_index()),
    }
}
