//! duipai (对拍) says whether an implementation of the 豫言 message-queue
//! interface is right, sentence by sentence.
//!
//! ```text
//! plan ──► subject ──► observation ──► judge ──► report
//!   ▲                                   ▲
//!   └────────────── case ───────────────┘
//! ```

#![deny(missing_docs)]

pub mod case;
pub mod cli;
pub mod filter;
pub mod fuzz;
pub mod generate;
pub mod judge;
pub mod known;
pub mod ledger;
pub mod mutants;
pub mod observation;
pub mod oracle;
pub mod package;
pub mod plan;
pub mod report;
pub mod runner;
pub mod subject;
pub mod subjects;
pub mod suite;
pub mod testing;
pub mod vectors;

mod nearest;
mod regular;
#[cfg(test)]
mod sample;
mod sha256;
