//! Any steps in any events, against the model, and against the guest.

#![no_main]

duipai_fuzz::target!("event_plan");
