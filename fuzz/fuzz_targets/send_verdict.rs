//! The whole of 发送队列消息, against the model.

#![no_main]

duipai_fuzz::target!("send_verdict");
