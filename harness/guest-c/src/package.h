/* The five functions of the package. Each returns, or throws (抛出) a 豫言
   exception, or is ended by the host, in which case it does not come back. */
#ifndef GUEST_PACKAGE_H
#define GUEST_PACKAGE_H

#include "text.h"

/* Longest delay, in seconds (12 小时). */
enum { MAX_DELAY = 43200 };

#define DELAY_MESSAGE "延迟秒数须在 0 至 43200 之间"

/* Throws: gives the exception its message, and is false, which is how the
   bindings want to hear of one. */
bool throw_text(text *exception, text message);
bool throw_constant(text *exception, const char *message);

/* 发送队列消息 */
bool send_message(text binding, text body, int64_t delay, text *exception);

/* 批量发送队列消息 */
bool send_batch(text binding, text items, text *exception);

/* 读取队列批次 */
bool read_batch(text *batch, text *exception);

/* 确认队列消息 */
bool ack_message(int64_t index, text *exception);

/* 重试队列消息 */
bool retry_message(int64_t index, int64_t delay, text *exception);

#endif
