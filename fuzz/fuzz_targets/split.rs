//! Cutting a batch into items, against serde_json's raw slices.

#![no_main]

duipai_fuzz::target!("split");
