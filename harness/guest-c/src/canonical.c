/* Checking and splitting canonical text; see canonical.h. */

#include "canonical.h"

#include "runtime.h"

/* A marker always opens its object, since it is the object's only key. Inside a
   string the quote behind the brace would be escaped, so a plain search neither
   misses one nor takes data for one. */
bool has_marker(text canonical) {
    static const char *const markers[] = {
        HANDLE_MARKER,
        "{\"$未定义\":",
        "{\"$大整数\":",
        "{\"$数字\":",
    };
    for (size_t at = 0; at < canonical.len; at++) {
        if (canonical.ptr[at] != '{') continue;
        text rest = text_part(canonical, at, canonical.len);
        for (size_t i = 0; i < sizeof markers / sizeof *markers; i++) {
            if (text_starts_with(rest, markers[i])) return true;
        }
    }
    return false;
}

/* The byte at an offset. The host's text is complete, so its end is not met. */
static uint8_t byte_at(text canonical, size_t at) {
    if (at >= canonical.len) host_broke_contract();
    return canonical.ptr[at];
}

/* The offset behind the string literal that begins at `at`. */
static size_t behind_string(text canonical, size_t at) {
    for (at++; byte_at(canonical, at) != '"'; at++) {
        /* Whatever is escaped, a quote or a backslash too, ends nothing. */
        if (canonical.ptr[at] == '\\') at++;
    }
    return at + 1;
}

/* The offset behind the number or the word that begins at `at`. */
static size_t behind_scalar(text canonical, size_t at) {
    for (; at < canonical.len; at++) {
        uint8_t byte = canonical.ptr[at];
        if (byte == ',' || byte == ']' || byte == '}') break;
    }
    return at;
}

/* The bracket scan (括号扫描): the offset behind the value that begins at `at`,
   and in `deepest` the greatest nesting within it. */
static size_t behind_value(text canonical, size_t at, size_t *deepest) {
    uint8_t first = byte_at(canonical, at);
    *deepest = 0;
    if (first == '"') return behind_string(canonical, at);
    if (first != '[' && first != '{') return behind_scalar(canonical, at);
    size_t open = 0;
    do {
        switch (byte_at(canonical, at)) {
        case '"':
            at = behind_string(canonical, at);
            continue;
        case '[':
        case '{':
            open++;
            if (open > *deepest) *deepest = open;
            break;
        case ']':
        case '}':
            open--;
            break;
        }
        at++;
    } while (open > 0);
    return at;
}

size_t nesting(text canonical) {
    size_t deepest;
    behind_value(canonical, 0, &deepest);
    return deepest;
}

walk walk_into(text canonical) { return (walk){.whole = canonical, .at = 1}; }

/* Takes the value at which the walk stands. */
static text take(walk *walk) {
    size_t deepest;
    size_t from = walk->at;
    walk->at = behind_value(walk->whole, from, &deepest);
    return text_part(walk->whole, from, walk->at);
}

/* Is the walk at the closing bracket? Steps over the comma before an item. */
static bool at_end(walk *walk) {
    uint8_t byte = byte_at(walk->whole, walk->at);
    if (byte == ',') walk->at++;
    return byte == ']' || byte == '}';
}

bool next_item(walk *walk, text *item) {
    if (at_end(walk)) return false;
    *item = take(walk);
    return true;
}

bool next_member(walk *walk, text *key, text *value) {
    if (at_end(walk)) return false;
    *key = take(walk);
    walk->at++; /* the colon */
    *value = take(walk);
    return true;
}
