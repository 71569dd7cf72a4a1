//! The reference package as a WebAssembly component: `duipai-queue` over the
//! primitives that the host lends it. World and contract stand in `wit/`.

#![no_std]

extern crate alloc;

mod host;

use alloc::string::String;
use core::{convert::Infallible, panic::PanicInfo};

use duipai_queue::Failure;

use crate::{
    bindings::exports::yuyan::queue::{consumer, producer},
    host::Host,
};

mod bindings {
    //! What the WIT world says, in Rust.
    #![allow(missing_docs, reason = "generated from documented WIT")]

    wit_bindgen::generate!({ path: "wit", world: "guest" });
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
        catchable(duipai_queue::send(&mut Host, &binding, &body, delay))
    }

    fn send_batch(binding: String, items: String) -> Result<(), String> {
        catchable(duipai_queue::send_batch(&mut Host, &binding, &items))
    }
}

impl consumer::Guest for Package {
    fn read_batch() -> Result<String, String> {
        catchable(duipai_queue::read_batch(&mut Host))
    }

    fn ack(index: i64) -> Result<(), String> {
        catchable(duipai_queue::ack(&mut Host, index))
    }

    fn retry(index: i64, delay: i64) -> Result<(), String> {
        catchable(duipai_queue::retry(&mut Host, index, delay))
    }
}

/// Of the two failures only the exception comes back to the guest: where the
/// host ends the event, the guest does not run on.
fn catchable<T>(result: Result<T, Failure<Infallible>>) -> Result<T, String> {
    result.map_err(|failure| match failure {
        Failure::Exception(message) => message,
        Failure::Aborted(never) => match never {},
    })
}
