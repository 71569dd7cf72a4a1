//! Guests made in the test, from the text of a core module.

use std::{collections::BTreeMap, fs, path::Path, sync::Arc};

use duipai::{
    plan::{Action, Batch, Binding, Body, EventPlan, Message, Scene, Step, Timestamp},
    subject::Subject,
    subjects,
};
use duipai_spec::event::EventKind;
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::{Resolve, WorldId};

/// The WIT of the guest world.
pub(crate) fn wit() -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../guest/wit/queue.wit");
    fs::read_to_string(file).unwrap()
}

/// The world `guest` of this WIT.
pub(crate) fn world(wit: &str) -> (Resolve, WorldId) {
    let mut resolve = Resolve::default();
    let package = resolve.push_str("queue.wit", wit).unwrap();
    let world = resolve.select_world(&[package], Some("guest")).unwrap();
    (resolve, world)
}

/// The component of a core module that implements the world.
pub(crate) fn component(mut module: Vec<u8>, resolve: &Resolve, world: WorldId) -> Vec<u8> {
    embed_component_metadata(&mut module, resolve, world, StringEncoding::UTF8).unwrap();
    let mut encoder = ComponentEncoder::default().validate(true).module(&module).unwrap();
    encoder.encode().unwrap()
}

/// A guest whose `send` is `send`, in the text format, with `more` definitions;
/// its other functions return at once. It has 32 MiB of memory.
///
/// `send` may call `$ok` and `$throw`, which make the result, and the imports.
pub(crate) fn guest(send: &str, more: &str) -> Arc<dyn Subject> {
    let module = format!(
        r#"(module
  (import "yuyan:queue/bridge@0.1.0" "global" (func $global (param i32 i32) (result i64)))
  (import "yuyan:queue/bridge@0.1.0" "release" (func $release (param i64)))
  (import "yuyan:queue/bridge@0.1.0" "ack" (func $ack (param i32)))
  (import "yuyan:queue/bridge@0.1.0" "batch-count" (func $batch_count (result i32)))
  (import "yuyan:queue/bridge@0.1.0" "event-kind" (func $event_kind (param i32)))
  (import "yuyan:queue/bridge@0.1.0" "bytes-to-handle"
    (func $bytes_to_handle (param i32 i32) (result i64)))
  (import "yuyan:queue/bridge@0.1.0" "call"
    (func $call (param i64 i32 i32 i32 i32 i32)))
  (memory (export "memory") 512)
  (data (i32.const 64) "JSON")
  (data (i32.const 80) "\ff\fe")
  (data (i32.const 96) "kept")
  (global $next (mut i32) (i32.const 65536))
  (func $realloc (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
    (local $at i32)
    (local.set $at (i32.and (i32.add (global.get $next) (i32.const 7)) (i32.const -8)))
    (global.set $next (i32.add (local.get $at) (local.get 3)))
    (local.get $at))
  (func $ok (result i32)
    (i64.store (i32.const 16) (i64.const 0))
    (i32.store (i32.const 24) (i32.const 0))
    (i32.const 16))
  (func $throw (param $text i32) (param $bytes i32) (result i32)
    (i32.store8 (i32.const 16) (i32.const 1))
    (i32.store (i32.const 20) (local.get $text))
    (i32.store (i32.const 24) (local.get $bytes))
    (i32.const 16))
  (func $send (export "yuyan:queue/producer@0.1.0#send")
    (param i32 i32 i32 i32 i64) (result i32) {send})
  (func (export "yuyan:queue/producer@0.1.0#send-batch")
    (param i32 i32 i32 i32) (result i32) (call $ok))
  (func (export "yuyan:queue/consumer@0.1.0#read-batch") (result i32) (call $ok))
  (func (export "yuyan:queue/consumer@0.1.0#ack") (param i64) (result i32) (call $ok))
  (func (export "yuyan:queue/consumer@0.1.0#retry") (param i64 i64) (result i32) (call $ok))
  {more})"#
    );
    let (resolve, world) = world(&wit());
    let bytes = component(wat::parse_str(&module).unwrap(), &resolve, world);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("hostile.wasm");
    fs::write(&file, bytes).unwrap();
    subjects::from_spec(&format!("wasm:{}", file.display())).unwrap()
}

/// One event of this kind, with one message if it is a queue event.
pub(crate) fn scene(kind: EventKind, steps: Vec<Action>) -> Scene {
    let message = Message {
        id: "m-0".to_owned(),
        attempts: 1,
        timestamp: Timestamp::Number(0),
        body: Body::Json("{}".into()),
        ack_throws: None,
        retry_throws: None,
    };
    let batch = Batch { queue: "pages".to_owned(), messages: vec![message] };
    let steps = steps.into_iter().map(|action| Step { action, caught: true }).collect();
    let event = EventPlan {
        kind,
        grants: vec!["Q".to_owned()],
        bindings: BTreeMap::from([("Q".to_owned(), Binding::Accepts)]),
        batch: (kind == EventKind::Queue).then_some(batch),
        steps,
    };
    Scene { events: vec![event] }
}

pub(crate) fn send(body: &str) -> Action {
    Action::Send { binding: "Q".to_owned(), body: body.into(), delay: 0 }
}

pub(crate) fn send_batch() -> Action {
    Action::SendBatch { binding: "Q".to_owned(), items: "[]".into() }
}
