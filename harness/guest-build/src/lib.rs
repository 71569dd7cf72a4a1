//! The guest component that is checked in: how it is built, and whether it is
//! still what its sources say.
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
