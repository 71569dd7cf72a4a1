//! Any bytes as a guest: an error, or a guest that runs within its bounds.

#![no_main]

duipai_fuzz::target!("guest_bytes");
