//! Every number that the interface document fixes, with its unit.

/// Greatest size of one message body, in UTF-8 bytes; holds for the text as
/// given and for its canonical form (输入文字与规范化后的文字都不得超过 128 KB).
pub const MAX_BODY_BYTES: usize = 128_000;

/// Greatest sum of the canonical bodies of one batch, in UTF-8 bytes
/// (全部 body 合计不超过 256000 字节).
pub const MAX_BATCH_BYTES: usize = 256_000;

/// Greatest size of the array text of one batch, in UTF-8 bytes
/// (数组文字不超过 1 MiB).
pub const MAX_BATCH_TEXT_BYTES: usize = 1_048_576;

/// Greatest number of items in one batch (数组有 1 至 100 项).
pub const MAX_BATCH_ITEMS: usize = 100;

/// Greatest nesting of a message body; every array and every object counts one
/// level (嵌套不得超过 24 层).
pub const MAX_DEPTH: usize = 24;

/// Levels that a batch text adds around each body: the array and the item.
pub const BATCH_ENVELOPE_DEPTH: usize = 2;

/// Greatest delay in seconds, twelve hours (延迟秒数须在 0 至 43200 之间).
pub const MAX_DELAY_SECONDS: u32 = 43_200;

/// How far below the root a value may lie that crosses the host bridge, in
/// either direction (宿主桥限制，32 层).
pub const BRIDGE_DEPTH: usize = 32;

/// Greatest number of handles alive in one event.
pub const MAX_HANDLES: usize = 4096;

/// Running time of one event before the host ends it, in seconds
/// (单个事件的运行时限); the host's default.
pub const EVENT_LIMIT_SECONDS: u64 = 30;
