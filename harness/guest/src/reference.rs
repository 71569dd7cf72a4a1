//! The five functions of the reference.

use alloc::string::String;
use core::convert::Infallible;

use duipai_queue::Failure;

use crate::host::Host;

type Done<T> = Result<T, Failure<Infallible>>;

pub(crate) fn send(binding: &str, body: &str, delay: i64) -> Done<()> {
    duipai_queue::send(&mut Host::new(), binding, body, delay)
}

pub(crate) fn send_batch(binding: &str, items: &str) -> Done<()> {
    duipai_queue::send_batch(&mut Host::new(), binding, items)
}

pub(crate) fn read_batch() -> Done<String> {
    duipai_queue::read_batch(&mut Host::new())
}

pub(crate) fn ack(index: i64) -> Done<()> {
    duipai_queue::ack(&mut Host::new(), index)
}

pub(crate) fn retry(index: i64, delay: i64) -> Done<()> {
    duipai_queue::retry(&mut Host::new(), index, delay)
}
