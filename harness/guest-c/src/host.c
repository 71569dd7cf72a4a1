/* The host bridge as the package uses it; see host.h.

   A handle is let go of as soon as it has served: an event may hold 4096, and a
   batch may be of any size. */

#include "host.h"

#include "canonical.h"
#include "runtime.h"

/* `[literal]`: the arguments of a method that takes one text. The package writes
   the literal itself: the only escapes that JSON demands are those of `add_quoted`. */
static text one_text_argument(text argument) {
    builder out = {0};
    add_constant(&out, "[");
    add_quoted(&out, argument);
    add_constant(&out, "]");
    return out.so_far;
}

json_verdict host_canonical(text json, text *canonical) {
    text global = text_of("JSON"), parse = text_of("parse");
    text arguments = one_text_argument(json);
    yuyan_queue_bridge_call_error_t error;
    handle parser = yuyan_queue_bridge_global(&global);
    /* The result comes back in bridge form, and of what JSON.parse returns that
       is the canonical text. */
    bool parsed = yuyan_queue_bridge_call_safe(parser, &parse, &arguments, canonical, &error);
    yuyan_queue_bridge_release(parser);
    if (parsed) return JSON_PARSED;
    return error.tag == YUYAN_QUEUE_BRIDGE_CALL_ERROR_TOO_DEEP ? JSON_TOO_DEEP : JSON_INVALID;
}

bool host_call_queue(text binding, const char *method, text arguments, text *refusal) {
    text name = text_of(method), result;
    yuyan_queue_bridge_call_error_t error;
    handle queue = yuyan_queue_bridge_queue_binding(&binding);
    bool taken = yuyan_queue_bridge_call_safe(queue, &name, &arguments, &result, &error);
    yuyan_queue_bridge_release(queue);
    /* A result too deep to cross is still a result: the platform took the call,
       and the package has no use for what it answers. */
    if (taken || error.tag == YUYAN_QUEUE_BRIDGE_CALL_ERROR_TOO_DEEP) return true;
    *refusal = error.val.thrown;
    return false;
}

bool host_event_is_queue(void) {
    text kind;
    yuyan_queue_bridge_event_kind(&kind);
    return text_equals(kind, "queue");
}

/* The handle in `{"$句柄":"123"}`. */
static handle handle_in(text marker) {
    handle number = 0;
    for (size_t at = sizeof HANDLE_MARKER - 1; at < marker.len; at++) {
        uint8_t byte = marker.ptr[at];
        if (byte >= '0' && byte <= '9') number = number * 10 + (byte - '0');
    }
    return number;
}

/* Is this the text of an integer? */
static bool is_integer(text number) {
    size_t at = text_starts_with(number, "-") ? 1 : 0;
    if (at == number.len) return false;
    for (; at < number.len; at++) {
        if (number.ptr[at] < '0' || number.ptr[at] > '9') return false;
    }
    return true;
}

text host_message_timestamp(uint32_t index) {
    text property = text_of("timestamp"), value;
    handle message = yuyan_queue_bridge_message_handle(index);
    yuyan_queue_bridge_get(message, &property, &value);
    yuyan_queue_bridge_release(message);
    /* The platform gives a Date; a stand-in for it may give the number itself. */
    if (text_starts_with(value, HANDLE_MARKER)) {
        text method = text_of("getTime"), none = text_of("[]");
        handle date = handle_in(value);
        yuyan_queue_bridge_call(date, &method, &none, &value);
        yuyan_queue_bridge_release(date);
    }
    /* No message of the package fits a platform that does not know the time. */
    if (!is_integer(value)) host_broke_contract();
    return value;
}
