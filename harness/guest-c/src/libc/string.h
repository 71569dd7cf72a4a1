/* The part of the C library that the generated bindings, and the compiler by
   itself, ask for: bytes. The target has no C library; ../runtime.c implements
   these. */
#ifndef GUEST_STRING_H
#define GUEST_STRING_H

#include <stddef.h>

void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memmove(void *to, const void *from, size_t size);
void *memset(void *to, int byte, size_t size);
int memcmp(const void *a, const void *b, size_t size);
size_t strlen(const char *text);

#endif
