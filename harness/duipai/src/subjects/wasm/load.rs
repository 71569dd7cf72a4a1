//! A file → a compiled guest, or why not.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use wasmtime::{
    Config, Enabled, Engine, InstanceAllocationStrategy, PoolingAllocationConfig,
    component::{Component, HasSelf, Linker},
};

use super::{
    instance::bindings::{Guest, GuestPre},
    limits::{MAX_MEMORY_BYTES, MAX_PARTS, MAX_STACK_BYTES, MAX_TABLE_ELEMENTS, State},
    ticker, world,
};

/// Greatest size of a guest, in bytes.
const MAX_FILE_BYTES: u64 = 64 << 20;

const MAGIC: &[u8] = b"\0asm";
/// What follows the magic bytes of a core module: version 1, layer 0.
const CORE_MODULE: &[u8] = &[1, 0, 0, 0];

/// A guest cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {why}")]
pub struct LoadError {
    file: String,
    why: Unusable,
}

/// Why.
#[derive(Debug, thiserror::Error)]
enum Unusable {
    #[error("cannot read the guest: {0}")]
    Unreadable(#[from] io::Error),
    #[error("is not a file; a guest is a WebAssembly component")]
    NotAFile,
    #[error("is larger than {} MiB", MAX_FILE_BYTES >> 20)]
    TooLarge,
    #[error("is empty")]
    Empty,
    #[error("is not WebAssembly")]
    NotWasm,
    #[error("is a core module; make a component of it with wit-component")]
    CoreModule,
    #[error("is not a valid component: {0}")]
    Invalid(String),
    #[error("is not a component of the guest world: {0}")]
    World(String),
    #[error("the WebAssembly engine does not start: {0}")]
    Engine(String),
}

/// The content of the file at `path`, which messages call `file`.
pub(super) fn read(file: &str, path: &Path) -> Result<Vec<u8>, LoadError> {
    content(path).map_err(|why| LoadError { file: file.to_owned(), why })
}

/// The guest that these bytes are, ready to be instantiated.
pub(super) fn compiled(file: &str, bytes: &[u8]) -> Result<GuestPre<State>, LoadError> {
    compile(bytes).map_err(|why| LoadError { file: file.to_owned(), why })
}

fn content(path: &Path) -> Result<Vec<u8>, Unusable> {
    // Opening a pipe would wait for a writer.
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(Unusable::NotAFile);
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Err(Unusable::TooLarge);
    }
    let mut bytes = Vec::new();
    // It may have grown since.
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > MAX_FILE_BYTES { Err(Unusable::TooLarge) } else { Ok(bytes) }
}

fn compile(bytes: &[u8]) -> Result<GuestPre<State>, Unusable> {
    match bytes.strip_prefix(MAGIC) {
        _ if bytes.is_empty() => return Err(Unusable::Empty),
        None => return Err(Unusable::NotWasm),
        Some(rest) if rest.starts_with(CORE_MODULE) => return Err(Unusable::CoreModule),
        Some(_) => {}
    }
    let engine = engine().map_err(|error| Unusable::Engine(line(&error)))?;
    let component =
        Component::from_binary(&engine, bytes).map_err(|error| Unusable::Invalid(line(&error)))?;
    world::check(&component).map_err(Unusable::World)?;
    let another_world = |error| Unusable::World(line(&error));
    let mut linker = Linker::new(&engine);
    Guest::add_to_linker::<State, HasSelf<State>>(&mut linker, |state| state)
        .map_err(another_world)?;
    let guest = linker.instantiate_pre(&component).map_err(another_world)?;
    let guest = GuestPre::new(guest).map_err(another_world)?;
    ticker::start(&engine)?;
    Ok(guest)
}

/// An engine with a pool of instances, or without one where the system does not
/// grant the address space that a pool reserves.
fn engine() -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config.epoch_interruption(true).max_wasm_stack(MAX_STACK_BYTES);
    config.allocation_strategy(InstanceAllocationStrategy::Pooling(pool()));
    Engine::new(&config).or_else(|_| {
        config.allocation_strategy(InstanceAllocationStrategy::OnDemand);
        Engine::new(&config)
    })
}

/// Room for the instances of one guest. The pages that an instance has written
/// to are cleared for the next and not given back: on a fresh instance, most of
/// the time went into being handed pages one by one.
fn pool() -> PoolingAllocationConfig {
    let mut pool = PoolingAllocationConfig::new();
    pool.total_component_instances(MAX_AT_ONCE)
        .total_core_instances(MAX_AT_ONCE * PARTS)
        .total_memories(MAX_AT_ONCE)
        .total_tables(MAX_AT_ONCE * PARTS)
        .max_core_instances_per_component(MAX_PARTS)
        .max_memories_per_component(MAX_PARTS)
        .max_tables_per_component(MAX_PARTS)
        .max_component_instance_size(MAX_CONTEXT_BYTES)
        .max_core_instance_size(MAX_CONTEXT_BYTES)
        .max_memory_size(MAX_MEMORY_BYTES)
        .table_elements(MAX_TABLE_ELEMENTS)
        .linear_memory_keep_resident(4 << 20)
        .table_keep_resident(64 << 10)
        .pagemap_scan(Enabled::Auto);
    pool
}

/// Events of one guest that may be open at once, over all threads.
const MAX_AT_ONCE: u32 = 256;

/// Core instances and tables that a component has on average: its module, and
/// what binds it to the world.
const PARTS: u32 = 8;

/// What the engine itself keeps for an instance, in bytes.
const MAX_CONTEXT_BYTES: usize = 1 << 20;

/// The error and what led to it.
fn line(error: &wasmtime::Error) -> String {
    format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ")
}
