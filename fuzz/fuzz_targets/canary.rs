//! A batch that is cut wrongly on purpose: it must be found.

#![no_main]

duipai_fuzz::target!("canary");
