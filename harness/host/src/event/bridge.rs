//! The primitives of the bridge.

use duipai_spec::bridge::{Bridge, CallError, Handle};

use crate::{
    Abort,
    bridge_text::{Stuck, parse_arguments, write_bridge},
    event::{Event, calls::Stop, globals, members},
    objects::{Global, HostObject},
    value::Value,
};

impl Bridge for Event {
    type Abort = Abort;

    fn global(&mut self, name: &str) -> Result<Handle, Abort> {
        self.run(|event| {
            members::permitted(name)?;
            let global = Global::from_name(name)
                .ok_or_else(|| Abort::new(format!("宿主没有此全局对象：{name}")))?;
            event.handles.insert(Value::Host(HostObject::Global(global)))
        })
    }

    fn construct(&mut self, constructor: Handle, arguments: &str) -> Result<Handle, Abort> {
        self.run(|event| {
            let arguments = parse_arguments(arguments, &event.handles)?;
            let Value::Host(HostObject::Global(global)) = event.handles.get(constructor)? else {
                return Err(Abort::new("宿主对象不是构造器"));
            };
            let object = globals::construct(*global, &arguments)?;
            event.handles.insert(Value::Host(object))
        })
    }

    fn call(&mut self, target: Handle, method: &str, arguments: &str) -> Result<String, Abort> {
        self.run(|event| match event.call_method(target, method, arguments) {
            Ok(value) => Ok(write_bridge(&value, &mut event.handles).map_err(uncatchable)?),
            Err(Stop::Threw(text)) => Err(Abort::new(text)),
            Err(Stop::Abort(abort)) => Err(abort),
        })
    }

    fn call_safe(
        &mut self,
        target: Handle,
        method: &str,
        arguments: &str,
    ) -> Result<Result<String, CallError>, Abort> {
        self.run(|event| match event.call_method(target, method, arguments) {
            Ok(value) => match write_bridge(&value, &mut event.handles) {
                Ok(text) => Ok(Ok(text)),
                Err(Stuck::TooDeep) => Ok(Err(CallError::TooDeep)),
                Err(Stuck::Abort(abort)) => Err(abort),
            },
            Err(Stop::Threw(text)) => Ok(Err(CallError::Thrown(text))),
            Err(Stop::Abort(abort)) => Err(abort),
        })
    }

    fn get(&mut self, target: Handle, property: &str) -> Result<String, Abort> {
        self.run(|event| {
            members::permitted(property)?;
            let value = event.property(target, property)?;
            write_bridge(&value, &mut event.handles).map_err(uncatchable)
        })
    }

    fn bytes_to_handle(&mut self, bytes: &[u8]) -> Result<Handle, Abort> {
        self.run(|event| event.handles.insert(Value::Bytes(bytes.to_owned())))
    }

    fn handle_to_bytes(&mut self, handle: Handle) -> Result<Vec<u8>, Abort> {
        self.run(|event| match event.handles.get(handle)? {
            Value::Bytes(bytes) | Value::Buffer(bytes) => Ok(bytes.clone()),
            _ => Err(Abort::new("宿主对象不是二进制数据")),
        })
    }

    fn release(&mut self, handle: Handle) -> Result<(), Abort> {
        self.run(|event| event.handles.release(handle))
    }

    fn event_kind(&mut self) -> Result<String, Abort> {
        self.run(|event| Ok(event.kind.name().to_owned()))
    }

    fn queue_binding(&mut self, name: &str) -> Result<Handle, Abort> {
        self.run(|event| {
            if !event.grants.iter().any(|granted| granted == name) {
                return Err(Abort::new(format!("未授权的QUEUE绑定：{name}")));
            }
            if !event.bindings.contains_key(name) {
                return Err(Abort::new(format!("绑定不存在：{name}")));
            }
            event.handles.insert(Value::Host(HostObject::Queue(name.to_owned())))
        })
    }

    fn batch_name(&mut self) -> Result<String, Abort> {
        self.run(|event| Ok(event.current_batch()?.queue.clone()))
    }

    fn batch_count(&mut self) -> Result<u32, Abort> {
        self.run(|event| {
            let count = event.current_batch()?.messages.len();
            u32::try_from(count).map_err(|_| Abort::new("队列消息过多"))
        })
    }

    fn message_id(&mut self, index: u32) -> Result<String, Abort> {
        self.run(|event| Ok(event.message(index)?.id.clone()))
    }

    fn message_attempts(&mut self, index: u32) -> Result<u32, Abort> {
        self.run(|event| Ok(event.message(index)?.attempts))
    }

    fn message_body(&mut self, index: u32) -> Result<String, Abort> {
        self.run(|event| {
            let body = event.message(index)?.body.clone();
            write_bridge(&body, &mut event.handles).map_err(uncatchable)
        })
    }

    fn message_handle(&mut self, index: u32) -> Result<Handle, Abort> {
        self.run(|event| {
            event.message(index)?;
            event.handles.insert(Value::Host(HostObject::Message(index)))
        })
    }

    fn ack(&mut self, index: u32) -> Result<(), Abort> {
        self.run(|event| Ok(event.ack_message(index)?))
    }

    fn retry(&mut self, index: u32) -> Result<(), Abort> {
        self.run(|event| Ok(event.retry_message(index, None)?))
    }

    fn retry_after(&mut self, index: u32, seconds: u32) -> Result<(), Abort> {
        self.run(|event| {
            let options = format!("{{\"delaySeconds\":{seconds}}}");
            Ok(event.retry_message(index, Some(options))?)
        })
    }
}

/// Outside of a safe call, a result that is too deep ends the event.
fn uncatchable(stuck: Stuck) -> Abort {
    match stuck {
        Stuck::TooDeep => Abort::new(stuck.to_string()),
        Stuck::Abort(abort) => abort,
    }
}

/// Outside of a safe call, a JavaScript exception ends the event.
impl From<Stop> for Abort {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Threw(text) => Self::new(text),
            Stop::Abort(abort) => abort,
        }
    }
}
