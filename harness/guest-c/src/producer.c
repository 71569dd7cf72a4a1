/* Sending (生产者): 发送队列消息, 批量发送队列消息. Every rule is checked before the
   platform is called; what is sent is the host's canonical text, never the
   program's own. */

#include "canonical.h"
#include "host.h"
#include "package.h"

/* Sizes in bytes; a KB is decimal, a MiB is not. */
enum {
    MAX_BODY = 128000,
    MAX_ALL_BODIES = 256000,
    MAX_BATCH_TEXT = 1024 * 1024,
};

enum { MAX_ITEMS = 100 };

/* Nesting of a body. Around it a batch has the array and the item. */
enum { MAX_NESTING = 24, MAX_BATCH_NESTING = MAX_NESTING + 2 };

#define NO_BINDING "队列绑定名不得为空"

#define BODY_INVALID "消息体不是有效的 JSON 文字"
#define BODY_MARKED "消息体含有不属于 JSON 的值或宿主专用记号"
#define BODY_TOO_DEEP "消息体嵌套超过 24 层"
#define BODY_TOO_LONG "消息体超过 128000 字节"

#define BATCH_INVALID "批量消息不是有效的 JSON 文字"
#define BATCH_MARKED "批量消息含有不属于 JSON 的值或宿主专用记号"
#define BATCH_TOO_DEEP "批量消息嵌套超过 24 层"
#define BATCH_TOO_LONG "批量消息文字超过 1 MiB"
#define BATCH_NO_ARRAY "批量消息须为 JSON 数组"
#define BATCH_EMPTY "批量消息不得为空"
#define BATCH_TOO_MANY "批量消息不得超过 100 条"

#define ITEM_NO_OBJECT "批量消息的每一项须为 JSON 对象"
#define ITEM_NO_BODY "批量消息项缺少 body"
#define ITEM_UNKNOWN_FIELD "批量消息项只允许 body 与 delaySeconds 两个字段"
#define ITEM_DELAY "批量消息项的 delaySeconds 须为 0 至 43200 的整数"
#define ITEM_TOO_LONG "批量消息体超过 128000 字节"
#define BODIES_TOO_LONG "批量消息体合计超过 256000 字节"

/* Adds the end of an object of options: the content type, the delay when there is
   one, and the brace. */
static void add_options(builder *out, uint32_t delay) {
    add_constant(out, "\"contentType\":\"json\"");
    if (delay > 0) {
        add_constant(out, ",\"delaySeconds\":");
        add_number(out, delay);
    }
    add_constant(out, "}");
}

/* Calls the platform; when it refuses, throws `prefix` and what it said. */
static bool deliver(text binding, const char *method, text arguments, const char *prefix,
                    text *exception) {
    text refusal;
    if (host_call_queue(binding, method, arguments, &refusal)) return true;
    builder message = {0};
    add_constant(&message, prefix);
    add(&message, refusal);
    return throw_text(exception, message.so_far);
}

bool send_message(text binding, text body, int64_t delay, text *exception) {
    if (binding.len == 0) return throw_constant(exception, NO_BINDING);
    if (delay < 0 || delay > MAX_DELAY) return throw_constant(exception, DELAY_MESSAGE);
    if (body.len > MAX_BODY) return throw_constant(exception, BODY_TOO_LONG);
    text canonical;
    switch (host_canonical(body, &canonical)) {
    case JSON_INVALID: return throw_constant(exception, BODY_INVALID);
    case JSON_TOO_DEEP: return throw_constant(exception, BODY_TOO_DEEP);
    case JSON_PARSED: break;
    }
    if (has_marker(canonical)) return throw_constant(exception, BODY_MARKED);
    if (nesting(canonical) > MAX_NESTING) return throw_constant(exception, BODY_TOO_DEEP);
    if (canonical.len > MAX_BODY) return throw_constant(exception, BODY_TOO_LONG);

    builder arguments = {0};
    add_constant(&arguments, "[");
    add(&arguments, canonical);
    add_constant(&arguments, ",{");
    add_options(&arguments, (uint32_t)delay);
    add_constant(&arguments, "]");
    return deliver(binding, "send", arguments.so_far, "队列发送失败：", exception);
}

