//! Method calls on host objects.

use duipai_spec::{bridge::Handle, event::Call};

use crate::{
    Abort,
    bridge_text::parse_arguments,
    date,
    event::{BindingSetup, Event, globals, members},
    json,
    objects::{Global, HostObject},
    tagged::write_tagged,
    value::Value,
};

/// Why a method did not return.
#[derive(Debug)]
pub(super) enum Stop {
    /// It threw, or its promise was rejected.
    Threw(String),
    /// The host ended the event.
    Abort(Abort),
}

impl Stop {
    pub(super) fn threw(text: &str) -> Self {
        Self::Threw(text.to_owned())
    }
}

impl From<Abort> for Stop {
    fn from(abort: Abort) -> Self {
        Self::Abort(abort)
    }
}

impl Event {
    /// `target[method](...arguments)`, awaited.
    pub(super) fn call_method(
        &mut self,
        target: Handle,
        method: &str,
        arguments: &str,
    ) -> Result<Value, Stop> {
        members::permitted(method)?;
        let arguments = parse_arguments(arguments, &self.handles)?;
        match self.handles.get(target)? {
            Value::Host(object) => {
                let object = object.clone();
                self.call_host_method(&object, method, arguments)
            }
            Value::Date(time) => date_method(*time, method),
            _ => Err(no_method(method).into()),
        }
    }

    fn call_host_method(
        &mut self,
        object: &HostObject,
        method: &str,
        arguments: Vec<Value>,
    ) -> Result<Value, Stop> {
        match (object, method) {
            (HostObject::Global(Global::Json), "parse") => globals::json_parse(&arguments),
            (HostObject::Global(Global::Json), "stringify") => globals::json_stringify(&arguments),
            (
                HostObject::Global(Global::Console),
                "log" | "info" | "warn" | "error" | "debug" | "trace",
            ) => {
                self.write_console(&globals::console_line(&arguments));
                Ok(Value::Undefined)
            }
            (HostObject::Decoder(decoder), "decode") => globals::decode(*decoder, &arguments),
            (HostObject::Encoder, "encode") => Ok(globals::encode(&arguments)),
            (HostObject::Queue(binding), "send") => {
                let arguments = self.logged(&Value::Array(arguments))?;
                self.calls.push(Call::Send { binding: binding.clone(), arguments });
                self.answer(binding, "send")
            }
            (HostObject::Queue(binding), "sendBatch") => {
                let arguments = self.logged(&Value::Array(arguments))?;
                self.calls.push(Call::SendBatch { binding: binding.clone(), arguments });
                self.answer(binding, "sendBatch")
            }
            (HostObject::Message(index), "ack") => {
                self.ack_message(*index)?;
                Ok(Value::Undefined)
            }
            (HostObject::Message(index), "retry") => {
                self.retry_message(*index, arguments.first().map(write_tagged))?;
                Ok(Value::Undefined)
            }
            _ => Err(no_method(method).into()),
        }
    }

    /// The arguments as the call log has them. A program that fills the log
    /// without end is stopped.
    fn logged(&mut self, arguments: &Value) -> Result<String, Stop> {
        let text = write_tagged(arguments);
        self.logged_bytes = self.logged_bytes.saturating_add(text.len());
        if self.logged_bytes > Self::MAX_LOG_BYTES {
            let most = Self::MAX_LOG_BYTES;
            return Err(Stop::Abort(Abort::new(format!("平台调用记录超过 {most} 字节"))));
        }
        Ok(text)
    }

    /// What the queue bound under this name answers.
    fn answer(&self, binding: &str, method: &str) -> Result<Value, Stop> {
        match self.bindings.get(binding) {
            Some(BindingSetup::Accepts) => Ok(accepted()),
            Some(BindingSetup::RejectsError(message)) => Err(Stop::Threw(message.clone())),
            Some(BindingSetup::Refuses { send, send_batch }) => {
                Err(Stop::Threw(if method == "send" { send } else { send_batch }.clone()))
            }
            Some(BindingSetup::RejectsValue(value)) => Err(Stop::Threw(value.thrown_text())),
            None => Err(Stop::Abort(Abort::new(format!("绑定不存在：{binding}")))),
        }
    }

    pub(super) fn ack_message(&mut self, index: u32) -> Result<(), Stop> {
        let throws = self.message(index)?.ack_throws.clone();
        self.settle(Call::Ack { message: index }, throws)
    }

    pub(super) fn retry_message(
        &mut self,
        index: u32,
        options: Option<String>,
    ) -> Result<(), Stop> {
        let throws = self.message(index)?.retry_throws.clone();
        self.settle(Call::Retry { message: index, options }, throws)
    }

    /// Like a refused `send`, a call that throws has been seen, but it settles
    /// nothing.
    fn settle(&mut self, call: Call, throws: Option<String>) -> Result<(), Stop> {
        if throws.is_some() {
            self.thrown.push(self.calls.len());
        }
        self.calls.push(call);
        throws.map_or(Ok(()), |text| Err(Stop::Threw(text)))
    }
}

/// What the platform's `send` and `sendBatch` resolve to.
fn accepted() -> Value {
    json::parse(r#"{"metadata":{"metrics":{"backlogCount":0,"backlogBytes":0}}}"#)
        .expect("the text is JSON")
}

fn date_method(time: f64, method: &str) -> Result<Value, Stop> {
    match method {
        "getTime" | "valueOf" => Ok(Value::Number(match date::clip(time) {
            Some(millis) => millis as f64,
            None => f64::NAN,
        })),
        "toISOString" => match date::to_iso_string(time) {
            Some(text) => Ok(Value::from(text)),
            None => Err(Stop::threw("Invalid time value")),
        },
        "toJSON" => Ok(date::to_iso_string(time).map_or(Value::Null, Value::from)),
        _ => Err(no_method(method).into()),
    }
}

fn no_method(method: &str) -> Abort {
    Abort::new(format!("宿主对象没有此方法：{method}"))
}
