//! Canonical text, against JavaScript and against itself.

#![no_main]

duipai_fuzz::target!("normalize");