/* The seconds in canonical text: only an integer from 0 to MAX_DELAY is spelled
   in digits and nothing else, whatever spelling the program chose. */
static bool read_delay(text canonical, uint32_t *delay) {
    *delay = 0;
    for (size_t at = 0; at < canonical.len; at++) {
        uint8_t byte = canonical.ptr[at];
        if (byte < '0' || byte > '9') return false;
        *delay = *delay * 10 + (byte - '0');
        if (*delay > MAX_DELAY) return false;
    }
    return true;
}

/* One item of a batch (批量项). */
typedef struct {
    text body;
    bool has_body;
    uint32_t delay;
} batch_item;

/* Takes an item apart. NULL when it is as it should be, otherwise what is wrong;
   of several things, the first in the order of the checks. */
static const char *read_item(text canonical, batch_item *out) {
    if (!text_starts_with(canonical, "{")) return ITEM_NO_OBJECT;
    *out = (batch_item){0};
    bool has_unknown_field = false;
    text key, value, delay = text_of("0");
    walk members = walk_into(canonical);
    while (next_member(&members, &key, &value)) {
        if (text_equals(key, "\"body\"")) {
            out->body = value;
            out->has_body = true;
        } else if (text_equals(key, "\"delaySeconds\"")) {
            delay = value;
        } else {
            has_unknown_field = true;
        }
    }
    if (!out->has_body) return ITEM_NO_BODY;
    if (has_unknown_field) return ITEM_UNKNOWN_FIELD;
    if (!read_delay(delay, &out->delay)) return ITEM_DELAY;
    if (out->body.len > MAX_BODY) return ITEM_TOO_LONG;
    return NULL;
}

/* The number of items, as far as it matters: one more than are allowed is enough. */
static size_t count_items(text canonical) {
    size_t count = 0;
    text value;
    walk items = walk_into(canonical);
    while (count <= MAX_ITEMS && next_item(&items, &value)) count++;
    return count;
}

/* Puts the items together as the platform wants them. NULL when all are as they
   should be, otherwise what is wrong with the first that is not. */
static const char *convert_items(text canonical, builder *out) {
    size_t all_bodies = 0;
    text value;
    walk items = walk_into(canonical);
    while (next_item(&items, &value)) {
        batch_item item;
        const char *wrong = read_item(value, &item);
        if (wrong != NULL) return wrong;
        if (all_bodies > 0) add_constant(out, ",");
        all_bodies += item.body.len;
        add_constant(out, "{\"body\":");
        add(out, item.body);
        add_constant(out, ",");
        add_options(out, item.delay);
    }
    return all_bodies > MAX_ALL_BODIES ? BODIES_TOO_LONG : NULL;
}

bool send_batch(text binding, text items, text *exception) {
    if (binding.len == 0) return throw_constant(exception, NO_BINDING);
    if (items.len > MAX_BATCH_TEXT) return throw_constant(exception, BATCH_TOO_LONG);
    text canonical;
    switch (host_canonical(items, &canonical)) {
    case JSON_INVALID: return throw_constant(exception, BATCH_INVALID);
    case JSON_TOO_DEEP: return throw_constant(exception, BATCH_TOO_DEEP);
    case JSON_PARSED: break;
    }
    if (has_marker(canonical)) return throw_constant(exception, BATCH_MARKED);
    if (nesting(canonical) > MAX_BATCH_NESTING) return throw_constant(exception, BATCH_TOO_DEEP);
    if (!text_starts_with(canonical, "[")) return throw_constant(exception, BATCH_NO_ARRAY);
    size_t count = count_items(canonical);
    if (count == 0) return throw_constant(exception, BATCH_EMPTY);
    if (count > MAX_ITEMS) return throw_constant(exception, BATCH_TOO_MANY);

    builder arguments = {0};
    add_constant(&arguments, "[[");
    const char *wrong = convert_items(canonical, &arguments);
    if (wrong != NULL) return throw_constant(exception, wrong);
    add_constant(&arguments, "]]");
    return deliver(binding, "sendBatch", arguments.so_far, "队列批量发送失败：", exception);
}
