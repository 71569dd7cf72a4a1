/* Looking into canonical text (规范文字): JSON as the host spells it, without
   white space, every key once, every quote inside a string escaped. That makes
   it possible to check and to split it without a JSON parser. */
#ifndef GUEST_CANONICAL_H
#define GUEST_CANONICAL_H

#include "text.h"

/* What a host object looks like in bridge form, up to its number. */
#define HANDLE_MARKER "{\"$句柄\":"

/* Does an object begin with one of the four host markers (宿主专用记号)? */
bool has_marker(text canonical);

/* The greatest nesting: arrays and objects count one each, a scalar is 0. */
size_t nesting(text canonical);

/* Walks over the items of an array, or the members of an object. */
typedef struct {
    text whole;
    size_t at;
} walk;

/* At the first item of `canonical`, which is an array or an object. */
walk walk_into(text canonical);

/* Gives the next item of an array; false at its end. */
bool next_item(walk *walk, text *item);

/* Gives the next member of an object, the key with its quotes; false at its end. */
bool next_member(walk *walk, text *key, text *value);

#endif
