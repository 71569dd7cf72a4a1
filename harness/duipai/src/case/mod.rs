//! The case format, and cases as the runner sees them.
//!
//! # The format
//!
//! Cases are written in TOML 1.0, many to a file, one file for a family. A
//! file begins with a comment on what the family is for, then `format = 1`.
//! Unknown fields, duplicate ids, and everything else that does not fit are
//! refused with file, line and column.
//!
//! ```toml
//! format = 1
//!
//! [[case]]
//! id = "send.delay.most"
//! says = ["send.delay.range"]
//! level = "must"
//! title = "延迟 43200 秒可投"
//! steps = [{ op = "send", body = '{"a":1}', delay = 43200, expect = "returned" }]
//! calls = [{ send = "PAGE_QUEUE", body = '{"a":1}', options = '{"contentType":"json","delaySeconds":43200}' }]
//! ```
//!
//! ## Fields of a case
//!
//! | field | type | meaning |
//! | --- | --- | --- |
//! | `id` | string | stable name: words of `a-z 0-9 -` joined by dots |
//! | `was` | strings | earlier ids of the same case |
//! | `says` | strings | ids of the ledger's sentences that the case is evidence for; the first is the one it is about |
//! | `level` | string | `must`, `should`, `may` or `observe`; equal to the level of the first sentence |
//! | `title` | string | one line for people |
//! | `why` | string | why the input is deceptive, or where it comes from |
//! | `pair` | table | `{ with = "ID", edit = "bytes", by = 1 }`, see below |
//! | `each` | tables | one case per row: `ID#KEY`, see below |
//! | `together` | boolean | the events are open at the same time; default `false` |
//! | `events` | tables | several events; each has the fields of an event |
//!
//! A case with one event writes the fields of the event in the case itself.
//!
//! ## Fields of an event
//!
//! | field | type | meaning |
//! | --- | --- | --- |
//! | `event` | string | `fetch` (default), `queue`, `scheduled`, `email` |
//! | `grants` | strings | granted queue bindings; default `["PAGE_QUEUE"]` |
//! | `bindings` | table | configured queue bindings; default `{ PAGE_QUEUE = "accepts" }`. A value is `"accepts"`, `{ rejects = "text" }` (an Error), `{ rejects_value = 'tagged JSON' }`, or `{ refuses = { status = 429, reason = "…", code = "…", cause = "…", date = "2026-10-01" } }`: a broker's answer to a Worker of that compatibility date, of which the runtime makes the text |
//! | `batch` | table, or `"redelivered"` | the batch of a queue event; `"redelivered"` takes what the platform redelivers from the event before |
//! | `steps` | tables | what the program does, in order |
//! | `calls` | tables | the complete ordered list of platform calls; `[]` says that nothing was called. Required |
//! | `end` | string | `fulfilled`, `rejected` or `aborted`. Default: `aborted` if a step aborts, `rejected` if one raises or throws uncaught, else `fulfilled` |
//! | `after` | table | what the platform redelivers, per profile, see below |
//! | `one_of` | tables | permitted behaviours in place of `expect`, `calls`, `end`, `after`, see below |
//!
//! ## Steps
//!
//! Every step has `op`. `caught = false` lets an exception of the step end the
//! event; by default the program catches it.
//!
//! | op | fields |
//! | --- | --- |
//! | `send` | `binding` (default `"PAGE_QUEUE"`), `body` (text), `delay` (default 0) |
//! | `send-batch` | `binding`, `items` (text) |
//! | `read-batch` | none |
//! | `ack` | `index` |
//! | `retry` | `index`, `delay` (default 0) |
//! | `raise` | `message`; the program throws, and nothing catches it |
//! | `wait` | `seconds`; the host's clock moves on |
//!
//! What a step must come to is its `expect`, for all ops but `raise`:
//!
//! | `expect` | meaning |
//! | --- | --- |
//! | `"returned"` | it returned; for `read-batch`, any text |
//! | `{ json = '…' }` | `read-batch` returned this JSON value; the order of keys does not matter |
//! | `{ text = '…' }` | `read-batch` returned this text byte for byte |
//! | `"batch"` | `read-batch` returned the value that the declared batch calls for |
//! | `{ throws = "…" }` | it threw a catchable exception with exactly this message, compared by code point |
//! | `{ throws_any_of = ["…", "…"] }` | one of these messages; only for inputs that break several rules. Which one was seen is the behaviour |
//! | `{ throws_prefix = "…", reason = "…" }` | a message that begins so; `reason` says why the rest is free |
//! | `{ throws_any = "reason" }` | any message; the reason says why the document leaves it open |
//! | `"aborts"` | the host ended the event, uncatchably |
//! | `"not-reached"` | the event had ended before this step |
//!
//! ## Texts
//!
//! A text is a TOML string (a literal string, so that nothing is escaped
//! twice), or a table that generates a big one. Every generated text states its
//! size; the loader checks it, and prints size and digest, never the text.
//!
//! | table | text |
//! | --- | --- |
//! | `{ string = "é", bytes = 128000 }` | a JSON string of that unit, filled up with `x` to exactly that many UTF-8 bytes, quotes included |
//! | `{ nest = 24, bytes = 48 }` | that many arrays in one another; `open`, `close` (default `[`, `]`) and `inner` (default empty) make other shapes |
//! | `{ items = 100, item = '{"body":1}', bytes = … }` | a JSON array of that many items; `${i}` in `item` is the index |
//! | `{ bodies = [128000, 128000], bytes = … }` | a batch of JSON string bodies with these sizes in bytes |
//! | `{ pieces = [['"', 1], ['x', 127998], ['"', 1]], bytes = 128000 }` | every piece repeated that often, all joined |
//!
//! `bytes` is the size of the text in UTF-8 bytes. `canonical_bytes` may be
//! given beside it: the size of `JSON.stringify(JSON.parse(text))`. A table may
//! also be `{ escaped = "…", bytes = … }`: the text of a TOML basic string, for
//! control characters that a literal string cannot hold. What a case grows to,
//! all texts, rows and messages written out, is at most 16 MiB.
//!
//! ## Batches
//!
//! `batch = { queue = "q", messages = [ … ] }`; a message has `id` (default
//! `"m0"`, `"m1"`, …), `attempts` (default 1), `timestamp` (a `Date`, in Unix
//! milliseconds; default 1767323045678) or `timestamp_number` (a plain
//! integer), `json` (the body as JSON text; default `null`) or `js` (tagged JSON
//! text), `ack_throws`, `retry_throws` (text of an Error that the call throws).
//! `messages` may be `{ count = 1000, json = '{"n":${i}}', id = "m${i}" }`.
//!
//! Tagged JSON text is JSON in which an object with one key that begins with
//! `#` stands for a value that JSON cannot hold: `{"#date":0}`, `{"#map":[[k,v]]}`,
//! `{"#set":[v]}`, `{"#bytes":"00ff"}`, `{"#buffer":"00ff"}`, `{"#undefined":true}`,
//! `{"#bigint":"9007199254740993"}`, `{"#nan":true}`, `{"#infinity":1}`,
//! `{"#infinity":-1}`, `{"#minus-zero":true}`, `{"#symbol":"name"}`,
//! `{"#class":{…}}`, `{"#function":"name"}`.
//!
//! ## Calls
//!
//! | table | the platform saw |
//! | --- | --- |
//! | `{ send = "BINDING", body = text, options = '…' }` | `send(body, options)`: the body's canonical text equal byte for byte, the options the same keys and values |
//! | `{ send_batch = "BINDING", items = [{ body = text }, { body = text, delay = 5 }] }` | `sendBatch([…])` with exactly these items, content type `json`, and no second argument |
//! | `{ send_batch = "BINDING", items = text }` | the same, with the whole list given as canonical JSON text; an item is `{"body":…}` with `delaySeconds` and `contentType` where they are worth saying |
//! | `{ ack = 0 }` | `ack()` of message 0 |
//! | `{ retry = 0 }` | `retry()` of message 0 with no argument |
//! | `{ retry = 0, options = '{"delaySeconds":30}' }` | `retry(options)` |
//!
//! A text in a call is canonical JSON text, or `"step"`: the canonical form of
//! the same event's only `send` body.
//!
//! A settling call that throws (`ack_throws`, `retry_throws`) is one of the
//! calls, because the platform saw it, but it settles nothing.
//!
//! ## What the platform does next
//!
//! `after = { cloudflare = { basis = "documented", redelivered = [{ message = 0, attempts = 2 }] }, miniflare = { … } }`.
//! A redelivered message may have `delay` in seconds; without it the consumer's
//! default holds. `basis` is `documented` or `measured`. A profile that is not
//! named is not judged.
//!
//! ## Permitted behaviours
//!
//! Where the document leaves a choice, `one_of` lists whole expectations:
//! `{ behaviour = "accepts", expect = ["returned"], calls = [ … ] }`, with one
//! `expect` for each step but `raise`, and `end` and `after` if they are not the default. Which
//! behaviour was seen is reported and never skipped.
//!
//! ## Rows
//!
//! `each = [{ key = "date", js = '{"#date":0}' }, …]` makes the case `ID#date`
//! and so on. `${js}` in any string of the case is replaced by the row's value;
//! a string that is nothing but `${name}` becomes the value itself, of whatever
//! type. `pair` may name `OTHER#${key}`. A name is made of `a-z 0-9 _`; anything
//! else after `${` is plain text. `${i}` is left to the generators and batches.
//!
//! ## Pairs
//!
//! `pair` names the twin with the opposite verdict. Its plan must be this
//! case's plan but for one edit: `bytes` (a text of the twin is longer by `by`
//! UTF-8 bytes), `depth` (nested deeper by `by`), `items` (has `by` more items),
//! `delay` or `index` (is greater by `by`), or `text` (one replacement:
//! `from = 'a', to = 'b'`). `by` may be negative. The loader checks the edit,
//! and that one of the two is accepted and the other refused.
//!
//! # Platform cases
//!
//! A file with `kind = "platform"` holds cases of another kind, which are
//! described in [`platform`].

mod batch;
mod call;
pub(crate) mod decode;
pub(crate) mod error;
mod event;
pub(crate) mod fields;
mod json;
mod model;
pub(crate) mod needs;
pub(crate) mod node;
mod outcomes;
pub(crate) mod pair;
pub mod platform;
mod rows;
pub(crate) mod source;
mod step;
mod text;

pub use self::{
    error::{LoadError, Place, Problem},
    model::{
        After, Basis, Case, Edit, EventCase, ExactText, Expectation, ExpectedCall, ExpectedEnd,
        ExpectedItem, ExpectedMessage, ExpectedOutcome, Origin, Pair,
    },
    source::{LEDGER_FILE, MAX_FILE_BYTES, SourceFile, read_folder},
};
