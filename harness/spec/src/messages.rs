//! Every exception message (异常消息), named once.
//!
//! "Fixed" in a doc comment means that the interface document quotes the text,
//! so another wording breaks a must-level sentence. The others are the wording
//! of the reference adapter: the document asks for an exception with a fixed
//! Chinese explanation but does not give its text, so another wording is a
//! finding at level should.

use alloc::{format, string::String};

/// Producer: the binding name is empty (空名称则由本包抛出豫言异常).
pub const BINDING_EMPTY: &str = "队列绑定名不得为空";

/// Fixed. Producer and consumer: a delay outside 0 to 43200 seconds.
pub const DELAY_RANGE: &str = "延迟秒数须在 0 至 43200 之间";

/// Fixed. `send`: input or canonical text over 128000 UTF-8 bytes.
pub const BODY_TOO_LARGE: &str = "消息体超过 128000 字节";
/// Fixed. `send`: the body is not JSON text.
pub const BODY_NOT_JSON: &str = "消息体不是有效的 JSON 文字";
/// `send`: more than 24 levels of arrays and objects.
pub const BODY_TOO_DEEP: &str = "消息体嵌套超过 24 层";
/// `send`: a host marker, or a number that overflows to an infinity.
pub const BODY_MARKER: &str = "消息体含有不属于 JSON 的值或宿主专用记号";

/// `send_batch`: the array text is over 1 MiB.
pub const BATCH_TEXT_TOO_LARGE: &str = "批量消息文字超过 1 MiB";
/// `send_batch`: the text is not JSON.
pub const BATCH_NOT_JSON: &str = "批量消息不是有效的 JSON 文字";
/// `send_batch`: some body has more than 24 levels.
pub const BATCH_TOO_DEEP: &str = "批量消息嵌套超过 24 层";
/// `send_batch`: a host marker or an infinity anywhere in the text.
pub const BATCH_MARKER: &str = "批量消息含有不属于 JSON 的值或宿主专用记号";
/// `send_batch`: the text is JSON but not an array.
pub const BATCH_NOT_ARRAY: &str = "批量消息须为 JSON 数组";
/// `send_batch`: no item.
pub const BATCH_EMPTY: &str = "批量消息不得为空";
/// Fixed. `send_batch`: more than 100 items.
pub const BATCH_TOO_MANY: &str = "批量消息不得超过 100 条";
/// `send_batch`: an item is not an object.
pub const ITEM_NOT_OBJECT: &str = "批量消息的每一项须为 JSON 对象";
/// `send_batch`: an item without `body`.
pub const ITEM_NO_BODY: &str = "批量消息项缺少 body";
/// `send_batch`: an item with a field beside `body` and `delaySeconds`.
pub const ITEM_UNKNOWN_FIELD: &str = "批量消息项只允许 body 与 delaySeconds 两个字段";
/// `send_batch`: `delaySeconds` is not an integer from 0 to 43200.
pub const ITEM_DELAY: &str = "批量消息项的 delaySeconds 须为 0 至 43200 的整数";
/// `send_batch`: one body over 128000 UTF-8 bytes.
pub const ITEM_BODY_TOO_LARGE: &str = "批量消息体超过 128000 字节";
/// `send_batch`: all bodies together over 256000 UTF-8 bytes.
pub const BATCH_TOTAL_TOO_LARGE: &str = "批量消息体合计超过 256000 字节";

/// Fixed. What stands before the platform's own text when `send` is refused.
pub const SEND_FAILED_PREFIX: &str = "队列发送失败：";
/// Fixed. What stands before the platform's own text when `sendBatch` is refused.
pub const BATCH_FAILED_PREFIX: &str = "队列批量发送失败：";

/// Fixed. Consumer: the current event is not a queue event.
pub const NOT_QUEUE_EVENT: &str = "当前事件不是队列事件";
/// Fixed. `ack` and `retry`: an index below 0 or not below the message count.
pub const INDEX_RANGE: &str = "队列消息序号越界";
/// Fixed. What stands before the index in [`message_not_json`].
pub const MESSAGE_NOT_JSON_PREFIX: &str = "队列消息正文不是 JSON 值：序号 ";

/// `read_batch`: message `index`, counted from 0, is not a JSON value.
pub fn message_not_json(index: u32) -> String {
    format!("{MESSAGE_NOT_JSON_PREFIX}{index}")
}

/// `send`: the platform refused with `text`, which follows unchanged.
pub fn send_failed(text: &str) -> String {
    format!("{SEND_FAILED_PREFIX}{text}")
}

/// `send_batch`: the platform refused with `text`, which follows unchanged.
pub fn batch_failed(text: &str) -> String {
    format!("{BATCH_FAILED_PREFIX}{text}")
}
