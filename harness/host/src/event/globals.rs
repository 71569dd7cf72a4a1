//! What the global objects do.

use crate::{
    Abort,
    event::calls::Stop,
    json::{self, NotText},
    objects::{Global, HostObject, TextDecoder},
    string::JsString,
    value::{Object, Value},
};

/// `new global(...arguments)`. An exception of the constructor cannot be caught.
pub(super) fn construct(global: Global, arguments: &[Value]) -> Result<HostObject, Abort> {
    match global {
        Global::Json | Global::Console => Err(Abort::new("宿主对象不是构造器")),
        Global::TextEncoder => Ok(HostObject::Encoder),
        Global::TextDecoder => text_decoder(arguments).map(HostObject::Decoder),
    }
}

fn text_decoder(arguments: &[Value]) -> Result<TextDecoder, Abort> {
    match arguments.first() {
        None | Some(Value::Undefined) => {}
        Some(label) => {
            let label = label.to_text();
            if !TextDecoder::knows(&label) {
                return Err(Abort::new(format!("宿主的 TextDecoder 不识此编码：{label}")));
            }
        }
    }
    let empty = Object::new();
    let options = match arguments.get(1) {
        None | Some(Value::Undefined | Value::Null) => &empty,
        Some(Value::Object(options) | Value::Class(options)) => options,
        Some(_) => return Err(Abort::new("宿主的 TextDecoder 的选项须为对象")),
    };
    let flag = |name| options.get_str(name).is_some_and(is_truthy);
    Ok(TextDecoder { ignore_bom: flag("ignoreBOM"), fatal: flag("fatal") })
}

/// `decoder.decode(bytes)`.
pub(super) fn decode(decoder: TextDecoder, arguments: &[Value]) -> Result<Value, Stop> {
    if let Some(Value::Object(options)) = arguments.get(1)
        && options.get_str("stream").is_some_and(is_truthy)
    {
        return Err(Stop::Abort(Abort::new("宿主不支持分段解码")));
    }
    let bytes: &[u8] = match arguments.first() {
        None | Some(Value::Undefined) => &[],
        Some(Value::Bytes(bytes) | Value::Buffer(bytes)) => bytes,
        Some(_) => return Err(Stop::threw("The argument of decode is not binary data")),
    };
    let text = decoder.decode(bytes);
    text.map(Value::from).ok_or_else(|| Stop::threw("The encoded data is not valid UTF-8"))
}

/// `encoder.encode(text)`.
pub(super) fn encode(arguments: &[Value]) -> Value {
    match arguments.first() {
        None | Some(Value::Undefined) => Value::Bytes(Vec::new()),
        Some(text) => Value::Bytes(text.to_text().into_bytes()),
    }
}

/// `JSON.parse(text)`.
pub(super) fn json_parse(arguments: &[Value]) -> Result<Value, Stop> {
    if !matches!(arguments.get(1), None | Some(Value::Undefined | Value::Null)) {
        return Err(Stop::Abort(Abort::new("宿主不支持 JSON.parse 的第二个参数")));
    }
    let parsed = match arguments.first() {
        Some(Value::String(text)) => json::parse_js(text),
        Some(value) => json::parse_js(&JsString::from(value.to_text())),
        None => json::parse("undefined"),
    };
    parsed.map_err(|error| Stop::Threw(error.to_string()))
}

/// `JSON.stringify(value)`.
pub(super) fn json_stringify(arguments: &[Value]) -> Result<Value, Stop> {
    let absent = |value: &Value| matches!(value, Value::Undefined | Value::Null);
    if !arguments.iter().skip(1).all(absent) {
        return Err(Stop::Abort(Abort::new("宿主不支持 JSON.stringify 的第二、三个参数")));
    }
    match json::stringify(arguments.first().unwrap_or(&Value::Undefined)) {
        Ok(text) => Ok(Value::from(text)),
        Err(NotText::Undefined) => Ok(Value::Undefined),
        Err(NotText::BigInt) => Err(Stop::threw("Do not know how to serialize a BigInt")),
    }
}

/// The line that `console.log(...arguments)` prints: texts as they are, other
/// values as JSON where they have any.
pub(super) fn console_line(arguments: &[Value]) -> String {
    let shown = |value: &Value| match value {
        Value::String(_) => value.to_text(),
        value => match json::stringify(value) {
            Ok(text) => Value::from(text).to_text(),
            Err(_) => value.to_text(),
        },
    };
    let mut line = arguments.iter().map(shown).collect::<Vec<_>>().join(" ");
    line.push('\n');
    line
}

fn is_truthy(value: &Value) -> bool {
    match value {
        Value::Undefined | Value::Null => false,
        Value::Bool(bool) => *bool,
        Value::Number(number) => *number != 0.0 && !number.is_nan(),
        Value::BigInt(digits) => digits != "0",
        Value::String(text) => text.as_str() != Some(""),
        _ => true,
    }
}
