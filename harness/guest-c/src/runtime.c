/* Memory and bytes for a target without a C library.

   Memory is an arena: blocks lie behind one another, `free` gives nothing back,
   and the whole arena is emptied between two calls of the package. That fits a
   component: all that one call leaves behind is the text of its result. */

#include "runtime.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PAGE = 65536 };

/* The strictest alignment that the canonical ABI asks `cabi_realloc` for. */
enum { ALIGNMENT = 8 };

/* Stands before each block; as wide as the alignment, to keep the block's. */
struct header {
    size_t size;
    size_t padding;
};
_Static_assert(sizeof(struct header) == ALIGNMENT, "a header must keep the alignment");

/* Placed by the linker behind the stack and the constants. */
extern unsigned char __heap_base;

/* First free address; 0 before the first block. */
static uintptr_t top;
static bool call_is_over;

void memory_end_of_call(void) { call_is_over = true; }

_Noreturn void host_broke_contract(void) { __builtin_trap(); }

_Noreturn void abort(void) { __builtin_trap(); }

static _Noreturn void out_of_memory(void) { __builtin_trap(); }

static struct header *header_of(void *block) { return (struct header *)block - 1; }

/* Makes the memory reach up to `end`, which may have wrapped around when it is
   below the arena's top. */
static void reach(uintptr_t end) {
    if (end < top) out_of_memory();
    uintptr_t have = (uintptr_t)__builtin_wasm_memory_size(0) * PAGE;
    if (end <= have) return;
    size_t pages = (end - have + PAGE - 1) / PAGE;
    if (__builtin_wasm_memory_grow(0, pages) == (size_t)-1) out_of_memory();
}

/* The address behind `size` bytes at `start`, aligned; traps when there is none. */
static uintptr_t behind(uintptr_t start, size_t size) {
    if (size > UINTPTR_MAX - start - ALIGNMENT) out_of_memory();
    return (start + size + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1);
}

void *malloc(size_t size) {
    if (top == 0 || call_is_over) {
        top = behind((uintptr_t)&__heap_base, 0);
        call_is_over = false;
    }
    struct header *header = (struct header *)top;
    uintptr_t end = behind((uintptr_t)(header + 1), size);
    reach(end);
    header->size = size;
    top = end;
    return header + 1;
}

void *realloc(void *block, size_t size) {
    if (block == NULL) return malloc(size);
    struct header *header = header_of(block);
    if (behind((uintptr_t)block, header->size) == top) {
        /* The last block grows where it lies, so a text that is being built is
           not copied again and again. */
        uintptr_t end = behind((uintptr_t)block, size);
        if (end > top) reach(end);
        header->size = size;
        top = end;
        return block;
    }
    void *copy = malloc(size);
    return memcpy(copy, block, header->size < size ? header->size : size);
}

/* Does nothing: `memory_end_of_call` frees everything at once. The bindings also
   call this with the address of a constant, when that was the result. */
void free(void *block) { (void)block; }

void *memcpy(void *restrict to, const void *restrict from, size_t size) {
    unsigned char *target = to;
    const unsigned char *source = from;
    while (size-- > 0) *target++ = *source++;
    return to;
}

void *memmove(void *to, const void *from, size_t size) {
    unsigned char *target = to;
    const unsigned char *source = from;
    if (target <= source) return memcpy(to, from, size);
    while (size-- > 0) target[size] = source[size];
    return to;
}

void *memset(void *to, int byte, size_t size) {
    unsigned char *target = to;
    while (size-- > 0) *target++ = (unsigned char)byte;
    return to;
}

int memcmp(const void *a, const void *b, size_t size) {
    const unsigned char *left = a, *right = b;
    for (; size > 0; size--, left++, right++) {
        if (*left != *right) return *left - *right;
    }
    return 0;
}

size_t strlen(const char *text) {
    const char *end = text;
    while (*end != '\0') end++;
    return (size_t)(end - text);
}
