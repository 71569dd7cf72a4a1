//! The reference taken apart: every rule and every text as a function that can
//! be swapped. Put together unchanged, the parts are the reference again.

use alloc::{borrow::ToOwned, format, string::String, vec::Vec};

use duipai_queue::{
    consumer,
    delay::Delay,
    normalize::{self, NotCanonical},
    producer, split,
};
use duipai_spec::{
    abort::Abort,
    bridge::Failure,
    limits::{MAX_BATCH_BYTES, MAX_BATCH_ITEMS},
    messages,
    package::{Host, Package},
};

/// The message of a broken rule.
pub type Check = Result<(), &'static str>;

/// Text → canonical text through the host.
pub type Normalize = fn(&mut Host<'_>, &str) -> Result<Result<String, NotCanonical>, Abort>;

/// All parts of the package.
#[derive(Clone, Copy, Debug)]
pub struct Parts {
    /// 发送队列消息.
    pub send: SendParts,
    /// 批量发送队列消息.
    pub batch: BatchParts,
    /// The consumer functions.
    pub consumer: ConsumerParts,
}

/// Parts of `send`, in the order in which they are asked.
#[derive(Clone, Copy, Debug)]
pub struct SendParts {
    /// The binding has a name.
    pub named: fn(&str) -> Check,
    /// The delay in seconds that the platform is told of.
    pub delay: fn(i64) -> Result<u32, &'static str>,
    /// The size of the text as given.
    pub input_size: fn(&str) -> Check,
    /// The content of the text as given; the reference looks only at the
    /// canonical text.
    pub input_content: fn(&str) -> Check,
    /// The canonical text.
    pub normalize: Normalize,
    /// The content of the canonical text.
    pub content: fn(&str) -> Check,
    /// The size of the canonical text.
    pub canonical_size: fn(&str) -> Check,
    /// The options object.
    pub options: fn(u32) -> String,
    /// The exception for the platform's text; none swallows the refusal.
    pub failed: fn(&str) -> Option<String>,
}

/// One item of a batch, before its rules are trusted.
#[derive(Clone, Copy, Debug)]
pub struct RawItem<'a> {
    /// The body's text.
    pub body: &'a str,
    /// The delay in seconds that the platform is told of.
    pub delay: u32,
}

/// Parts of `send_batch`, in the order in which they are asked.
#[derive(Clone, Copy, Debug)]
pub struct BatchParts {
    /// The size of the text as given.
    pub text_size: fn(&str) -> Check,
    /// The canonical text.
    pub normalize: Normalize,
    /// The content of the canonical text.
    pub content: fn(&str) -> Check,
    /// The raw elements; none when the text is not an array.
    pub elements: for<'a> fn(&'a str) -> Option<Vec<&'a str>>,
    /// The number of elements.
    pub count: fn(usize) -> Check,
    /// One element, checked.
    pub item: for<'a> fn(&'a str) -> Result<RawItem<'a>, &'static str>,
    /// The sum of the body sizes in UTF-8 bytes.
    pub total: fn(usize) -> Check,
    /// One item as the platform gets it.
    pub item_text: fn(&RawItem<'_>) -> String,
    /// Hands the item texts to the platform.
    pub deliver: Deliver,
    /// The exception for the platform's text; none swallows the refusal.
    pub failed: Failed,
    /// Items before the first bad one are sent all the same.
    pub keeps_good_items: bool,
}

