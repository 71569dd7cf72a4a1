//! One instance of a guest with its event, and the primitives that it imports.

use std::time::{Duration, Instant};

use duipai_host::{Abort, Event};
use duipai_spec::bridge::{Bridge, CallError, Failure, Handle};
use wasmtime::Store;

use crate::{
    subject::Fault,
    subjects::{
        event::{Ended, Program},
        wasm::{fault, limits::State, ticker::ticks},
    },
};

use self::bindings::{Guest, GuestPre, yuyan::queue::bridge};

pub(super) mod bindings {
    //! What the WIT world says, in Rust.
    #![allow(missing_docs, reason = "generated from documented WIT")]

    wasmtime::component::bindgen!({
        path: "../guest/wit",
        world: "guest",
        imports: { default: trappable },
    });
}

/// A guest's instance, which lives as long as its event.
pub(super) struct Instance {
    store: Store<State>,
    /// `None` when the host ended the event while the instance came up.
    guest: Option<Guest>,
    deadline: Option<Instant>,
}

impl Instance {
    /// Starts an instance for `event`; it may run until `deadline`. A `mutant`
    /// is what the guest is told to be.
    pub(super) fn start(
        guest: &GuestPre<State>,
        mutant: Option<&str>,
        event: Event,
        deadline: Option<Instant>,
    ) -> Result<Self, Fault> {
        let mut store = Store::new(guest.engine(), State::new(event));
        store.limiter(|state| state);
        let mut instance = Self { store, guest: None, deadline };
        instance.wind()?;
        match instantiate(guest, mutant, &mut instance.store) {
            Ok(guest) => instance.guest = Some(guest),
            Err(error) => match instance.ended(&error) {
                Ended::Abort(_) => {}
                Ended::Fault(fault) => return Err(fault),
            },
        }
        Ok(instance)
    }

    /// Sets the clock to the time that is left.
    fn wind(&mut self) -> Result<(), Fault> {
        let left = self
            .deadline
            .map_or(Duration::MAX, |deadline| deadline.saturating_duration_since(Instant::now()));
        if left.is_zero() {
            return Err(Fault::TimedOut);
        }
        self.store.set_epoch_deadline(ticks(left));
        Ok(())
    }

    /// Calls the guest. Where the host ended the event, that is why the guest
    /// did not return.
    fn call<T>(
        &mut self,
        function: impl FnOnce(&Guest, &mut Store<State>) -> wasmtime::Result<Result<T, String>>,
    ) -> Result<T, Failure<Ended>> {
        self.wind().map_err(|fault| Failure::Aborted(Ended::Fault(fault)))?;
        let Some(guest) = &self.guest else {
            let reason = "the guest was called after its event".to_owned();
            return Err(Failure::Aborted(Ended::Fault(Fault::Crashed(reason))));
        };
        match function(guest, &mut self.store) {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(message)) => match self.store.data_mut().take([message.as_bytes()]) {
                Ok(()) => Err(Failure::Exception(message)),
                Err(exceeded) => Err(Failure::Aborted(self.ended(&exceeded.into()))),
            },
            Err(error) => Err(Failure::Aborted(self.ended(&error))),
        }
    }

    fn ended(&self, error: &wasmtime::Error) -> Ended {
        match error.downcast_ref::<Abort>() {
            Some(abort) => Ended::Abort(abort.clone()),
            None => Ended::Fault(fault::of(error)),
        }
    }
}

fn instantiate(
    guest: &GuestPre<State>,
    mutant: Option<&str>,
    store: &mut Store<State>,
) -> wasmtime::Result<Guest> {
    let Some(mutant) = mutant else { return guest.instantiate(store) };
    let instance = guest.instance_pre().instantiate(&mut *store)?;
    let interface = instance.get_export_index(&mut *store, None, CHOICE);
    let choose = instance
        .get_export_index(&mut *store, interface.as_ref(), "choose")
        .ok_or_else(|| wasmtime::format_err!("the guest does not export `{CHOICE}`"))?;
    let choose = instance.get_typed_func::<(&str,), (bool,)>(&mut *store, choose)?;
    let (known,) = choose.call(&mut *store, (mutant,))?;
    wasmtime::ensure!(known, "the guest knows no mutant `{mutant}`: build it anew");
    Guest::new(store, &instance)
}

/// Through which the guest of the mutants is told which to be.
const CHOICE: &str = "yuyan:queue/choice@0.1.0";

impl Program for Instance {
    fn event(&mut self) -> &mut Event {
        &mut self.store.data_mut().event
    }

    fn into_event(self) -> Event {
        self.store.into_data().event
    }

