//! The producer (生产者).
//!
//! Everything is checked before the platform is touched. Where an input breaks
//! several rules, the order of the checks decides which message is thrown; the
//! interface leaves that order open, this one is the reference adapter's.

use alloc::{format, string::String, vec::Vec};

use duipai_spec::{
    bridge::{Bridge, CallError, Failure},
    limits::{
        BATCH_ENVELOPE_DEPTH, MAX_BATCH_BYTES, MAX_BATCH_ITEMS, MAX_BATCH_TEXT_BYTES,
        MAX_BODY_BYTES, MAX_DEPTH,
    },
    messages,
};

use crate::{
    delay::Delay,
    host,
    normalize::{self, NotCanonical},
    scan,
    split::{self, Item},
};

/// Sends one message (发送队列消息): `body` is JSON text, `delay` is in seconds.
///
/// # Errors
///
/// An exception with a message of [`messages`] when a rule is broken, in which
/// case the platform was not called, or when the platform refused. An abort
/// when the binding is not granted or not configured.
pub fn send<B: Bridge + ?Sized>(
    bridge: &mut B,
    binding: &str,
    body: &str,
    delay: i64,
) -> Result<(), Failure<B::Abort>> {
    named(binding).map_err(Failure::exception)?;
    let delay = Delay::from_seconds(delay).ok_or(Failure::exception(messages::DELAY_RANGE))?;
    body_size(body).map_err(Failure::exception)?;
    let canonical = normalize::canonical(bridge, body)?;
    let canonical = canonical.map_err(|error| match error {
        NotCanonical::Syntax => Failure::exception(messages::BODY_NOT_JSON),
        NotCanonical::TooDeep => Failure::exception(messages::BODY_TOO_DEEP),
    })?;
    body_content(&canonical).map_err(Failure::exception)?;
    body_size(&canonical).map_err(Failure::exception)?;
    deliver(bridge, binding, &canonical, delay)
}

/// Sends a batch (批量发送队列消息): `items` is the text of a JSON array of
/// `{"body":…,"delaySeconds":…}`.
///
/// # Errors
///
/// As [`send`]; when any item breaks a rule, nothing is sent.
pub fn send_batch<B: Bridge + ?Sized>(
    bridge: &mut B,
    binding: &str,
    items: &str,
) -> Result<(), Failure<B::Abort>> {
    named(binding).map_err(Failure::exception)?;
    batch_text_size(items).map_err(Failure::exception)?;
    let canonical = normalize::canonical(bridge, items)?;
    let canonical = canonical.map_err(|error| match error {
        NotCanonical::Syntax => Failure::exception(messages::BATCH_NOT_JSON),
        NotCanonical::TooDeep => Failure::exception(messages::BATCH_TOO_DEEP),
    })?;
    batch_content(&canonical).map_err(Failure::exception)?;
    let items = checked_items(&canonical).map_err(Failure::exception)?;
    deliver_batch(bridge, binding, &items)
}

/// The binding's name is not empty.
pub fn named(binding: &str) -> Result<(), &'static str> {
    if binding.is_empty() { Err(messages::BINDING_EMPTY) } else { Ok(()) }
}

/// A body's text, as given or canonical, is at most 128000 UTF-8 bytes.
pub fn body_size(text: &str) -> Result<(), &'static str> {
    if text.len() > MAX_BODY_BYTES { Err(messages::BODY_TOO_LARGE) } else { Ok(()) }
}

/// A canonical body has no host marker and at most 24 levels.
pub fn body_content(canonical: &str) -> Result<(), &'static str> {
    if scan::has_marker(canonical) {
        return Err(messages::BODY_MARKER);
    }
    if scan::depth(canonical) > MAX_DEPTH {
        return Err(messages::BODY_TOO_DEEP);
    }
    Ok(())
}

/// A batch's text as given is at most 1 MiB.
pub fn batch_text_size(text: &str) -> Result<(), &'static str> {
    if text.len() > MAX_BATCH_TEXT_BYTES { Err(messages::BATCH_TEXT_TOO_LARGE) } else { Ok(()) }
}

/// A canonical batch has no host marker and at most 24 levels in each body,
/// which the array and the item raise to 26 over the whole text.
pub fn batch_content(canonical: &str) -> Result<(), &'static str> {
    if scan::has_marker(canonical) {
        return Err(messages::BATCH_MARKER);
    }
    if scan::depth(canonical) > MAX_DEPTH + BATCH_ENVELOPE_DEPTH {
        return Err(messages::BATCH_TOO_DEEP);
    }
    Ok(())
}

/// The items of a canonical batch: 1 to 100, each in order, together at most
/// 256000 UTF-8 bytes of bodies.
pub fn checked_items(canonical: &str) -> Result<Vec<Item<'_>>, &'static str> {
    let elements = split::elements(canonical).ok_or(messages::BATCH_NOT_ARRAY)?;
    if elements.is_empty() {
        return Err(messages::BATCH_EMPTY);
    }
    if elements.len() > MAX_BATCH_ITEMS {
        return Err(messages::BATCH_TOO_MANY);
    }
    let items = elements.into_iter().map(split::item).collect::<Result<Vec<_>, _>>()?;
    let total: usize = items.iter().map(|item| item.body.len()).sum();
    if total > MAX_BATCH_BYTES {
        return Err(messages::BATCH_TOTAL_TOO_LARGE);
    }
    Ok(items)
}

/// Hands a checked body to the platform's `send`.
pub fn deliver<B: Bridge + ?Sized>(
    bridge: &mut B,
    binding: &str,
    canonical: &str,
    delay: Delay,
) -> Result<(), Failure<B::Abort>> {
    let mut options = String::from("{\"contentType\":\"json\"");
    push_delay(&mut options, delay);
    options.push('}');
    let arguments = format!("[{canonical},{options}]");
    call_platform(bridge, binding, "send", &arguments, messages::send_failed)
}

/// Hands checked items to the platform's `sendBatch`.
pub fn deliver_batch<B: Bridge + ?Sized>(
    bridge: &mut B,
    binding: &str,
    items: &[Item<'_>],
) -> Result<(), Failure<B::Abort>> {
    let mut arguments = String::from("[[");
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            arguments.push(',');
        }
        arguments.push_str("{\"body\":");
        arguments.push_str(item.body);
        arguments.push_str(",\"contentType\":\"json\"");
        push_delay(&mut arguments, item.delay);
        arguments.push('}');
    }
    arguments.push_str("]]");
    call_platform(bridge, binding, "sendBatch", &arguments, messages::batch_failed)
}

fn push_delay(object: &mut String, delay: Delay) {
    if let Some(seconds) = delay.above_zero() {
        object.push_str(&format!(",\"delaySeconds\":{seconds}"));
    }
}

/// Calls a method of the queue bound as `binding`; a refusal becomes an
/// exception with the text that `failed` makes of the platform's own.
pub fn call_platform<B: Bridge + ?Sized>(
    bridge: &mut B,
    binding: &str,
    method: &str,
    arguments: &str,
    failed: fn(&str) -> String,
) -> Result<(), Failure<B::Abort>> {
    let answer = host::with_handles(bridge, |bridge, handles| {
        let queue = bridge.queue_binding(binding)?;
        handles.push(queue);
        bridge.call_safe(queue, method, arguments)
    })?;
    match answer {
        // What the platform answers is its own business, however deep it is.
        Ok(_) | Err(CallError::TooDeep) => Ok(()),
        Err(CallError::Thrown(text)) => Err(Failure::Exception(failed(&text))),
    }
}
