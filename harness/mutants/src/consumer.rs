//! Faults in 读取队列批次, 确认队列消息 and 重试队列消息.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use duipai_queue::{consumer, host, scan};
use duipai_spec::{
    abort::Abort, bridge::Failure, limits::MAX_DELAY_SECONDS, markers, messages, package::Host,
};

use crate::{Mutant, parts::delay_in_range};

/// The mutants.
pub const MUTANTS: &[Mutant] = &[
    Mutant {
        name: "consumer-in-any-event",
        breaks: "consumer.other-event.read",
        does: "reads an empty batch where the event is not a queue event",
        swap: |parts| {
            parts.consumer.queue_event = |_| Ok(());
            parts.consumer.read = |host| match consumer::queue_event(host) {
                Err(Failure::Exception(_)) => Ok("{\"queue\":\"\",\"messages\":[]}".to_owned()),
                _ => duipai_queue::read_batch(host),
            };
        },
    },
    Mutant {
        name: "settle-in-any-event",
        breaks: "consumer.other-event.ack",
        does: "leaves ack and retry outside a queue event to the host, which ends the event",
        swap: |parts| {
            parts.consumer.queue_event = |_| Ok(());
            parts.consumer.read = |host| {
                consumer::queue_event(host)?;
                duipai_queue::read_batch(host)
            };
        },
    },
    Mutant {
        name: "read-acks",
        breaks: "row.09",
        does: "acknowledges every message that it reads",
        swap: |parts| {
            parts.consumer.read = |host| {
                let text = duipai_queue::read_batch(host)?;
                for index in 0..host.batch_count()? {
                    host.ack(index)?;
                }
                Ok(text)
            };
        },
    },
    Mutant {
        name: "read-not-json-as-null",
        breaks: "read.not-json",
        does: "gives null for a body that is not a JSON value",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| match consumer::message(host, index) {
                    Err(Failure::Exception(_)) => message_with(host, index, "null"),
                    text => text,
                })
            };
        },
    },
    Mutant {
        name: "read-not-json-only-at-top",
        breaks: "read.not-json",
        does: "looks for host values at the top of a body only",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| {
                    let body = host.message_body(index)?;
                    if body.starts_with("{\"$") && scan::has_marker(&body) {
                        return Err(Failure::Exception(messages::message_not_json(index)));
                    }
                    message_with(host, index, &body)
                })
            };
        },
    },
    Mutant {
        name: "read-handles-as-empty",
        breaks: "read.not-json.map",
        does: "gives an empty object for a Map, a Date and their kin",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| lenient(host, index, markers::HANDLE, |_| "{}".to_owned()))
            };
        },
    },
    Mutant {
        name: "read-undefined-as-null",
        breaks: "read.not-json.undefined",
        does: "gives null for undefined",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| {
                    lenient(host, index, markers::UNDEFINED, |_| "null".to_owned())
                })
            };
        },
    },
    Mutant {
        name: "read-bigint-as-number",
        breaks: "read.not-json.bigint",
        does: "gives the digits of a BigInt as a number",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| lenient(host, index, markers::BIGINT, str::to_owned))
            };
        },
    },
    Mutant {
        name: "read-nan-as-null",
        breaks: "read.not-json.nan",
        does: "gives null for a number that is not finite",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| {
                    lenient(host, index, markers::NUMBER, |_| "null".to_owned())
                })
            };
        },
    },
    Mutant {
        name: "read-index-from-one",
        breaks: "read.not-json.index",
        does: "counts from 1 in the message of a body that is not JSON",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| match consumer::message(host, index) {
                    Err(Failure::Exception(_)) => {
                        Err(Failure::Exception(messages::message_not_json(index + 1)))
                    }
                    text => text,
                })
            };
        },
    },
    Mutant {
        name: "read-bodies-as-text",
        breaks: "read.body",
        does: "gives every body as a string that holds its JSON text",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| {
                    let body = host.message_body(index)?;
                    if scan::has_marker(&body) {
                        return Err(Failure::Exception(messages::message_not_json(index)));
                    }
                    let literal = host::literal(host, &body)?;
                    message_with(host, index, &literal)
                })
            };
        },
    },
    Mutant {
        name: "read-names-unescaped",
        breaks: "read.id",
        does: "puts ids between quotes without escaping them",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| {
                    let id = host.message_id(index)?;
                    let escaped = host::literal(host, &id)?;
                    let text = consumer::message(host, index)?;
                    Ok(text.replacen(&escaped, &format!("\"{id}\""), 1))
                })
            };
        },
    },
    Mutant {
        name: "read-leaks-handles",
        breaks: "read.timestamp",
        does: "never lets go of message and date handles, which run out in a large batch",
        swap: |parts| {
            parts.consumer.read = |host| {
                read(host, |host, index| {
                    for _ in 0..8 {
                        host.message_handle(index)?;
                    }
                    consumer::message(host, index)
                })
            };
        },
    },
    Mutant {
        name: "index-count-accepted",
        breaks: "ack.index",
        does: "hands an index equal to the count to the host, whose error cannot be caught",
        swap: |parts| {
            parts.consumer.in_batch = |host, index| match u32::try_from(index) {
                Ok(index) if index <= host.batch_count()? => Ok(index),
                _ => Err(Failure::exception(messages::INDEX_RANGE)),
            };
        },
    },
    Mutant {
        name: "index-negative-from-end",
        breaks: "ack.index",
        does: "counts a negative index from the end",
        swap: |parts| {
            parts.consumer.in_batch = |host, index| {
                let count = i64::from(host.batch_count()?);
                let index = if index < 0 { index.saturating_add(count) } else { index };
                consumer::in_batch(host, index)
            };
        },
    },
    Mutant {
        name: "index-wraps",
        breaks: "retry.index",
        does: "keeps only the low 32 bits of an index",
        swap: |parts| {
            parts.consumer.in_batch =
                |host, index| consumer::in_batch(host, index & i64::from(u32::MAX));
        },
    },
    Mutant {
        name: "ack-as-retry",
        breaks: "ack.acks",
        does: "retries what it should acknowledge",
        swap: |parts| parts.consumer.ack = |host, index| host.retry(index),
    },
    Mutant {
        name: "ack-dropped",
        breaks: "ack.acks",
        does: "acknowledges nothing, since a normal end does",
        swap: |parts| parts.consumer.ack = |_, _| Ok(()),
    },
    Mutant {
        name: "ack-first-message",
        breaks: "ack.acks",
        does: "acknowledges message 0 whatever the index",
        swap: |parts| parts.consumer.ack = |host, _| host.ack(0),
    },
    Mutant {
        name: "ack-everything",
        breaks: "end.no-batch-calls",
        does: "acknowledges the whole batch for one message",
        swap: |parts| {
            parts.consumer.ack = |host, _| {
                for index in 0..host.batch_count()? {
                    host.ack(index)?;
                }
                Ok(())
            };
        },
    },
    Mutant {
        name: "retry-as-ack",
        breaks: "retry.retries",
        does: "acknowledges what it should retry",
        swap: |parts| parts.consumer.retry = |host, index, _| host.ack(index),
    },
    Mutant {
        name: "retry-delay-dropped",
        breaks: "retry.delay.range",
        does: "retries without the delay",
        swap: |parts| parts.consumer.retry = |host, index, _| host.retry(index),
    },
    Mutant {
        name: "retry-zero-sent",
        breaks: "retry.delay.default",
        does: "asks for a delay of 0 seconds instead of the platform's default",
        swap: |parts| {
            parts.consumer.retry = |host, index, delay| host.retry_after(index, delay);
        },
    },
    Mutant {
        name: "retry-delay-one-over",
        breaks: "retry.delay.refused",
        does: "accepts a retry delay of 43201 seconds",
        swap: |parts| {
            parts.consumer.delay = |seconds| match seconds {
                43_201 => Ok(MAX_DELAY_SECONDS + 1),
                seconds => delay_in_range(seconds),
            };
        },
    },
    Mutant {
        name: "retry-delay-negative-as-default",
        breaks: "retry.delay.refused",
        does: "takes a negative retry delay for the platform's default",
        swap: |parts| {
            parts.consumer.delay = |seconds| delay_in_range(seconds.max(0));
        },
    },
    Mutant {
        name: "retry-refuses-zero",
        breaks: "retry.delay.default",
        does: "refuses a retry delay of 0",
        swap: |parts| {
            parts.consumer.delay = |seconds| match delay_in_range(seconds)? {
                0 => Err(messages::DELAY_RANGE),
                seconds => Ok(seconds),
            };
        },
    },
];

