//! Core module → component.

use wasm_encoder::{CustomSection, Module, NameMap, NameSection, RawSection};
use wasmparser::{KnownCustom, Name, NameSectionReader, Parser, Payload};
use wit_component::ComponentEncoder;

/// What the linker made cannot be made a component.
#[derive(Debug, thiserror::Error)]
pub enum ComponentError {
    /// It is not a WebAssembly module.
    #[error("the linker's output is not a WebAssembly module: {0}")]
    Malformed(#[from] wasmparser::BinaryReaderError),
    /// It does not implement its world.
    #[error("the module does not make a component: {0}")]
    World(String),
}

/// Custom sections that describe the world to the encoder.
const WORLD_SECTIONS: &str = "component-type";

/// The component of a core module that `wit-bindgen` has described.
///
/// Of what is not code, only the functions' names are kept, in the form in which
/// a trap shows them.
///
/// # Errors
///
/// When it is not a module, or does not implement the world that it describes.
pub fn from_core_module(module: &[u8]) -> Result<Vec<u8>, ComponentError> {
    let world = |error: &dyn std::fmt::Display| ComponentError::World(format!("{error:#}"));
    let module = stripped(module)?;
    let encoder = ComponentEncoder::default().validate(true).module(&module);
    encoder.and_then(|mut encoder| encoder.encode()).map_err(|error| world(&error))
}

/// The module without the custom sections that nobody reads.
fn stripped(bytes: &[u8]) -> Result<Vec<u8>, ComponentError> {
    let mut module = Module::new();
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload?;
        if let Payload::CustomSection(section) = &payload {
            if let KnownCustom::Name(names) = section.as_known() {
                module.section(&readable(names)?);
            } else if section.name().starts_with(WORLD_SECTIONS) {
                let (name, data) = (section.name().into(), section.data().into());
                module.section(&CustomSection { name, data });
            }
        } else if let Some((id, range)) = payload.as_section() {
            module.section(&RawSection { id, data: &bytes[range] });
        }
    }
    Ok(module.finish())
}

/// The functions' names without the compiler's hashes, which say where on the
/// builder's disk a crate lay.
fn readable(names: NameSectionReader<'_>) -> Result<NameSection, ComponentError> {
    let mut functions = NameMap::new();
    for name in names {
        let Name::Function(map) = name? else { continue };
        for naming in map {
            let naming = naming?;
            functions.append(naming.index, &format!("{:#}", rustc_demangle::demangle(naming.name)));
        }
    }
    let mut section = NameSection::new();
    section.module("package");
    section.functions(&functions);
    Ok(section)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A module with one function of this name and a custom section.
    fn module(function: &str, custom: &'static str) -> Vec<u8> {
        let mut names = NameMap::new();
        names.append(0, function);
        let mut section = NameSection::new();
        section.functions(&names);
        let mut module = Module::new();
        module.section(&section);
        module.section(&CustomSection { name: custom.into(), data: b"/home/me".as_slice().into() });
        module.finish()
    }

    fn contains(bytes: &[u8], text: &str) -> bool {
        bytes.windows(text.len()).any(|window| window == text.as_bytes())
    }

    #[test]
    fn only_readable_names_and_the_world_are_kept() {
        let mangled = "_RNvNtCs6VDZWQTR7g_4core9panicking5panic";
        let kept = stripped(&module(mangled, "component-type:x")).expect("a module");
        assert!(contains(&kept, "core::panicking::panic") && !contains(&kept, "Cs6VDZ"));
        assert!(contains(&kept, "/home/me"));
        let kept = stripped(&module("f", "producers")).expect("a module");
        assert!(!contains(&kept, "producers") && !contains(&kept, "/home/me"));
    }

    #[test]
    fn what_is_no_module_is_refused() {
        assert!(matches!(from_core_module(b"\0asn"), Err(ComponentError::Malformed(_))));
    }
}
