//! The wire format of queue bindings: what a request says was called.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use duipai_spec::event::Call;
use serde::Deserialize;

use super::http::Request;

/// The call that a request to the queue of this name stands for.
///
/// The arguments are those that lead to the request. Options that are absent
/// and those that say the default look the same on the wire; they are taken to
/// be said.
///
/// # Errors
///
/// How the request departs from the wire format.
pub(super) fn call(queue: &str, request: &Request) -> Result<Call, String> {
    let binding = queue.to_owned();
    match (&*request.method, &*request.path) {
        ("POST", "/message") => {
            expect(request, "content-type", "application/octet-stream")?;
            let format = request.header("x-msg-fmt");
            let body = body(&request.body, format)?;
            let options = options(format, delay(request)?);
            Ok(Call::Send { binding, arguments: format!("[{body},{{{options}}}]") })
        }
        ("POST", "/batch") => {
            expect(request, "content-type", "application/json")?;
            let arguments = batch(request)?;
            Ok(Call::SendBatch { binding, arguments })
        }
        (method, path) => Err(format!("there is no {method} {path}")),
    }
}

/// The body of `POST /batch`.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Batch {
    messages: Vec<Item>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Item {
    body: String,
    #[serde(default)]
    content_type: Option<String>,
    #[serde(default)]
    delay_secs: Option<i64>,
}

fn batch(request: &Request) -> Result<String, String> {
    let Batch { messages } = serde_json::from_slice(&request.body)
        .map_err(|error| format!("the batch is not as it should be: {error}"))?;
    let mut items = Vec::with_capacity(messages.len());
    let (mut total, mut largest) = (0, 0);
    for message in &messages {
        // Standard alphabet, with padding.
        let bytes = STANDARD
            .decode(&message.body)
            .map_err(|error| format!("a body in the batch is not base64: {error}"))?;
        total += bytes.len();
        largest = largest.max(bytes.len());
        let format = message.content_type.as_deref();
        let options = options(format, message.delay_secs);
        items.push(format!("{{\"body\":{},{options}}}", body(&bytes, format)?));
    }
    expect(request, "cf-queue-batch-count", &messages.len().to_string())?;
    expect(request, "cf-queue-batch-bytes", &total.to_string())?;
    expect(request, "cf-queue-largest-msg", &largest.to_string())?;
    let items = items.join(",");
    Ok(match delay(request)? {
        Some(seconds) => format!("[[{items}],{{\"delaySeconds\":{seconds}}}]"),
        None => format!("[[{items}]]"),
    })
}

/// A body as text of an argument.
fn body(bytes: &[u8], format: Option<&str>) -> Result<String, String> {
    let text = || std::str::from_utf8(bytes).map_err(|_| String::from("a body is not UTF-8"));
    Ok(match format {
        Some("json") => match serde_json::from_slice::<&serde_json::value::RawValue>(bytes) {
            Ok(_) => text()?.to_owned(),
            // What JSON has no text for, a function say, is sent as this word.
            Err(_) if bytes == b"undefined" => String::from("{\"#undefined\":true}"),
            Err(error) => return Err(format!("a body is not JSON: {error}")),
        },
        Some("text") => serde_json::Value::from(text()?).to_string(),
        // Bytes as they are, or the runtime's own serialization.
        _ => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            format!("{{\"#bytes\":\"{hex}\"}}")
        }
    })
}

/// The members of the options, which come in this order.
fn options(format: Option<&str>, delay: Option<i64>) -> String {
    let format = serde_json::Value::from(format.unwrap_or("v8"));
    let delay = delay.map(|seconds| format!(",\"delaySeconds\":{seconds}"));
    format!("\"contentType\":{format}{}", delay.unwrap_or_default())
}

fn delay(request: &Request) -> Result<Option<i64>, String> {
    let value = request.header("x-msg-delay-secs");
    let number = value.map(|value| value.parse().map_err(|_| format!("a delay of `{value}`")));
    number.transpose()
}