    fn send(&mut self, binding: &str, body: &str, delay: i64) -> Result<(), Failure<Ended>> {
        self.call(|guest, store| {
            guest.yuyan_queue_producer().call_send(store, binding, body, delay)
        })
    }

    fn send_batch(&mut self, binding: &str, items: &str) -> Result<(), Failure<Ended>> {
        self.call(|guest, store| {
            guest.yuyan_queue_producer().call_send_batch(store, binding, items)
        })
    }

    fn read_batch(&mut self) -> Result<String, Failure<Ended>> {
        self.call(|guest, store| guest.yuyan_queue_consumer().call_read_batch(store))
    }

    fn ack(&mut self, index: i64) -> Result<(), Failure<Ended>> {
        self.call(|guest, store| guest.yuyan_queue_consumer().call_ack(store, index))
    }

    fn retry(&mut self, index: i64, delay: i64) -> Result<(), Failure<Ended>> {
        self.call(|guest, store| guest.yuyan_queue_consumer().call_retry(store, index, delay))
    }
}

/// Every primitive is the event's own. An abort goes to the engine as an error,
/// which unwinds the guest and comes out of the call that led here.
impl bridge::Host for State {
    fn global(&mut self, name: String) -> wasmtime::Result<u64> {
        self.take([name.as_bytes()])?;
        Ok(self.event.global(&name)?.number())
    }

    fn construct(&mut self, class: u64, arguments: String) -> wasmtime::Result<u64> {
        self.take([arguments.as_bytes()])?;
        Ok(self.event.construct(Handle::from_number(class), &arguments)?.number())
    }

    fn call(&mut self, target: u64, method: String, arguments: String) -> wasmtime::Result<String> {
        self.take([method.as_bytes(), arguments.as_bytes()])?;
        Ok(self.event.call(Handle::from_number(target), &method, &arguments)?)
    }

    fn call_safe(
        &mut self,
        target: u64,
        method: String,
        arguments: String,
    ) -> wasmtime::Result<Result<String, bridge::CallError>> {
        self.take([method.as_bytes(), arguments.as_bytes()])?;
        let answer = self.event.call_safe(Handle::from_number(target), &method, &arguments)?;
        Ok(answer.map_err(|error| match error {
            CallError::Thrown(text) => bridge::CallError::Thrown(text),
            CallError::TooDeep => bridge::CallError::TooDeep,
        }))
    }

    fn get(&mut self, target: u64, property: String) -> wasmtime::Result<String> {
        self.take([property.as_bytes()])?;
        Ok(self.event.get(Handle::from_number(target), &property)?)
    }

    fn bytes_to_handle(&mut self, bytes: Vec<u8>) -> wasmtime::Result<u64> {
        self.take([bytes.as_slice()])?;
        Ok(self.event.bytes_to_handle(&bytes)?.number())
    }

    fn handle_to_bytes(&mut self, handle: u64) -> wasmtime::Result<Vec<u8>> {
        Ok(self.event.handle_to_bytes(Handle::from_number(handle))?)
    }

    fn release(&mut self, handle: u64) -> wasmtime::Result<()> {
        Ok(self.event.release(Handle::from_number(handle))?)
    }

    fn event_kind(&mut self) -> wasmtime::Result<String> {
        Ok(self.event.event_kind()?)
    }

    fn queue_binding(&mut self, name: String) -> wasmtime::Result<u64> {
        self.take([name.as_bytes()])?;
        Ok(self.event.queue_binding(&name)?.number())
    }

    fn batch_name(&mut self) -> wasmtime::Result<String> {
        Ok(self.event.batch_name()?)
    }

    fn batch_count(&mut self) -> wasmtime::Result<u32> {
        Ok(self.event.batch_count()?)
    }

    fn message_id(&mut self, index: u32) -> wasmtime::Result<String> {
        Ok(self.event.message_id(index)?)
    }

    fn message_attempts(&mut self, index: u32) -> wasmtime::Result<u32> {
        Ok(self.event.message_attempts(index)?)
    }

    fn message_body(&mut self, index: u32) -> wasmtime::Result<String> {
        Ok(self.event.message_body(index)?)
    }

    fn message_handle(&mut self, index: u32) -> wasmtime::Result<u64> {
        Ok(self.event.message_handle(index)?.number())
    }

    fn ack(&mut self, index: u32) -> wasmtime::Result<()> {
        Ok(self.event.ack(index)?)
    }

    fn retry(&mut self, index: u32) -> wasmtime::Result<()> {
        Ok(self.event.retry(index)?)
    }

    fn retry_after(&mut self, index: u32, seconds: u32) -> wasmtime::Result<()> {
        Ok(self.event.retry_after(index, seconds)?)
    }
}
