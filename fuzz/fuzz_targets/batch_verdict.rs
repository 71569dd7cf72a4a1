//! The whole of 批量发送队列消息, against the model.

#![no_main]

duipai_fuzz::target!("batch_verdict");
