//! Properties of host objects, and the names that no program reaches.

use duipai_spec::bridge::Handle;

use crate::{Abort, event::Event, objects::HostObject, string::JsString, value::Value};

/// Names that lead to code or to prototypes.
const FORBIDDEN: [&str; 17] = [
    "__proto__",
    "prototype",
    "constructor",
    "eval",
    "Function",
    "AsyncFunction",
    "GeneratorFunction",
    "AsyncGeneratorFunction",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
    "arguments",
    "callee",
    "caller",
    "globalThis",
    "import",
];

/// Checks the name of a global object, property or method.
pub(super) fn permitted(name: &str) -> Result<(), Abort> {
    if FORBIDDEN.contains(&name) {
        Err(Abort::new(format!("宿主不许访问此成员：{name}")))
    } else {
        Ok(())
    }
}

impl Event {
    /// `target[property]`; undefined when there is no such property.
    pub(super) fn property(&self, target: Handle, property: &str) -> Result<Value, Abort> {
        let value = self.handles.get(target)?;
        let found = match value {
            Value::Host(HostObject::Message(index)) => {
                return self.message_property(*index, property);
            }
            Value::Host(object) => host_property(object, property),
            Value::Class(object) => object.get_str(property).cloned(),
            Value::Symbol(description) => {
                (property == "description").then(|| Value::String(description.clone()))
            }
            Value::Function(name) => (property == "name").then(|| Value::String(name.clone())),
            Value::Map(pairs) => (property == "size").then(|| count(pairs.len())),
            Value::Set(items) => (property == "size").then(|| count(items.len())),
            Value::Buffer(bytes) => (property == "byteLength").then(|| count(bytes.len())),
            Value::Bytes(bytes) => match property {
                "length" | "byteLength" => Some(count(bytes.len())),
                "byteOffset" => Some(count(0)),
                "buffer" => Some(Value::Buffer(bytes.clone())),
                _ => None,
            },
            _ => None,
        };
        Ok(found.unwrap_or(Value::Undefined))
    }

    fn message_property(&self, index: u32, property: &str) -> Result<Value, Abort> {
        let message = self.message(index)?;
        Ok(match property {
            "id" => Value::from(message.id.as_str()),
            "attempts" => Value::Number(f64::from(message.attempts)),
            "timestamp" => message.timestamp.value(),
            "body" => message.body.clone(),
            "ack" | "retry" => Value::Function(JsString::from(property)),
            _ => Value::Undefined,
        })
    }
}

fn host_property(object: &HostObject, property: &str) -> Option<Value> {
    match (object, property) {
        (HostObject::Global(global), "name") if global.is_function() => {
            Some(Value::from(global.name()))
        }
        (HostObject::Decoder(_) | HostObject::Encoder, "encoding") => Some(Value::from("utf-8")),
        (HostObject::Decoder(decoder), "fatal") => Some(Value::Bool(decoder.fatal)),
        (HostObject::Decoder(decoder), "ignoreBOM") => Some(Value::Bool(decoder.ignore_bom)),
        _ => None,
    }
}

/// Lengths in memory are far below 2⁵³, up to which doubles are exact.
fn count(length: usize) -> Value {
    Value::Number(length as f64)
}
