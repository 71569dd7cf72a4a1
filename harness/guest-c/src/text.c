/* Texts and their building; see text.h. */

#include "text.h"

#include <stdlib.h>
#include <string.h>

text text_of(const char *constant) {
    return (text){.ptr = (uint8_t *)constant, .len = strlen(constant)};
}

text text_part(text whole, size_t from, size_t to) {
    return (text){.ptr = whole.ptr + from, .len = to - from};
}

bool text_equals(text left, const char *right) {
    return left.len == strlen(right) && memcmp(left.ptr, right, left.len) == 0;
}

bool text_starts_with(text whole, const char *prefix) {
    size_t length = strlen(prefix);
    return whole.len >= length && memcmp(whole.ptr, prefix, length) == 0;
}

/* Makes room for `more` bytes, doubling so that many short pieces stay cheap
   when the text is not the last block and has to move. */
static void make_room(builder *out, size_t more) {
    if (more <= out->room - out->so_far.len) return;
    size_t room = out->room * 2;
    if (room < out->so_far.len + more) room = out->so_far.len + more;
    out->so_far.ptr = realloc(out->so_far.ptr, room);
    out->room = room;
}

void add(builder *out, text piece) {
    make_room(out, piece.len);
    memcpy(out->so_far.ptr + out->so_far.len, piece.ptr, piece.len);
    out->so_far.len += piece.len;
}

void add_constant(builder *out, const char *piece) { add(out, text_of(piece)); }

static void add_byte(builder *out, uint8_t byte) {
    make_room(out, 1);
    out->so_far.ptr[out->so_far.len++] = byte;
}

void add_number(builder *out, uint64_t number) {
    uint8_t digits[20];
    size_t first = sizeof digits;
    do {
        digits[--first] = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    add(out, (text){.ptr = digits + first, .len = sizeof digits - first});
}

/* The letter of the short escape of a control character, or 0. */
static uint8_t short_escape(uint8_t byte) {
    switch (byte) {
    case '\b': return 'b';
    case '\t': return 't';
    case '\n': return 'n';
    case '\f': return 'f';
    case '\r': return 'r';
    default: return 0;
    }
}

/* Everything from U+0020 on stands for itself, and UTF-8 spells it in bytes of
   at least 0x20: so escaping goes byte by byte. */
void add_quoted(builder *out, text piece) {
    /* All at once, since most texts need no escape at all. */
    make_room(out, piece.len + 2);
    add_byte(out, '"');
    for (size_t at = 0; at < piece.len; at++) {
        uint8_t byte = piece.ptr[at];
        if (byte == '"' || byte == '\\') {
            add_byte(out, '\\');
            add_byte(out, byte);
        } else if (byte >= 0x20) {
            add_byte(out, byte);
        } else if (short_escape(byte) != 0) {
            add_byte(out, '\\');
            add_byte(out, short_escape(byte));
        } else {
            add_constant(out, byte < 0x10 ? "\\u000" : "\\u001");
            add_byte(out, (uint8_t)"0123456789abcdef"[byte & 0xf]);
        }
    }
    add_byte(out, '"');
}
