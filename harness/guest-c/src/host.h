/* The host bridge (句柄桥) as the package uses it: a few calls over the generated
   bindings in guest.h. */
#ifndef GUEST_HOST_H
#define GUEST_HOST_H

#include "text.h"

typedef yuyan_queue_bridge_handle_t handle;

/* How the host got on with a text that should be JSON. */
typedef enum {
    JSON_PARSED,
    /* JSON.parse threw. */
    JSON_INVALID,
    /* Some value lies more than 32 levels below the root. */
    JSON_TOO_DEEP,
} json_verdict;

/* Lets the host parse (JSON.parse) and spell again (JSON.stringify); `canonical`
   is set when it could. A number too great to be one is then a marker. */
json_verdict host_canonical(text json, text *canonical);

/* Calls `method` of the queue bound under `binding` (队列绑定) with `arguments`,
   a JSON array. The event ends when the binding is not granted or not configured.
   False when the platform refused; `refusal` is then what it said. */
bool host_call_queue(text binding, const char *method, text arguments, text *refusal);

/* Is the current event (入站事件) a queue event? */
bool host_event_is_queue(void);

/* When a message of the batch was queued, in Unix milliseconds, as JSON text. */
text host_message_timestamp(uint32_t index);

#endif
