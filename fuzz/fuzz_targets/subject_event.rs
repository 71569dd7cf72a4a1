//! Any steps in any events of the subject that DUIPAI_SUBJECT names.

#![no_main]

duipai_fuzz::target!("subject_event");
