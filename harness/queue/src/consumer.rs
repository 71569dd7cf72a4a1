//! The consumer (消费者): only in a queue event, only in this event.

use alloc::{format, string::String};

use duipai_spec::{
    bridge::{Bridge, Failure},
    messages,
};

use crate::{delay::Delay, host, scan};

/// The current batch as JSON text (读取队列批次):
/// `{"queue":…,"messages":[{"id":…,"attempts":…,"timestamp":…,"body":…},…]}`,
/// timestamps in Unix milliseconds. Acknowledges and retries nothing.
///
/// # Errors
///
/// An exception when the event is not a queue event, or when some message's
/// body is not a JSON value. An abort when a body is nested deeper than the
/// bridge carries.
pub fn read_batch<B: Bridge + ?Sized>(bridge: &mut B) -> Result<String, Failure<B::Abort>> {
    queue_event(bridge)?;
    let name = bridge.batch_name()?;
    let mut text = format!("{{\"queue\":{},\"messages\":[", host::literal(bridge, &name)?);
    for index in 0..bridge.batch_count()? {
        if index > 0 {
            text.push(',');
        }
        text.push_str(&message(bridge, index)?);
    }
    text.push_str("]}");
    Ok(text)
}

/// Acknowledges message `index`, counted from 0 (确认队列消息).
///
/// # Errors
///
/// An exception when the event is not a queue event or the index is out of
/// range; the platform was then not called.
pub fn ack<B: Bridge + ?Sized>(bridge: &mut B, index: i64) -> Result<(), Failure<B::Abort>> {
    queue_event(bridge)?;
    let index = in_batch(bridge, index)?;
    Ok(bridge.ack(index)?)
}

/// Asks for message `index` to be delivered again (重试队列消息), after `delay`
/// seconds, or after the platform's default delay if that is 0.
///
/// # Errors
///
/// As [`ack`], and an exception when the delay is out of range.
pub fn retry<B: Bridge + ?Sized>(
    bridge: &mut B,
    index: i64,
    delay: i64,
) -> Result<(), Failure<B::Abort>> {
    queue_event(bridge)?;
    let index = in_batch(bridge, index)?;
    let delay = Delay::from_seconds(delay).ok_or(Failure::exception(messages::DELAY_RANGE))?;
    match delay.above_zero() {
        Some(seconds) => bridge.retry_after(index, seconds)?,
        None => bridge.retry(index)?,
    }
    Ok(())
}

/// The current event is a queue event.
pub fn queue_event<B: Bridge + ?Sized>(bridge: &mut B) -> Result<(), Failure<B::Abort>> {
    if bridge.event_kind()? == "queue" {
        Ok(())
    } else {
        Err(Failure::exception(messages::NOT_QUEUE_EVENT))
    }
}

/// The index, once it is known to be in the batch: past it, the host's own
/// error could not be caught.
pub fn in_batch<B: Bridge + ?Sized>(bridge: &mut B, index: i64) -> Result<u32, Failure<B::Abort>> {
    let count = bridge.batch_count()?;
    match u32::try_from(index) {
        Ok(index) if index < count => Ok(index),
        _ => Err(Failure::exception(messages::INDEX_RANGE)),
    }
}

/// One message as JSON text.
pub fn message<B: Bridge + ?Sized>(
    bridge: &mut B,
    index: u32,
) -> Result<String, Failure<B::Abort>> {
    let id = bridge.message_id(index)?;
    let id = host::literal(bridge, &id)?;
    let attempts = bridge.message_attempts(index)?;
    let timestamp = timestamp(bridge, index)?;
    let body = bridge.message_body(index)?;
    if scan::has_marker(&body) {
        return Err(Failure::Exception(messages::message_not_json(index)));
    }
    Ok(format!("{{\"id\":{id},\"attempts\":{attempts},\"timestamp\":{timestamp},\"body\":{body}}}"))
}

/// When message `index` was enqueued, in Unix milliseconds: a `Date`'s time, or
/// the integer that a test double gives.
pub fn timestamp<B: Bridge + ?Sized>(bridge: &mut B, index: u32) -> Result<String, B::Abort> {
    host::with_handles(bridge, |bridge, handles| {
        let message = bridge.message_handle(index)?;
        handles.push(message);
        let timestamp = bridge.get(message, "timestamp")?;
        let Some(date) = host::parse_reference(&timestamp) else {
            return Ok(timestamp);
        };
        handles.push(date);
        bridge.call(date, "getTime", "[]")
    })
}