fn expect(request: &Request, header: &str, expected: &str) -> Result<(), String> {
    match request.header(header) {
        Some(value) if value == expected => Ok(()),
        value => Err(format!("the header {header} is {value:?} instead of {expected:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, headers: &[(&str, &str)], body: &str) -> Request {
        Request {
            method: "POST".to_owned(),
            path: path.to_owned(),
            headers: headers.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect(),
            body: body.as_bytes().to_owned(),
        }
    }

    fn arguments(request: &Request) -> Result<String, String> {
        call("Q", request).map(|call| match call {
            Call::Send { arguments, .. } | Call::SendBatch { arguments, .. } => arguments,
            _ => unreachable!("requests are calls on queues"),
        })
    }

    const OCTETS: (&str, &str) = ("content-type", "application/octet-stream");
    const JSON: (&str, &str) = ("content-type", "application/json");

    #[test]
    fn a_message_is_a_send() {
        let check = |headers: &[(&str, &str)], body: &str, expected: &str| {
            let headers = [&[OCTETS], headers].concat();
            assert_eq!(arguments(&request("/message", &headers, body)).unwrap(), expected);
        };
        let json = ("x-msg-fmt", "json");
        check(&[json], "{\"a\": 1}", "[{\"a\": 1},{\"contentType\":\"json\"}]");
        check(&[json, ("x-msg-delay-secs", "30")], "0", {
            "[0,{\"contentType\":\"json\",\"delaySeconds\":30}]"
        });
        check(&[json], "undefined", "[{\"#undefined\":true},{\"contentType\":\"json\"}]");
        check(&[("x-msg-fmt", "text")], "甲\"", "[\"甲\\\"\",{\"contentType\":\"text\"}]");
        check(&[], "\x0f", "[{\"#bytes\":\"0f\"},{\"contentType\":\"v8\"}]");
    }

    fn batch(count: &str, bytes: &str, largest: &str, body: &str) -> Result<String, String> {
        let headers = [
            JSON,
            ("cf-queue-batch-count", count),
            ("cf-queue-batch-bytes", bytes),
            ("cf-queue-largest-msg", largest),
        ];
        arguments(&request("/batch", &headers, body))
    }

    const ITEMS: &str = r#"{"messages":[{"body":"eyJhIjoxfQ==","contentType":"json"},
        {"body":"IuS4rSI=","contentType":"json","delaySecs": 5}]}"#;

    #[test]
    fn a_batch_is_a_send_batch() {
        assert_eq!(batch("2", "12", "7", ITEMS).unwrap(), {
            "[[{\"body\":{\"a\":1},\"contentType\":\"json\"},\
             {\"body\":\"中\",\"contentType\":\"json\",\"delaySeconds\":5}]]"
        });
    }

    #[test]
    fn departures_are_told() {
        let check = |result: Result<String, String>, part: &str| {
            let told = result.unwrap_err();
            assert!(told.contains(part), "no `{part}` in {told}");
        };
        check(batch("3", "12", "7", ITEMS), "cf-queue-batch-count");
        check(batch("2", "13", "7", ITEMS), "cf-queue-batch-bytes");
        check(batch("2", "12", "8", ITEMS), "cf-queue-largest-msg");
        check(batch("2", "12", "7", &ITEMS.replace("=\"", "\"")), "base64");
        check(batch("2", "12", "7", &ITEMS.replace("delaySecs", "delay")), "unknown field");
        check(arguments(&request("/messages", &[OCTETS], "1")), "POST /messages");
        check(arguments(&request("/message", &[JSON], "1")), "content-type");
        let json = ("x-msg-fmt", "json");
        check(arguments(&request("/message", &[OCTETS, json], "[")), "not JSON");
        let delay = ("x-msg-delay-secs", "1.5");
        check(arguments(&request("/message", &[OCTETS, json, delay], "1")), "a delay of `1.5`");
    }
}
