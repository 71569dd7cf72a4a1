/* Texts: bytes of UTF-8 with a length, and the building of new ones. */
#ifndef GUEST_TEXT_H
#define GUEST_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "guest.h"

/* A text that lies somewhere else and is only looked at. */
typedef guest_string_t text;

/* A constant as a text. */
text text_of(const char *constant);

/* The part of `whole` from one offset up to another. */
text text_part(text whole, size_t from, size_t to);

bool text_equals(text left, const char *right);
bool text_starts_with(text whole, const char *prefix);

/* A text that is being put together. Starts as `{0}`. */
typedef struct {
    text so_far;
    size_t room;
} builder;

void add(builder *out, text piece);
void add_constant(builder *out, const char *piece);

/* In decimal. */
void add_number(builder *out, uint64_t number);

/* The text as a JSON string literal, spelled as JSON.stringify spells it. */
void add_quoted(builder *out, text piece);

#endif
