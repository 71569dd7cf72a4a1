/* The package as a component: the functions that the generated bindings export,
   each around one of package.h. */

#include "package.h"

#include "runtime.h"

bool throw_text(text *exception, text message) {
    *exception = message;
    return false;
}

bool throw_constant(text *exception, const char *message) {
    return throw_text(exception, text_of(message));
}

/* Every call ends here. */
static bool ended(bool returned) {
    memory_end_of_call();
    return returned;
}

bool exports_yuyan_queue_producer_send(text *binding, text *body, int64_t delay, text *err) {
    return ended(send_message(*binding, *body, delay, err));
}

bool exports_yuyan_queue_producer_send_batch(text *binding, text *items, text *err) {
    return ended(send_batch(*binding, *items, err));
}

bool exports_yuyan_queue_consumer_read_batch(text *ret, text *err) {
    return ended(read_batch(ret, err));
}

bool exports_yuyan_queue_consumer_ack(int64_t index, text *err) {
    return ended(ack_message(index, err));
}

bool exports_yuyan_queue_consumer_retry(int64_t index, int64_t delay, text *err) {
    return ended(retry_message(index, delay, err));
}
