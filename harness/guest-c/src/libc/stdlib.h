/* The part of the C library that the generated bindings ask for: memory. The
   target has no C library; ../runtime.c implements these. */
#ifndef GUEST_STDLIB_H
#define GUEST_STDLIB_H

#include <stddef.h>

void *malloc(size_t size);
void *realloc(void *block, size_t size);
void free(void *block);
_Noreturn void abort(void);

#endif
