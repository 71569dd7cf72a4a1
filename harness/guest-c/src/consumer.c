/* Receiving (消费者): 读取队列批次, 确认队列消息, 重试队列消息. */

#include "canonical.h"
#include "host.h"
#include "package.h"

#define NOT_A_QUEUE_EVENT "当前事件不是队列事件"
#define INDEX_MESSAGE "队列消息序号越界"

/* One message of the batch; false when its body is not a JSON value. The bridge
   shows such a body by a marker, at whatever depth it stands. */
static bool add_message(builder *out, uint32_t index) {
    text id, body;
    yuyan_queue_bridge_message_body(index, &body);
    if (has_marker(body)) return false;
    yuyan_queue_bridge_message_id(index, &id);
    add_constant(out, "{\"id\":");
    add_quoted(out, id);
    add_constant(out, ",\"attempts\":");
    add_number(out, yuyan_queue_bridge_message_attempts(index));
    add_constant(out, ",\"timestamp\":");
    add(out, host_message_timestamp(index));
    add_constant(out, ",\"body\":");
    add(out, body);
    add_constant(out, "}");
    return true;
}

bool read_batch(text *batch, text *exception) {
    if (!host_event_is_queue()) return throw_constant(exception, NOT_A_QUEUE_EVENT);
    builder out = {0};
    text queue;
    yuyan_queue_bridge_batch_name(&queue);
    add_constant(&out, "{\"queue\":");
    add_quoted(&out, queue);
    add_constant(&out, ",\"messages\":[");
    uint32_t count = yuyan_queue_bridge_batch_count();
    for (uint32_t index = 0; index < count; index++) {
        if (index > 0) add_constant(&out, ",");
        if (!add_message(&out, index)) {
            builder message = {0};
            add_constant(&message, "队列消息正文不是 JSON 值：序号 ");
            add_number(&message, index);
            return throw_text(exception, message.so_far);
        }
    }
    add_constant(&out, "]}");
    *batch = out.so_far;
    return true;
}

/* Checks what acknowledging and retrying have in common. The host would end the
   event at an index out of range, so the package has to look first. */
static bool check_index(int64_t index, text *exception) {
    if (!host_event_is_queue()) return throw_constant(exception, NOT_A_QUEUE_EVENT);
    if (index < 0 || index >= (int64_t)yuyan_queue_bridge_batch_count()) {
        return throw_constant(exception, INDEX_MESSAGE);
    }
    return true;
}

bool ack_message(int64_t index, text *exception) {
    if (!check_index(index, exception)) return false;
    yuyan_queue_bridge_ack((uint32_t)index);
    return true;
}

bool retry_message(int64_t index, int64_t delay, text *exception) {
    if (!check_index(index, exception)) return false;
    if (delay < 0 || delay > MAX_DELAY) return throw_constant(exception, DELAY_MESSAGE);
    if (delay == 0) {
        yuyan_queue_bridge_retry((uint32_t)index);
    } else {
        yuyan_queue_bridge_retry_after((uint32_t)index, (uint32_t)delay);
    }
    return true;
}
