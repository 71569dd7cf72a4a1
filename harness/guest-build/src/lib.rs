//! The guest components that are checked in: how they are built, and whether they
//! are still what their sources say.
//!
//! | module | holds |
//! | --- | --- |
//! | [`artefact`] | the component, and the record of what it was made from |
//! | [`c`] | the second guest: C sources → component |
//! | [`component`] | core module → component |
//! | [`toolchain`] | the compiler for the WebAssembly target |

pub mod artefact;
pub mod c;
pub mod component;
pub mod toolchain;
