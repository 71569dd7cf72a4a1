/* What this guest has in place of a C library, beside the functions declared in
   libc/: the end of a call, and the end of everything. */
#ifndef GUEST_RUNTIME_H
#define GUEST_RUNTIME_H

/* Says that a call of the package is over. Nothing that was allocated for it is
   needed once the host has read its result, so the memory is used again from the
   start when the host brings the arguments of the next call. */
void memory_end_of_call(void);

/* Ends the event as a trap (中止): the host answered what its contract rules
   out, and going on would put made-up text into somebody's queue. */
_Noreturn void host_broke_contract(void);

#endif
