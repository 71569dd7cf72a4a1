//! 批量发送队列消息 of the subject that DUIPAI_SUBJECT names.

#![no_main]

duipai_fuzz::target!("subject_batch");