/// The reference's reading of a batch, with another text for each message.
fn read(
    host: &mut Host<'_>,
    message: fn(&mut Host<'_>, u32) -> Result<String, Failure<Abort>>,
) -> Result<String, Failure<Abort>> {
    let name = host.batch_name()?;
    let name = host::literal(host, &name)?;
    let mut texts = Vec::new();
    for index in 0..host.batch_count()? {
        texts.push(message(host, index)?);
    }
    Ok(format!("{{\"queue\":{name},\"messages\":[{}]}}", texts.join(",")))
}

/// A message's text, in which a body that is this marker becomes what
/// `instead` makes of the marker's text.
fn lenient(
    host: &mut Host<'_>,
    index: u32,
    marker: &str,
    instead: fn(&str) -> String,
) -> Result<String, Failure<Abort>> {
    let body = host.message_body(index)?;
    let text = body
        .strip_prefix("{\"")
        .and_then(|rest| rest.strip_prefix(marker)?.strip_prefix("\":"))
        .and_then(|rest| rest.strip_suffix('}'));
    match text {
        Some(text) => message_with(host, index, &instead(text.trim_matches('"'))),
        None => consumer::message(host, index),
    }
}

/// A message's text with this text for its body.
fn message_with(host: &mut Host<'_>, index: u32, body: &str) -> Result<String, Failure<Abort>> {
    let id = host.message_id(index)?;
    let id = host::literal(host, &id)?;
    let attempts = host.message_attempts(index)?;
    let timestamp = consumer::timestamp(host, index)?;
    Ok(format!("{{\"id\":{id},\"attempts\":{attempts},\"timestamp\":{timestamp},\"body\":{body}}}"))
}
