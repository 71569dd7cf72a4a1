//! A file → a compiled guest, or why not.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::Path,
};

use wasmtime::{
    Config, Engine,
    component::{Component, HasSelf, Linker},
};

use super::{
    instance::bindings::{Guest, GuestPre},
    limits::{MAX_STACK_BYTES, State},
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

fn engine() -> wasmtime::Result<Engine> {
    let mut config = Config::new();
    config.epoch_interruption(true).max_wasm_stack(MAX_STACK_BYTES);
    Engine::new(&config)
}

/// The error and what led to it.
fn line(error: &wasmtime::Error) -> String {
    format!("{error:#}").split_whitespace().collect::<Vec<_>>().join(" ")
}
