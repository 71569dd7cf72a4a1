//! Faults in 发送队列消息.

use alloc::{
    borrow::ToOwned,
    format,
    string::{String, ToString},
};

use duipai_queue::{host, normalize::NotCanonical, producer, scan};
use duipai_spec::{
    abort::Abort,
    bridge::CallError,
    limits::{MAX_BODY_BYTES, MAX_DELAY_SECONDS, MAX_DEPTH},
    markers, messages,
    package::Host,
};

use crate::{
    Mutant,
    parts::{Check, check, delay_in_range, delay_member},
};

/// The mutants.
pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "body-limit-one-low",
        breaks: "send.size.input",
        does: "refuses a body of exactly 128000 bytes",
        swap: |parts| {
            parts.send.input_size = |text| size_below(text.len(), MAX_BODY_BYTES);
        },
    },
    Mutant {
        name: "body-limit-one-high",
        breaks: "send.size.input",
        does: "accepts a body of 128001 bytes",
        swap: |parts| {
            let size: fn(&str) -> Check = |text| size_below(text.len(), MAX_BODY_BYTES + 2);
            parts.send.input_size = size;
            parts.send.canonical_size = size;
        },
    },
    Mutant {
        name: "body-limit-binary-kilobytes",
        breaks: "send.size.unit",
        does: "takes a kilobyte for 1024 bytes",
        swap: |parts| {
            let size: fn(&str) -> Check = |text| size_below(text.len(), 128 * 1024 + 1);
            parts.send.input_size = size;
            parts.send.canonical_size = size;
        },
    },
    Mutant {
        name: "body-limit-in-characters",
        breaks: "send.size.unit",
        does: "counts characters instead of UTF-8 bytes",
        swap: |parts| {
            let size: fn(&str) -> Check =
                |text| size_below(text.chars().count(), MAX_BODY_BYTES + 1);
            parts.send.input_size = size;
            parts.send.canonical_size = size;
        },
    },
    Mutant {
        name: "body-limit-in-utf16",
        breaks: "send.size.unit",
        does: "counts UTF-16 units instead of UTF-8 bytes",
        swap: |parts| {
            let size: fn(&str) -> Check =
                |text| size_below(text.encode_utf16().count(), MAX_BODY_BYTES + 1);
            parts.send.input_size = size;
            parts.send.canonical_size = size;
        },
    },
    Mutant {
        name: "body-limit-input-only",
        breaks: "send.size.canonical",
        does: "does not look at the size of the canonical text",
        swap: |parts| parts.send.canonical_size = |_| Ok(()),
    },
    Mutant {
        name: "body-limit-canonical-only",
        breaks: "send.size.input",
        does: "does not look at the size of the text as given",
        swap: |parts| parts.send.input_size = |_| Ok(()),
    },
    Mutant {
        name: "delay-most-refused",
        breaks: "send.delay.range",
        does: "refuses a delay of exactly 43200 seconds",
        swap: |parts| {
            parts.send.delay = |seconds| match delay_in_range(seconds)? {
                MAX_DELAY_SECONDS => Err(messages::DELAY_RANGE),
                seconds => Ok(seconds),
            };
        },
    },
    Mutant {
        name: "delay-one-over-accepted",
        breaks: "send.delay.over",
        does: "accepts a delay of 43201 seconds",
        swap: |parts| {
            parts.send.delay = |seconds| match seconds {
                43_201 => Ok(43_201),
                seconds => delay_in_range(seconds),
            };
        },
    },
    Mutant {
        name: "delay-negative-as-none",
        breaks: "send.delay.negative",
        does: "takes a negative delay for none",
        swap: |parts| parts.send.delay = |seconds| delay_in_range(seconds.max(0)),
    },
    Mutant {
        name: "delay-clamped",
        breaks: "send.delay.over",
        does: "shortens a delay over 43200 seconds to 43200",
        swap: |parts| {
            parts.send.delay = |seconds| delay_in_range(seconds.min(MAX_DELAY_SECONDS.into()));
        },
    },
    Mutant {
        name: "delay-dropped",
        breaks: "send.delay.range",
        does: "does not tell the platform of the delay",
        swap: |parts| parts.send.options = |_| r#"{"contentType":"json"}"#.to_owned(),
    },
    Mutant {
        name: "delay-zero-sent",
        breaks: "send.delay.zero",
        does: "tells the platform of a delay of 0 seconds",
        swap: |parts| {
            parts.send.options =
                |delay| format!(r#"{{"contentType":"json","delaySeconds":{delay}}}"#);
        },
    },
    Mutant {
        name: "delay-in-milliseconds",
        breaks: "send.delay.range",
        does: "hands the delay over in milliseconds",
        swap: |parts| {
            parts.send.options =
                |delay| format!(r#"{{"contentType":"json"{}}}"#, delay_member(delay * 1000));
        },
    },
    Mutant {
        name: "content-type-missing",
        breaks: "send.content-type",
        does: "leaves the content type to the platform",
        swap: |parts| {
            parts.send.options =
                |delay| format!("{{{}}}", delay_member(delay).trim_start_matches(','));
        },
    },
    Mutant {
        name: "content-type-text",
        breaks: "send.content-type",
        does: "sends with content type text",
        swap: |parts| {
            parts.send.options =
                |delay| format!(r#"{{"contentType":"text"{}}}"#, delay_member(delay));
        },
    },
    Mutant {
        name: "depth-25-accepted",
        breaks: "send.depth.limit",
        does: "accepts 25 levels",
        swap: |parts| parts.send.content = |text| content(text, MAX_DEPTH + 1),
    },
    Mutant {
        name: "depth-24-refused",
        breaks: "send.depth.limit",
        does: "refuses 24 levels",
        swap: |parts| parts.send.content = |text| content(text, MAX_DEPTH - 1),
    },
    Mutant {
        name: "depth-of-arrays-only",
        breaks: "send.depth.counts",
        does: "does not count objects as levels",
        swap: |parts| {
            parts.send.content = |text| {
                check(!scan::has_marker(text), messages::BODY_MARKER)?;
                let arrays = text.replace(['{', '}'], "");
                check(scan::depth(&arrays) <= MAX_DEPTH, messages::BODY_TOO_DEEP)
            };
        },
    },
    Mutant {
        name: "depth-told-by-error-text",
        breaks: "message.send-not-json",
        does: "takes a syntax error that quotes 嵌套过深 for the host's depth error",
        swap: |parts| {
            parts.send.normalize = |host, text| {
                let literal = host::literal(host, text)?;
                parse_literal(host, &literal, |error| match error {
                    CallError::Thrown(text) if !text.contains("嵌套过深") => {
                        NotCanonical::Syntax
                    }
                    _ => NotCanonical::TooDeep,
                })
            };
        },
    },
    Mutant {
        name: "marker-handle-missed",
        breaks: "send.marker.handle",
        does: "lets a forged handle through",
        swap: |parts| parts.send.content = |text| markers_but(text, markers::HANDLE),
    },
    Mutant {
        name: "marker-undefined-missed",
        breaks: "send.marker.undefined",
        does: "lets a forged undefined through",
        swap: |parts| {
            parts.send.content = |text| markers_but(text, markers::UNDEFINED);
        },
    },
    Mutant {
        name: "marker-bigint-missed",
        breaks: "send.marker.bigint",
        does: "lets a forged BigInt through",
        swap: |parts| parts.send.content = |text| markers_but(text, markers::BIGINT),
    },
    Mutant {
        name: "marker-number-missed",
        breaks: "send.marker.number",
        does: "lets a forged number through, and 1e999 with it",
        swap: |parts| parts.send.content = |text| markers_but(text, markers::NUMBER),
    },
    Mutant {
        name: "infinity-as-null",
        breaks: "send.marker.infinity",
        does: "sends null for 1e999, as JSON.stringify alone would",
        swap: |parts| {
            parts.send.normalize = |host, text| {
                let canonical = duipai_queue::normalize::canonical(host, text)?;
                let overflowed = !text.contains('$');
                Ok(canonical.map(|canonical| match overflowed {
                    true => canonical
                        .replace(r#"{"$数字":"Infinity"}"#, "null")
                        .replace(r#"{"$数字":"-Infinity"}"#, "null"),
                    false => canonical,
                }))
            };
        },
    },
    Mutant {
        name: "marker-searched-in-input",
        breaks: "send.marker.escaped",
        does: "searches the text as given, where an escape hides the marker",
        swap: |parts| {
            parts.send.input_content = |text| check(!scan::has_marker(text), messages::BODY_MARKER);
            parts.send.content =
                |text| check(scan::depth(text) <= MAX_DEPTH, messages::BODY_TOO_DEEP);
        },
    },
    Mutant {
        name: "marker-found-in-strings",
        breaks: "send.marker.objects-only",
        does: "refuses a marker's name wherever it stands",
        swap: |parts| {
            parts.send.content = |text| {
                let found = markers::KEYS.iter().any(|key| text.contains(key));
                check(!found, messages::BODY_MARKER)?;
                producer::body_content(text)
            };
        },
    },
    Mutant {
        name: "bom-dropped",
        breaks: "send.not-json",
        does: "drops a U+FEFF before the text, as a TextDecoder does by default",
        swap: |parts| {
            parts.send.normalize = |host, text| {
                let text = text.strip_prefix('\u{feff}').unwrap_or(text);
                duipai_queue::normalize::canonical(host, text)
            };
        },
    },
    Mutant {
        name: "serde-json-normalizer",
        breaks: "send.canonical.numbers",
        does: "makes the canonical text with serde_json instead of the host",
        swap: |parts| {
            parts.send.normalize = |_, text| {
                let value = serde_json::from_str::<serde_json::Value>(text);
                Ok(value.map(|value| value.to_string()).map_err(|_| NotCanonical::Syntax))
            };
        },
    },
    Mutant {
        name: "lone-surrogates-replaced",
        breaks: "send.canonical.escapes",
        does: "turns escaped lone surrogates into U+FFFD",
        swap: |parts| {
            parts.send.normalize = |host, text| {
                let canonical = duipai_queue::normalize::canonical(host, text)?;
                Ok(canonical.map(|text| without_lone_surrogates(&text)))
            };
        },
    },
    Mutant {
        name: "empty-binding-passed-on",
        breaks: "grant.empty",
        does: "leaves the empty binding name to the host",
        swap: |parts| parts.send.named = |_| Ok(()),
    },
    Mutant {
        name: "refusal-swallowed",
        breaks: "send.rejected.prefix",
        does: "returns although the platform refused",
        swap: |parts| parts.send.failed = |_| None,
    },
    Mutant {
        name: "refusal-without-prefix",
        breaks: "send.rejected.prefix",
        does: "throws the platform's bare text",
        swap: |parts| parts.send.failed = |text| Some(text.to_owned()),
    },
    Mutant {
        name: "refusal-prefix-not-repeated",
        breaks: "send.rejected.verbatim",
        does: "leaves a platform text alone that looks like one of the package's",
        swap: |parts| {
            parts.send.failed = |text| {
                let ours = text.starts_with("消息体") || text.starts_with("队列");
                Some(if ours { text.to_owned() } else { messages::send_failed(text) })
            };
        },
    },
    Mutant {
        name: "refusal-trimmed",
        breaks: "send.rejected.verbatim",
        does: "cuts control characters off the platform's text",
        swap: |parts| {
            parts.send.failed = |text| {
                let text: String = text.chars().filter(|c| !c.is_control()).collect();
                Some(messages::send_failed(&text))
            };
        },
    },
    Mutant {
        name: "refusal-as-json-text",
        breaks: "send.rejected.verbatim",
        does: "escapes quotes and backslashes of the platform's text",
        swap: |parts| {
            parts.send.failed = |text| {
                let text = text.replace('\\', "\\\\").replace('"', "\\\"");
                Some(messages::send_failed(&text))
            };
        },
    },
];

fn size_below(size: usize, limit: usize) -> Check {
    check(size < limit, messages::BODY_TOO_LARGE)
}

fn content(canonical: &str, most: usize) -> Check {
    check(!scan::has_marker(canonical), messages::BODY_MARKER)?;
    check(scan::depth(canonical) <= most, messages::BODY_TOO_DEEP)
}

/// The reference's check of the content with one marker forgotten.
fn markers_but(canonical: &str, missed: &str) -> Check {
    producer::body_content(&canonical.replace(missed, "missed"))
}

/// `JSON.parse` of a literal through the host.
fn parse_literal(
    host: &mut Host<'_>,
    literal: &str,
    error: fn(CallError) -> NotCanonical,
) -> Result<Result<String, NotCanonical>, Abort> {
    let json = host.global("JSON")?;
    let parsed = host.call_safe(json, "parse", &format!("[{literal}]"))?;
    host.release(json)?;
    Ok(parsed.map_err(error))
}

/// Canonical text escapes lone surrogates, and nothing else that begins `\ud`.
fn without_lone_surrogates(canonical: &str) -> String {
    let mut text = String::new();
    let mut rest = canonical;
    while let Some(at) = rest.find('\\') {
        let escape = &rest[at..];
        text.push_str(&rest[..at]);
        let length = if escape.starts_with("\\u") { 6 } else { 2 };
        text.push_str(if escape.starts_with("\\ud") { "\u{fffd}" } else { &escape[..length] });
        rest = &escape[length..];
    }
    text.push_str(rest);
    text
}
