//! The reference package as a WebAssembly component: `duipai-queue` over the
//! primitives that the host lends it. World and contract stand in `wit/`.
//!
//! With the feature `mutants` it is any of the wrong implementations of
//! `duipai-mutants` instead, as it is told.

#![no_std]

extern crate alloc;

mod host;
#[cfg(feature = "mutants")]
mod mutants;
#[cfg(not(feature = "mutants"))]
mod reference;

use alloc::string::String;
use core::panic::PanicInfo;

use duipai_queue::Failure;

use crate::bindings::exports::yuyan::queue::{consumer, producer};

#[cfg(feature = "mutants")]
use crate::mutants as package;
#[cfg(not(feature = "mutants"))]
use crate::reference as package;

mod bindings {
    //! What the WIT world says, in Rust.
    #![allow(missing_docs, reason = "generated from documented WIT")]

    #[cfg(not(feature = "mutants"))]
    wit_bindgen::generate!({ path: "wit", world: "guest" });
    #[cfg(feature = "mutants")]
    wit_bindgen::generate!({ path: "wit", world: "mutants" });
}

#[global_allocator]
static ALLOCATOR: dlmalloc::GlobalDlmalloc = dlmalloc::GlobalDlmalloc;

/// A panic is a trap; the functions on the stack say where.
#[panic_handler]
fn panic(_: &PanicInfo<'_>) -> ! {
    core::arch::wasm32::unreachable()
}

struct Package;

bindings::export!(Package with_types_in bindings);

impl producer::Guest for Package {
    fn send(binding: String, body: String, delay: i64) -> Result<(), String> {
        catchable(package::send(&binding, &body, delay))
    }

    fn send_batch(binding: String, items: String) -> Result<(), String> {
        catchable(package::send_batch(&binding, &items))
    }
}

impl consumer::Guest for Package {
    fn read_batch() -> Result<String, String> {
        catchable(package::read_batch())
    }

    fn ack(index: i64) -> Result<(), String> {
        catchable(package::ack(index))
    }

    fn retry(index: i64, delay: i64) -> Result<(), String> {
        catchable(package::retry(index, delay))
    }
}

/// Of the two failures only the exception comes back to the guest: where the
/// host ends the event, the guest does not run on.
fn catchable<T, A>(result: Result<T, Failure<A>>) -> Result<T, String> {
    result.map_err(|failure| match failure {
        Failure::Exception(message) => message,
        Failure::Aborted(_) => core::arch::wasm32::unreachable(),
    })
}