/// Hands item texts to the queue bound under a name.
pub type Deliver = fn(&mut Host<'_>, &str, &[String], Failed) -> Result<(), Failure<Abort>>;

/// What becomes of the platform's refusal.
pub type Failed = fn(&str) -> Option<String>;

/// Parts of the consumer functions.
#[derive(Clone, Copy, Debug)]
pub struct ConsumerParts {
    /// The event is a queue event.
    pub queue_event: fn(&mut Host<'_>) -> Result<(), Failure<Abort>>,
    /// The whole batch as text.
    pub read: fn(&mut Host<'_>) -> Result<String, Failure<Abort>>,
    /// The index as the host takes it.
    pub in_batch: fn(&mut Host<'_>, i64) -> Result<u32, Failure<Abort>>,
    /// The retry delay in seconds.
    pub delay: fn(i64) -> Result<u32, &'static str>,
    /// Acknowledges.
    pub ack: fn(&mut Host<'_>, u32) -> Result<(), Abort>,
    /// Retries.
    pub retry: fn(&mut Host<'_>, u32, u32) -> Result<(), Abort>,
}

impl Parts {
    /// The reference.
    pub const REFERENCE: Self = Self {
        send: SendParts {
            named: producer::named,
            delay: delay_in_range,
            input_size: producer::body_size,
            input_content: |_| Ok(()),
            normalize: |host, text| normalize::canonical(host, text),
            content: producer::body_content,
            canonical_size: producer::body_size,
            options: |delay| format!("{{\"contentType\":\"json\"{}}}", delay_member(delay)),
            failed: |text| Some(messages::send_failed(text)),
        },
        batch: BatchParts {
            text_size: producer::batch_text_size,
            normalize: |host, text| normalize::canonical(host, text),
            content: producer::batch_content,
            elements: split::elements,
            count: item_count,
            item: checked_item,
            total: |bytes| check(bytes <= MAX_BATCH_BYTES, messages::BATCH_TOTAL_TOO_LARGE),
            item_text: |item| item_with(item, &delay_member(item.delay)),
            deliver: |host, binding, items, failed| {
                call(host, binding, "sendBatch", &format!("[[{}]]", items.join(",")), failed)
            },
            failed: |text| Some(messages::batch_failed(text)),
            keeps_good_items: false,
        },
        consumer: ConsumerParts {
            queue_event: |host| consumer::queue_event(host),
            read: |host| duipai_queue::read_batch(host),
            in_batch: |host, index| consumer::in_batch(host, index),
            delay: delay_in_range,
            ack: |host, index| host.ack(index),
            retry: |host, index, delay| match delay {
                0 => host.retry(index),
                seconds => host.retry_after(index, seconds),
            },
        },
    };
}

/// The rule's message unless it holds.
pub fn check(holds: bool, message: &'static str) -> Check {
    if holds { Ok(()) } else { Err(message) }
}

/// The delay in seconds, in range.
pub fn delay_in_range(seconds: i64) -> Result<u32, &'static str> {
    Delay::from_seconds(seconds).map(Delay::seconds).ok_or(messages::DELAY_RANGE)
}

/// The member that tells of a delay above 0, with its comma.
pub fn delay_member(seconds: u32) -> String {
    if seconds == 0 { String::new() } else { format!(",\"delaySeconds\":{seconds}") }
}

/// 1 to 100 items.
pub fn item_count(count: usize) -> Check {
    check(count > 0, messages::BATCH_EMPTY)?;
    check(count <= MAX_BATCH_ITEMS, messages::BATCH_TOO_MANY)
}

/// An element that keeps every rule of an item.
pub fn checked_item(element: &str) -> Result<RawItem<'_>, &'static str> {
    let item = split::item(element)?;
    Ok(RawItem { body: item.body, delay: item.delay.seconds() })
}

/// The item's text with these members after the content type.
pub fn item_with(item: &RawItem<'_>, members: &str) -> String {
    format!("{{\"body\":{},\"contentType\":\"json\"{members}}}", item.body)
}

/// Calls a method of the queue, and makes of a refusal what `failed` says.
pub fn call(
    host: &mut Host<'_>,
    binding: &str,
    method: &str,
    arguments: &str,
    failed: Failed,
) -> Result<(), Failure<Abort>> {
    let own = str::to_owned;
    match producer::call_platform(host, binding, method, arguments, own) {
        Err(Failure::Exception(text)) => match failed(&text) {
            Some(message) => Err(Failure::Exception(message)),
            None => Ok(()),
        },
        answer => answer,
    }
}

fn normalized(
    host: &mut Host<'_>,
    normalize: Normalize,
    text: &str,
    syntax: &'static str,
    too_deep: &'static str,
) -> Result<String, Failure<Abort>> {
    normalize(host, text)?.map_err(|error| match error {
        NotCanonical::Syntax => Failure::exception(syntax),
        NotCanonical::TooDeep => Failure::exception(too_deep),
    })
}

impl BatchParts {
    /// The texts of the items, and the message of the first bad one.
    fn item_texts(&self, canonical: &str) -> (Vec<String>, Check) {
        let mut texts = Vec::new();
        let mut bytes = 0;
        let mut checked = || {
            let elements = (self.elements)(canonical).ok_or(messages::BATCH_NOT_ARRAY)?;
            (self.count)(elements.len())?;
            for element in elements {
                let item = (self.item)(element)?;
                bytes += item.body.len();
                texts.push((self.item_text)(&item));
            }
            (self.total)(bytes)
        };
        let checked = checked();
        (texts, checked)
    }
}

impl Package for Parts {
    fn send(
        &mut self,
        host: &mut Host<'_>,
        binding: &str,
        body: &str,
        delay: i64,
    ) -> Result<(), Failure<Abort>> {
        let parts = self.send;
        (parts.named)(binding).map_err(Failure::exception)?;
        let delay = (parts.delay)(delay).map_err(Failure::exception)?;
        (parts.input_size)(body).map_err(Failure::exception)?;
        (parts.input_content)(body).map_err(Failure::exception)?;
        let (syntax, too_deep) = (messages::BODY_NOT_JSON, messages::BODY_TOO_DEEP);
        let canonical = normalized(host, parts.normalize, body, syntax, too_deep)?;
        (parts.content)(&canonical).map_err(Failure::exception)?;
        (parts.canonical_size)(&canonical).map_err(Failure::exception)?;
        let arguments = format!("[{canonical},{}]", (parts.options)(delay));
        call(host, binding, "send", &arguments, parts.failed)
    }

    fn send_batch(
        &mut self,
        host: &mut Host<'_>,
        binding: &str,
        items: &str,
    ) -> Result<(), Failure<Abort>> {
        let parts = self.batch;
        (self.send.named)(binding).map_err(Failure::exception)?;
        (parts.text_size)(items).map_err(Failure::exception)?;
        let (syntax, too_deep) = (messages::BATCH_NOT_JSON, messages::BATCH_TOO_DEEP);
        let canonical = normalized(host, parts.normalize, items, syntax, too_deep)?;
        (parts.content)(&canonical).map_err(Failure::exception)?;
        let (texts, checked) = parts.item_texts(&canonical);
        if checked.is_err() && parts.keeps_good_items && !texts.is_empty() {
            (parts.deliver)(host, binding, &texts, parts.failed)?;
        }
        checked.map_err(Failure::exception)?;
        (parts.deliver)(host, binding, &texts, parts.failed)
    }

    fn read_batch(&mut self, host: &mut Host<'_>) -> Result<String, Failure<Abort>> {
        (self.consumer.queue_event)(host)?;
        (self.consumer.read)(host)
    }

    fn ack(&mut self, host: &mut Host<'_>, index: i64) -> Result<(), Failure<Abort>> {
        (self.consumer.queue_event)(host)?;
        let index = (self.consumer.in_batch)(host, index)?;
        Ok((self.consumer.ack)(host, index)?)
    }

    fn retry(&mut self, host: &mut Host<'_>, index: i64, delay: i64) -> Result<(), Failure<Abort>> {
        (self.consumer.queue_event)(host)?;
        let index = (self.consumer.in_batch)(host, index)?;
        let delay = (self.consumer.delay)(delay).map_err(Failure::exception)?;
        Ok((self.consumer.retry)(host, index, delay)?)
    }
}
