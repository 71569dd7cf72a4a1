//! The package as a Rust type, and the reference implementation as one.

use duipai_spec::{abort::Abort, bridge::Failure};

pub use duipai_spec::package::{Host, Package};

/// The reference implementation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Reference;

impl Package for Reference {
    fn send(
        &mut self,
        host: &mut Host<'_>,
        binding: &str,
        body: &str,
        delay: i64,
    ) -> Result<(), Failure<Abort>> {
        duipai_queue::send(host, binding, body, delay)
    }

    fn send_batch(
        &mut self,
        host: &mut Host<'_>,
        binding: &str,
        items: &str,
    ) -> Result<(), Failure<Abort>> {
        duipai_queue::send_batch(host, binding, items)
    }

    fn read_batch(&mut self, host: &mut Host<'_>) -> Result<String, Failure<Abort>> {
        duipai_queue::read_batch(host)
    }

    fn ack(&mut self, host: &mut Host<'_>, index: i64) -> Result<(), Failure<Abort>> {
        duipai_queue::ack(host, index)
    }

    fn retry(&mut self, host: &mut Host<'_>, index: i64, delay: i64) -> Result<(), Failure<Abort>> {
        duipai_queue::retry(host, index, delay)
    }
}
