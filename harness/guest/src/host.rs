//! The imported primitives as the bridge that the package is written over.

use alloc::{string::String, vec::Vec};
use core::marker::PhantomData;

use duipai_queue::{Bridge, CallError, Handle};

use crate::bindings::yuyan::queue::bridge;

/// The host of this instance, which has one event. `A` is what a package takes
/// an abort for; none is ever made, since the host cuts the instance off.
pub(crate) struct Host<A>(PhantomData<A>);

impl<A> Host<A> {
    pub(crate) const fn new() -> Self {
        Self(PhantomData)
    }
}

impl<A> Bridge for Host<A> {
    type Abort = A;

    fn global(&mut self, name: &str) -> Result<Handle, A> {
        Ok(Handle::from_number(bridge::global(name)))
    }

    fn construct(&mut self, constructor: Handle, arguments: &str) -> Result<Handle, A> {
        Ok(Handle::from_number(bridge::construct(constructor.number(), arguments)))
    }

    fn call(
        &mut self,
        target: Handle,
        method: &str,
        arguments: &str,
    ) -> Result<String, A> {
        Ok(bridge::call(target.number(), method, arguments))
    }

    fn call_safe(
        &mut self,
        target: Handle,
        method: &str,
        arguments: &str,
    ) -> Result<Result<String, CallError>, A> {
        let answer = bridge::call_safe(target.number(), method, arguments);
        Ok(answer.map_err(|error| match error {
            bridge::CallError::Thrown(text) => CallError::Thrown(text),
            bridge::CallError::TooDeep => CallError::TooDeep,
        }))
    }

    fn get(&mut self, target: Handle, property: &str) -> Result<String, A> {
        Ok(bridge::get(target.number(), property))
    }

    fn bytes_to_handle(&mut self, bytes: &[u8]) -> Result<Handle, A> {
        Ok(Handle::from_number(bridge::bytes_to_handle(bytes)))
    }

    fn handle_to_bytes(&mut self, handle: Handle) -> Result<Vec<u8>, A> {
        Ok(bridge::handle_to_bytes(handle.number()))
    }

    fn release(&mut self, handle: Handle) -> Result<(), A> {
        bridge::release(handle.number());
        Ok(())
    }

    fn event_kind(&mut self) -> Result<String, A> {
        Ok(bridge::event_kind())
    }

    fn queue_binding(&mut self, name: &str) -> Result<Handle, A> {
        Ok(Handle::from_number(bridge::queue_binding(name)))
    }

    fn batch_name(&mut self) -> Result<String, A> {
        Ok(bridge::batch_name())
    }

    fn batch_count(&mut self) -> Result<u32, A> {
        Ok(bridge::batch_count())
    }

    fn message_id(&mut self, index: u32) -> Result<String, A> {
        Ok(bridge::message_id(index))
    }

    fn message_attempts(&mut self, index: u32) -> Result<u32, A> {
        Ok(bridge::message_attempts(index))
    }

    fn message_body(&mut self, index: u32) -> Result<String, A> {
        Ok(bridge::message_body(index))
    }

    fn message_handle(&mut self, index: u32) -> Result<Handle, A> {
        Ok(Handle::from_number(bridge::message_handle(index)))
    }

    fn ack(&mut self, index: u32) -> Result<(), A> {
        bridge::ack(index);
        Ok(())
    }

    fn retry(&mut self, index: u32) -> Result<(), A> {
        bridge::retry(index);
        Ok(())
    }

    fn retry_after(&mut self, index: u32, seconds: u32) -> Result<(), A> {
        bridge::retry_after(index, seconds);
        Ok(())
    }
}
