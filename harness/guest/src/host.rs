//! The imported primitives as the bridge that the package is written over.

use alloc::{string::String, vec::Vec};
use core::convert::Infallible;

use duipai_queue::{Bridge, CallError, Handle};

use crate::bindings::yuyan::queue::bridge;

/// The host of this instance, which has one event.
pub(crate) struct Host;

impl Bridge for Host {
    type Abort = Infallible;

    fn global(&mut self, name: &str) -> Result<Handle, Infallible> {
        Ok(Handle::from_number(bridge::global(name)))
    }

    fn construct(&mut self, constructor: Handle, arguments: &str) -> Result<Handle, Infallible> {
        Ok(Handle::from_number(bridge::construct(constructor.number(), arguments)))
    }

    fn call(
        &mut self,
        target: Handle,
        method: &str,
        arguments: &str,
    ) -> Result<String, Infallible> {
        Ok(bridge::call(target.number(), method, arguments))
    }

    fn call_safe(
        &mut self,
        target: Handle,
        method: &str,
        arguments: &str,
    ) -> Result<Result<String, CallError>, Infallible> {
        let answer = bridge::call_safe(target.number(), method, arguments);
        Ok(answer.map_err(|error| match error {
            bridge::CallError::Thrown(text) => CallError::Thrown(text),
            bridge::CallError::TooDeep => CallError::TooDeep,
        }))
    }

    fn get(&mut self, target: Handle, property: &str) -> Result<String, Infallible> {
        Ok(bridge::get(target.number(), property))
    }

    fn bytes_to_handle(&mut self, bytes: &[u8]) -> Result<Handle, Infallible> {
        Ok(Handle::from_number(bridge::bytes_to_handle(bytes)))
    }

    fn handle_to_bytes(&mut self, handle: Handle) -> Result<Vec<u8>, Infallible> {
        Ok(bridge::handle_to_bytes(handle.number()))
    }

    fn release(&mut self, handle: Handle) -> Result<(), Infallible> {
        bridge::release(handle.number());
        Ok(())
    }

    fn event_kind(&mut self) -> Result<String, Infallible> {
        Ok(bridge::event_kind())
    }

    fn queue_binding(&mut self, name: &str) -> Result<Handle, Infallible> {
        Ok(Handle::from_number(bridge::queue_binding(name)))
    }

    fn batch_name(&mut self) -> Result<String, Infallible> {
        Ok(bridge::batch_name())
    }

    fn batch_count(&mut self) -> Result<u32, Infallible> {
        Ok(bridge::batch_count())
    }

    fn message_id(&mut self, index: u32) -> Result<String, Infallible> {
        Ok(bridge::message_id(index))
    }

    fn message_attempts(&mut self, index: u32) -> Result<u32, Infallible> {
        Ok(bridge::message_attempts(index))
    }

    fn message_body(&mut self, index: u32) -> Result<String, Infallible> {
        Ok(bridge::message_body(index))
    }

    fn message_handle(&mut self, index: u32) -> Result<Handle, Infallible> {
        Ok(Handle::from_number(bridge::message_handle(index)))
    }

    fn ack(&mut self, index: u32) -> Result<(), Infallible> {
        bridge::ack(index);
        Ok(())
    }

    fn retry(&mut self, index: u32) -> Result<(), Infallible> {
        bridge::retry(index);
        Ok(())
    }

    fn retry_after(&mut self, index: u32, seconds: u32) -> Result<(), Infallible> {
        bridge::retry_after(index, seconds);
        Ok(())
    }
}
